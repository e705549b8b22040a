import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';

/** What a list of numbered records, newest first, is made from. */
export interface Listing<T> {
  /** Names the list with its company and filters: a cursor is of one list. */
  scope: string;
  page: number;
  limit: number;
  cursor: string | undefined;
  lastId: number;
  /** How many match, where that is kept; else all are looked through and counted. */
  total: number | undefined;
  matches: (record: T) => boolean;
  read: (belowId: number, expected: number, take: (record: T) => boolean) => Promise<void>;
}

/**
 * A page of a list. With a kept total it reads as far as the page's end; a filtered list is looked through to its end once, for its
 * total, which its cursor then carries.
 */
export const pageOf = async <T extends { id: number }>(listing: Listing<T>): Promise<Page<T> | Problem<'invalid_cursor'>> => {
  const { scope, page, limit, cursor, matches } = listing;
  const after = cursor === undefined ? undefined : decodeCursor(scope, cursor, position);
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  const known = after?.total ?? listing.total;
  const skip = after ? 0 : (page - 1) * limit;
  const items: T[] = [];
  let matched = 0;
  const wanted = skip + limit + 1;
  if (skip < listing.lastId)
    await listing.read(after?.id ?? listing.lastId + 1, known === undefined ? Number.MAX_SAFE_INTEGER : wanted, (record) => {
      if (!matches(record)) return true;
      matched++;
      if (matched > skip && matched < wanted) items.push(record);
      return known === undefined || matched < wanted;
    });
  // a kept total follows the records within the stream's latency: never less than what is seen
  const total = Math.max(known ?? 0, matched);
  const last = matched >= wanted ? items.at(-1) : undefined;
  return { items, total, page, limit, nextCursor: last && encodeCursor(scope, { id: last.id, total }) };
};

const position = z.object({ id: z.int().positive(), total: z.int().nonnegative() });
