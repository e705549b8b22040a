import type { FieldErrors } from '../../../shared/contract/problems.ts';
import type { PriceCap } from '../../spend/contract/price-cap.ts';

/** The multiplier of a request as it is stored; undefined: the max price itself. */
export const percentOf = (multiplier: number | null | undefined): number | undefined =>
  multiplier == null || multiplier === 1 ? undefined : Math.round(multiplier * 100);

/** A multiplier needs a max price that it multiplies. */
export const multiplierErrors = (multiplier: number | null | undefined, cap: PriceCap | undefined): FieldErrors =>
  multiplier == null || cap ? {} : { max_price_multiplier: ['Only with a template that has a max price.'] };
