import { randomBytes } from 'node:crypto';
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { type Actor, currentActor } from '../runtime/actor.ts';
import { batchGet, keyText, type ReadPart } from './batch-get.ts';
import { dynamo, tableName } from './client.ts';
import {
  any,
  atMost,
  type Change,
  type ChangeNode,
  type ConditionNode,
  type ConditionOn,
  equals,
  exists,
  missing,
  Placeholders,
  placeholdersOf,
  type TestsOf,
} from './condition.ts';
import { type Collecting, collectBy, itemsOf, pagesBy, type Query, type QueryPage, queryRaw } from './query.ts';
import { type IndexName, tableSchema } from './schema.ts';
import type { TransactionPart } from './transaction.ts';
import { itemFromWire } from './wire.ts';
import type { Refused, Written } from './written.ts';
import { changedAttributes, insertion, replacement, type SingleWrite } from './write-each.ts';

export interface Key {
  pk: string;
  sk: string;
}

/** Index attributes of an item: an index left undefined does not hold it. */
export interface IndexKeys {
  list?: { pk: string; sk: string } | undefined;
  assignee?: { pk: string; sk: string } | undefined;
  due?: { pk: string; sk: string } | undefined;
}

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
  type Places = Pick<Item, Indexed>;
  const { name, purpose, example, personalData, endsBy, renamed = {} } = spec;
  const parse = (raw: unknown): Item => spec.attributes.parse(withPresentNames(raw, renamed)) as Item;
  registry.push({
    name,
    purpose,
    example,
    renamed,
    parse,
    personalData,
    endsBy,
    // built with the first item: lib/without-documentation.ts
    get attributes() {
      return spec.attributes;
    },
  });

  const parseStored = (raw: Record<string, unknown> | undefined): Item | undefined =>
    raw === undefined || isExpired(raw) ? undefined : parse(raw);

  const indexAttributes = (item: Places): Record<string, string | undefined> => {
    const keys = spec.indexes?.(item) ?? {};
    return Object.fromEntries(
      Object.entries(tableSchema.indexes).flatMap(([name, index]) => {
        const key = keys[name as IndexName];
        return [
          [index.partitionKey, key?.pk],
          [index.sortKey, key?.sk],
        ];
      }),
    );
  };
  const actor = (): { by?: Actor } => (spec.audited ? { by: currentActor() } : {});
  const idOf = spec.idOf as (item: Item | Places) => Id;
  const stored = (item: Item): Record<string, unknown> => ({
    ...item,
    ...spec.key(idOf(item)),
    kind: spec.name,
    ...(spec.indexes ? indexAttributes(item) : {}),
    ...(spec.expiresAt ? { ttl: spec.expiresAt(item) } : {}),
    ...actor(),
  });

  /** The change with the index keys that follow from it, where the item is in an index before or after. */
  const withIndexKeys = (seen: Places, change: ChangeNode): ChangeNode => {
    const removed = Object.fromEntries((change.remove ?? []).map((field) => [field, undefined]));
    const touched = { ...removed, ...change.set };
    if (!(spec.indexedBy ?? []).some((field) => (field as string) in touched)) return change;
    const before = indexAttributes(seen);
    const after = indexAttributes({ ...seen, ...touched });
    const moved = Object.entries(after).filter(([name, value]) => value !== undefined || before[name] !== undefined);
    return { ...change, set: { ...change.set, ...Object.fromEntries(moved) } };
  };

  const byActor = (change: ChangeNode): ChangeNode => (spec.audited ? { ...change, set: { ...change.set, ...actor() } } : change);

  const vacant = (condition: ConditionNode | undefined): ConditionNode | undefined =>
    condition && spec.expiresAt ? orLapsed(condition) : condition;

  const write = async (
    id: Id,
    change: ChangeNode,
    condition: ConditionNode | undefined,
    token = condition ? newWriteToken() : {},
  ): Promise<Written<Item>> => {
    const p = new Placeholders();
    const update = p.change({ ...change, set: { ...change.set, ...token, ...actor() } });
    const test = condition ? p.condition(condition) : undefined;
    return conditional(parseStored, token, async () => {
      const { Attributes } = await dynamo.send(
        new UpdateCommand({
          TableName: tableName(),
          Key: spec.key(id),
          UpdateExpression: update,
          ReturnValues: 'ALL_NEW',
          ...(test ? { ConditionExpression: test, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } : {}),
          ...placeholdersOf(p),
        }),
      );
      return parse(Attributes);
    });
  };

  const put = async (
    item: Item,
    condition: ConditionNode | undefined,
    token = condition ? newWriteToken() : {},
  ): Promise<Written<Item>> => {
    const p = new Placeholders();
    const whole = vacant(condition);
    const test = whole ? p.condition(whole) : undefined;
    return conditional(parseStored, token, async () => {
      await dynamo.send(
        new PutCommand({
          TableName: tableName(),
          Item: { ...stored(item), ...token },
          ...(test ? { ConditionExpression: test, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } : {}),
          ...placeholdersOf(p),
        }),
      );
      return item;
    });
  };

  const query = async (request: Query<TestsOf<Item>>): Promise<QueryPage<Item>> => {
    const page = await queryRaw(request);
    return { items: page.items.map(parseStored).filter((item) => item !== undefined), last: page.last };
  };
  const pages = (request: Query<TestsOf<Item>>): AsyncGenerator<QueryPage<Item>> => pagesBy(query, request);

  return {
    name: spec.name,
    key: spec.key,
    idOf: spec.idOf,
    parse,
    parseStored,
    /** The whole item as the table holds it, keys and index attributes included. */
    stored,

    /** One item by its key. Eventually consistent by default: half the price, and a write's condition decides anyway. */
    get: async (id: Id, options: { consistent?: boolean } = {}): Promise<Item | undefined> => {
      const { Item: raw } = await dynamo.send(
        new GetCommand({ TableName: tableName(), Key: spec.key(id), ...(options.consistent ? { ConsistentRead: true } : {}) }),
      );
      return parseStored(raw);
    },

    /** Any number of items by key, in the order of the ids, missing ones left out. Unprocessed keys are requested again. */
    getMany: async (ids: readonly Id[], options: { consistent?: boolean } = {}): Promise<Item[]> => {
      const found = await batchGet(ids.map(spec.key), options);
      return ids.map((id) => parseStored(found.get(keyText(spec.key(id))))).filter((item) => item !== undefined);
    },

    /** A part of `getTogether`. */
    getting: (id: Id): ReadPart<Item> => ({ key: spec.key(id), parse: parseStored }),

    /** Writes the whole item, if the condition holds. */
    put: (item: Item, condition?: ConditionOn<Item>): Promise<Written<Item>> => put(item, condition),

    /** Changes fields that no index key depends on, if the condition holds; the item after the change. */
    change: (id: Id, change: Change<Item, Indexed>, condition?: ConditionOn<Item>): Promise<Written<Item>> => write(id, change, condition),

    /**
     * Changes fields of an item as it was seen, and its index keys with them. `seen` needs only the attributes of `indexedBy`; the condition
     * must make sure that they are still so.
     */
    update: (seen: Places, change: Change<Item>, condition?: ConditionOn<Item>): Promise<Written<Item>> =>
      write(idOf(seen), withIndexKeys(seen, change), condition),

    delete: async (id: Id, condition?: ConditionOn<Item>): Promise<Written<undefined>> => {
      const p = new Placeholders();
      const test = condition ? p.condition(condition) : undefined;
      const nothing = (): undefined => undefined;
      const command = new DeleteCommand({
        TableName: tableName(),
        Key: spec.key(id),
        ...(test ? { ConditionExpression: test } : {}),
        ...placeholdersOf(p),
      });
      return conditional<undefined>(nothing, {}, () => dynamo.send(command).then(nothing));
    },

    /** Writes of one item each; give many of them to `writeEach`. A new item, if there is none: */
    inserting: (item: Item): SingleWrite<Item> => {
      const token = newWriteToken();
      const statement = insertion({ ...stored(item), ...token });
      return { key: spec.key(idOf(item)), statement, item, alone: () => put(item, missing(), token) };
    },
    /** An item that was read whole, if it is unchanged: every write of the entity moves its `rev`. Writes only what differs. */
    replacing: (seen: Item & { rev: number }, next: Item & { rev: number }): SingleWrite<Item> => {
      const token = newWriteToken();
      const key = spec.key(idOf(seen));
      const set = changedAttributes(stored(seen), stored(next));
      // a missing item has no `rev` either: without `exists` the write would restore a deleted item without its other fields
      const isUnchanged: ConditionNode = { kind: 'and', of: [exists(), any(equals('rev', seen.rev), missing('rev'))] };
      const alone = (): Promise<Written<Item>> => write(idOf(seen), { set }, isUnchanged, token);
      return { key, statement: replacement(key, { ...set, ...token, ...actor() }, { rev: seen.rev }), item: next, alone };
    },
    /**
     * Fields of an item that was not read, if it has the values that it usually has: its revision is among them, and no index key depends on
     * the fields. Where it has not, `alone` decides. The item that was written is not known.
     */
    advancing: (
      id: Id,
      usual: Partial<Item> & { rev: number },
      set: Partial<Item>,
      alone: () => Promise<Written<Item>>,
    ): SingleWrite<Item | undefined> => {
      const key = spec.key(id);
      return { key, statement: replacement(key, { ...set, ...actor() }, usual), item: undefined, alone };
    },

    /** Parts of a transaction; give them to `commit`. */
    putting: (item: Item, condition?: ConditionOn<Item>): TransactionPart<Item> => ({
      act: 'put',
      item: stored(item),
      condition: vacant(condition),
      parse: parseStored,
    }),
    changing: (id: Id, change: Change<Item, Indexed>, condition?: ConditionOn<Item>): TransactionPart<Item> => ({
      act: 'change',
      key: spec.key(id),
      change: byActor(change),
      condition,
      parse: parseStored,
    }),
    updating: (seen: Places, change: Change<Item>, condition?: ConditionOn<Item>): TransactionPart<Item> => ({
      act: 'change',
      key: spec.key(idOf(seen)),
      change: byActor(withIndexKeys(seen, change)),
      condition,
      parse: parseStored,
    }),
    deleting: (id: Id, condition?: ConditionOn<Item>): TransactionPart<Item> => ({
      act: 'delete',
      key: spec.key(id),
      condition,
      parse: parseStored,
    }),
    checking: (id: Id, condition: ConditionOn<Item>): TransactionPart<Item> => ({
      act: 'check',
      key: spec.key(id),
      condition,
      parse: parseStored,
    }),

    /** Where a query goes on after an item: `after` of the query. The item needs only the attributes of `indexedBy`. */
    startKey: (item: Places, index?: IndexName): Record<string, unknown> => {
      const attributes = indexAttributes(item);
      const ofIndex = index ? [tableSchema.indexes[index].partitionKey, tableSchema.indexes[index].sortKey] : [];
      return { ...spec.key(idOf(item)), ...Object.fromEntries(ofIndex.map((name) => [name, attributes[name]])) };
    },

    /** One page of items of one partition, in key order, from the base table or an index. */
    query,
    /** The pages of a query, each fetched when the loop requests it. */
    pages,
    /** The items of a query, page by page: `for await (const item of entity.items({ pk }))`. A loop that breaks reads no further page. */
    items: (request: Query<TestsOf<Item>>): AsyncGenerator<Item> => itemsOf(pages(request)),
    /** The items of a query in one list: all, or the first `atMost`. */
    collect: (request: Query<TestsOf<Item>>, options?: Collecting<Item>): Promise<Item[]> => collectBy(query, request, options),
  };
};

