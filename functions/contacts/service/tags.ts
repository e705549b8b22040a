import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import type { NewTag, TagChanges, TagRecord } from '../contract/tag.ts';
import { deleteMembers, listMembers } from '../store/members.ts';
import { listAllTags } from '../store/label.ts';
import { createTagAndName, deleteTagAndName, getTag, type Tag, updateTagAndName } from '../store/tag.ts';

/** Tags (A6, A22). */
export const listTags = async (companyId: number): Promise<TagRecord[]> => (await listAllTags(companyId)).map(toTagRecord);

/** Ids of the live contacts with a tag, greatest first, for other contexts; none of a tag that is not there any more. 1 RRU and at most 25 for a million contacts. */
export const listTaggedContacts = async (companyId: number, id: number): Promise<number[]> => {
  const [tag, members] = await Promise.all([getTag(companyId, id), listMembers(companyId, 'tag', id)]);
  return tag ? members : [];
};

export const createTag = async (companyId: number, { name, color }: NewTag): Promise<TagRecord | Problem<'validation_failed'>> => {
  if ((await listAllTags(companyId)).length >= maxTags) return invalid('name', `A company has at most ${maxTags} tags.`);
  const at = now();
  const tag = { companyId, id: await nextIds(companyId, 'tag', 1), name, color: color ?? defaultColor, createdAt: at, updatedAt: at };
  return (await createTagAndName(tag)) ? toTagRecord(tag) : invalid('name', nameTaken);
};

export const updateTag = async (
  companyId: number,
  id: number,
  changes: TagChanges,
): Promise<TagRecord | Problem<'validation_failed' | 'not_found' | 'conflict'>> => {
  const tag = await getTag(companyId, id);
  if (tag === undefined) return problem('not_found');
  const next = { ...tag, name: changes.name ?? tag.name, color: changes.color ?? tag.color };
  if (next.name === tag.name && next.color === tag.color) return toTagRecord(tag);
  const written = await updateTagAndName(tag, { ...next, updatedAt: Math.max(now(), tag.updatedAt + 1) });
  if (written === 'taken') return invalid('name', nameTaken);
  return written === 'done' ? toTagRecord(next) : problem('conflict');
};

export const deleteTag = async (companyId: number, id: number): Promise<{ id: number } | Problem<'not_found' | 'conflict'>> => {
  const tag = await getTag(companyId, id);
  if (tag === undefined) return problem('not_found');
  if (!(await deleteTagAndName(tag))) return problem('conflict');
  await deleteMembers(companyId, 'tag', id);
  return { id };
};

const maxTags = 1_000;
const defaultColor = '#6B7280';
const nameTaken = 'Another tag has this name.';

const toTagRecord = ({ id, name, color }: Tag): TagRecord => ({ id, name, color });
