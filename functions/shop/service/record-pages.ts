import * as z from 'zod';
import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import { listPage, type Page, type PageQuery, type PageRange } from '../../../shared/table/page.ts';
import { readUnits } from '../../../shared/table/read-units.ts';
import { maxPageDepth, maxWalkUnits, pageTooDeep } from '../../../shared/table/walk.ts';
import type { RecordsBelow } from '../store/id-partition.ts';

/** A request for a page of records with integer ids, newest first. */
export interface RecordPageRequest<T> extends PageQuery {
  /** Company, list and filters; a cursor is valid for one scope. */
  scope: string;
  /** The newest id. A list starts there, wherever a cursor points. */
  lastId: number;
  /** The number of matches where a counter exists; otherwise the records are read and counted up to the bounds of the walk. */
  total: number | undefined;
  bounds?: WalkBounds;
  matches: (record: T) => boolean;
  /** The next records below an id, newest first, at most `count`. */
  records: (belowId: number, count: number) => Promise<RecordsBelow<T>> | RecordsBelow<T>;
}

/** What one call may read. Every read stops there, with a cursor that continues. */
export interface WalkBounds {
  maxExamined: number;
  /** Read units after which no further read begins. */
  maxUnits: number;
  /** Read units after which a full page is enough, and its total counts what was read. */
  enoughUnits: number;
  /** Records of the first read, where the matches have no counter: a filter that many match is done with them. */
  firstRead: number;
  /** Records up to which pages have numbers. */
  depth: number;
  /** Records of one read after the first. */
  perRead: number;
}

/** A full page about 30 RRU, whatever the shop holds; a filter that few match about 800 RRU over 80 partitions, where records have 600 bytes. */
export const usualBounds: WalkBounds = {
  maxExamined: 10_000,
  maxUnits: maxWalkUnits,
  enoughUnits: 24,
  firstRead: 128,
  depth: maxPageDepth,
  perRead: 1_024,
};

/** For lists without a token: any caller may repeat them. About 30 RRU, whatever the shop holds. */
export const publicBounds: WalkBounds = { maxExamined: 512, maxUnits: 20, enoughUnits: 20, firstRead: 64, depth: 300, perRead: 64 };

/** Reads of one call, also where they find nothing. */
const maxReads = 300;

/** A list that was read in full. */
export const allRecords =
  <T extends { id: number }>(records: readonly T[]) =>
  (belowId: number): RecordsBelow<T> => ({ records: records.filter(({ id }) => id < belowId), below: 1 });

/**
 * Reads a page of a list. With a counter it reads to the end of the page. A filtered list is read on for its total, which the cursor carries, until
 * that has cost enough. At the bounds of the walk the page ends early. Either way the total then covers the records read, and the cursor continues.
 */
export const readPage = <T extends { id: number }>(
  request: RecordPageRequest<T>,
): Promise<Page<T> | Problem<'invalid_cursor' | 'validation_failed'>> =>
  listPage({ scope: request.scope, query: request, position }, (range) => walkRecords(request, range));

const position = z.object({ id: z.int().positive(), total: z.int().nonnegative(), skip: z.int().positive().optional() });

async function walkRecords<T extends { id: number }>(
  request: RecordPageRequest<T>,
  { after, limit, ...range }: PageRange<z.output<typeof position>>,
) {
  const { page, matches, lastId, bounds = usualBounds } = request;
  const known = after?.total ?? request.total;
  const skip = after?.skip ?? range.skip;
  const isPastEnd = !after && skip >= lastId;
  if (!after && !isPastEnd && page * limit > bounds.depth) return invalid('page', pageTooDeep(bounds.depth));
  const items: T[] = [];
  const wanted = skip + limit + 1;
  const unitsBefore = readUnits();
  let matched = 0;
  let examined = 0;
  let isPartial = false;
  let below = isPastEnd ? 1 : Math.min(after?.id ?? lastId + 1, lastId + 1);
  const isComplete = (): boolean => known !== undefined && matched >= wanted;
  for (let reads = 1, count = known === undefined ? bounds.firstRead : wanted; below > 1 && !isComplete(); reads++) {
    const read = await request.records(below, Math.min(count, bounds.maxExamined - examined));
    for (const record of read.records) {
      examined++;
      if (matches(record) && ++matched > skip && matched < wanted) items.push(record);
      if (isComplete()) break;
    }
    below = read.below;
    const units = readUnits() - unitsBefore;
    const mostUnits = matched >= wanted ? bounds.enoughUnits : bounds.maxUnits;
    isPartial = below > 1 && !isComplete() && (examined >= bounds.maxExamined || units >= mostUnits || reads >= maxReads);
    if (isPartial) break;
    // what is left, and no more than twice as many as before: the page may be full with them
    count = Math.max(1, Math.min(bounds.perRead, 2 * count, Math.ceil(((mostUnits - units) * examined) / units) || bounds.perRead));
  }
  // The counter lags behind the records by the stream's latency, so it is never shown lower than the matches found.
  const total = Math.max(known ?? 0, matched);
  const last = matched >= wanted ? items.at(-1) : undefined;
  const cut = isPartial ? { id: below, total, ...(matched < skip ? { skip: skip - matched } : {}) } : undefined;
  const next = last ? { id: last.id, total } : cut;
  return { items, total, next, depth: bounds.depth, isPartial: isPartial && !last, hasOpenTotal: isPartial };
}
