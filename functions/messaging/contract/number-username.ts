import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { jsonBoolean, pathId, text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { mostOfNumber as most } from '../domain/number-limits.ts';
import { isUsername } from '../domain/username.ts';

/** The username by which customers find a number in WhatsApp. The provider has it. */
export const numberUsername = z
  .object({
    username: z.string().nullable().meta({ description: 'The username, without @; null: the number has none.' }),
    status: z.enum(['approved', 'reserved']).nullable().meta({
      description: 'approved: customers see it. reserved: it is the number’s, and not shown yet. null: there is none.',
    }),
  })
  .meta({ id: 'NumberUsername', description: 'The username of a number.' });
export type NumberUsername = z.output<typeof numberUsername>;

const usernameInput = z.object({
  username: text(most.username, 3)
    .transform((name) => name.replace(/^@/, '').toLowerCase())
    .refine(isUsername, {
      error: 'Must have 3 to 35 of a-z, 0-9, dot and underscore, with a letter, and must not look like the address of a page.',
    })
    .meta({ description: 'The username, 3 to 35 of a-z, 0-9, dot and underscore; upper case is read as lower case.' }),
  take_over: jsonBoolean.default(false).meta({ description: 'Takes it from another number of the same business, which has none then.' }),
});
export type NumberUsernameInput = z.output<typeof usernameInput>;

const path = '/api/v1/numbers/{id}/username';
const params = z.object({ id: pathId.meta({ description: 'The id of the number.' }) });
const manager = { kind: 'token', scope: 'account:manage', role: 'admin' } as const;
const failures = ['not_found', 'provider_rejected', 'temporarily_unavailable'] as const;

export const numberUsernameRoutes = {
  getNumberUsername: route({
    method: 'GET',
    path,
    summary: 'Get the username of a number',
    description: 'The username as the provider has it now.',
    caller: { kind: 'token', scope: 'account:read', role: 'viewer' },
    params,
    answers: { 200: success(numberUsername) },
    errors: failures,
  }),
  setNumberUsername: route({
    method: 'PUT',
    path,
    summary: 'Set the username of a number',
    description:
      'Reserves the username at the provider, in place of the one that the number has. It is shown to customers once it is approved.',
    caller: manager,
    params,
    body: usernameInput.meta({ id: 'SetNumberUsernameRequest' }),
    answers: { 200: success(numberUsername) },
    errors: [...failures, 'validation_failed'],
  }),
  deleteNumberUsername: route({
    method: 'DELETE',
    path,
    summary: 'Delete the username of a number',
    description: 'The number has no username then, and others may take it.',
    caller: manager,
    params,
    answers: { 200: success(numberUsername) },
    errors: failures,
  }),
};
