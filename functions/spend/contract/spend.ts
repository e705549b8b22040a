import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { maxUsageDays, usageQuery } from '../../usage/contract/range.ts';
import { closingDay } from '../domain/closed-month.ts';
import { money, unknownReason } from './money.ts';

const date = z.string().meta({ format: 'date', example: '2026-11-21' });

/** How what was spent may be broken down. */
export const spendBreakdowns = ['day', 'country', 'category', 'number', 'campaign', 'credential', 'profile'] as const;
export type SpendBreakdown = (typeof spendBreakdowns)[number];

/** Rows of an answer; what is beyond them is in one row together. */
export const maxSpendRows = 500;

/** Why messages have no amount: their price is not known, or the provider did not say how it charges them. */
export const noAmountReason = z.enum([...unknownReason.options, 'no_type']).meta({
  id: 'NoAmountReason',
  description: `As of an unknown price; \`no_type\`: the provider did not say whether it charges.`,
});

const figures = {
  amounts: z.array(money).meta({
    description: 'What was spent, by currency: amounts of two currencies are never added. Messages without a known price are in none.',
  }),
  messages: z.int().meta({ description: 'Delivered messages, and codes that were sent.' }),
  charged: z.int().meta({ description: 'Those that have a price.' }),
  free: z.int().meta({ description: 'Those that the provider named free.' }),
  unknown: z.int().meta({ description: 'Those without a known price: they are in no amount.' }),
};
export const spendFigures = z.object(figures).meta({ id: 'SpendFigures', description: 'Messages and what they cost.' });
export type SpendFigures = z.output<typeof spendFigures>;

const spendRow = z
  .object({
    key: z.string().nullable().meta({
      description:
        'The day, country, category, id of the number, campaign or token, or the first eight characters of the id of the verification profile. null: of none, or not known. `other`: several together.',
    }),
    ...figures,
    categories: z
      .array(z.object({ category: z.string().meta({ description: 'As the provider priced the messages.' }), ...figures }))
      .meta({ description: 'The same by category.' }),
  })
  .meta({ id: 'SpendRow', description: 'A part of what was spent.' });
export type SpendRow = z.output<typeof spendRow>;

export const spendRecord = z
  .object({
    from: date.meta({ description: 'The first day.' }),
    to: date.meta({ description: 'The last day.' }),
    timezone: z.literal('UTC').meta({ description: 'Days begin at midnight UTC.' }),
    closed_until: date.meta({
      description: `The last day whose amounts are final: a month is closed on the ${closingDay}th of the next, and a rate card that is imported later does not change it.`,
    }),
    by: z.enum(spendBreakdowns).meta({ description: 'What a row stands for.' }),
    totals: spendFigures,
    rows: z.array(spendRow).meta({
      description: `Every day in order; of other breakdowns the dearest first, at most ${maxSpendRows} and the rest as \`other\`. They add up to the totals.`,
    }),
    without_price: z
      .array(
        z.object({
          country: z.string().nullable().meta({ description: 'The country of the recipients; null: of no known country.' }),
          category: z.string().meta({ description: 'The category.' }),
          reason: noAmountReason.meta({ description: 'Why there is no amount.' }),
          messages: z.int().meta({ description: 'How many messages.' }),
        }),
      )
      .meta({
        description:
          'The messages without an amount. A rate card that is imported before their month is closed gives them one, also for days that are over.',
      }),
    cards: z.array(z.string()).meta({ description: 'The ids of the rate cards that priced the messages.' }),
  })
  .meta({ id: 'Spend', description: 'What messages cost.' });
export type SpendRecord = z.output<typeof spendRecord>;

export const spendQuery = usageQuery.extend({
  by: z
    .enum(spendBreakdowns, { error: `Must be one of ${spendBreakdowns.join(', ')}.` })
    .default('day')
    .meta({ description: 'What a row stands for.' }),
  only: z
    .enum(['codes'], { error: 'Must be codes.' })
    .optional()
    .meta({ description: 'codes: only verification codes; default: all that was sent.' }),
  profile_id: text(36, 1)
    .pipe(z.uuid({ error: 'Must be a UUID.' }))
    .transform((value) => value.toLowerCase())
    .meta({ override: { type: 'string', format: 'uuid' } })
    .optional()
    .meta({ description: 'Only the codes of this verification profile.' }),
});
export type SpendQuery = z.output<typeof spendQuery>;

export const spendRoutes = {
  getSpend: route({
    method: 'GET',
    path: '/api/v1/spend',
    summary: 'Get what messages cost',
    description: `What the messages of a range of up to ${maxUsageDays} days cost, by day, country, category, number, campaign, token of a direct send, or verification profile. Amounts are computed from the counts of each day and the prices in force on it when you read: a rate card that is imported late gives yesterday its amounts, until its month is closed: see closed_until. The provider says what it charged; a message without a known price is counted as unknown, never as 0. Tiers count the charged messages of the company in a month. Verification codes cost their price where they were sent by WhatsApp; \`only=codes\` is what those cost, without templates of the same category.`,
    caller: { kind: 'token', scope: 'account:read', role: 'viewer' },
    query: spendQuery,
    answers: { 200: success(spendRecord) },
    errors: ['validation_failed'],
  }),
  exportSpend: route({
    method: 'GET',
    path: '/api/v1/spend.csv',
    summary: 'Get what messages cost as CSV',
    description:
      'One line for each day, number, origin, category, type and country: messages, amount and the rate card that priced them. The amounts add up to those of getSpend. No file is stored.',
    caller: { kind: 'token', scope: 'account:read', role: 'viewer' },
    limit: 'bulk',
    query: usageQuery,
    answers: { 200: z.string() },
    contentTypes: ['text/csv; charset=utf-8'],
    errors: ['validation_failed'],
  }),
};
