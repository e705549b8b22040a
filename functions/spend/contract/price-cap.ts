import * as z from 'zod';

/**
 * The most that one message may cost, whatever the cards say: its template has a max price, which may be above the list price. `unknown`: it has one, and
 * its amount is not known.
 */
export const priceCap = z.union([z.object({ micros: z.int(), currency: z.string() }), z.object({ unknown: z.literal('no_currency') })]);
export type PriceCap = z.output<typeof priceCap>;

/** By what a message is priced: the category of its template, or `service`, and the max price where it has one. */
export interface Tariff {
  category: string;
  cap?: PriceCap | undefined;
}
