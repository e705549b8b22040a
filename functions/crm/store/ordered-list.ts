import type { Query, QueryPage } from '../../../shared/table/query.ts';

/** A part of one partition of the list index, to be read piece by piece. */
export interface ListRange {
  pk: string;
  low: string;
  high: string;
  descending: boolean;
}

/** The next items; `done`: there are no more. */
export type ListReader<T> = (count: number) => Promise<{ items: T[]; done: boolean }>;

interface Queried<S> {
  query: (query: Query<never>) => Promise<QueryPage<S>>;
}

export const readList = <S, T>(entity: Queried<S>, { pk, low, high, descending }: ListRange, shown: (stored: S) => T): ListReader<T> => {
  let after: Record<string, unknown> | undefined;
  let done = low > high;
  return async (count) => {
    const items: T[] = [];
    while (!done && items.length < count) {
      const page = await entity.query({ pk, index: 'list', between: [low, high], descending, limit: count - items.length, after });
      items.push(...page.items.map(shown));
      after = page.last;
      done = after === undefined;
    }
    return { items, done };
  };
};

/** A list that is ordered by key, and how far its first item can reach at best. */
export interface ListSource<T> {
  bound: string;
  walk: ListReader<T>;
}

interface OpenList<T> {
  bound: string;
  walk: ListReader<T>;
  held: T[];
  done: boolean;
}

/** About 4 KB of small rows: what half a read unit gives. */
const pageSize = 16;
const maxParallelReads = 6;

/**
 * Many ordered lists as one. A list is opened only when its bound could come next, so a page of 25 opens about 25 lists at most,
 * however many there are.
 */
export async function* mergeLists<T>(
  sources: readonly ListSource<T>[],
  keyOf: (item: T) => string,
  order: 'ascending' | 'descending',
): AsyncGenerator<T> {
  const comes = order === 'ascending' ? (a: string, b: string) => a < b : (a: string, b: string) => a > b;
  let lists: OpenList<T>[] = sources.map(({ bound, walk: read }) => ({ bound, walk: read, held: [], done: false }));
  const headOf = (list: OpenList<T>): string => (list.held[0] === undefined ? list.bound : keyOf(list.held[0]));
  while (lists.length > 0) {
    lists.sort((a, b) => (comes(headOf(a), headOf(b)) ? -1 : comes(headOf(b), headOf(a)) ? 1 : 0));
    const [first] = lists;
    const next = first?.held.shift();
    if (first && next !== undefined) {
      if (first.held.length === 0) first.bound = keyOf(next);
      yield next;
    } else {
      const settled = lists.findIndex((list) => list.held.length > 0);
      const unread = lists.slice(0, settled === -1 ? lists.length : settled).filter((list) => !list.done);
      await Promise.all(unread.slice(0, maxParallelReads).map(readNextPage));
    }
    lists = lists.filter((list) => !list.done || list.held.length > 0);
  }
}

async function readNextPage<T>(list: OpenList<T>): Promise<void> {
  const page = await list.walk(pageSize);
  list.held.push(...page.items);
  list.done = page.done;
}
