import * as z from 'zod';
import { deleted, success } from '../../../shared/contract/envelope.ts';
import { pathId, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { currencyCode } from '../../spend/contract/card.ts';
import { maxTokenCeilings, scopesWithoutCeiling } from '../../spend/contract/token-ceiling.ts';
import { ceilingAmount } from './ceilings.ts';

const mostMessages = 1_000_000_000;
const inMessages = `Must be a whole number from 0 to ${mostMessages.toLocaleString('en')}.`;

const tokenCeiling = z
  .object({
    token_id: z.int().meta({ description: 'The id of the token, as `listTokens` has it.' }),
    messages: z
      .object({
        limit: z.int().meta({ description: 'The most messages.', example: 500 }),
        left: z.int().meta({ description: 'How many are left; below 0 where the limit was lowered.', example: 412 }),
      })
      .nullable()
      .meta({ description: 'The most messages of a day; null: they are not limited.' }),
    spend: z
      .object({
        limit: z.string().meta({ description: 'The most money, decimal text.', example: '20' }),
        left: z.string().meta({ description: 'What is left of it, decimal text.', example: '13.37' }),
        currency: currencyCode.meta({ description: 'Its currency.' }),
      })
      .nullable()
      .meta({ description: 'The most money of a day, at list prices; null: it is not limited.' }),
    resets_at: timestamp.meta({ description: 'When the next day begins, UTC.' }),
    updated_at: timestamp.meta({ description: 'When the limits were last set.' }),
  })
  .meta({ id: 'TokenCeiling', description: 'The most that is sent with a token on a day.' });
export type TokenCeilingRecord = z.output<typeof tokenCeiling>;

export const tokenCeilingBody = z.object({
  messages: z
    .int({ error: inMessages })
    .min(0, { error: inMessages })
    .max(mostMessages, { error: inMessages })
    .nullable()
    .optional()
    .meta({ description: 'The most messages of a day, UTC; null removes the limit, absent leaves it.', example: 500 }),
  spend: z
    .object({
      amount: ceilingAmount.meta({ description: 'The most money of a day, UTC.', example: '20' }),
      currency: currencyCode.meta({ description: 'Its currency. In another one the money is counted anew.' }),
    })
    .nullable()
    .optional()
    .meta({ description: 'The most money of a day, at list prices; null removes the limit, absent leaves it.' }),
});
export type TokenCeilingBody = z.output<typeof tokenCeilingBody>;

const manager = { kind: 'token', scope: 'account:manage', role: 'admin' } as const;
const params = z.object({ id: pathId });
const path = '/api/v1/spend/ceilings/tokens';

export const tokenCeilingRoutes = {
  listTokenCeilings: route({
    method: 'GET',
    path,
    summary: 'List the ceilings of tokens',
    description: `The most that may be sent with personal tokens on a day, and what is left. At most ${maxTokenCeilings}. That of a revoked token stays until it is deleted.`,
    caller: { kind: 'token', scope: 'account:read', role: 'viewer' },
    answers: { 200: success(z.array(tokenCeiling)) },
    errors: [],
  }),
  setTokenCeiling: route({
    method: 'PUT',
    path: `${path}/{id}`,
    summary: 'Set the ceiling of a token',
    description:
      'The most messages, and the most money, of a day (UTC) that a personal token sends, with the sessions that were opened with it and after a rotation too. A message counts when the call is accepted, also where it is scheduled; beyond the ceiling a call is 402 `spend_limit_reached`. ' +
      'A campaign needs a `spend_limit`, which is taken when it is created. A first ceiling holds within ten seconds; what is spent stays spent when it changes. ' +
      `The token must name its scopes, without ${scopesWithoutCeiling.map((scope) => `\`${scope}\``).join(', ')}: with those it would get around its ceiling.`,
    caller: manager,
    params,
    body: tokenCeilingBody.meta({ id: 'SetTokenCeilingRequest' }),
    unknownFields: 'refuse',
    isOwnRecord: true,
    answers: { 200: success(tokenCeiling) },
    refuses: ['combination', 'state'],
    errors: ['not_found', 'validation_failed', 'plan_limit_reached'],
  }),
  deleteTokenCeiling: route({
    method: 'DELETE',
    path: `${path}/{id}`,
    summary: 'Remove the ceiling of a token',
    description: 'The token sends without a limit of its own within ten seconds. Set again, the ceiling counts anew.',
    caller: manager,
    params,
    answers: { 200: deleted },
    errors: ['not_found'],
  }),
};
