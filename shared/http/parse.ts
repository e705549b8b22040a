import type * as z from 'zod';
import { missingReason } from '../contract/refusal-words.ts';
import { type FieldErrors, problem, type Problem, problems } from '../contract/problems.ts';
import { RefusedRequest, type RoutedExchange } from './exchange.ts';
import { withoutAbsent } from './absent.ts';
import { jsonErrorIn } from './json.ts';
import { definitionOf } from './schema-definition.ts';
import { type UnknownField, unknownFields } from './unknown-fields.ts';

export interface ParsedInput {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** Every declared part of a request through its schema: a path that fits none is not found, the rest is 422 by field (G2). */
export const parseInput = (exchange: RoutedExchange): ParsedInput => {
  const { route } = exchange;
  const params = route.params?.safeParse(exchange.pathParameters);
  if (params && !params.success) throw new RefusedRequest(problem('not_found'));
  const query = route.query?.safeParse(withoutAbsent(route.query, withJsonTexts(route.query, exchange.query)));
  const given = givenBody(exchange);
  const body = route.accepts?.includes('raw') ? undefined : route.body?.safeParse(given);
  const errors = { ...fieldErrors(query, exchange.query), ...fieldErrors(body, given) };
  const unknown = body && route.body ? unknownFields(route.body, given) : [];
  const unknownQuery = unknownParameters(exchange);
  if (Object.keys(errors).length > 0)
    throw new RefusedRequest(
      withUnknownFields(problem('validation_failed', { errors }), { route, unknownFields: [...unknown, ...unknownQuery] }),
    );
  if (route.unknownFields === 'refuse' || exchange.principal?.refusesUnknownFields) refuseUnknown(unknown);
  exchange.unknownFields = unknown;
  exchange.unknownParameters = unknownQuery;
  if (route.sends) refuseUnknown([...unknown, ...unknownQuery].filter(({ meant }) => meant !== undefined));
  return { params: params?.data, query: query?.data, body: body?.data };
};

/** The decoded body, as its schema is to read it. */
function givenBody({ route: { body: schema }, body, isForm = false }: RoutedExchange): unknown {
  return schema ? withoutAbsent(schema, isForm ? withJsonTexts(schema, body) : body, { isForm }) : body;
}

/** Beside what is wrong, the fields that are not known: one that is missing often stands there under another name. */
export const withUnknownFields = (
  refused: Problem,
  { route, unknownFields: given = [] }: Pick<RoutedExchange, 'route' | 'unknownFields'>,
): Problem => {
  const names = given
    .filter(({ name }) => /^[\w.-]{1,60}$/.test(name))
    .slice(0, 10)
    .map(({ name, meant }) => (meant === undefined ? name : `${name} (${meant}?)`));
  const isApart =
    refused.problem !== 'validation_failed' || refused.message !== undefined || (route.problemFormat ?? 'standard') !== 'standard';
  return isApart || names.length === 0
    ? refused
    : { ...refused, message: `${problems.validation_failed.title} Unknown fields: ${names.join(', ')}.` };
};

function refuseUnknown(fields: readonly UnknownField[]): void {
  if (fields.length === 0) return;
  const reason = ({ meant }: UnknownField): string => `This field is not known.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
  throw new RefusedRequest(problem('unknown_field', { errors: Object.fromEntries(fields.map((each) => [each.name, [reason(each)]])) }));
}

/** What the query of our own callers has beyond what the operation reads. Platforms add to the addresses they are given what they like. */
function unknownParameters({ route, query }: RoutedExchange): UnknownField[] {
  if (route.caller.kind === 'public' || route.caller.kind === 'webhook_token') return [];
  const given = Object.fromEntries(Object.entries(query).filter(([name]) => name !== 'public_key'));
  return route.query ? unknownFields(route.query, given) : Object.keys(given).map((name) => ({ name }));
}

/** Zod's issues as `{field: [reasons]}`, nested fields with dots. `given`: the parsed value, which shows whether a field is missing or wrong. */
export const fieldErrors = (result: z.ZodSafeParseResult<unknown> | undefined, given: unknown): FieldErrors => {
  const errors: FieldErrors = {};
  for (const issue of result?.success === false ? result.error.issues : []) {
    const field = issue.path.map(String).join('.') || 'body';
    const reasons = (errors[field] ??= []);
    const reason = reasonOf(issue, given);
    if (!reasons.includes(reason) && reasons.length < 5) reasons.push(reason);
  }
  return errors;
};

/**
 * Queries and forms have no lists and objects: where the schema wants one and a text stands, the text is read as JSON (clarification
 * A32). What is no JSON stays a text, and the schema refuses it by its field.
 */
const withJsonTexts = (schema: z.ZodType, given: unknown): unknown => {
  const shape = shapeOf(schema);
  if (!shape || typeof given !== 'object' || given === null) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]: [string, unknown]) => {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      return [name, typeof value === 'string' && field && isNested(field) ? jsonOr(value) : value];
    }),
  );
};

function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> | undefined {
  const { shape, in: source, innerType } = definitionOf(schema);
  const inner = source ?? innerType;
  return shape ?? (inner && shapeOf(inner));
}

/** Whether a field takes a list or an object, wrapped as it may be. */
function isNested(schema: z.ZodType): boolean {
  const { type, in: source, innerType, options } = definitionOf(schema);
  const inner = source ?? innerType;
  return ['array', 'object', 'record', 'tuple'].includes(type) || (inner ? isNested(inner) : (options?.some(isNested) ?? false));
}

function jsonOr(value: string): unknown {
  if (!/^\s*[[{]/.test(value) || value.length > maxJsonText || jsonErrorIn(Buffer.from(value)) !== undefined) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

const maxJsonText = 200_000;

/** A missing value has one reason, that it is missing; a schema may say more of it, and nothing else. */
function reasonOf(issue: z.core.$ZodIssue, given: unknown): string {
  const isOfKind = issue.code === 'invalid_type' || issue.code === 'invalid_union' || issue.code === 'invalid_value';
  const isMissing = isOfKind && valueAt(given, issue.path) === undefined;
  return isMissing && !issue.message.startsWith(missingReason.slice(0, -1)) ? missingReason : issue.message;
}

const valueAt = (given: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined), given);
