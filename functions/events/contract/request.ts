import * as z from 'zod';
import { text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

export const requestOutcomes = ['ok', 'refused', 'failed'] as const;

const loggedCall = z
  .object({
    id: z.string().meta({ description: 'The id of the request, as its answer had it in X-Request-Id.' }),
    at: timestamp.meta({ description: 'When it came.' }),
    operation: z.string().meta({ description: 'The operation that was called, such as sendText.' }),
    method: z.string().meta({ description: 'The HTTP method.' }),
    path: z.string().meta({ description: 'The path of the address, without its query; a token in it is left out.' }),
    status: z.int().meta({ description: 'The HTTP status of the answer.' }),
    code: z.string().nullable().meta({ description: 'The code of the problem, or null.' }),
    fields: z.array(z.string()).meta({ description: 'The fields that were refused.' }),
    duration_ms: z.int().meta({ description: 'Milliseconds until the answer.' }),
    credential: z
      .object({
        id: z.int().meta({ description: 'The id of the credential.' }),
        kind: z.string().meta({ description: 'token, erp_token or secret_key.' }),
      })
      .meta({ description: 'The credential of the call.' }),
    user_id: z.int().nullable().meta({ description: 'The user that the token is of, or null.' }),
    ip: z.string().meta({ description: 'The address that called.' }),
    user_agent: z.string().nullable().meta({ description: 'The program that called, as it names itself, or null.' }),
    is_replayed: z.boolean().meta({ description: 'Whether the answer is the one stored under the Idempotency-Key.' }),
    has_bodies: z.boolean().meta({ description: 'Whether getLoggedRequest has what was sent and answered.' }),
  })
  .meta({ id: 'LoggedRequest', description: 'A call of a token: which operation, by whom, and how it ended.' });
export type LoggedRequestRecord = z.output<typeof loggedCall>;

const body = z.string().nullable();
const loggedCallWithBodies = z.object({
  ...loggedCall.shape,
  request_body: body.meta({ description: 'What was sent, as JSON without secrets, up to 10,000 characters; or null.' }),
  answer_body: body.meta({ description: 'What was answered, as JSON without secrets, up to 10,000 characters; or null.' }),
});
export type LoggedRequestWithBodies = z.output<typeof loggedCallWithBodies>;

export const loggedRequestsQuery = z.object({
  outcome: z
    .enum(requestOutcomes, { error: 'Must be ok, refused or failed.' })
    .optional()
    .meta({ description: 'Only calls that were answered with 2xx or 3xx (ok), 4xx (refused) or 5xx (failed).' }),
  operation: text(100, 1).optional().meta({ description: 'Only calls of this operation, such as sendText.', example: 'sendText' }),
  code: text(100, 1)
    .optional()
    .meta({ description: 'Only calls with this problem, such as validation_failed.', example: 'validation_failed' }),
  credential_id: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional().meta({ description: 'Only calls of this credential.', example: 1 }),
  limit: wholeNumber(1, 100).default(50).meta({ description: 'Calls per page.' }),
  cursor: text(2_000, 1).optional().meta({ description: 'meta.next_cursor of the page before.' }),
});
export type LoggedRequestsQuery = z.output<typeof loggedRequestsQuery>;

export const loggedRequestRoutes = {
  listLoggedRequests: route({
    method: 'GET',
    path: '/api/v1/requests',
    summary: 'List requests: which calls of tokens were refused',
    description:
      'The calls of tokens in the last seven days, newest first: those that were refused, or all, as `settings.request_log` of the company says. Calls of the console, of public keys and of receivers, and calls beyond a limit, are not in it. With a filter a page may have fewer calls than its limit, and more behind it.',
    caller: { kind: 'token', scope: 'audit:read', role: 'admin' },
    query: loggedRequestsQuery,
    answers: {
      200: z.object({
        status: z.literal('success'),
        message: z.string(),
        data: z.array(loggedCall),
        meta: z.object({ has_more: z.boolean(), next_cursor: z.string().nullable() }),
      }),
    },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  getLoggedRequest: route({
    method: 'GET',
    path: '/api/v1/requests/{request_id}',
    summary: 'Get a request: what was sent and answered',
    description:
      'One call of a token. What was sent and answered is there where `settings.request_bodies` was on when it came, and not for operations that take or give secrets.',
    caller: { kind: 'token', scope: 'audit:read', role: 'admin' },
    params: z.object({
      request_id: z
        .string()
        .regex(/^req_[0-9A-HJKMNP-TV-Z]{26}$/, { error: 'Must be the id of a request.' })
        .meta({ description: 'The id of the request.', example: 'req_01M8KRB33ZG6KBANA8EA1NDK31' }),
    }),
    answers: { 200: z.object({ status: z.literal('success'), message: z.string(), data: loggedCallWithBodies }) },
    errors: ['validation_failed', 'not_found'],
  }),
};
