import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { currencyCode } from '../../spend/contract/card.ts';
import { stoppableCategories } from '../../spend/contract/spend-account.ts';

export const ceilingAmount = z
  .string({ error: 'Must be a decimal text, such as "200".' })
  .regex(/^\d{1,9}(\.\d{1,6})?$/, { error: 'Must be a decimal text such as "200", of at most nine digits and six decimals, not negative.' })
  .meta({ example: '200' });

const settings = {
  code_reserve_percent: z
    .int({ error: 'Must be a whole number from 0 to 100.' })
    .min(0, { error: 'Must be a whole number from 0 to 100.' })
    .max(100, { error: 'Must be a whole number from 0 to 100.' })
    .meta({ description: 'The share of each ceiling that only codes may use.', example: 10 }),
  stops: z
    .array(z.enum(stoppableCategories, { error: `Must be some of ${stoppableCategories.join(', ')}.` }))
    .max(stoppableCategories.length)
    .meta({
      description: 'The categories that a ceiling stops. All others are counted and never refused.',
      example: ['marketing', 'utility', 'authentication'],
    }),
  unknown_price: z
    .enum(['stop', 'allow'], { error: 'Must be stop or allow.' })
    .meta({ description: 'What happens to a message whose price is not known: `stop` refuses it, `allow` sends it and counts nothing.' }),
  on_reached: z.enum(['wait', 'stop'], { error: 'Must be wait or stop.' }).meta({
    description:
      'What a campaign does that a ceiling paused: `wait` continues when the ceiling begins anew, `stop` until a user resumes it.',
  }),
};

const ceiling = (period: string) =>
  z
    .object({
      limit: z.string().meta({ description: 'The most that may be spent, decimal text.', example: '200' }),
      left: z
        .string()
        .meta({ description: 'What is left of it; below 0 where messages that are never refused went beyond.', example: '39.6' }),
      resets_at: timestamp.meta({ description: 'When it begins anew.' }),
    })
    .nullable()
    .meta({ description: `Of the ${period}, UTC; null: there is none.` });

const ceilings = z
  .object({
    currency: currencyCode.nullable().meta({ description: 'The currency of the ceilings; null while there was none yet.' }),
    day: ceiling('day'),
    month: ceiling('month'),
    ...settings,
    updated_at: timestamp.nullable().meta({ description: 'When they were last set; null: never.' }),
  })
  .meta({ id: 'Ceilings', description: 'The most that a company may spend.' });
export type CeilingsRecord = z.output<typeof ceilings>;

export const ceilingsBody = z.object({
  currency: currencyCode.optional().meta({ description: 'The currency of the ceilings; by default as it is. Another one begins anew.' }),
  day: ceilingAmount
    .nullable()
    .optional()
    .meta({ description: 'The most that may be spent on a day, UTC; null removes the ceiling, absent leaves it.' }),
  month: ceilingAmount
    .nullable()
    .optional()
    .meta({ description: 'The most that may be spent in a month, UTC; null removes the ceiling, absent leaves it.' }),
  code_reserve_percent: settings.code_reserve_percent.optional(),
  stops: settings.stops.optional(),
  unknown_price: settings.unknown_price.optional(),
  on_reached: settings.on_reached.optional(),
});
export type CeilingsBody = z.output<typeof ceilingsBody>;

export const ceilingRoutes = {
  getCeilings: route({
    method: 'GET',
    path: '/api/v1/spend/ceilings',
    summary: 'Get the spend ceilings',
    description:
      'The most that the company may spend on a day and in a month, and what is left of it. Messages are counted at their list price when they leave.',
    caller: { kind: 'token', scope: 'account:read', role: 'viewer' },
    answers: { 200: success(ceilings) },
    errors: [],
  }),
  setCeilings: route({
    method: 'PUT',
    path: '/api/v1/spend/ceilings',
    summary: 'Set the spend ceilings',
    description:
      'No message leaves that a ceiling does not allow: campaigns pause and continue when there is money again, other sends are refused with `spend_limit_reached`, codes have a reserve, and replies to customers are not stopped unless `stops` has `service`. A first ceiling holds within ten seconds and counts from then on; one that is lowered holds from the next message on. What is spent stays spent when a ceiling changes.',
    caller: { kind: 'token', scope: 'account:manage', role: 'admin' },
    body: ceilingsBody.meta({ id: 'SetCeilingsRequest' }),
    unknownFields: 'refuse',
    isOwnRecord: true,
    answers: { 200: success(ceilings) },
    refuses: ['combination', 'state'],
    errors: ['validation_failed'],
  }),
};
