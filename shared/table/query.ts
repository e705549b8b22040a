import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamo, tableName } from './client.ts';
import { type Condition, Placeholders, placeholderFields } from './condition.ts';
import { addReadUnits, unitsReported } from './read-units.ts';
import { type IndexName, tableSchema } from './schema.ts';

/** A part of one partition, in key order. */
export interface Query<Tests = unknown> {
  pk: string;
  index?: IndexName;
  begins?: string;
  /** Both ends belong to it. An upper end below the lower one is an empty range and costs no request. */
  between?: readonly [string, string];
  /** Exclusive start: `last` of the previous page, or the key attributes of an item. */
  after?: Record<string, unknown> | undefined;
  /** Items read for a page, before the filter. */
  limit?: number;
  descending?: boolean;
  consistent?: boolean;
  /** Drops items after they are read, and paid for. */
  filter?: Condition<Tests> | undefined;
}

export interface QueryPage<T> {
  items: T[];
  /** Where the next page starts; undefined at the end. */
  last: Record<string, unknown> | undefined;
}

export interface Collecting<T> {
  /** How many items are wanted. A page reads no more items than are missing. */
  atMost?: number;
  /** Items that it refuses are left out. */
  where?: (item: T) => boolean;
  /** Items read per page beyond what is missing, where `where` is expected to refuse some. */
  spare?: number;
}

/**
 * One page of a query as stored: for lists that mix kinds of items, and for keys alone. `attributes`: only these of each item, at the same
 * price, but with less to send and to decode.
 */
export const queryRaw = async (query: Query & { attributes?: readonly string[] }): Promise<QueryPage<Record<string, unknown>>> => {
  if (query.between && query.between[0] > query.between[1]) return { items: [], last: undefined };
  const keys = query.index ? tableSchema.indexes[query.index] : tableSchema;
  const p = new Placeholders();
  const parts = [`${p.name(keys.partitionKey)} = ${p.value(query.pk)}`];
  if (query.begins !== undefined) parts.push(`begins_with(${p.name(keys.sortKey)}, ${p.value(query.begins)})`);
  if (query.between) parts.push(`${p.name(keys.sortKey)} BETWEEN ${p.value(query.between[0])} AND ${p.value(query.between[1])}`);
  const filter = query.filter ? p.condition(query.filter) : undefined;
  const answer = await dynamo.send(
    new QueryCommand({
      TableName: tableName(),
      ...unitsReported(),
      KeyConditionExpression: parts.join(' AND '),
      ...(query.attributes ? { ProjectionExpression: query.attributes.map((name) => p.name(name)).join(', ') } : {}),
      ...placeholderFields(p),
      ...(query.index ? { IndexName: query.index } : {}),
      ...(filter ? { FilterExpression: filter } : {}),
      ...(query.limit ? { Limit: query.limit } : {}),
      ...(query.descending ? { ScanIndexForward: false } : {}),
      ...(query.consistent ? { ConsistentRead: true } : {}),
      ...(query.after ? { ExclusiveStartKey: query.after } : {}),
    }),
  );
  addReadUnits(answer.ConsumedCapacity);
  return { items: answer.Items ?? [], last: answer.LastEvaluatedKey };
};

/** The pages of a query as stored, each fetched when the loop requests it. */
export const rawPages = (query: Query): AsyncGenerator<QueryPage<Record<string, unknown>>> => pagesBy(queryRaw, query);

/** The items of a query as stored. */
export const rawItems = (query: Query): AsyncGenerator<Record<string, unknown>> => itemsOf(rawPages(query));

/** The one loop over pages. */
export async function* pagesBy<T, Q extends { after?: Record<string, unknown> | undefined }>(
  read: (query: Q) => Promise<QueryPage<T>>,
  query: Q,
): AsyncGenerator<QueryPage<T>> {
  let after = query.after;
  do {
    const page = await read({ ...query, after });
    yield page;
    after = page.last;
  } while (after);
}

export async function* itemsOf<T>(pages: AsyncIterable<QueryPage<T>>): AsyncGenerator<T> {
  for await (const { items } of pages) yield* items;
}

/** The items of a query in one list. */
export const collectBy = async <T, Tests>(
  read: (query: Query<Tests>) => Promise<QueryPage<T>>,
  query: Query<Tests>,
  { atMost, where, spare = 0 }: Collecting<T> = {},
): Promise<T[]> => {
  const found: T[] = [];
  if (atMost !== undefined && atMost <= 0) return found;
  let after = query.after;
  do {
    const missing = atMost === undefined ? undefined : Math.min(query.limit ?? maxPage, atMost - found.length + spare);
    const page = await read({ ...query, after, ...(missing === undefined ? {} : { limit: missing }) });
    found.push(...(where ? page.items.filter(where) : page.items));
    after = page.last;
  } while (after && found.length < (atMost ?? Infinity));
  return found.slice(0, atMost);
};

/** A query reads at most 1 MB a page; a higher limit would not be reached by items of a kilobyte. */
const maxPage = 1_000;
