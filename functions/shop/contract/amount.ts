import * as z from 'zod';
import { text } from '../../../shared/contract/fields.ts';
import { decimalOf, isAbovePrice, isCurrency, maxPrice } from '../domain/money.ts';

/** A price in a request: a number or a numeric string, 0 or more. It stays decimal text until the currency is known. */
export const amount = z
  .union([z.number(), z.string()], { error: 'Must be a number or a numeric string.' })
  .transform((value, context): string => {
    const decimal = decimalOf(value);
    if (decimal !== undefined && !isAbovePrice(decimal)) return decimal;
    context.addIssue({ code: 'custom', message: `Must be an amount from 0 to ${maxPrice}.` });
    return z.NEVER;
  })
  .meta({ override: { type: ['number', 'string'], minimum: 0, maximum: Number(maxPrice), example: '19.99' } });

export const currency = text(10, 1)
  .transform((value) => value.toUpperCase())
  .refine((value) => /^[A-Z]{3}$/.test(value) && isCurrency(value), { error: 'Must be an ISO 4217 currency code, for example EUR.' })
  .meta({ override: { type: 'string', pattern: '^[A-Za-z]{3}$' } });

/** An http or https URL. The product does not fetch it. */
export const httpUrl = text(2_048).refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), {
  error: 'Must be an http or https URL.',
});

/** Any ISO 8601 time, as epoch milliseconds. A time without a zone is UTC. */
export const isoTimeInput = text(64, 1).transform((value, context): number => {
  const at = Date.parse(/^\d{4}-\d{2}-\d{2}T[\d:.]+$/.test(value) ? `${value}Z` : value);
  if (/^\d{4}-\d{2}-\d{2}/.test(value) && !Number.isNaN(at)) return at;
  context.addIssue({ code: 'custom', message: 'Must be an ISO 8601 time, for example 2026-11-21T09:00:00Z.' });
  return z.NEVER;
});
