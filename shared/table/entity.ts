import { randomBytes } from 'node:crypto';
import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { dynamo, tableName } from './client.ts';
import { any, atMost, type Change, type Condition, missing, Placeholders } from './condition.ts';
import { type IndexName, tableSchema } from './schema.ts';

export interface Key {
  pk: string;
  sk: string;
}

/** Index attributes of an item: an index left undefined does not hold it. */
export interface IndexKeys {
  list?: { pk: string; sk: string } | undefined;
  due?: { pk: string; sk: string } | undefined;
}

export interface EntitySpec<Id, S extends z.ZodObject> {
  name: string;
  purpose: string;
  attributes: S;
  key: (id: Id) => Key;
  idOf: (item: z.output<S>) => Id;
  indexes?: (item: z.output<S>) => IndexKeys;
  /**
   * Epoch seconds after which the item is gone. The table may hold it for days more: reads treat it as gone at once, and so does a put on
   * the condition that it is missing.
   */
  expiresAt?: (item: z.output<S>) => number | undefined;
  /** For docs/table.md: the key with its parts named. */
  example: { pk: string; sk: string };
}

export type Entity<Id, S extends z.ZodObject> = ReturnType<typeof entity<Id, S>>;
export type ItemOf<E> = E extends { parse: (raw: unknown) => infer T } ? T : never;

/** A refused conditional write; `current` is the item as it stands (none: it does not exist). */
export interface Refused<T> {
  done: false;
  current: T | undefined;
}
export type Written<T> = { done: true; item: T } | Refused<T>;

export const registry: EntityDescription[] = [];
export interface EntityDescription {
  name: string;
  purpose: string;
  example: Key;
  attributes: string[];
}

/**
 * One kind of item: its key, its index keys, its schema. Everything read from the table is parsed by the schema; every write
 * derives the index attributes, so that no caller can forget one.
 */
