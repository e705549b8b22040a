import * as z from 'zod';
import { deleted, success } from '../../shared/contract/envelope.ts';
import { email, id, pathId, text, timestamp } from '../../shared/contract/fields.ts';
import { roles, route, scopes } from '../../shared/contract/route.ts';

const sessionFields = z.object({
  id: z.int().meta({ description: 'The id of the session.' }),
  device: z.string().meta({ description: 'What the browser called itself, such as "Firefox on Linux".' }),
  signed_in_by: z.enum(['token', 'email_code', 'passkey']).meta({ description: 'How its user signed in.' }),
  is_current: z.boolean().meta({ description: 'Whether this call was made with it.' }),
  created_at: timestamp,
  last_used_at: timestamp.meta({ description: 'To the minute. Twelve hours later it ends.' }),
  expires_at: timestamp.meta({ description: 'When it ends in any case: at most seven days after it began.' }),
});
export const sessionRecord = sessionFields.meta({ id: 'Session', description: 'A user signed in with a browser.' });
export type SessionRecord = z.output<typeof sessionRecord>;

export const startedSession = sessionFields
  .extend({
    user: z
      .object({
        id: z.int().meta({ description: 'The id of the user.' }),
        name: z.string().meta({ description: 'The name of the user.' }),
        email: z.string().meta({ description: 'The email address of the user.' }),
        role: z.enum(roles).meta({ description: 'viewer, member, admin or owner.' }),
      })
      .meta({ description: 'Who signed in.' }),
    company: z
      .object({
        id: z.int().meta({ description: 'The id of the company.' }),
        name: z.string().meta({ description: 'The name of the company.' }),
      })
      .meta({ description: 'The company whose data the session shows.' }),
    scopes: z.array(z.enum(scopes)).meta({ description: 'What the session may do.' }),
  })
  .meta({ id: 'StartedSession', description: 'A new session. Its secret is in the cookie of the answer alone.' });
export type StartedSessionRecord = z.output<typeof startedSession>;

export const companyChoice = z
  .object({
    companies: z
      .array(
        z.object({
          id: z.int().meta({ description: 'The id of the company.' }),
          name: z.string().meta({ description: 'The name of the company.' }),
        }),
      )
      .meta({ description: 'The companies in which the email address is a user.' }),
  })
  .meta({ id: 'CompanyChoice', description: 'A user of several companies: send `company_id` within ten minutes.' });
export type CompanyChoice = z.output<typeof companyChoice>;

const requestId = z.uuid({ error: 'Must be the id of a requested code.' }).meta({ description: 'The id that createSignInCode gave.' });

const createSessionInput = z
  .object({
    token: text(100, 1).optional().meta({ description: 'A personal access token, `swb_...`, which is exchanged for a session.' }),
    request_id: requestId.optional(),
    code: text(20, 1).optional().meta({ description: 'The code of the email, with `request_id`.' }),
    company_id: id.optional().meta({
      description:
        'Of a user of several companies: the one to sign in to. Alone: after a choice, or to change from one company to another.',
      override: { type: 'integer', minimum: 1 },
    }),
  })
  .refine(
    ({ token, request_id, code, company_id }) =>
      token === undefined
        ? (request_id === undefined) === (code === undefined) && (code !== undefined || company_id !== undefined)
        : request_id === undefined && code === undefined,
    { error: 'Send token, or request_id with code, or company_id.', path: ['token'] },
  );
export type CreateSessionInput = z.output<typeof createSessionInput>;

const caller = { kind: 'token', scope: 'profile:read', role: 'viewer' } as const;

const codeProblems = ['too_many_attempts', 'blocked'] as const;

export const sessionRoutes = {
  createSignInCode: route({
    method: 'POST',
    path: '/api/v1/sessions/codes',
    summary: 'Request a code to sign in with',
    description:
      'Sends a code by email, valid for ten minutes, if the address is one of a user. The answer is the same if it is not. Limits are those of verification: of an address, of an email and of all.',
    caller: { kind: 'public' },
    sameOrigin: true,
    limit: 'sign_in',
    effect: 'write',
    body: z.object({ email: email.meta({ description: 'The email address of the user.', override: { type: 'string', format: 'email' } }) }),
    answers: {
      200: success(
        z
          .object({
            request_id: z.uuid().meta({ description: 'Send it with the code.' }),
            expires_at: timestamp.meta({ description: 'Until when the code is valid.' }),
            code_length: z.int().meta({ description: 'Digits of the code.' }),
            resend_in_seconds: z.int().meta({ description: 'Seconds until this call sends the code again.' }),
          })
          .meta({ id: 'SignInCode' }),
      ),
    },
    errors: [...codeProblems, 'otp_bombing', 'ceiling_reached', 'velocity_limit', 'too_many_sends', 'validation_failed'],
  }),
  createSession: route({
    method: 'POST',
    path: '/api/v1/sessions',
    summary: 'Sign in with a browser',
    description:
      'Starts a session, for a token or for a code of `createSignInCode`, and stores it in the browser as a cookie that no script reads. A session for a token has what the token has: user, scopes, networks, and its end where that is sooner than seven days. A code proves an email address: a user of several companies gets 202 with the companies, and sends `company_id`; later again to change the company. A session ends twelve hours after its last call, with its token, and when the same browser signs in again. Every operation that takes a token takes a session from pages of the same origin; writes need the header `X-Session-Request: 1`.',
    caller: { kind: 'public' },
    sameOrigin: true,
    limit: 'sign_in',
    effect: 'write',
    body: createSessionInput,
    answers: { 200: success(startedSession), 202: success(companyChoice) },
    errors: [
      ...codeProblems,
      'code_invalid',
      'expired',
      'token_invalid',
      'token_expired',
      'token_revoked',
      'company_suspended',
      'ip_not_allowed',
      'not_found',
      'validation_failed',
      'conflict',
    ],
  }),
  listSessions: route({
    method: 'GET',
    path: '/api/v1/sessions',
    summary: 'List the browsers in which you are signed in',
    description: "The calling user's own sessions, oldest first, without those that have ended.",
    caller,
    limit: 'read',
    effect: 'read',
    answers: { 200: success(z.array(sessionRecord)) },
    errors: [],
  }),
  deleteSession: route({
    method: 'DELETE',
    path: '/api/v1/sessions/{id}',
    summary: 'Sign out of a browser',
    description:
      'Ends a session of the calling user: the next call with it is 401. Of the session that calls, the cookie is removed as well.',
    caller,
    limit: 'write',
    effect: 'write',
    params: z.object({ id: pathId }),
    answers: { 200: deleted },
    errors: ['not_found'],
  }),
};
