import { randomUUID } from 'node:crypto';
import type { Check } from './check.ts';
import { at, type DeploymentAnswer, type DeploymentCall, expectThat, NotChecked, shownAnswer } from './deployment.ts';

/** Envelopes, errors, limits and request ids: reads, and calls that are refused. */

/** The form of every error: a code for programs, words for people, and the id of the request. */
export function expectProblem(answer: DeploymentAnswer, status: number, code: string): void {
  expectThat(answer.status === status, `the status is ${status}`, shownAnswer(answer));
  expectThat(/^application\/json\b/.test(answer.headers.get('content-type') ?? ''), 'an error is JSON', answer.headers.get('content-type'));
  expectThat(at(answer.body, 'status') === 'error', 'status is "error"', answer.raw);
  expectThat(at(answer.body, 'code') === code, `code is "${code}"`, at(answer.body, 'code'));
  const message = at(answer.body, 'message');
  expectThat(typeof message === 'string' && message !== '', 'message is a text', message);
  expectThat(typeof at(answer.body, 'remedy') === 'string', 'remedy says what to do', answer.raw);
  expectThat(
    at(answer.body, 'request_id') === answer.headers.get('x-request-id'),
    'request_id is that of the header X-Request-Id',
    at(answer.body, 'request_id'),
  );
}

const isWhole = (value: string | null): value is string => value !== null && /^\d+$/.test(value);

const envelopes: Check[] = [
  {
    id: 'record-envelope',
    group: 'envelopes',
    title: 'a record is { status, message, data }',
    run: async ({ deployment }) => {
      const answer = await deployment.call({ path: '/api/v1/me' });
      expectThat(answer.status === 200, 'GET /api/v1/me answers 200', shownAnswer(answer));
      expectThat(at(answer.body, 'status') === 'success', 'status is "success"', answer.raw);
      expectThat(typeof at(answer.body, 'message') === 'string', 'message is a text', answer.raw);
      expectThat(typeof at(answer.body, 'data', 'company_id') === 'number', 'data.company_id is a number', answer.raw);
    },
  },
  {
    id: 'list-envelope',
    group: 'envelopes',
    title: 'a list is { data: [...], meta } and its cursor leads on',
    run: async ({ deployment }) => {
      const answer = await deployment.call({ path: '/api/v1/contacts?limit=1' });
      expectThat(answer.status === 200, 'GET /api/v1/contacts answers 200', shownAnswer(answer));
      const [rows, cursor] = [at(answer.body, 'data'), at(answer.body, 'meta', 'next_cursor')];
      expectThat(Array.isArray(rows) && rows.length <= 1, 'data is a list of at most limit rows', answer.raw);
      expectThat(at(answer.body, 'meta', 'per_page') === 1, 'meta.per_page is the limit', at(answer.body, 'meta'));
      expectThat(cursor === null || typeof cursor === 'string', 'meta.next_cursor is a text or null', cursor);
      if (cursor === null) return;
      const next = await deployment.call({ path: `/api/v1/contacts?limit=1&cursor=${encodeURIComponent(cursor)}` });
      expectThat(next.status === 200, 'the cursor is accepted', shownAnswer(next));
      expectThat(at(next.body, 'data', 0, 'id') !== at(answer.body, 'data', 0, 'id'), 'the next page has other rows', next.raw);
    },
  },
  {
    id: 'head',
    group: 'envelopes',
    title: 'HEAD answers as GET does, without a body',
    run: async ({ deployment }) => {
      const answer = await deployment.call({ method: 'HEAD', path: '/api/v1/me' });
      expectThat(answer.status === 200 && answer.raw === '', 'HEAD /api/v1/me answers 200 without a body', shownAnswer(answer));
    },
  },
];

