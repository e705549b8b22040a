import type * as z from 'zod';
import { changesOf, partsOf, queriesOf, readsOf, singleWritesOf, writesOf } from './item-access.ts';
import { formOf, type IndexKeys, isExpired, type Key } from './item-form.ts';
import { ofOtherVersions } from './other-versions.ts';
import { restoredAttribute, tableSchema } from './schema.ts';
import type { Refused, Written } from './written.ts';

export interface EntitySpec<Id, S extends z.ZodObject, Indexed extends keyof z.output<S> = never> {
  name: string;
  purpose: string;
  attributes: S & WithoutReserved;
  /** Former names of attributes, with the present ones: items that were written under the former name are read. */
  renamed?: Readonly<Record<string, keyof z.output<S> & string>>;
  key: (id: Id) => Key;
  idOf: (item: [Indexed] extends [never] ? z.output<S> : Pick<z.output<S>, Indexed>) => Id;
  /** The attributes that index keys are made of, with those of the id. `change` refuses them; `put` and `update` derive the keys. */
  indexedBy?: readonly Indexed[];
  indexes?: (item: Pick<z.output<S>, Indexed>) => IndexKeys;
  /**
   * Epoch seconds after which the item is gone. The table may hold it for days more: reads treat it as gone at once, and so does a put on
   * the condition that it is missing.
   */
  expiresAt?: (item: z.output<S>) => number | undefined;
  /** Every write stores who made it (`by`), from which the audit entries follow: docs/decisions/audit.md. */
  audited?: true;
  /** For docs/table.md: the key with its parts named. */
  example: { pk: string; sk: string };
  /** Which data of a contact, a user or a caller it holds; absent: none. The erasure of a contact ends it, if `endsBy` says nothing else. */
  personalData?: string;
  endsBy?: string;
}

/**
 * Attributes that the layer writes itself. An entity's attribute of such a name would replace it, as `kind` once did: the item then passes
 * the stream's filter as one of another kind. docs/decisions/stored-data.md.
 */
export const reservedAttributes = [
  tableSchema.partitionKey,
  tableSchema.sortKey,
  ...Object.values(tableSchema.indexes).flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey] as const),
  tableSchema.ttl,
  'kind',
  'w',
  restoredAttribute,
] as const;
/** Held by the compiler: a schema has no attribute of a reserved name. */
interface WithoutReserved {
  shape: { readonly [Name in (typeof reservedAttributes)[number]]?: never };
}

export type ItemOf<E> = E extends { parse: (raw: unknown) => infer T } ? T : never;

/** The update that an entity's `change` takes. */
export type ChangeOf<E> = E extends { change: (id: never, change: infer C, condition?: never) => unknown } ? C : never;

export type { Refused, Written };

export const registry: EntityDescription[] = [];
export interface EntityDescription {
  name: string;
  purpose: string;
  example: Key;
  attributes: z.ZodObject;
  renamed: Readonly<Record<string, string>>;
  /** An item as stored, by this version or a former one. */
  parse: (raw: unknown) => Readonly<Record<string, unknown>>;
  personalData: string | undefined;
  endsBy: string | undefined;
}

/**
 * One kind of item: its key, its index keys, its schema. Items read from the table are parsed by the schema. Conditions and changes are
 * checked against it by the compiler, and each write derives the index attributes.
 */
export const entity = <Id, S extends z.ZodObject, const Indexed extends keyof z.output<S> = never>(spec: EntitySpec<Id, S, Indexed>) => {
  type Item = z.output<S>;
  const { name, purpose, example, personalData, endsBy, renamed = {} } = spec;
  const isKnown = knownAttributes(spec);
  const parse = (raw: unknown): Item => withOthers(spec.attributes.parse(withPresentNames(raw, renamed)) as Item, raw, isKnown);
  registry.push({
    name,
    purpose,
    example,
    renamed,
    parse,
    personalData,
    endsBy,
    attributes: spec.attributes,
  });
  const form = formOf<Id, Item, Indexed>(spec, spec.idOf as (item: Pick<Item, Indexed>) => Id, parse);
  const writes = writesOf(form);
  return {
    name,
    key: spec.key,
    idOf: spec.idOf,
    parse,
    parseStored: form.parseStored,
    stored: form.stored,
    startKey: form.startKey,
    ...readsOf(form),
    ...queriesOf(form),
    ...changesOf(form, writes),
    ...singleWritesOf(form, writes),
    ...partsOf(form),
  };
};

/** Of the items of another context's entity the attributes that this context reads, by key. */
export const entityPart = <Id, S extends z.ZodObject>({ attributes, key }: { attributes: S; key: (id: Id) => Key }) =>
  readsOf({
    key,
    parseStored: (raw): z.output<S> | undefined =>
      raw === undefined || isExpired(raw) ? undefined : (attributes.parse(raw) as z.output<S>),
  });

/** An item with its attributes under their present names. One that has the present name was not written under the former. */
function withPresentNames(raw: unknown, renamed: Readonly<Record<string, string>>): unknown {
  const item = raw as Record<string, unknown>;
  const former = Object.entries(renamed).filter(([before, after]) => item[after] === undefined && item[before] !== undefined);
  return former.length === 0 ? raw : { ...item, ...Object.fromEntries(former.map(([before, after]) => [after, item[before]])) };
}

/** A schema that keeps what it does not name knows each attribute. */
function knownAttributes({
  attributes,
  renamed = {},
}: Pick<EntitySpec<never, z.ZodObject>, 'attributes' | 'renamed'>): (name: string) => boolean {
  if (attributes.def.catchall !== undefined) return () => true;
  const known = new Set<string>([...Object.keys(attributes.shape), ...Object.keys(renamed), ...reservedAttributes, 'by']);
  return (name) => known.has(name);
}

/** The item with the attributes that this version does not know: a write of the whole item keeps them. */
function withOthers<Item>(item: Item, raw: unknown, isKnown: (name: string) => boolean): Item {
  const others = Object.entries(raw as Record<string, unknown>).filter(([name]) => !isKnown(name));
  return others.length === 0 ? item : { ...item, [ofOtherVersions]: Object.fromEntries(others) };
}
