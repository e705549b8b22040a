import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { id, looseBoolean, pathId, text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { isNetwork } from '../../../shared/access/networks.ts';
import { createdToken, credentialRecord, tokenScope } from './record.ts';

/** Lifetime of a token in days; null: it never expires (G15). */
const lifeDays = z
  .int({ error: 'Must be a whole number of days.' })
  .min(1, { error: 'Must be at least 1 day.' })
  .max(365, { error: 'Must be at most 365 days.' })
  .nullable();

/** Hours the former secret stays valid after a rotation (G15). */
export const overlapHours = z
  .int({ error: 'Must be a whole number of hours.' })
  .min(0, { error: 'Must not be negative.' })
  .max(168, { error: 'Must be at most 168 hours.' });

const label = text(100);

const network = text(50, 1).refine(isNetwork, { error: 'Must be an address, or a network such as 10.0.0.0/8.' });

export const tokenInput = z.object({
  user_id: id,
  name: label.optional().meta({ description: 'What it is for.' }),
  life_days: lifeDays.optional().meta({ description: 'Days until it expires, 1 to 365; null: never. Default: 365.' }),
  /** Default: all scopes of the user's role (G16). */
  scopes: z
    .array(tokenScope)
    .max(100, { error: 'Must name at most 100 scopes.' })
    .optional()
    .meta({ description: 'What it may do; default: all that the role of the user allows.' }),
  networks: z
    .array(network)
    .min(1, { error: 'Must name at least one network.' })
    .max(50, { error: 'Must name at most 50 networks.' })
    .optional()
    .meta({ description: 'Addresses and networks from which it is accepted, such as 203.0.113.0/24; default: all.' }),
});
export type TokenInput = z.input<typeof tokenInput>;

const createTokenInput = tokenInput.extend({
  user_id: id.optional().meta({ description: 'The user; default: the caller.', override: { type: 'integer', minimum: 1 } }),
});
export type CreateTokenInput = z.output<typeof createTokenInput>;

export const rotationInput = z.object({
  overlap_hours: overlapHours.optional().meta({ description: 'Hours that former secrets stay valid at most, 0 to 168; default: 24.' }),
});

const caller = { kind: 'token', scope: 'tokens:manage', role: 'viewer' } as const;
const params = z.object({ id: pathId });

export const tokenRoutes = {
  listTokens: route({
    method: 'GET',
    path: '/api/v1/tokens',
    summary: 'List personal access tokens',
    description:
      "The caller's own tokens, oldest first, with expired and revoked ones. An owner may list those of another user, or of all.",
    caller,
    query: z.object({
      user_id: id
        .optional()
        .meta({ description: 'The tokens of this user; default: the caller.', override: { type: 'integer', minimum: 1 } }),
      all: looseBoolean.optional().meta({ description: 'The tokens of all users.', override: { type: 'boolean' } }),
    }),
    answers: { 200: success(z.array(credentialRecord)) },
    errors: ['not_found', 'validation_failed', 'role_required'],
  }),
  createToken: route({
    method: 'POST',
    path: '/api/v1/tokens',
    makes: 'token',
    summary: 'Create a personal access token',
    description:
      'Creates a token for the caller, or, by an owner, for another user. Its secret is shown once. It gets no scope and no network that the token of this call does not have.',
    caller,
    freshProof: true,
    body: createTokenInput.meta({ id: 'CreateTokenRequest' }),
    secret: true,
    answers: { 200: success(createdToken) },
    refuses: ['state'],
    errors: ['not_found', 'validation_failed', 'role_required', 'plan_limit_reached', 'conflict'],
  }),
  rotateToken: route({
    method: 'POST',
    path: '/api/v1/tokens/{id}/rotate',
    makes: 'token',
    summary: 'Rotate a personal access token',
    description:
      'Replaces the secret under the same id. Former secrets stay valid for `overlap_hours` at most; 0 ends all of them at once.',
    caller,
    freshProof: true,
    params,
    body: rotationInput.meta({ id: 'RotateTokenRequest' }),
    secret: true,
    answers: { 200: success(createdToken) },
    errors: ['not_found', 'validation_failed', 'role_required', 'plan_limit_reached', 'conflict'],
  }),
  revokeToken: route({
    method: 'DELETE',
    path: '/api/v1/tokens/{id}',
    summary: 'Revoke a personal access token',
    description: 'Ends the token with all its secrets from the next call on. It stays in the list.',
    caller,
    isOwnRecord: true,
    params,
    answers: { 200: success(credentialRecord) },
    errors: ['not_found', 'role_required', 'conflict'],
  }),
};
