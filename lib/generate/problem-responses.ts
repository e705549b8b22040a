import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { problemBodies, type ProblemFormat } from '../../shared/contract/envelope.ts';
import { type ProblemCode, problems } from '../../shared/contract/problems.ts';
import { problemsOf, type RouteSpec } from '../../shared/contract/route.ts';

/**
 * Error responses, one component for each status and error format. Which of its codes an operation can answer is in the operation:
 * `x-problem-codes`, and in words in its description.
 */
export const problemResponses = (routes: readonly RouteSpec[]): Record<string, ZodOpenApiResponseObject> => {
  const codesByName = new Map<string, { format: ProblemFormat; status: number; codes: Set<ProblemCode> }>();
  for (const route of routes)
    for (const code of problemsOf(route)) {
      const { status } = problems[code];
      const format = formatOf(route);
      const name = componentName(format, status);
      const entry = codesByName.get(name) ?? { format, status, codes: new Set() };
      entry.codes.add(code);
      codesByName.set(name, entry);
    }
  return Object.fromEntries(
    [...codesByName]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { format, status, codes }]) => [name, response(format, status, inOrder(codes))]),
  );
};

/** The error responses of one operation, as references. */
export const problemReferences = (route: RouteSpec): Record<string, { $ref: string }> =>
  Object.fromEntries(
    [...new Set(problemsOf(route).map((code) => problems[code].status))]
      .toSorted((a, b) => a - b)
      .map((status) => [String(status), { $ref: `#/components/responses/${componentName(formatOf(route), status)}` }]),
  );

/** One example body for each code and format that is in use. */
export const problemExamples = (routes: readonly RouteSpec[]): Record<string, { summary: string; value: unknown }> =>
  Object.fromEntries(
    inOrder(new Set(routes.flatMap(problemsOf))).flatMap((code) =>
      (['standard', 'verification', 'erp'] as const)
        .filter((format) => routes.some((route) => formatOf(route) === format && problemsOf(route).includes(code)))
        .map((format) => [exampleName(format, code), { summary: problems[code].title, value: exampleBody(format, code) }]),
    ),
  );

const formatOf = (route: RouteSpec): ProblemFormat => route.problemFormat ?? 'standard';

const names: Readonly<Record<number, [name: string, description: string]>> = {
  400: ['BadRequest', 'The request cannot be read, or the operation is no longer possible.'],
  401: ['Unauthorized', 'The credential is missing, unknown, expired or revoked, or a signature does not match.'],
  403: ['Forbidden', 'The credential does not allow the operation, or a limit of the plan is reached.'],
  404: ['NotFound', 'The record does not exist in this company.'],
  405: ['MethodNotAllowed', 'The endpoint does not take this method.'],
  409: ['Conflict', 'The operation contradicts the state of the record, or the Idempotency-Key is in use.'],
  410: ['Gone', 'The record is no longer available.'],
  413: ['PayloadTooLarge', 'The body is too large.'],
  415: ['UnsupportedMediaType', 'The content type of the body is not accepted.'],
  422: ['UnprocessableContent', 'The request can be read, but a field or the state of a record does not allow it.'],
  429: ['TooManyRequests', 'A limit is used up. Wait the seconds in Retry-After.'],
  500: ['InternalError', 'The request failed on our side. Repeat it with the same Idempotency-Key.'],
  503: ['ServiceUnavailable', 'The service is busy. Repeat the request after the seconds in Retry-After.'],
};

const prefixes: Readonly<Record<ProblemFormat, string>> = { standard: '', verification: 'Verification', erp: 'Erp' };

function componentName(format: ProblemFormat, status: number): string {
  const [name] = names[status] ?? [];
  if (name === undefined) throw new Error(`Status ${status} has no name: add one in lib/generate/problem-responses.ts.`);
  return `${prefixes[format]}${name}`;
}

const exampleName = (format: ProblemFormat, code: ProblemCode): string => (format === 'standard' ? code : `${format}_${code}`);

function response(format: ProblemFormat, status: number, codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
  const isRetried = status === 409 || status === 429 || status === 503;
  return {
    description: names[status]?.[1] ?? '',
    headers: {
      ...headersNamed(['X-Request-Id']),
      ...headersNamed(isRetried ? ['Retry-After'] : []),
      ...headersNamed(status === 429 ? ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] : []),
    },
    content: {
      'application/json': {
        schema: problemBodies[format],
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${exampleName(format, code)}` }])),
      },
    },
  };
}

const headersNamed = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const requestId = 'req_01JD7Z3M5Q8V9X2B4C6D8F0G1H';
const docUrl = 'https://api.example.com/docs#section/Errors';

function exampleBody(format: ProblemFormat, code: ProblemCode): unknown {
  const { title, status, remedy } = problems[code];
  if (format === 'verification')
    return { error: title, code, trace_id: requestId, ...(status === 429 ? { retry_after: 60 } : {}), remedy, doc_url: docUrl };
  return {
    ...(format === 'erp' ? { success: false } : { status: 'error' }),
    message: title,
    code,
    request_id: requestId,
    remedy,
    doc_url: docUrl,
  };
}

const inOrder = (codes: ReadonlySet<ProblemCode>): ProblemCode[] =>
  (Object.keys(problems) as ProblemCode[]).filter((code) => codes.has(code));
