import * as z from 'zod';
import { deleted, success } from '../../../shared/contract/envelope.ts';
import { email, id, pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { roles, route } from '../../../shared/contract/route.ts';
import { tokenScope } from '../../account/contract/record.ts';

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
    scopes: z.array(tokenScope).meta({ description: 'What the session may do.' }),
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
          added_by: z
            .string()
            .nullable()
            .meta({ description: 'The email address of the user who added you; null where the operator did, or where it is not known.' }),
          added_at: timestamp.meta({ description: 'When you were added.' }),
          last_signed_in_at: timestamp
            .nullable()
            .meta({ description: 'When you last signed in there by a code. null: never; choosing it takes `accept`.' }),
        }),
      )
      .meta({ description: 'The companies in which the email address is a user, the one signed in to last first.' }),
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
    accept: z.boolean().optional().meta({
      description:
        'With `company_id`, of a user of several companies: to be a user of one in which you never signed in. Anyone can add an email address to a company, and give that any name: show who added it.',
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

const signOutEverywhereInput = z.object({
  made_since: z.iso
    .datetime({ offset: true, error: 'Must be an ISO 8601 timestamp.' })
    .optional()
    .meta({ description: 'Ends the tokens and passkeys made since then. Now: none of them. By default seven days ago.' }),
});
export type SignOutEverywhereInput = z.output<typeof signOutEverywhereInput>;

const signedOutEverywhere = z
  .object({
    sessions: z.int().meta({ description: 'Sessions that were ended.' }),
    tokens: z.int().meta({ description: 'Personal tokens that were revoked.' }),
    passkeys: z.int().meta({ description: 'Passkeys that were removed.' }),
  })
  .meta({ id: 'SignedOutEverywhere', description: 'What was ended.' });
export type SignedOutEverywhere = z.output<typeof signedOutEverywhere>;

const doorbellRecord = z
  .object({
    doorbell: z
      .object({
        address: z.string().meta({ description: 'Where to open a WebSocket; without a scheme it is below the address of the page.' }),
        host: z.string().meta({ description: 'The host of the `authorization` of the protocol.' }),
        channel: z.string().meta({ description: 'The channel of the company, to subscribe to.' }),
        token: z.string().meta({ description: 'The `Authorization` with which to connect and to subscribe to this channel.' }),
        expires_at: timestamp.meta({ description: 'Until when the token is taken. A connection outlives it.' }),
      })
      .nullable()
      .meta({ description: 'null: the deployment has no doorbell.' }),
  })
  .meta({ id: 'Doorbell', description: 'Where to learn that something happened in the company.' });
export type DoorbellRecord = z.output<typeof doorbellRecord>;

/** Whatever a session may, its user sees and ends it. */
const caller = { kind: 'token', role: 'viewer' } as const;

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
    body: z
      .object({ email: email.meta({ description: 'The email address of the user.', override: { type: 'string', format: 'email' } }) })
      .meta({ id: 'CreateSignInCodeRequest' }),
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
    errors: [...codeProblems, 'otp_bombing', 'ceiling_reached', 'velocity_limit', 'validation_failed'],
  }),
  createSession: route({
    method: 'POST',
    path: '/api/v1/sessions',
    makes: 'session',
    summary: 'Sign in with a browser',
    description:
      'Starts a session, for a token or for a code of `createSignInCode`, and stores it in the browser as a cookie that no script reads. A session for a token has what the token has: user, scopes, networks, and its end where that is sooner than seven days. A code proves an email address: a user of several companies gets 202 with the companies, and sends `company_id`, with `accept` for one in which the user never signed in; later again to change the company. A session ends twelve hours after its last call, with its token, and when the same browser signs in again. Every operation that takes a token takes a session from pages of the same origin; writes need the header `X-Session-Request: 1`. A page that sends `X-Session: <company id>:<user id>` gets 409 `other_session` once its browser is signed in to another company or as another user.',
    caller: { kind: 'public' },
    sameOrigin: true,
    limit: 'sign_in',
    body: createSessionInput.meta({ id: 'CreateSessionRequest' }),
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
    answers: { 200: success(z.array(sessionRecord)) },
    errors: [],
  }),
  getDoorbell: route({
    method: 'GET',
    path: '/api/v1/sessions/doorbell',
    summary: 'Get the address and the token of the doorbell',
    description:
      'For pages that follow what happens: a WebSocket of the protocol of AWS AppSync Events, on which `look` comes when the event log has something new of the company, and nothing else. Rings may be lost, come twice or late: a page that is rung looks with `getSync` or `listEvents`, and looks once a minute besides. Without a doorbell it looks every few seconds.',
    caller,
    answers: { 200: success(doorbellRecord) },
    errors: [],
  }),
  deleteSession: route({
    method: 'DELETE',
    path: '/api/v1/sessions/{id}',
    summary: 'Sign out of a browser',
    description:
      'Ends a session of the calling user: the next call with it is 401. Of the session that calls, the cookie is removed as well.',
    caller,
    isOwnRecord: true,
    params: z.object({ id: pathId }),
    answers: { 200: deleted },
    errors: ['not_found'],
  }),
  signOutEverywhere: route({
    method: 'POST',
    path: '/api/v1/sessions/sign-out-everywhere',
    summary: 'Sign out everywhere',
    description:
      'Ends all sessions of the calling user, the one that calls too, and what a stolen session may have made: the personal tokens of the user that were made, or got a new secret, since `made_since` (a credential without `tokens:manage` ends none), with all that was made with them, and the passkeys added since. By default those of the last seven days, as long as a session lasts. What the company has of it besides, such as users, receivers and keys, the audit log lists.',
    caller,
    isOwnRecord: true,
    body: signOutEverywhereInput.meta({ id: 'SignOutEverywhereRequest' }),
    answers: { 200: success(signedOutEverywhere) },
    errors: ['conflict'],
  }),
};