/**
 * A conditional write leaves a random token in the item. When its answer is lost, the SDK repeats the write, and the condition refuses the
 * repetition: the token shows that the write was done. Transactions carry a token of DynamoDB instead.
 */
const newWriteToken = (): WriteToken => ({ w: randomBytes(6).toString('base64url') });
interface WriteToken {
  w?: string;
}

async function conditional<T>(
  parseStored: (raw: Record<string, unknown> | undefined) => T | undefined,
  { w: token }: WriteToken,
  write: () => Promise<T>,
): Promise<Written<T>> {
  try {
    return { done: true, item: await write() };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error;
    const wire = (error as Error & { Item?: Record<string, unknown> }).Item;
    const raw = wire && itemFromWire(wire);
    const current = parseStored(raw);
    return token !== undefined && raw?.['w'] === token && current !== undefined ? { done: true, item: current } : { done: false, current };
  }
}

/** `missing()` also holds for an item that has expired and is still in the table. */
function orLapsed(condition: ConditionNode): ConditionNode {
  if (condition.kind === 'and' || condition.kind === 'or') return { ...condition, of: condition.of.map(orLapsed) };
  const testsForNone = condition.kind === 'missing' && condition.field === tableSchema.partitionKey;
  return testsForNone ? any(missing(), atMost(tableSchema.ttl, Math.floor(Date.now() / 1_000))) : condition;
}

/** An item with its attributes under their present names. One that has the present name was not written under the former. */
function withPresentNames(raw: unknown, renamed: Readonly<Record<string, string>>): unknown {
  const item = raw as Record<string, unknown>;
  const former = Object.entries(renamed).filter(([before, after]) => item[after] === undefined && item[before] !== undefined);
  return former.length === 0 ? raw : { ...item, ...Object.fromEntries(former.map(([before, after]) => [after, item[before]])) };
}

function isExpired(raw: Record<string, unknown>): boolean {
  return typeof raw['ttl'] === 'number' && raw['ttl'] * 1_000 <= Date.now();
}
