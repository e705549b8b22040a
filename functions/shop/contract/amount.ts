import * as z from 'zod';
import { text } from '../../../shared/contract/fields.ts';
import { decimalOf, isAbovePrice, isCurrency, maxPrice } from '../domain/money.ts';

/** A price as given: a number or a numeric text, from 0; kept as decimal text until the currency is known (S6). */
export const amount = z
  .union([z.number(), z.string()], { error: 'Must be a number, or a number as text.' })
  .transform((value, context): string => {
    const decimal = decimalOf(value);
    if (decimal !== undefined && !isAbovePrice(decimal)) return decimal;
    context.addIssue({ code: 'custom', message: `Must be an amount from 0 to ${maxPrice}.` });
    return z.NEVER;
  })
  .meta({ override: { type: ['number', 'string'], minimum: 0, example: '19.99' } });

export const currency = text(10, 1)
  .transform((value) => value.toUpperCase())
  .refine((value) => /^[A-Z]{3}$/.test(value) && isCurrency(value), { error: 'Must be a currency code of ISO 4217.' });

/** An address of the web; it is not fetched. */
export const httpUrl = text(2_048).refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), {
  error: 'Must be an http or https address.',
});

/** Any ISO 8601 time (G7), as epoch milliseconds; without a zone it is UTC. */
export const isoTimeInput = text(64, 1).transform((value, context): number => {
  const at = Date.parse(/^\d{4}-\d{2}-\d{2}T[\d:.]+$/.test(value) ? `${value}Z` : value);
  if (/^\d{4}-\d{2}-\d{2}/.test(value) && !Number.isNaN(at)) return at;
  context.addIssue({ code: 'custom', message: 'Must be a time in ISO 8601.' });
  return z.NEVER;
});
