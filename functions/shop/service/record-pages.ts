import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';

/** What a list of numbered records, newest first, is made from. */
export interface RecordPageRequest<T> {
  /** Names the list with its company and filters: a cursor is of one list. */
  scope: string;
  page: number;
  limit: number;
  cursor: string | undefined;
  lastId: number;
  /** How many match, where that is kept; else they are looked through and counted, up to `maxLooked`. */
  total: number | undefined;
  maxExamined?: number;
  matches: (record: T) => boolean;
  read: (belowId: number, expected: number, take: (record: T) => boolean) => Promise<void>;
}

/** No request looks through more records than this: about 800 RRU, over 80 partitions. */
const defaultMaxExamined = 10_000;

/**
 * A page of a list. With a kept total it reads as far as the page's end; a filtered list is looked through to its end once, for its
 * total, which its cursor then carries. Beyond 10,000 records it stops: the total is then of those looked through, and the cursor goes on
 * from there, also where the page is not full.
 */
export const readPage = async <T extends { id: number }>(listing: RecordPageRequest<T>): Promise<Page<T> | Problem<'invalid_cursor'>> => {
  const { scope, page, limit, cursor, matches } = listing;
  const after = cursor === undefined ? undefined : decodeCursor(scope, cursor, position);
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  const known = after?.total ?? listing.total;
  const skip = after ? 0 : (page - 1) * limit;
  const items: T[] = [];
  let matched = 0;
  let examined = 0;
  let lastExamined: T | undefined;
  const wanted = skip + limit + 1;
  const isUnfiltered = listing.total !== undefined;
  if (skip < listing.lastId)
    await listing.read(after?.id ?? listing.lastId + 1, known === undefined ? Number.MAX_SAFE_INTEGER : wanted, (record) => {
      examined++;
      lastExamined = record;
      if (matches(record)) {
        matched++;
        if (matched > skip && matched < wanted) items.push(record);
        if (known !== undefined && matched >= wanted) return false;
      }
      return examined < (listing.maxExamined ?? defaultMaxExamined) || isUnfiltered;
    });
  // a kept total follows the records within the stream's latency: never less than what is seen
  const total = Math.max(known ?? 0, matched);
  const isCut = !isUnfiltered && examined >= (listing.maxExamined ?? defaultMaxExamined);
  const last = matched >= wanted ? items.at(-1) : isCut ? lastExamined : undefined;
  return { items, total, page, limit, nextCursor: last && encodeCursor(scope, { id: last.id, total }) };
};

const position = z.object({ id: z.int().positive(), total: z.int().nonnegative() });
