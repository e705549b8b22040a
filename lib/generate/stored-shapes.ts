import * as z from 'zod';
import type { Context } from '../../shared/contract/context.ts';
import type { Queue } from '../../shared/contract/queue.ts';
import type { EntityDescription } from '../../shared/table/entity.ts';
import { declarationsOf } from '../aws/declared.ts';
import { jsonSchemaOf } from './json-schema.ts';

/** What a stored attribute, or a field of a queue's message, may be. Lists are sorted. */
export interface Shape {
  types: readonly string[];
  /** Data without it is not read. */
  required?: true;
  /** The only values that it may have. */
  values?: readonly string[];
  /** The forms that it may have, by the value that distinguishes them, or by number. */
  forms?: readonly string[];
  /** Fields that the schema does not name are refused. */
  closed?: true;
  low?: number;
  high?: number;
  pattern?: string;
}
/** By path: `window.state`, `list[]`, `byName{}`, `header|image.link`. The whole item or message has the path ''. */
export type Shapes = Readonly<Record<string, Shape>>;
/** By what holds it: `item contact`, `message campaign-builds`. */
export type StoredShapes = Readonly<Record<string, Shapes>>;

/** The shapes of what a schema accepts: a field with a default is not required. */
export const shapesOf = (schema: z.ZodType): Shapes => {
  const json = jsonSchemaOf(schema) as Json;
  const shapes: Record<string, Shape> = {};
  collect(json, { path: '', required: false, definitions: json.$defs ?? {}, within: [] }, shapes);
  return Object.fromEntries(Object.entries(shapes).toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** Why data of the former shapes may not be read with the new ones, a sentence each. */
export const incompatibilities = (before: StoredShapes, after: StoredShapes): string[] =>
  Object.entries(after).flatMap(([owner, shapes]) => {
    const former = before[owner];
    return former === undefined ? [] : narrowedAsWhole(former, shapes).map((sentence) => `${owner}: ${sentence}`);
  });

interface Json {
  $ref?: string;
  $defs?: Record<string, Json>;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Json[];
  oneOf?: Json[];
  allOf?: Json[];
  properties?: Record<string, Json>;
  required?: string[];
  additionalProperties?: boolean | Json;
  items?: Json;
  prefixItems?: Json[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
}
interface Place {
  path: string;
  required: boolean;
  definitions: Record<string, Json>;
  /** References that led here: a schema that contains itself is entered once. */
  within: readonly string[];
}

function collect(given: Json, place: Place, shapes: Record<string, Shape>): void {
  const { json, within } = resolved(given, place);
  if (json === undefined) return void (shapes[place.path] = shape(['itself'], place));
  const forms = (json.anyOf ?? json.oneOf ?? []).map((each) => resolved(each, { ...place, within }).json ?? {});
  const at = { ...place, within };
  if (forms.length === 0) return collectOne(json, at, shapes);
  const real = forms.filter(({ type }) => type !== 'null');
  const [only] = real;
  const simple = real.every(({ properties, items }) => properties === undefined && items === undefined);
  if (real.length === 1 && only !== undefined) collect(only, at, shapes);
  else if (simple) shapes[place.path] = shape(real.flatMap(typesOf), place, valuesOf(real));
  else {
    const names = real.map((form, index) => nameOf(form) ?? String(index));
    shapes[place.path] = { ...shape(real.flatMap(typesOf), place), forms: names.toSorted() };
    for (const [index, form] of real.entries()) collect(form, { ...at, path: `${place.path}|${names[index]}`, required: false }, shapes);
  }
  const own = shapes[place.path];
  if (own && real.length < forms.length) shapes[place.path] = { ...own, types: sorted([...own.types, 'null']) };
}

function collectOne(json: Json, place: Place, shapes: Record<string, Shape>): void {
  const low = json.minimum ?? json.minLength ?? json.minItems;
  const high = json.maximum ?? json.maxLength ?? json.maxItems;
  shapes[place.path] = {
    ...shape(typesOf(json), place, valuesOf([json])),
    ...(json.additionalProperties === false ? { closed: true } : {}),
    ...(low === undefined || low === -Number.MAX_SAFE_INTEGER ? {} : { low }),
    ...(high === undefined || high === Number.MAX_SAFE_INTEGER ? {} : { high }),
    ...(json.pattern === undefined ? {} : { pattern: json.pattern }),
  };
  const child = (name: string, required: boolean): Place => ({ ...place, path: `${place.path}${name}`, required });
  for (const [name, property] of Object.entries(json.properties ?? {}))
    collect(property, child(place.path === '' ? name : `.${name}`, json.required?.includes(name) ?? false), shapes);
  for (const [index, part] of (json.prefixItems ?? []).entries()) collect(part, child(`[${index}]`, true), shapes);
  if (json.items) collect(json.items, child('[]', false), shapes);
  if (typeof json.additionalProperties === 'object') collect(json.additionalProperties, child('{}', false), shapes);
  for (const part of json.allOf ?? []) collect(part, place, shapes);
}

function resolved(given: Json, { definitions, within }: Place): { json: Json | undefined; within: readonly string[] } {
  if (given.$ref === undefined) return { json: given, within };
  const name = given.$ref.replace('#/$defs/', '');
  return within.includes(name) ? { json: undefined, within } : { json: definitions[name], within: [...within, name] };
}

/** The value of the field that distinguishes the forms of a union. */
function nameOf({ properties = {} }: Json): string | undefined {
  const fixed = Object.values(properties).find((each) => each.const !== undefined);
  return fixed && String(fixed.const);
}

function typesOf({ type, const: fixed, enum: values, properties }: Json): string[] {
  if (type !== undefined) return [type].flat();
  if (fixed !== undefined || values !== undefined) return (values ?? [fixed]).map((value) => typeof value);
  return [properties === undefined ? 'any' : 'object'];
}

function valuesOf(jsons: readonly Json[]): string[] | undefined {
  const lists = jsons.map((json) => json.enum ?? (json.const === undefined ? undefined : [json.const]));
  return lists.every((list) => list !== undefined) ? sorted(lists.flat().map((value) => JSON.stringify(value))) : undefined;
}

const shape = (types: readonly string[], { required }: Place, values?: readonly string[]): Shape => ({
  types: sorted(types),
  ...(required ? { required } : {}),
  ...(values === undefined ? {} : { values }),
});

const sorted = (values: readonly string[]): string[] => [...new Set(values)].toSorted();

/** What had one form and has several now is read by one of them. */
function narrowedAsWhole(before: Shapes, after: Shapes): string[] {
  const forms = before['']?.forms === undefined ? after['']?.forms : undefined;
  const byForm = (forms ?? []).map((form) => narrowed(before, formOf(after, form)));
  return byForm.toSorted((a, b) => a.length - b.length)[0] ?? narrowed(before, after);
}

const formOf = (shapes: Shapes, form: string): Shapes =>
  Object.fromEntries(
    Object.entries(shapes).flatMap(([path, each]) =>
      path === `|${form}` ? [['', each]] : path.startsWith(`|${form}.`) ? [[path.slice(form.length + 2), each]] : [],
    ),
  );

function narrowed(before: Shapes, after: Shapes): string[] {
  const gone = Object.keys(before).filter((path) => !(path in after) && before[parentOf(path)] && after[parentOf(path)]?.closed);
  return [
    ...Object.entries(after).flatMap(([path, shape]) => {
      const former = before[path];
      if (former !== undefined) return narrowing(former, shape).map((what) => `${path || 'the whole'} ${what}.`);
      return shape.required && parentOf(path) in before ? [`${path} is new and required: give it a default, or make it optional.`] : [];
    }),
    ...gone.map((path) => `${path} is gone, and fields that the schema does not name are refused.`),
  ];
}

function narrowing(before: Shape, after: Shape): string[] {
  const lost = (name: 'types' | 'values' | 'forms'): string[] => {
    const [had, has] = [before[name], after[name]];
    if (has === undefined || (name === 'types' && has.includes('any'))) return [];
    if (had === undefined) return [`takes only the ${name} ${has.join(', ')} now`];
    const missing = had.filter((each) => !has.includes(each) && !(each === 'integer' && has.includes('number')));
    return missing.length > 0 ? [`takes the ${name} ${missing.join(', ')} no more`] : [];
  };
  return [
    ...(after.required && !before.required ? ['is required now, and was optional'] : []),
    ...(after.closed && !before.closed ? ['refuses fields now that its schema does not name'] : []),
    ...lost('types'),
    ...lost('values'),
    ...lost('forms'),
    ...(after.low !== undefined && after.low > (before.low ?? -Infinity) ? [`is at least ${after.low} now`] : []),
    ...(after.high !== undefined && after.high < (before.high ?? Infinity) ? [`is at most ${after.high} now`] : []),
    ...(after.pattern !== undefined && after.pattern !== before.pattern ? [`matches ${after.pattern} now`] : []),
  ];
}

/** The path that holds a path: `a.b` of `a.b[]`, '' of `a`. A form belongs to nothing: its fields are new with it. */
function parentOf(path: string): string {
  return path.replace(/(\[\d*\]|\{\}|\.[^.|{}[\]]+|^[^.|{}[\]]+)$/, '');
}

/** Of every kind of item, and of the messages of every queue. Items are known once generateTable has loaded the stores. */
export const storedShapes = (entities: readonly EntityDescription[], contexts: readonly Context[]): StoredShapes => {
  const queues = declarationsOf(contexts).queues as readonly Queue[];
  const named: [string, Shapes][] = [
    ...entities.map((entity): [string, Shapes] => [`item ${entity.name}`, itemShapes(entity)]),
    ...queues.map(({ name, message }): [string, Shapes] => [`message ${name}`, shapesOf(message)]),
  ];
  return Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** An attribute that has a former name has its shape under both names, and is required under neither: an item has one of them. */
const itemShapes = ({ attributes, renamed }: Pick<EntityDescription, 'attributes' | 'renamed'>): Shapes => {
  const shapes: Record<string, Shape> = { ...shapesOf(attributes) };
  for (const [former, present] of Object.entries(renamed)) {
    const own = Object.entries(shapes).filter(([path]) => path.startsWith(present) && /^($|[.[{|])/.test(path.slice(present.length)));
    for (const [path, { required, ...shape }] of own) {
      if (path === present) shapes[path] = shape;
      shapes[`${former}${path.slice(present.length)}`] = path === present || !required ? shape : { ...shape, required };
    }
  }
  return Object.fromEntries(Object.entries(shapes).toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** One line for each path, so that a change shows as what it is. */
export const writtenShapes = (shapes: StoredShapes): string => {
  const braced = (lines: readonly string[]): string => `{\n${lines.join(',\n')}\n}`;
  const owned = ([owner, paths]: [string, Shapes]): string =>
    `${JSON.stringify(owner)}: ${braced(Object.entries(paths).map(([path, each]) => ` ${JSON.stringify(path)}: ${JSON.stringify(each)}`))}`;
  return `${braced(Object.entries(shapes).map(owned))}\n`;
};
