import * as z from 'zod';
import { day } from '../../../shared/contract/day.ts';
import { success } from '../../../shared/contract/envelope.ts';
import { jsonBoolean, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { money, unknownReason } from './money.ts';
import { adjustment, cardInput, cardMarket, countryCode, currencyCode, priceCategories } from './card.ts';

const date = z.string().meta({ format: 'date', example: '2026-11-21' });
const owner = z
  .enum(['company', 'operator'])
  .meta({ description: 'Whose card: of the company alone, or of the operator for all companies.' });

const rateCard = z
  .object({
    id: z.string().meta({ description: 'First day, currency and revision.', example: '2026-10-01-EUR-1' }),
    owner,
    currency: currencyCode.meta({ description: 'The currency of the prices.' }),
    effective_from: date.meta({ description: 'The first day on which the prices hold.' }),
    revision: z.int().meta({ description: 'Counts the cards of this day: the latest holds.' }),
    state: z.enum(['in_force', 'coming']).meta({ description: 'Whether it holds on the day that was requested, or later.' }),
    age_days: z.int().meta({ description: 'Days since its first day; negative: days until it. Prices change each quarter.' }),
    source: z.string().nullable().meta({ description: 'Where the prices are from; null: not named.' }),
    imported_by: z.string().meta({ description: 'Who imported it: `user:id`, `operator:name` for the company, or `operator` for all.' }),
    imported_at: timestamp.meta({ description: 'When it was imported.' }),
    markets_count: z.int().meta({ description: 'How many markets it prices; of an adjustment 0.' }),
    markets: z
      .array(cardMarket)
      .nullable()
      .meta({ description: 'Its prices, where `currency` was sent; null otherwise, and of an adjustment.' }),
    adjustment: adjustment.nullable().meta({ description: "How it changes the operator's card; null for a card of its own." }),
  })
  .meta({ id: 'RateCard', description: 'Prices of messages in one currency from a day on.' });
export type RateCardRecord = z.output<typeof rateCard>;

const rateLookup = z
  .object({
    at: date.meta({ description: 'The day of the price.' }),
    country: z.string().nullable().meta({ description: 'The country of the recipient; null: the phone is of none.' }),
    category: z.enum(priceCategories).meta({ description: 'The category of the message.' }),
    price: money.nullable().meta({ description: 'Of one message, the list price where there are tiers; null: unknown, never 0.' }),
    reason: unknownReason.nullable().meta({ description: 'Why the price is unknown; null otherwise.' }),
    market: z.string().nullable().meta({ description: 'The market that prices the country; null while the price is unknown.' }),
    tiers: z
      .array(
        z.object({
          from: z.int().meta({ description: 'The first charged message of the month in the market that has this price.' }),
          price: z.string().meta({ description: 'Of one message.' }),
        }),
      )
      .nullable()
      .meta({ description: 'The prices by monthly volume; null where there is one for all.' }),
    card: z.string().nullable().meta({ description: 'The id of the card; null while the price is unknown.' }),
    owner: owner.nullable().meta({ description: 'Whose card: of the company or of the operator; null while the price is unknown.' }),
  })
  .meta({ id: 'RateLookup', description: 'What a message costs, or why that is unknown.' });
export type RateLookup = z.output<typeof rateLookup>;

const rateChange = z
  .object({
    stored: z.boolean().meta({ description: 'false after a `dry_run`, and when the card of that day has these prices already.' }),
    card: rateCard,
    changes: z
      .array(
        z.object({
          market: z.string().meta({ description: 'The market.' }),
          category: z.enum(priceCategories).meta({ description: 'The category.' }),
          before: z.string().nullable().meta({ description: 'The list price on that day without it; null: unknown.' }),
          after: z.string().nullable().meta({ description: 'The list price on that day with it; null: unknown.' }),
        }),
      )
      .meta({ description: 'Prices that differ, of the first country of each market.' }),
  })
  .meta({ id: 'RateChange', description: 'A card and what it changes.' });
export type RateChange = z.output<typeof rateChange>;

const at = day.optional().meta({ description: "The day of the prices; default: today in the company's time zone." });

export const lookupQuery = z.object({
  phone: text(40, 1).optional().meta({ description: 'A phone number with country code. Either this or `country`.' }),
  country: countryCode.optional().meta({ description: 'The country of the recipient. Either this or `phone`.' }),
  category: z
    .enum(priceCategories, { error: `Must be one of ${priceCategories.join(', ')}.` })
    .meta({ description: 'The category of the message: that of its template, `service` for all without one.' }),
  currency: currencyCode.optional().meta({ description: 'The currency of the price; default: the only one that has a card.' }),
  at,
});
export type LookupQuery = z.output<typeof lookupQuery>;

export const ratesQuery = z.object({
  at,
  currency: currencyCode.optional().meta({ description: 'Only cards of this currency, with their prices.' }),
});
export type RatesQuery = z.output<typeof ratesQuery>;

export const ratesBody = cardInput.extend({
  dry_run: jsonBoolean.optional().meta({ description: 'true: only show what would change.' }),
});
export type RatesBody = z.output<typeof ratesBody>;

export const rateRoutes = {
  listRates: route({
    method: 'GET',
    path: '/api/v1/rates',
    summary: 'List the rate cards in force and coming',
    description:
      'The cards that price messages: those of the company first, then those of the operator, in the order in which a price is looked up. The provider charges each delivered message by its category and the country of the recipient, and changes its prices each quarter.',
    caller: { kind: 'token', scope: 'account:read', role: 'viewer' },
    query: ratesQuery,
    answers: { 200: success(z.array(rateCard)) },
    errors: ['validation_failed'],
  }),
  getRate: route({
    method: 'GET',
    path: '/api/v1/rates/lookup',
    summary: 'Look up the price of a message',
    description:
      'What one message of a category costs to a phone number or a country on a day. An unknown price is null with its reason, never 0. It is the list price: what the provider charges may be less by monthly volume, and messages in a free entry point cost nothing.',
    caller: { kind: 'token', scope: 'account:read', role: 'viewer' },
    query: lookupQuery,
    answers: { 200: success(rateLookup) },
    errors: ['validation_failed'],
  }),
  setRates: route({
    method: 'PUT',
    path: '/api/v1/rates',
    summary: "Set the company's own rates",
    description:
      "Adds a card of the company's own prices, or an adjustment of the operator's card: a margin, or a card of another currency. It holds from its first day on, until a later one. Cards are never changed: another one of the same day is a later revision, and the latest holds. `dry_run` shows what would change.",
    caller: { kind: 'token', scope: 'account:manage', role: 'admin' },
    body: ratesBody.meta({ id: 'SetRatesRequest' }),
    unknownFields: 'refuse',
    isOwnRecord: true,
    answers: { 200: success(rateChange) },
    refuses: ['combination', 'time'],
    errors: ['validation_failed'],
  }),
};
