import type * as z from 'zod';
import type { problemBodies, ProblemFormat } from '../contract/envelope.ts';
import { type Problem, problems } from '../contract/problems.ts';
import { contentTypesOf, type RouteSpec } from '../contract/route.ts';
import type { Exchange, HttpResult } from './exchange.ts';
import type { UnknownField } from './unknown-fields.ts';

/** A problem as the response that its route's format fixes. Requests that match no route get the standard format. */
export const problemResult = (problem: Problem, exchange: Exchange): HttpResult => {
  const { status } = problems[problem.problem];
  exchange.problem = problem.problem;
  return {
    statusCode: status,
    headers: {
      'content-type': 'application/json',
      ...(problem.retryAfterSeconds ? { 'retry-after': String(problem.retryAfterSeconds) } : {}),
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...problem.headers,
    },
    body: JSON.stringify(bodies[exchange.route?.problemFormat ?? 'standard'](problem, exchange)),
  };
};

type Body<F extends ProblemFormat> = z.input<(typeof problemBodies)[F]>;

type RequestFacts = Pick<Exchange, 'requestId' | 'baseUrl' | 'routeName'>;

const bodies: { [F in ProblemFormat]: (problem: Problem, request: RequestFacts) => Body<F> } = {
  standard: (problem, request) => ({ status: 'error', ...commonBody(problem, request) }),
  erp: (problem, request) => ({ success: false, ...commonBody(problem, request) }),
  verification: (problem, request) => {
    const details = problem.details ?? problem.errors;
    return {
      // the verification document fixes this one text
      error: problem.problem === 'validation_failed' ? (problem.message ?? 'Validation failed') : messageOf(problem),
      code: problem.problem,
      trace_id: request.requestId,
      ...(details ? { details } : {}),
      ...(problem.retryAfterSeconds ? { retry_after: problem.retryAfterSeconds } : {}),
      ...help(problem, request),
    };
  },
};

const commonBody = (problem: Problem, request: RequestFacts) => ({
  message: messageOf(problem),
  code: problem.problem,
  request_id: request.requestId,
  ...(problem.errors ? { errors: problem.errors } : {}),
  ...(problem.details ? { details: problem.details } : {}),
  ...help(problem, request),
});

/**
 * How to fix the request, and the page that explains the code; of wrong fields also the page that has an example of the operation. A receiver's
 * own URL serves no such page.
 */
const help = (problem: Problem, { baseUrl, routeName }: RequestFacts) => {
  const remedy = problem.remedy ?? problems[problem.problem].remedy;
  if (baseUrl === undefined) return { remedy };
  const isOfFields = problem.problem === 'validation_failed' || problem.problem === 'unknown_field';
  const page = isOfFields && problem.remedy === undefined && routeName !== undefined ? ` ${baseUrl}/docs/operations/${routeName}` : '';
  return { remedy: `${remedy}${page}`, doc_url: `${baseUrl}/docs/errors/${problem.problem}` };
};

/** A record of another company must look like a record that does not exist, so `not_found` always has the same text. */
const messageOf = (problem: Problem): string => {
  const { title } = problems[problem.problem];
  return problem.problem === 'not_found' ? title : (problem.message ?? title);
};

/**
 * An operation's answer as a response: JSON, or the text itself where the route declares another content type. Compressed when the
 * operation sets `content-encoding: gzip`.
 */
export const answerResult = (
  given: { status: number; body?: unknown; headers?: Record<string, string>; cookies?: readonly string[] },
  route: Pick<RouteSpec, 'contentTypes'>,
  leftOut: LeftOut = {},
): HttpResult => {
  const answer = withWarnings(given, leftOut);
  const cookies = given.cookies === undefined ? {} : { cookies: [...given.cookies] };
  if (answer.body === undefined) return { statusCode: answer.status, headers: { ...answer.headers }, ...cookies };
  const headers: Record<string, string> = { 'content-type': contentTypesOf(route)[0], ...answer.headers };
  const isText = route.contentTypes !== undefined && typeof answer.body === 'string';
  const body = isText ? (answer.body as string) : JSON.stringify(answer.body);
  return headers['content-encoding'] === 'gzip'
    ? { statusCode: answer.status, headers, body: compressed(body), isBase64Encoded: true }
    : { statusCode: answer.status, headers, body, ...cookies };
};

const maxNamedFields = 20;

type LeftOut = Partial<Pick<Exchange, 'unknownFields' | 'unknownParameters'>>;

/** Names what the operation left out, of the body and of the query: in a header, and in `warnings` of an envelope. */
function withWarnings<A extends { body?: unknown; headers?: Record<string, string> }>(
  answer: A,
  { unknownFields = [], unknownParameters = [] }: LeftOut,
): A {
  const left = [...unknownFields, ...unknownParameters].slice(0, maxNamedFields);
  if (left.length === 0) return answer;
  const { body } = answer;
  const isEnvelope = typeof body === 'object' && body !== null && 'status' in body && body.status === 'success';
  const warning = (each: UnknownField): string =>
    `The ${unknownFields.includes(each) ? 'field' : 'query parameter'} ${each.name} is not known and was left out.` +
    (each.meant === undefined ? '' : ` Did you mean ${each.meant}?`);
  return {
    ...answer,
    headers: {
      ...answer.headers,
      'x-unknown-fields': left
        .map(({ name }) => encodeURIComponent(name))
        .join(', ')
        .slice(0, 2_000),
    },
    ...(isEnvelope ? { body: { ...body, warnings: left.map(warning) } } : {}),
  };
}

/** Compressed once for all answers: only files of ours are compressed, and there are few. */
const compressedTexts = new Map<string, string>();
const maxCompressedTexts = 10;

function compressed(text: string): string {
  const known = compressedTexts.get(text);
  if (known !== undefined) return known;
  // loaded with the first file: an import would load it in every cold start
  const made = process.getBuiltinModule('node:zlib').gzipSync(text).toString('base64');
  if (compressedTexts.size >= maxCompressedTexts) compressedTexts.clear();
  compressedTexts.set(text, made);
  return made;
}
