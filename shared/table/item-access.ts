import { randomBytes } from 'node:crypto';
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { batchGet, keyText, type ReadPart } from './batch-get.ts';
import { dynamo, tableName } from './client.ts';
import {
  any,
  type Change,
  type ChangeNode,
  type ConditionNode,
  type ConditionOn,
  equals,
  exists,
  missing,
  Placeholders,
  placeholderFields,
  type TestsOf,
} from './condition.ts';
import type { Form, Key } from './item-form.ts';
import { type Collecting, collectBy, itemsOf, pagesBy, type Query, type QueryPage, queryRaw } from './query.ts';
import { beyondTransactions, type TransactionPart } from './transaction.ts';
import { itemFromWire } from './wire.ts';
import { changedAttributes, insertion, replacement, type SingleWrite } from './write-each.ts';
import type { Written } from './written.ts';

export const readsOf = <Id, Item>({ key, parseStored }: Reads<Id, Item>) => ({
  /** One item by its key. Eventually consistent by default: half the price, and a write's condition decides anyway. */
  get: async (id: Id, options: { consistent?: boolean } = {}): Promise<Item | undefined> => {
    const { Item: raw } = await dynamo.send(
      new GetCommand({ TableName: tableName(), Key: key(id), ...(options.consistent ? { ConsistentRead: true } : {}) }),
    );
    return parseStored(raw);
  },

  /** Any number of items by key, in the order of the ids, missing ones left out. Unprocessed keys are requested again. */
  getMany: async (ids: readonly Id[], options: { consistent?: boolean } = {}): Promise<Item[]> => {
    const found = await batchGet(ids.map(key), options);
    return ids.map((id) => parseStored(found.get(keyText(key(id))))).filter((item) => item !== undefined);
  },

  /** A part of `getTogether`. */
  getting: (id: Id): ReadPart<Item> => ({ key: key(id), parse: parseStored }),
});

/** What reading an item takes: its key, and its attributes from what the table holds. */
interface Reads<Id, Item> {
  key: (id: Id) => Key;
  parseStored: (raw: Record<string, unknown> | undefined) => Item | undefined;
}

