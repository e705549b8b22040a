import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { drawWithoutKey, type Once } from '../../../shared/contract/route.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import type { Filter } from '../contract/filter.ts';
import { maxSegments, type SegmentBody, type SegmentRecord } from '../contract/segment.ts';
import { segmentEntityName, type StoredSegment } from '../contract/stored-segment.ts';
import { toStoredFilter } from '../domain/stored-filter.ts';
import { normalizedName } from '../domain/group.ts';
import { createSegmentRow, deleteSegmentRow, getSegment, listSegmentRows, updateSegmentRow } from '../store/segment.ts';

/** Saved filters of contacts. A company has at most 200, so a list reads them all: about 9 RRU. */
export const listSegments = async (companyId: number): Promise<SegmentRecord[]> => (await listSegmentRows(companyId)).map(toSegmentRecord);

export const createSegment = async (
  companyId: number,
  { name, filter }: SegmentBody,
  once: Once = drawWithoutKey,
): Promise<SegmentRecord | Problem<'validation_failed'>> => {
  const id = await once('id', () => nextIds(companyId, segmentEntityName, 1));
  const others = (await listSegmentRows(companyId)).filter((each) => each.id !== id);
  if (others.length >= maxSegments) return invalid('name', `A company has at most ${maxSegments} segments.`);
  if (others.some((each) => normalizedName(each.name) === normalizedName(name))) return invalid('name', nameTaken);
  const at = now();
  const segment = { companyId, id, rev: 1, name, filter: toStoredFilter(filter), createdAt: at, updatedAt: at };
  await createSegmentRow(segment);
  return toSegmentRecord(segment);
};

export const updateSegment = async (
  companyId: number,
  id: number,
  { name, filter }: SegmentBody,
): Promise<SegmentRecord | Problem<'validation_failed' | 'not_found' | 'conflict'>> => {
  const segments = await listSegmentRows(companyId);
  const seen = segments.find((each) => each.id === id);
  if (seen === undefined) return problem('not_found');
  if (segments.some((each) => each.id !== id && normalizedName(each.name) === normalizedName(name))) return invalid('name', nameTaken);
  const segment = { ...seen, name, filter: toStoredFilter(filter), updatedAt: Math.max(now(), seen.updatedAt + 1) };
  return (await updateSegmentRow(seen, segment)) ? toSegmentRecord(segment) : problem('conflict');
};

export const deleteSegment = async (companyId: number, id: number): Promise<{ id: number } | Problem<'not_found'>> => {
  if ((await getSegment(companyId, id)) === undefined) return problem('not_found');
  await deleteSegmentRow(companyId, id);
  return { id };
};

/** The rules of a segment, for who lists, changes or addresses its contacts. 1 RRU. */
export const getSegmentFilter = async (companyId: number, id: number): Promise<Filter | undefined> =>
  (await getSegment(companyId, id))?.filter;

const nameTaken = 'Another segment has this name.';

const toSegmentRecord = ({ id, name, filter, createdAt, updatedAt }: StoredSegment): SegmentRecord => ({
  id,
  name,
  filter,
  created_at: isoTime(createdAt),
  updated_at: isoTime(updatedAt),
});
