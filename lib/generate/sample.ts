import * as z from 'zod';
import type { RouteSpec } from '../../shared/contract/route.ts';
import { bodiesByKind, examples } from './examples.ts';
import { placeholders } from './placeholders.ts';
import { jsonSchemaOf } from './json-schema.ts';

/**
 * Requests to show in the reference, made from the routes' own schemas and accepted by them: a sample that its route would refuse stops
 * the generator, so the reference cannot show one. A name is given the value that a reader expects under it.
 */
export interface Sample {
  /** The path with its parameters filled in, and the query of required parameters. */
  url: string;
  params: Json;
  query: Json;
  body: Record<string, unknown> | undefined;
}

type Json = Readonly<Record<string, unknown>>;

export const sampleOf = (name: string, route: RouteSpec): Sample => {
  const params = route.params ? (shown(`${name}{}`, route.params) ?? accepted(name, 'params', route.params)) : {};
  const query = route.query ? (shown(`${name}?`, route.query) ?? accepted(name, 'query', route.query)) : {};
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = text(params[parameter]);
    // a variable of the shell stays one
    return value.startsWith('$') ? value : encodeURIComponent(value);
  });
  const search = new URLSearchParams(Object.entries(query).map(([key, value]): [string, string] => [key, text(value)])).toString();
  const isPlatforms = route.accepts?.includes('raw') === true;
  return {
    url: search === '' ? path : `${path}?${search}`,
    params,
    query,
    body:
      route.documents || isPlatforms
        ? documented(name, route)
        : route.body && (shown(name, route.body) ?? accepted(name, 'body', route.body)),
  };
};

/** The bodies of an operation that takes several kinds, one of each; undefined for the others. */
export const bodiesOf = (name: string, { body }: RouteSpec): Readonly<Record<string, Json>> | undefined => {
  const bodies = bodiesByKind[name];
  for (const [kind, each] of Object.entries(bodies ?? {})) {
    const problems = body?.safeParse(each).error;
    if (problems) throw new Error(`The example ${kind} of ${name} is refused by its route: ${z.prettifyError(problems)}`);
  }
  return bodies;
};

/** The first example of a body that the route documents. */
function documented(name: string, { documents, body, accepts }: RouteSpec): Record<string, unknown> | undefined {
  const [first] = Object.values(documents?.examples ?? {}).map(({ value }) => value as Record<string, unknown>);
  return body && !accepts?.includes('raw') ? taken(name, body, first) : first;
}

const shown = (name: string, body: z.ZodType): Record<string, unknown> | undefined => taken(name, body, examples[name]);

function taken(name: string, body: z.ZodType, example: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  const problems = example && body.safeParse(example).error;
  if (problems) throw new Error(`The example of ${name} is refused by its route: ${z.prettifyError(problems)}`);
  return example;
}

/** The first of: what is required; with one, then with two, of the optional fields; everything. */
function accepted(name: string, part: 'params' | 'query' | 'body', schema: z.ZodType): Record<string, unknown> {
  const json = jsonSchemaOf(schema) as Json;
  const fields = Object.entries((json['properties'] ?? {}) as Record<string, Json>);
  const required = new Set((json['required'] ?? []) as string[]);
  const whole = Object.fromEntries(
    fields.map(([key, field]) => {
      const value = valueOf(key, field);
      // in an address everything is text
      return [key, part === 'body' || value === undefined ? value : text(value)];
    }),
  );
  const only = (keys: readonly string[]) =>
    Object.fromEntries(Object.entries(whole).filter(([key]) => required.has(key) || keys.includes(key)));
  const optional = fields.map(([key]) => key).filter((key) => !required.has(key));
  const isBareChange = part === 'body' && required.size === 0;
  const tries = [
    ...(isBareChange ? [] : [only([])]),
    ...optional.map((key) => only([key])),
    ...optional.flatMap((key, at) => optional.slice(at + 1).map((other) => only([key, other]))),
    whole,
  ];
  const fit = tries.find((each) => schema.safeParse(each).success);
  if (!fit) throw new Error(`No sample ${part} of ${name} could be made from its schema: give it one in examples.ts.`);
  return fit;
}

function valueOf(name: string, { override, ...own }: Json): unknown {
  // what the reference says of a field that may be written in several ways (contract/fields)
  const schema: Json = override === undefined ? own : (override as Json);
  if ('const' in schema) return schema['const'];
  if ('example' in schema) return schema['example'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (schema['format'] === 'uuid') return placeholders.profileId;
  const ways = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  const known = words[name];
  switch (schema['type'] ?? (ways ? 'any of' : known === undefined ? 'string' : 'known')) {
    case 'any of':
      return known ?? valueOf(name, ways?.find((way) => way['type'] !== 'null') ?? {});
    case 'object':
      return Object.fromEntries(
        Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
          .filter(([key]) => ((schema['required'] ?? []) as string[]).includes(key))
          .map(([key, field]) => [key, valueOf(key, field)]),
      );
    case 'array':
      return Array.isArray(known) ? known : [valueOf(name.replace(/s$/, ''), (schema['items'] ?? {}) as Json)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return typeof known === 'number' ? known : Math.max(1, Number(schema['minimum'] ?? 1));
    default:
      return known ?? words['text'];
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** What a reader expects under a name. */
const words: Readonly<Record<string, unknown>> = {
  text: 'Hello',
  id: 1,
  task_id: 1,
  phone: '+4915123456789',
  identifier: '+4915123456789',
  work_number: '+4915123456789',
  customer_phone: '+4915123456789',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  city: 'Berlin',
  message: 'Hello Ada, your order is on its way.',
  title: 'A new roof',
  body: 'Called, asks for an offer by Friday.',
  url: 'https://shop.example.com/webhooks/switchboard',
  timezone: 'Europe/Berlin',
  due_at: '2027-02-01T09:00:00+01:00',
  scheduled_at: '2027-02-01 09:00:00',
  from: '2026-01-01',
  to: '2026-12-31',
  code: '481516',
  cancellation_reason: 'The customer moved away.',
  outcome_notes: 'Agreed on Tuesday at 9.',
  slug: 'garden',
  price: '19.90',
  total_amount: '19.90',
  currency: 'EUR',
  status: 'Processing',
  key: 'birthday',
  filename: 'contacts.csv',
  content_type: 'image/png',
  size: 48_213,
  template_name: 'order_update',
  language: 'en',
  version: 1,
  webhook_token: '$WEBHOOK_TOKEN',
  company_id: 1,
};
