import type { PriceCap } from '../contract/price-cap.ts';
import type { FlatPrice, UnknownPrice } from './price.ts';

/**
 * What a message with a max price costs at most in a currency, in every country. In another currency it is unknown: a max price is not converted.
 */
export const cappedPrice = (cap: PriceCap, currency: string | undefined): FlatPrice | UnknownPrice =>
  'unknown' in cap || cap.currency !== currency ? { unknown: 'no_currency' } : { micros: BigInt(cap.micros) };
