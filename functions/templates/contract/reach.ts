import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { id, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { countryCode, currencyCode } from '../../spend/contract/card.ts';

export const reachEstimateEntityName = 'reach-estimate';

/** The provider names a handful. */
export const maxReachPoints = 50;

/** What the provider expects at a max price, as it has both: for 1,000 deliveries, in the smallest unit of the currency. */
export const reachPoint = z.object({
  bid: z.number().positive(),
  deliveriesFrom: z.number().nonnegative(),
  deliveriesTo: z.number().nonnegative(),
  costFrom: z.number().nonnegative(),
  costTo: z.number().nonnegative(),
});
export type ReachPoint = z.output<typeof reachPoint>;

/** The provider's estimate for a country, as a business account was given it last. */
export const storedReach = z.object({
  companyId: z.int(),
  wabaId: z.string(),
  country: z.string(),
  /** Epoch milliseconds. */
  readAt: z.int(),
  /** Epoch seconds: after it the item is of no use. */
  until: z.int(),
  currency: z.string(),
  /** Of so many people that are written to. */
  users: z.int().positive(),
  points: z.array(reachPoint).max(maxReachPoints),
});
export type StoredReach = z.output<typeof storedReach>;

const atPrice = z
  .object({
    max_price: z.string().meta({ description: 'The max price of one message, decimal text.', example: '0.05' }),
    deliveries_from: z.int().meta({ description: 'So many of `users` get the message at least.' }),
    deliveries_to: z.int().meta({ description: 'So many of `users` get the message at most.' }),
    price_from: z.string().meta({ description: 'What a delivered message costs on average, at least; decimal text.' }),
    price_to: z.string().meta({ description: 'What a delivered message costs on average, at most; decimal text.' }),
  })
  .meta({ id: 'ReachAtPrice', description: 'What the provider expects at a max price. It promises nothing.' });
export type ReachAtPrice = z.output<typeof atPrice>;

const reachEstimate = z
  .object({
    country: countryCode.meta({ description: 'The country of the recipients.' }),
    currency: currencyCode.nullable().meta({ description: 'The currency of all prices; null while there is no estimate.' }),
    users: z.int().nullable().meta({ description: 'Of how many people that are written to; null while there is no estimate.' }),
    prices: z.array(atPrice).meta({ description: 'At several max prices, the lowest first; empty: the provider has no estimate.' }),
    at_max_price: atPrice.nullable().meta({
      description:
        'At the max price of the template, as far as the prices around it say; null without `template_id`, and where the provider estimates none around it.',
    }),
    read_at: timestamp
      .nullable()
      .meta({ description: 'When the provider was read; an estimate is stored for a day. Null: there is none.' }),
    reason: z.enum(['refused', 'unreachable', 'no_estimate', 'no_currency']).nullable().meta({
      description:
        'Why there is no estimate: the provider `refused` it, as before the terms of the marketing messages API are accepted; did not answer (`unreachable`); has none for the country (`no_estimate`); or names it in a currency whose smallest unit is not certain (`no_currency`). Null otherwise.',
    }),
  })
  .meta({ id: 'ReachEstimate', description: 'How many people a marketing message reaches at a max price, as the provider expects it.' });
export type ReachEstimate = z.output<typeof reachEstimate>;

export const reachQuery = z.object({
  country: countryCode.meta({ description: 'The country of the recipients.' }),
  template_id: id
    .optional()
    .meta({ description: 'A template with a max price: its business account is read, and the estimate at its price shown.' }),
});
export type ReachQuery = z.output<typeof reachQuery>;

export const reachRoutes = {
  getReach: route({
    caller: { kind: 'token', scope: 'account:read', role: 'viewer' },
    limit: 'read',
    effect: 'read',
    method: 'GET',
    path: '/api/v1/rates/reach',
    summary: 'Get how many people a max price reaches in a country',
    description:
      "The provider's estimate from the last seven days: at several max prices, how many of 1,000 people in a country get a marketing message, and what a delivered one costs on average. It is stored for a day. What the provider does not estimate is empty or null, never 0.",
    query: reachQuery,
    answers: { 200: success(reachEstimate) },
    errors: ['validation_failed', 'not_found', 'number_missing'],
  }),
};