export const queriesOf = <Id, Item, Indexed extends keyof Item>({ parseStored }: Form<Id, Item, Indexed>) => {
  const query = async (request: Query<TestsOf<Item>>): Promise<QueryPage<Item>> => {
    const page = await queryRaw(request);
    return { items: page.items.map(parseStored).filter((item) => item !== undefined), last: page.last };
  };
  const pages = (request: Query<TestsOf<Item>>): AsyncGenerator<QueryPage<Item>> => pagesBy(query, request);
  return {
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

/** The two writes of one item, conditional or not. */
export const writesOf = <Id, Item, Indexed extends keyof Item>(form: Form<Id, Item, Indexed>) => ({
  put: async (item: Item, condition?: ConditionNode, token = condition ? newWriteToken() : {}): Promise<Written<Item>> => {
    const p = new Placeholders();
    const whole = form.vacant(condition);
    const test = whole ? p.condition(whole) : undefined;
    return conditional(form.parseStored, token, async () => {
      await dynamo.send(
        new PutCommand({
          TableName: tableName(),
          Item: { ...form.stored(item), ...token },
          ...(test ? { ConditionExpression: test, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } : {}),
          ...placeholderFields(p),
        }),
      );
      return item;
    });
  },
  update: async (
    id: Id,
    change: ChangeNode,
    condition?: ConditionNode,
    token = condition ? newWriteToken() : {},
  ): Promise<Written<Item>> => {
    const p = new Placeholders();
    const update = p.change({ ...change, set: { ...change.set, ...token, ...form.actor() } });
    const test = condition ? p.condition(condition) : undefined;
    return conditional(form.parseStored, token, async () => {
      const { Attributes } = await dynamo.send(
        new UpdateCommand({
          TableName: tableName(),
          Key: form.key(id),
          UpdateExpression: update,
          ReturnValues: 'ALL_NEW',
          ...(test ? { ConditionExpression: test, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } : {}),
          ...placeholderFields(p),
        }),
      );
      return form.parse(Attributes);
    });
  },
});
type Writes<Id, Item, Indexed extends keyof Item> = ReturnType<typeof writesOf<Id, Item, Indexed>>;

export const changesOf = <Id, Item, Indexed extends keyof Item>(
  { key, idOf, withIndexKeys }: Form<Id, Item, Indexed>,
  writes: Writes<Id, Item, Indexed>,
) => ({
  /** Writes the whole item, if the condition holds. */
  put: (item: Item, condition?: ConditionOn<Item>): Promise<Written<Item>> => writes.put(item, condition),

  /** Changes fields that no index key depends on, if the condition holds; the item after the change. */
  change: (id: Id, change: Change<Item, Indexed>, condition?: ConditionOn<Item>): Promise<Written<Item>> =>
    writes.update(id, change, condition),

  /**
   * Changes fields of an item as it was seen, and its index keys with them. `seen` needs only the attributes of `indexedBy`; the condition
   * must make sure that they are still so.
   */
  update: (seen: Pick<Item, Indexed>, change: Change<Item>, condition?: ConditionOn<Item>): Promise<Written<Item>> =>
    writes.update(idOf(seen), withIndexKeys(seen, change), condition),

  delete: async (id: Id, condition?: ConditionOn<Item>): Promise<Written<undefined>> => {
    const p = new Placeholders();
    const test = condition ? p.condition(condition) : undefined;
    const nothing = (): undefined => undefined;
    const command = new DeleteCommand({
      TableName: tableName(),
      Key: key(id),
      ...(test ? { ConditionExpression: test } : {}),
      ...placeholderFields(p),
    });
    return conditional<undefined>(nothing, {}, () => dynamo.send(command).then(nothing));
  },
});

/** Writes of one item each; give many of them to `writeEach`. */
export const singleWritesOf = <Id, Item, Indexed extends keyof Item>(
  { key, idOf, stored, storedOwn, actor }: Form<Id, Item, Indexed>,
  writes: Writes<Id, Item, Indexed>,
) => ({
  /** A new item, if there is none. */
  inserting: (item: Item): SingleWrite<Item> => {
    const token = newWriteToken();
    const statement = insertion({ ...stored(item), ...token });
    return { key: key(idOf(item)), statement, item, alone: () => writes.put(item, missing(), token) };
  },
  /** An item that was read whole, if it is unchanged: every write of the entity moves its `rev`. Writes only what differs. */
  replacing: (seen: Item & { rev: number }, next: Item & { rev: number }): SingleWrite<Item> => {
    const token = newWriteToken();
    const id = idOf(seen);
    const set = changedAttributes(storedOwn(seen), storedOwn(next));
    // a missing item has no `rev` either: without `exists` the write would restore a deleted item without its other fields
    const isUnchanged: ConditionNode = { kind: 'and', of: [exists(), any(equals('rev', seen.rev), missing('rev'))] };
    const alone = (): Promise<Written<Item>> => writes.update(id, { set }, isUnchanged, token);
    return { key: key(id), statement: replacement(key(id), { ...set, ...token, ...actor() }, { rev: seen.rev }), item: next, alone };
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
  ): SingleWrite<Item | undefined> => ({
    key: key(id),
    statement: replacement(key(id), { ...set, ...actor() }, usual),
    item: undefined,
    alone,
  }),
});

/** Parts of a transaction; give them to `commit`. */
export const partsOf = <Id, Item, Indexed extends keyof Item>(form: Form<Id, Item, Indexed>) => {
  const { key, parseStored: parse } = form;
  const byActor = (change: ChangeNode): ChangeNode => ({ ...change, set: { ...change.set, ...form.actor() } });
  return {
    putting: (item: Item, condition?: ConditionOn<Item>): TransactionPart<Item> => ({
      act: 'put',
      item: form.stored(item),
      condition: form.vacant(condition),
      parse,
    }),
    changing: (id: Id, change: Change<Item, Indexed>, condition?: ConditionOn<Item>): TransactionPart<Item> => ({
      act: 'change',
      key: key(id),
      change: byActor(change),
      condition,
      parse,
    }),
    updating: (seen: Pick<Item, Indexed>, change: Change<Item>, condition?: ConditionOn<Item>): TransactionPart<Item> => ({
      act: 'change',
      key: key(form.idOf(seen)),
      change: byActor(form.withIndexKeys(seen, change)),
      condition,
      parse,
    }),
    deleting: (id: Id, condition?: ConditionOn<Item>): TransactionPart<Item> => ({ act: 'delete', key: key(id), condition, parse }),
    checking: (id: Id, condition: ConditionOn<Item>): TransactionPart<Item> => ({ act: 'check', key: key(id), condition, parse }),
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
    return { done: true, item: await beyondTransactions(write) };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error;
    const wire = (error as Error & { Item?: Record<string, unknown> }).Item;
    const raw = wire && itemFromWire(wire);
    const current = parseStored(raw);
    return token !== undefined && raw?.['w'] === token && current !== undefined ? { done: true, item: current } : { done: false, current };
  }
}