export const entity = <Id, S extends z.ZodObject>(spec: EntitySpec<Id, S>) => {
  type Item = z.output<S>;
  registry.push({ name: spec.name, purpose: spec.purpose, example: spec.example, attributes: Object.keys(spec.attributes.shape) });

  const parse = (raw: unknown): Item => spec.attributes.parse(raw);
  const parseStored = (raw: Record<string, unknown> | undefined): Item | undefined =>
    raw === undefined || isExpired(raw) ? undefined : parse(raw);

  const indexAttributes = (item: Item): Record<string, string | undefined> => {
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
  const stored = (item: Item): Record<string, unknown> => ({
    ...spec.key(spec.idOf(item)),
    kind: spec.name,
    ...item,
    ...(spec.indexes ? indexAttributes(item) : {}),
    ...(spec.expiresAt ? { ttl: spec.expiresAt(item) } : {}),
  });

  const vacant = (condition: Condition | undefined): Condition | undefined =>
    condition && spec.expiresAt ? orLapsed(condition) : condition;

  return {
    name: spec.name,
    key: spec.key,
    idOf: spec.idOf,
    parse,
    parseStored,
    /** The whole item as the table holds it, keys and index attributes included. */
    stored,

    /** One item by its key. Eventually consistent unless told: half the price, and a write's condition decides anyway. */
    get: async (id: Id, options: { consistent?: boolean } = {}): Promise<Item | undefined> => {
      const { Item: raw } = await dynamo.send(
        new GetCommand({ TableName: tableName(), Key: spec.key(id), ...(options.consistent ? { ConsistentRead: true } : {}) }),
      );
      return parseStored(raw);
    },

    /** Several items by key, in the order asked, missing ones left out. Any number; unprocessed keys are asked again. */
    getMany: async (ids: readonly Id[], options: { consistent?: boolean } = {}): Promise<Item[]> => {
      const keys = [...new Map(ids.map((id) => spec.key(id)).map((key) => [`${key.pk}|${key.sk}`, key])).values()];
      const found = new Map<string, Item>();
      const slices = Array.from({ length: Math.ceil(keys.length / 100) }, (_, i) => keys.slice(i * 100, i * 100 + 100));
      await Promise.all(
        slices.map(async (slice) => {
          let left: Key[] = slice;
          for (let attempt = 0; left.length > 0; attempt++) {
            if (attempt > 0) await pause(attempt);
            const answer = await dynamo.send(
              new BatchGetCommand({
                RequestItems: { [tableName()]: { Keys: left, ...(options.consistent ? { ConsistentRead: true } : {}) } },
              }),
            );
            for (const raw of answer.Responses?.[tableName()] ?? []) {
              const item = parseStored(raw);
              if (item) found.set(`${raw['pk']}|${raw['sk']}`, item);
            }
            left = (answer.UnprocessedKeys?.[tableName()]?.Keys ?? []) as Key[];
          }
        }),
      );
      return ids.map((id) => found.get(`${spec.key(id).pk}|${spec.key(id).sk}`)).filter((item) => item !== undefined);
    },

    /** Writes the whole item, if the condition holds. */
    put: async (item: Item, condition?: Condition): Promise<Written<Item>> => {
      const p = new Placeholders();
      const whole = vacant(condition);
      const guard = whole ? p.condition(whole) : undefined;
      const mark = guard ? writeMark() : {};
      return guarded(parseStored, mark, async () => {
        await dynamo.send(
          new PutCommand({
            TableName: tableName(),
            Item: { ...stored(item), ...mark },
            ...(guard ? { ConditionExpression: guard, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } : {}),
            ...placeholders(p),
          }),
        );
        return item;
      });
    },

    /** Changes some fields, if the condition holds; the item after the change. Index attributes are the caller's to name. */
    change: async (id: Id, change: Change, condition?: Condition): Promise<Written<Item>> => {
      const p = new Placeholders();
      const mark = condition ? writeMark() : {};
      const update = p.change({ ...change, set: { ...change.set, ...mark } });
      const guard = condition ? p.condition(condition) : undefined;
      return guarded(parseStored, mark, async () => {
        const { Attributes } = await dynamo.send(
          new UpdateCommand({
            TableName: tableName(),
            Key: spec.key(id),
            UpdateExpression: update,
            ReturnValues: 'ALL_NEW',
            ...(guard ? { ConditionExpression: guard, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } : {}),
            ...placeholders(p),
          }),
        );
        return parse(Attributes);
      });
    },

    delete: async (id: Id, condition?: Condition): Promise<Written<undefined>> => {
      const p = new Placeholders();
      const guard = condition ? p.condition(condition) : undefined;
      const nothing = (): undefined => undefined;
      const command = new DeleteCommand({
        TableName: tableName(),
        Key: spec.key(id),
        ...(guard ? { ConditionExpression: guard } : {}),
        ...placeholders(p),
      });
      return guarded<undefined>(nothing, {}, () => dynamo.send(command).then(nothing));
    },

    /** Parts of a transaction; give them to `commit`. */
    putting: (item: Item, condition?: Condition): TransactionPart => ({ act: 'put', item: stored(item), condition: vacant(condition) }),
    changing: (id: Id, change: Change, condition?: Condition): TransactionPart => ({ act: 'change', key: spec.key(id), change, condition }),
    deleting: (id: Id, condition?: Condition): TransactionPart => ({ act: 'delete', key: spec.key(id), condition }),
    checking: (id: Id, condition: Condition): TransactionPart => ({ act: 'check', key: spec.key(id), condition }),

    /** Items of one partition in key order, from the base table or an index. */
    query: async (query: Query): Promise<QueryPage<Item>> => {
      const page = await queryRaw(query);
      return { items: page.items.map(parseStored).filter((item) => item !== undefined), last: page.last };
    },
  };
};

export interface Query {
  pk: string;
  index?: IndexName;
  begins?: string;
  between?: readonly [string, string];
  /** Exclusive start, as `last` of the page before. */
  after?: Record<string, unknown> | undefined;
  limit?: number;
  descending?: boolean;
  consistent?: boolean;
  filter?: Condition;
}

export interface QueryPage<T> {
  items: T[];
  /** Where the next page starts; undefined at the end. */
  last: Record<string, unknown> | undefined;
}

/** A query's items as stored, for lists that mix kinds and for the dispatcher. */
export const queryRaw = async (query: Query): Promise<QueryPage<Record<string, unknown>>> => {
  const keys = query.index ? tableSchema.indexes[query.index] : tableSchema;
  const p = new Placeholders();
  const parts = [`${p.name(keys.partitionKey)} = ${p.value(query.pk)}`];
  if (query.begins !== undefined) parts.push(`begins_with(${p.name(keys.sortKey)}, ${p.value(query.begins)})`);
  if (query.between) parts.push(`${p.name(keys.sortKey)} BETWEEN ${p.value(query.between[0])} AND ${p.value(query.between[1])}`);
  const filter = query.filter ? p.condition(query.filter) : undefined;
  const answer = await dynamo.send(
    new QueryCommand({
      TableName: tableName(),
      KeyConditionExpression: parts.join(' AND '),
      ...placeholders(p),
      ...(query.index ? { IndexName: query.index } : {}),
      ...(filter ? { FilterExpression: filter } : {}),
      ...(query.limit ? { Limit: query.limit } : {}),
      ...(query.descending ? { ScanIndexForward: false } : {}),
      ...(query.consistent ? { ConsistentRead: true } : {}),
      ...(query.after ? { ExclusiveStartKey: query.after } : {}),
    }),
  );
  return { items: answer.Items ?? [], last: answer.LastEvaluatedKey };
};

export interface TransactionPart {
  act: 'put' | 'change' | 'delete' | 'check';
  item?: Record<string, unknown>;
  key?: Key;
  change?: Change;
  condition?: Condition | undefined;
}

export type Committed =
  | { done: true }
  | { done: false; refused: readonly { index: number; current: Record<string, unknown> | undefined }[] };

/**
 * Writes all parts or none. Answers which conditions refused; throws on anything else. A clash with another transaction is tried
 * again by the SDK's caller: three times here, then it throws.
 */
export const commit = async (parts: readonly TransactionPart[], token?: string): Promise<Committed> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await dynamo.send(
        new TransactWriteCommand({ TransactItems: parts.map(transactItem), ...(token ? { ClientRequestToken: token } : {}) }),
      );
      return { done: true };
    } catch (error) {
      const reasons = cancellationReasons(error);
      if (!reasons) throw error;
      const refused = reasons.flatMap((reason, index) =>
        reason.Code === 'ConditionalCheckFailed' ? [{ index, current: reason.Item }] : [],
      );
      if (refused.length > 0) return { done: false, refused };
      if (attempt >= 4) throw error;
      await pause(attempt);
    }
  }
};

