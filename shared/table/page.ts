import type * as z from 'zod';
import { isProblem, problem, type Problem } from '../contract/problems.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

/** A page of a list whose pages have numbers. */
export interface Page<T> {
  items: T[];
  total: number;
  page: number;
  limit: number;
  nextCursor: string | undefined;
  /** Records up to which pages have numbers; deeper ones are reached by cursor. Undefined: all. */
  depth?: number;
  /** The page and its total end where the walk through the list ended; only the cursor continues. */
  isPartial?: boolean;
  /** The total counts the records that were read, though the page is full: how many pages there are is not known. */
  hasOpenTotal?: boolean;
}

/** A page of a list that has no page numbers. */
export type CursorPage<T> = Pick<Page<T>, 'items' | 'nextCursor'>;

export interface PageQuery {
  /** From 1. A cursor wins over it. */
  page: number;
  limit: number;
  cursor?: string | undefined;
}

/** Which items of a list make the page. */
export interface PageRange<Position> {
  /** The position that the cursor carries; undefined without one. */
  after: Position | undefined;
  /** Items between `after` and the page: those of the pages before it, 0 with a cursor. */
  skip: number;
  /** Items of the page, at most. */
  limit: number;
}

/** Which list is read, and by which cursor. */
interface ListByCursor<Position> {
  /** Company, list and filters: a cursor of another scope is refused. */
  scope: string;
  cursor: string | undefined;
  /** What a cursor carries. Those that were handed out stay valid: a field that a position gets later is optional. */
  position: z.ZodType<Position>;
}
interface ListByPage<Position> extends Omit<ListByCursor<Position>, 'cursor'> {
  query: PageQuery;
}

/** What `read` returns: `next` is the position of the next page, undefined at the end. */
type Found<Position> = { next: NoInfer<Position> | undefined };
type Listed<R, More> = Extract<R, Problem> | (Omit<Exclude<R, Problem>, 'next'> & More) | Problem<'invalid_cursor'>;

/**
 * A page of a list without page numbers: what `read` found after the position of the cursor, and the cursor to the next page. Refuses with
 * `invalid_cursor`, or as `read` does; reads the table only by `read`.
 */
export const listByCursor = async <Position extends object, R extends Found<Position> | Problem>(
  { scope, cursor, position }: ListByCursor<Position>,
  read: (after: Position | undefined) => Promise<R>,
): Promise<Listed<R, Pick<Page<unknown>, 'nextCursor'>>> => {
  const after = cursor === undefined ? undefined : await decodeCursor(scope, cursor, position);
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  const found = await read(after);
  if (isProblem(found)) return found as Extract<R, Problem>;
  const { next, ...rest } = found as Exclude<R, Problem>;
  return { ...rest, nextCursor: next && (await encodeCursor(scope, next)) };
};

/** The same of a list with page numbers: `read` finds the items of a range, and the total. */
export const listPage = async <Position extends object, R extends Found<Position> | Problem>(
  { query: { page, limit, cursor }, ...list }: ListByPage<Position>,
  read: (range: PageRange<Position>) => Promise<R>,
): Promise<Listed<R, Pick<Page<unknown>, 'page' | 'limit' | 'nextCursor'>>> => {
  const found = await listByCursor({ ...list, cursor }, (after) => read({ after, skip: after ? 0 : (page - 1) * limit, limit }));
  return isProblem(found) ? (found as Extract<R, Problem> | Problem<'invalid_cursor'>) : { ...found, page, limit };
};

/** The page of a list that was read from `after` on, to one item beyond the page or to its end. */
export const cutPage = <T, Position>(
  found: readonly T[],
  { skip = 0, limit }: { skip?: number; limit: number },
  positionOf: (last: T) => Position,
): { items: T[]; next: Position | undefined } => {
  const items = found.slice(skip, skip + limit);
  const last = found.length > skip + limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? undefined : positionOf(last) };
};

/** The page of a list that was read whole; `order` is what it is sorted by. */
export const pageOfWhole = <T, Position>(
  all: readonly T[],
  range: PageRange<Position>,
  order: (item: T, position: Position) => number,
  positionOf: (last: T) => Position,
): { items: T[]; next: Position | undefined; total: number } => {
  const { after } = range;
  return { ...cutPage(after ? all.filter((item) => order(item, after) > 0) : all, range, positionOf), total: all.length };
};
