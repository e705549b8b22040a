import { app } from '../functions/app.ts';
import { openApi } from '../lib/generate/openapi.ts';

/** One first page that is measured: an operation, alone or with one of its filters or sorts. */
export interface FirstPage {
  operation: string;
  /** `status=Pending`, or nothing. */
  filter: string;
  /** With its query. */
  path: string;
}

/** Values for what the contract leaves open, by `operation.parameter`, by parameter, and for a place in a path by the path up to it. */
export type Values = Readonly<Record<string, string | number | readonly (string | number)[] | undefined>>;

/**
 * The first page of every list of the API, and of each with every filter and sort that its operation documents, from the contract: a new list or filter
 * is measured by existing. A list is a GET that answers an array of records, takes a limit, or is named so. Throws where a value is missing.
 */
export const firstPages = (values: Values): FirstPage[] => {
  const document = openApi(app) as unknown as Document;
  const resolved = <T>(given: T | Reference): T => {
    let at: unknown = given;
    while (isReference(at))
      at = at.$ref
        .slice(2)
        .split('/')
        .reduce<unknown>((held, name) => (held as Record<string, unknown>)[name], document);
    return at as T;
  };
  return Object.entries(document.paths).flatMap(([path, { get }]) => {
    if (!get) return [];
    const { content } = resolved<Response>(get.responses['200'] ?? {});
    const answer = content?.['application/json']?.schema;
    if (answer === undefined) return [];
    const data = resolved(resolved<Schema>(answer).properties?.['data'] ?? {});
    const query = (get.parameters ?? []).map((each) => resolved<Parameter>(each)).filter((each) => each.in === 'query');
    const isList = data.type === 'array' || query.some(({ name }) => name === 'limit') || get.operationId.startsWith('list');
    if (!isList || get.operationId in notRead) return [];
    return pagesOf(get.operationId, path, query, values, (schema) => resolved<Schema>(schema));
  });
};

/** What a GET sends is no list, whatever its name says. */
const notRead: Readonly<Record<string, string>> = { sendListByGet: 'sends a message' };

const pagingNames = new Set(['page', 'limit', 'per_page', 'cursor']);

function pagesOf(
  operation: string,
  path: string,
  query: readonly Parameter[],
  values: Values,
  resolved: (schema: Schema | Reference) => Schema,
): FirstPage[] {
  const valuesOf = ({ name, schema }: Parameter): readonly (string | number)[] => {
    const given = values[`${operation}.${name}`] ?? values[name];
    if (given !== undefined) return [given].flat();
    const { enum: words, type } = resolved(schema);
    if (words) return words;
    if (type === 'boolean') return [1, 0];
    throw new Error(`${operation} has a new parameter ${name}: give it a value in the scenario that measures lists.`);
  };
  const place = path.replace(/\{(\w+)\}/g, (_, name: string, at: number) => {
    const value = values[path.slice(0, at)];
    if (value === undefined) throw new Error(`${operation} needs the ${name} of something that exists: name it for ${path.slice(0, at)}.`);
    return encodeURIComponent(String(value));
  });
  const part = (name: string, value: string | number): string => `${name}=${encodeURIComponent(value)}`;
  const filters = query.filter(({ name }) => !pagingNames.has(name));
  const limit = values[`${operation}.limit`];
  const always = [
    ...filters.filter(({ required }) => required).map((each) => part(each.name, valuesOf(each)[0] ?? '')),
    ...(limit === undefined ? [] : [`limit=${String(limit)}`]),
  ];
  const pageOf = (filter: string, parts: readonly string[]): FirstPage => ({
    operation,
    filter,
    path: [place, parts.join('&')].filter((each) => each !== '').join('?'),
  });
  return [
    pageOf('', always),
    ...filters
      .filter(({ required }) => !required)
      .flatMap((each) =>
        valuesOf(each).map((value) =>
          pageOf(`${each.name}=${value}`, [...always, ...companionsOf(operation, each.name, values), part(each.name, value)]),
        ),
      ),
  ];
}

/** Parameters that one of them needs beside it: `operation.parameter with`. */
const companionsOf = (operation: string, name: string, values: Values): string[] =>
  [values[`${operation}.${name} with`] ?? []].flat().map(String);

interface Reference {
  $ref: string;
}
interface Schema {
  type?: string;
  enum?: readonly string[];
  properties?: Readonly<Record<string, Schema | Reference>>;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema | Reference;
}
interface Response {
  content?: Readonly<Record<string, { schema: Schema | Reference }>>;
}
interface Document {
  paths: Readonly<Record<string, { get?: Operation }>>;
}
interface Operation {
  operationId: string;
  parameters?: readonly (Parameter | Reference)[];
  responses: Readonly<Record<string, Response | Reference>>;
}

const isReference = (value: unknown): value is Reference => typeof value === 'object' && value !== null && '$ref' in value;
