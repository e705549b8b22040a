import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { problemBodies, type ProblemFormat } from '../../shared/contract/envelope.ts';
import { type ProblemCode, problems } from '../../shared/contract/problems.ts';
import { problemsOf, type RouteSpec } from '../../shared/contract/route.ts';

/**
 * Error responses, one component for each status and error format: a range such as `4XX` is more than some generators read. Which codes an
 * operation can answer is in its `x-error-codes`.
 */
export const problemResponses = (routes: readonly RouteSpec[]): Record<string, ZodOpenApiResponseObject> => {
  const codesByName = new Map<string, { format: ProblemFormat; status: string; codes: Set<ProblemCode> }>();
  for (const route of routes)
    for (const code of problemsOf(route)) {
      const status = statusKey(code);
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
    [...new Set(problemsOf(route).map(statusKey))]
      .toSorted()
      .map((status) => [status, { $ref: `#/components/responses/${componentName(formatOf(route), status)}` }]),
  );

/** Every code that an operation can answer, by status: `{ "404": ["not_found"] }`. */
export const errorCodes = (route: RouteSpec): Partial<Record<number, ProblemCode[]>> =>
  Object.fromEntries(Map.groupBy(inOrder(new Set(problemsOf(route))), (code) => problems[code].status));

/** Example bodies: in the standard format one for each code; in the others one for each status, which shows the form. */
export const problemExamples = (routes: readonly RouteSpec[]): Record<string, { summary: string; value: unknown }> =>
  Object.fromEntries(
    (['standard', 'verification', 'erp'] as const).flatMap((format) => {
      const codes = inOrder(new Set(routes.filter((route) => formatOf(route) === format).flatMap(problemsOf)));
      return shownCodes(format, codes).map((code) => [
        exampleName(format, code),
        { summary: problems[code].title, value: exampleBody(format, code) },
      ]);
    }),
  );

const shownCodes = (format: ProblemFormat, codes: readonly ProblemCode[]): readonly ProblemCode[] =>
  format === 'standard' ? codes : [...Map.groupBy(codes, statusKey).values()].flatMap((ofStatus) => ofStatus.slice(0, 1));

const formatOf = (route: RouteSpec): ProblemFormat => route.problemFormat ?? 'standard';

const statusKey = (code: ProblemCode): string => String(problems[code].status);

const descriptions: Readonly<Record<string, string>> = {
  400: 'The request cannot be read, or the operation is no longer possible.',
  401: 'The credential is missing, unknown, expired or revoked, or a signature does not match.',
  402: 'A spend ceiling of the company does not allow the message.',
  403: 'The credential does not allow the operation, or a limit of the plan is reached.',
  404: 'The record does not exist in this company.',
  405: 'The endpoint does not take this method.',
  409: 'The operation contradicts the state of the record, or the Idempotency-Key is in use.',
  410: 'The record is no longer available.',
  413: 'The body is too large.',
  415: 'The content type of the body is not accepted.',
  422: 'The request can be read, but a field or the state of a record does not allow it.',
  429: 'A limit is used up. Wait the seconds in Retry-After.',
  500: 'The request failed on our side. Repeat it with the same Idempotency-Key.',
  503: 'The service is busy. Repeat the request with the same Idempotency-Key.',
};

const prefixes: Readonly<Record<ProblemFormat, string>> = { standard: '', verification: 'verification-', erp: 'erp-' };

/** The status: it is repeated at every operation. */
function componentName(format: ProblemFormat, status: string): string {
  if (!(status in descriptions)) throw new Error(`Status ${status} has no description: add one in lib/generate/problem-responses.ts.`);
  return `${prefixes[format]}${status}`;
}

const exampleName = (format: ProblemFormat, code: ProblemCode): string => (format === 'standard' ? code : `${format}_${code}`);

function response(format: ProblemFormat, status: string, codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
  const isRetried = ['409', '429', '503'].includes(status);
  return {
    description: descriptions[status] ?? '',
    headers: {
      ...headersNamed(['X-Request-Id']),
      ...headersNamed(isRetried ? ['Retry-After'] : []),
      ...headersNamed(status === '429' ? ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] : []),
    },
    content: {
      'application/json': {
        schema: problemBodies[format],
        examples: Object.fromEntries(
          shownCodes(format, codes).map((code) => [code, { $ref: `#/components/examples/${exampleName(format, code)}` }]),
        ),
      },
    },
  };
}

const headersNamed = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const requestId = 'req_01JD7Z3M5Q8V9X2B4C6D8F0G1H';

function exampleBody(format: ProblemFormat, code: ProblemCode): unknown {
  const { title, status, remedy } = problems[code];
  if (format === 'verification') return { error: title, code, trace_id: requestId, ...(status === 429 ? { retry_after: 60 } : {}), remedy };
  return {
    ...(format === 'erp' ? { success: false } : { status: 'error' }),
    message: title,
    code,
    request_id: requestId,
    remedy,
  };
}

const inOrder = (codes: ReadonlySet<ProblemCode>): ProblemCode[] =>
  (Object.keys(problems) as ProblemCode[]).filter((code) => codes.has(code));
