import type { PriceCap } from '../contract/price-cap.ts';
import type { Micros } from './money.ts';
import type { UnknownPrice } from './price.ts';

/**
 * What a message with a max price costs at most in a currency; undefined: it has none, and cards price it. In another currency it is unknown: a max
 * price is not converted.
 */
export const cappedPrice = (cap: PriceCap | undefined, currency: string | undefined): { micros: Micros } | UnknownPrice | undefined => {
  if (!cap) return undefined;
  return 'unknown' in cap || cap.currency !== currency ? { unknown: 'no_currency' } : { micros: BigInt(cap.micros) };
};