function transactItem(part: TransactionPart): Record<string, unknown> {
  const p = new Placeholders();
  const update = part.change ? p.change(part.change) : undefined;
  const guard = part.condition ? p.condition(part.condition) : undefined;
  const common = {
    TableName: tableName(),
    ...(guard ? { ConditionExpression: guard, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } : {}),
    ...placeholders(p),
  };
  switch (part.act) {
    case 'put':
      return { Put: { ...common, Item: part.item } };
    case 'change':
      return { Update: { ...common, Key: part.key, UpdateExpression: update } };
    case 'delete':
      return { Delete: { ...common, Key: part.key } };
    case 'check':
      return { ConditionCheck: { ...common, Key: part.key } };
  }
}

/**
 * What a conditional write leaves in the item. When its answer is lost the SDK writes again, and is refused by its own doing: the mark tells.
 * Transactions need none, they carry a token for that.
 */
const writeMark = (): Mark => ({ w: randomBytes(6).toString('base64url') });
interface Mark {
  w?: string;
}

async function guarded<T>(
  parseStored: (raw: Record<string, unknown> | undefined) => T | undefined,
  { w: mark }: Mark,
  write: () => Promise<T>,
): Promise<Written<T>> {
  try {
    return { done: true, item: await write() };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error;
    const raw = unmarshalledItem(error);
    const current = parseStored(raw);
    return mark !== undefined && raw?.['w'] === mark && current !== undefined ? { done: true, item: current } : { done: false, current };
  }
}

/** The document client unmarshalls answers, not errors: the refused item arrives in the wire form. */
function unmarshalledItem(error: Error): Record<string, unknown> | undefined {
  const raw = (error as Error & { Item?: Record<string, unknown> }).Item;
  return raw && (fromWire({ M: raw }) as Record<string, unknown>);
}

function cancellationReasons(error: unknown): { Code?: string; Item: Record<string, unknown> | undefined }[] | undefined {
  if (!(error instanceof Error) || error.name !== 'TransactionCanceledException') return undefined;
  const reasons =
    (error as Error & { CancellationReasons?: { Code?: string; Item?: Record<string, unknown> }[] }).CancellationReasons ?? [];
  return reasons.map((reason) => ({
    ...(reason.Code ? { Code: reason.Code } : {}),
    Item: reason.Item && (fromWire({ M: reason.Item }) as Record<string, unknown>),
  }));
}

/** DynamoDB's wire form to plain values; also for stream images. Sets become arrays. */
export function fromWire(value: unknown): unknown {
  const [type, inner] = Object.entries(value as Record<string, unknown>)[0] ?? [];
  switch (type) {
    case 'N':
      return Number(inner);
    case 'NULL':
      return null;
    case 'M':
      return Object.fromEntries(Object.entries(inner as Record<string, unknown>).map(([key, each]) => [key, fromWire(each)]));
    case 'L':
      return (inner as unknown[]).map(fromWire);
    case 'NS':
      return (inner as string[]).map(Number);
    default:
      return inner;
  }
}

/** What is missing, or lies there although its time is over. */
function orLapsed(condition: Condition): Condition {
  if (condition.kind === 'and' || condition.kind === 'or') return { ...condition, of: condition.of.map(orLapsed) };
  const asksForNone = condition.kind === 'missing' && condition.field === tableSchema.partitionKey;
  return asksForNone ? any(missing(), atMost(tableSchema.ttl, Math.floor(Date.now() / 1_000))) : condition;
}

function isExpired(raw: Record<string, unknown>): boolean {
  return typeof raw['ttl'] === 'number' && raw['ttl'] * 1_000 <= Date.now();
}

function placeholders(p: Placeholders): Record<string, unknown> {
  return {
    ...(Object.keys(p.names).length ? { ExpressionAttributeNames: p.names } : {}),
    ...(Object.keys(p.values).length ? { ExpressionAttributeValues: p.values } : {}),
  };
}

const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, 20 * 2 ** attempt * (0.5 + Math.random() / 2)));
