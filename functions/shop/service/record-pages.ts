import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';

/** A request for a page of records with integer ids, newest first. */
export interface RecordPageRequest<T> {
  /** Company, list and filters; a cursor is valid for one scope. */
  scope: string;
  page: number;
  limit: number;
  cursor: string | undefined;
  lastId: number;
  /** The number of matches where a counter exists; otherwise up to `maxExamined` records are read and counted. */
  total: number | undefined;
  maxExamined?: number;
  matches: (record: T) => boolean;
  /** The records below an id, newest first; `expected`: how many are needed at least. */
  records: (belowId: number, expected: number) => AsyncIterable<T> | Iterable<T>;
}

/** No request reads more records than this: about 800 RRU over 80 partitions. */
const defaultMaxExamined = 10_000;

/**
 * Reads a page of a list. With a counter it reads to the end of the page. A filtered list is read to its end once, for its total, which the
 * cursor carries. After 10,000 records the total covers the records read, and the cursor continues there even if the page is not full.
 */
export const readPage = async <T extends { id: number }>(request: RecordPageRequest<T>): Promise<Page<T> | Problem<'invalid_cursor'>> => {
  const { scope, page, limit, cursor, matches } = request;
  const after = cursor === undefined ? undefined : decodeCursor(scope, cursor, position);
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  const known = after?.total ?? request.total;
  const skip = after ? 0 : (page - 1) * limit;
  const items: T[] = [];
  let matched = 0;
  let examined = 0;
  let lastExamined: T | undefined;
  const wanted = skip + limit + 1;
  const isUnfiltered = request.total !== undefined;
  if (skip < request.lastId) {
    const maxExamined = isUnfiltered ? Infinity : (request.maxExamined ?? defaultMaxExamined);
    for await (const record of request.records(after?.id ?? request.lastId + 1, known === undefined ? Number.MAX_SAFE_INTEGER : wanted)) {
      examined++;
      lastExamined = record;
      if (matches(record) && ++matched > skip && matched < wanted) items.push(record);
      if ((known !== undefined && matched >= wanted) || examined >= maxExamined) break;
    }
  }
  // The counter lags behind the records by the stream's latency, so it is never shown lower than the matches found.
  const total = Math.max(known ?? 0, matched);
  const isCut = !isUnfiltered && examined >= (request.maxExamined ?? defaultMaxExamined);
  const last = matched >= wanted ? items.at(-1) : isCut ? lastExamined : undefined;
  return { items, total, page, limit, nextCursor: last && encodeCursor(scope, { id: last.id, total }) };
};

const position = z.object({ id: z.int().positive(), total: z.int().nonnegative() });
