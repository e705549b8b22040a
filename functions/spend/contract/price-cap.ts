import * as z from 'zod';

/**
 * The most that one message may cost, whatever the cards say: its template has a max price, which may be above the list price. `unknown`: it has one, and
 * its amount is not known.
 */
export const priceCap = z.union([z.object({ micros: z.int(), currency: z.string() }), z.object({ unknown: z.literal('no_currency') })]);
export type PriceCap = z.output<typeof priceCap>;

/**
 * The max price of messages that are sent at a part or a multiple of it, in percent: a millionth of the unit that is begun counts whole, so that nothing is
 * charged above it. Exact: a bid times 1,000 percent is far below 2^53.
 */
export const multipliedCap = (cap: PriceCap, percent: number): PriceCap =>
  'unknown' in cap ? cap : { ...cap, micros: Math.ceil((cap.micros * percent) / 100) };

/** By what a message is priced: the category of its template, or `service`, and the max price where it has one. */
export interface Tariff {
  category: string;
  cap?: PriceCap | undefined;
}
