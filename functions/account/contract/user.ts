import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { email, pathId, text } from '../../../shared/contract/fields.ts';
import { roles, route } from '../../../shared/contract/route.ts';
import { userRecord } from './record.ts';

const role = z.enum(roles, { error: `Must be one of ${roles.join(', ')}.` });
const status = z.enum(['active', 'inactive'], { error: 'Must be active or inactive.' });

export const userInput = z.object({
  name: text(100, 1).meta({ description: 'The name of the user.' }),
  email: email
    .transform((value) => value.toLowerCase())
    .meta({ description: 'Unique among the active users of the company.', override: { type: 'string', format: 'email' } }),
  role: role.meta({ description: 'viewer, member, admin or owner.' }),
});
export type UserInput = z.input<typeof userInput>;

export const userChanges = z.object({
  name: text(100, 1).optional().meta({ description: 'The name of the user.' }),
  role: role.optional().meta({ description: 'The new role; all tokens of the user get it at once.' }),
  status: status.optional().meta({
    description: 'inactive ends the access: all tokens are revoked and the email becomes free. active lets the user have tokens again.',
  }),
});
export type UserChanges = z.input<typeof userChanges>;

const reader = { kind: 'token', scope: 'account:read', role: 'viewer' } as const;
const manager = { kind: 'token', scope: 'account:manage', role: 'admin' } as const;
const params = z.object({ id: pathId });

export const userRoutes = {
  listUsers: route({
    method: 'GET',
    path: '/api/v1/users',
    summary: 'List the users of the company',
    description: 'All users, oldest first. Their ids are what `assigned_to` and `owner_id` take.',
    caller: reader,
    query: z.object({ status: status.optional().meta({ description: 'Only users with this status.' }) }),
    answers: { 200: success(z.array(userRecord)) },
    errors: ['not_found', 'validation_failed'],
  }),
  createUser: route({
    method: 'POST',
    path: '/api/v1/users',
    makes: 'user',
    summary: 'Create a user',
    description:
      'Adds a user to the company. Only an owner creates owners, and only a credential with all scopes of the new role and without a list of networks makes a user. The user gets access by a token: POST /api/v1/tokens.',
    caller: manager,
    freshProof: true,
    body: userInput.meta({ id: 'CreateUserRequest' }),
    answers: { 200: success(userRecord) },
    refuses: ['taken'],
    errors: ['not_found', 'validation_failed', 'plan_limit_reached', 'role_required'],
  }),
  updateUser: route({
    method: 'PUT',
    path: '/api/v1/users/{id}',
    makes: 'user',
    summary: 'Rename a user, change the role, deactivate or reactivate',
    description:
      'Changes what is sent. A new role holds for all tokens of the user from the next call on. Only an owner changes owners, or makes one; the last active owner stays: 409 `last_owner`.',
    caller: manager,
    freshProof: true,
    params,
    body: userChanges.meta({ id: 'UpdateUserRequest' }),
    answers: { 200: success(userRecord) },
    refuses: ['taken'],
    errors: ['not_found', 'validation_failed', 'plan_limit_reached', 'role_required', 'last_owner', 'conflict'],
  }),
};
