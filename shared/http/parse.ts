import type * as z from 'zod';
import { problem } from '../contract/problems.ts';
import { type Exchange, Refusal } from './exchange.ts';

export interface ParsedInput {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** Every declared part of a request through its schema: a path that fits none is not found, the rest is 422 by field (G2). */
export const parseInput = (exchange: Exchange): ParsedInput => {
  const { route } = exchange;
  const params = route.params?.safeParse(exchange.pathParameters);
  if (params && !params.success) throw new Refusal(problem('not_found'));
  const query = route.query?.safeParse(exchange.query);
  const body = route.accepts?.includes('raw') ? undefined : route.body?.safeParse(exchange.body);
  const errors = { ...fieldErrors(query), ...fieldErrors(body) };
  if (Object.keys(errors).length > 0) throw new Refusal(problem('validation_failed', { errors }));
  return { params: params?.data, query: query?.data, body: body?.data };
};

/** Zod's issues as `{field: [reasons]}`, nested fields with dots. */
export const fieldErrors = (result: z.ZodSafeParseResult<unknown> | undefined): Record<string, string[]> => {
  const errors: Record<string, string[]> = {};
  for (const issue of result?.success === false ? result.error.issues : []) {
    const field = issue.path.map(String).join('.') || 'body';
    const reasons = (errors[field] ??= []);
    const reason = reasonOf(issue);
    if (!reasons.includes(reason) && reasons.length < 5) reasons.push(reason);
  }
  return errors;
};

function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.input === undefined && !issue.message.includes('Must')) return 'This field is required.';
  if (issue.code === 'invalid_type' && /received undefined/.test(issue.message)) return 'This field is required.';
  return issue.message;
}
