import { gzipSync } from 'node:zlib';
import { type Problem, problems } from '../contract/problems.ts';
import type { Exchange, HttpResult } from './exchange.ts';

/** The error body of decision G1; `verification` routes use their own form (decisions, Verification). */
export const problemResult = (problem: Problem, exchange: Exchange): HttpResult => {
  const entry = problems[problem.problem];
  const isVerification = /^\/(api\/)?v1\/verification\//.test(exchange.route?.path ?? '');
  // the one text that the verification document fixes (3§7)
  const title = isVerification && problem.problem === 'validation_failed' ? 'Validation failed' : entry.title;
  // a record of another company is answered as one that nobody has (G5): what a command line may say is not said here
  const message = problem.problem === 'not_found' ? title : (problem.message ?? title);
  const isErp = (exchange.route?.path ?? '').endsWith('/shop/erp/sync');
  const details = problem.details ?? (isVerification ? problem.errors : undefined);
  const body = isVerification
    ? {
        error: message,
        code: problem.problem,
        trace_id: exchange.requestId,
        ...(details ? { details } : {}),
        ...(problem.retryAfterSeconds ? { retry_after: problem.retryAfterSeconds } : {}),
      }
    : {
        ...(isErp ? { success: false } : { status: 'error' }),
        message,
        code: problem.problem,
        request_id: exchange.requestId,
        ...(problem.errors ? { errors: problem.errors } : {}),
        ...(problem.details ? { details: problem.details } : {}),
      };
  return {
    statusCode: entry.status,
    headers: {
      'content-type': 'application/json',
      ...(problem.retryAfterSeconds ? { 'retry-after': String(problem.retryAfterSeconds) } : {}),
      ...(entry.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...problem.headers,
    },
    body: JSON.stringify(body),
  };
};

/** An operation's answer on the wire: JSON, or text as it is when the operation names a content type of its own; compressed when it says so. */
export const answerResult = (answer: { status: number; body?: unknown; headers?: Record<string, string> }): HttpResult => {
  if (answer.body === undefined) return { statusCode: answer.status, headers: { ...answer.headers } };
  const body =
    typeof answer.body === 'string' && answer.headers?.['content-type'] !== undefined ? answer.body : JSON.stringify(answer.body);
  const wire =
    answer.headers?.['content-encoding'] === 'gzip' ? { body: gzipSync(body).toString('base64'), isBase64Encoded: true } : { body };
  return { statusCode: answer.status, headers: { 'content-type': 'application/json', ...answer.headers }, ...wire };
};