/** A call that is refused, and how. None of them changes anything. */
const refusals: readonly [id: string, title: string, call: DeploymentCall, status: number, code: string][] = [
  ['no-token', 'a call without a token is 401 token_missing', { path: '/api/v1/me', token: undefined }, 401, 'token_missing'],
  ['wrong-token', 'an unknown token is 401 token_invalid', { path: '/api/v1/me', token: 'swb_not_a_token' }, 401, 'token_invalid'],
  ['unknown-route', 'an unknown path is 404 route_not_found', { path: '/api/v1/no-such-path' }, 404, 'route_not_found'],
  [
    'wrong-method',
    'a wrong method is 405 method_not_allowed',
    { method: 'PATCH', path: '/api/v1/me', body: {} },
    405,
    'method_not_allowed',
  ],
  ['unknown-record', 'a record that is not there is 404 not_found', { path: '/api/v1/contacts/999999999' }, 404, 'not_found'],
  [
    'content-type',
    'a body that is no JSON by its content type is 415',
    { method: 'POST', path: '/api/v1/contacts', body: 'phone=12', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    'unsupported_content_type',
  ],
  ['broken-json', 'broken JSON is 400 invalid_json', { method: 'POST', path: '/api/v1/contacts', body: '{"phone":' }, 400, 'invalid_json'],
];

const errors: Check[] = [
  ...refusals.map(
    ([id, title, call, status, code]): Check => ({
      id,
      group: 'errors',
      title,
      run: async ({ deployment }) => expectProblem(await deployment.call(call), status, code),
    }),
  ),
  {
    id: 'field-errors',
    group: 'errors',
    title: 'a wrong field is 422 validation_failed, with its reasons in errors',
    run: async ({ deployment }) => {
      const answer = await deployment.call({ method: 'POST', path: '/api/v1/contacts', body: { phone: '12' } });
      expectProblem(answer, 422, 'validation_failed');
      const reasons = at(answer.body, 'errors', 'phone');
      const areTexts = Array.isArray(reasons) && reasons.length > 0 && reasons.every((each) => typeof each === 'string');
      expectThat(areTexts, 'errors.phone is a list of reasons', answer.raw);
    },
  },
];

const limits: Check[] = [
  {
    id: 'limit-headers',
    group: 'limits',
    title: 'every answer says how many calls are left: X-RateLimit-Limit, -Remaining, -Reset',
    run: async ({ deployment }) => {
      const read = async () => {
        const { headers } = await deployment.call({ path: '/api/v1/me' });
        const [limit, left, reset] = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`) ?? null);
        expectThat(isWhole(limit ?? null) && isWhole(left ?? null) && isWhole(reset ?? null), 'the three headers are whole numbers', [
          limit,
          left,
          reset,
        ]);
        return { limit: Number(limit), left: Number(left), reset: Number(reset) };
      };
      const [first, second] = [await read(), await read()];
      expectThat(first.left < first.limit, 'the remaining calls are fewer than the limit', first);
      expectThat(second.reset !== first.reset || second.left < first.left, 'a call in the same minute is counted', [first, second]);
      const ahead = second.reset - Date.now() / 1_000;
      expectThat(ahead > -60 && ahead < 125, 'the reset is within the next minute', `${Math.round(ahead)} s ahead`);
    },
  },
  {
    id: 'limit-reached',
    group: 'limits',
    title: 'beyond a limit the answer is 429 rate_limited with Retry-After',
    run: async ({ deployment, reachLimit }) => {
      if (!reachLimit) throw new NotChecked('it would use up the CRM calls of this token for a minute: add --reach-limit');
      const path = '/api/v1/crm/pipelines';
      const first = await deployment.call({ path });
      if (first.status === 403) throw new NotChecked('the token does not have the scope for GET /crm/pipelines');
      const limit = Number(first.headers.get('x-ratelimit-limit'));
      if (!(limit > 0 && limit <= 300)) throw new NotChecked(`the limit of CRM calls, ${limit} a minute, is too high to reach`);
      // the minute may end on the way
      for (let calls = 0; calls < 2 * limit + 2; calls++) {
        const answer = await deployment.call({ path });
        if (answer.status === 200) continue;
        expectProblem(answer, 429, 'rate_limited');
        const wait = answer.headers.get('retry-after');
        expectThat(isWhole(wait) && Number(wait) >= 1 && Number(wait) <= 120, 'Retry-After is in seconds', wait);
        return;
      }
      expectThat(false, `${2 * limit + 2} calls reach the limit of ${limit} a minute`);
    },
  },
];

const requestIds: Check[] = [
  {
    id: 'request-ids',
    group: 'request ids',
    title: 'every answer has an id of its own in X-Request-Id, and X-Api-Version',
    run: ({ deployment }) => {
      const ids = deployment.answers.map(({ answer }) => answer.headers.get('x-request-id'));
      const without = deployment.answers.find(
        ({ answer }) => !/^req_[0-9A-HJKMNP-TV-Z]{26}$/.test(answer.headers.get('x-request-id') ?? ''),
      );
      expectThat(
        !without,
        'X-Request-Id is req_ and a ULID',
        without && `${without.call.path}: ${without.answer.headers.get('x-request-id')}`,
      );
      expectThat(new Set(ids).size === ids.length, 'no two answers have one id', `${ids.length - new Set(ids).size} repeated`);
      const unversioned = deployment.answers.find(({ answer }) => !answer.headers.get('x-api-version'));
      expectThat(!unversioned, 'X-Api-Version is there', unversioned?.call.path);
      return Promise.resolve();
    },
  },
  {
    id: 'no-server-errors',
    group: 'request ids',
    title: 'no call of this run was answered 5xx',
    run: ({ deployment }) => {
      const failed = deployment.answers.filter(({ answer }) => answer.status >= 500);
      expectThat(failed.length === 0, 'no answer is 5xx', failed.map(({ call, answer }) => `${call.path}: ${answer.status}`).join(', '));
      return Promise.resolve();
    },
  },
];

/** Those before what makes records, and those that look at all answers of the run. */
export const firstChecks: readonly Check[] = [...envelopes, ...errors, ...limits];
export const lastChecks: readonly Check[] = requestIds;

/** A key for one write of the checks. */
export const freshKey = (): string => `conformance-${randomUUID()}`;
