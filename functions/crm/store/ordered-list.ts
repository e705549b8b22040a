import type { Query, QueryPage } from '../../../shared/table/query.ts';

/** A part of one partition of the list index. */
export interface ListRange {
  pk: string;
  low: string;
  high: string;
  descending: boolean;
}

/** Reads the next items; `done` when there are no more. */
export type ListReader<T> = (count: number) => Promise<{ items: T[]; done: boolean }>;

interface Queryable<S> {
  query: (query: Query<never>) => Promise<QueryPage<S>>;
}

/** Reads a list piece by piece, each piece with as few read units as its size needs. */
export const readList = <S, T>(
  entity: Queryable<S>,
  { pk, low, high, descending }: ListRange,
  toRecord: (stored: S) => T,
): ListReader<T> => {
  let after: Record<string, unknown> | undefined;
  let done = low > high;
  return async (count) => {
    const items: T[] = [];
    while (!done && items.length < count) {
      const page = await entity.query({ pk, index: 'list', between: [low, high], descending, limit: count - items.length, after });
      items.push(...page.items.map(toRecord));
      after = page.last;
      done = after === undefined;
    }
    return { items, done };
  };
};

/** A list that is ordered by key; `bound` is the best key that its first item can have. */
export interface ListSource<T> {
  bound: string;
  read: ListReader<T>;
}

interface OpenList<T> extends ListSource<T> {
  buffer: T[];
  done: boolean;
}

/** About 4 KB of small rows: the size of half a read unit. */
const pageSize = 16;
const maxParallelReads = 6;

/** Merges ordered lists. A list is opened only when its bound could come next, so a page of 25 items opens about 25 lists at most. */
export async function* mergeLists<T>(
  sources: readonly ListSource<T>[],
  keyOf: (item: T) => string,
  order: 'ascending' | 'descending',
): AsyncGenerator<T> {
  const isBefore = order === 'ascending' ? (a: string, b: string) => a < b : (a: string, b: string) => a > b;
  let lists: OpenList<T>[] = sources.map(({ bound, read }) => ({ bound, read, buffer: [], done: false }));
  const firstKeyOf = (list: OpenList<T>): string => (list.buffer[0] === undefined ? list.bound : keyOf(list.buffer[0]));
  while (lists.length > 0) {
    lists.sort((a, b) => (isBefore(firstKeyOf(a), firstKeyOf(b)) ? -1 : isBefore(firstKeyOf(b), firstKeyOf(a)) ? 1 : 0));
    const [first] = lists;
    const next = first?.buffer.shift();
    if (first && next !== undefined) {
      if (first.buffer.length === 0) first.bound = keyOf(next);
      yield next;
    } else {
      const firstFilled = lists.findIndex((list) => list.buffer.length > 0);
      const unread = lists.slice(0, firstFilled === -1 ? lists.length : firstFilled).filter((list) => !list.done);
      await Promise.all(unread.slice(0, maxParallelReads).map(readNextPage));
    }
    lists = lists.filter((list) => !list.done || list.buffer.length > 0);
  }
}

async function readNextPage<T>(list: OpenList<T>): Promise<void> {
  const page = await list.read(pageSize);
  list.buffer.push(...page.items);
  list.done = page.done;
}
