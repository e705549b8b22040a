import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { takeIds } from '../../../shared/table/head.ts';
import type { NewTag, TagChanges, TagRecord } from '../contract/tag.ts';
import { deleteMembers } from '../store/members.ts';
import { listTags } from '../store/label.ts';
import { createTag, deleteTag, findTag, type Tag, updateTag } from '../store/tag.ts';

/** Tags (A6, A22). Deleting one detaches it as `removeGroup` does a group. */
export const allTags = async (companyId: number): Promise<TagRecord[]> => (await listTags(companyId)).map(tagRecord);

export const addTag = async (companyId: number, { name, color }: NewTag): Promise<TagRecord | Problem<'validation_failed'>> => {
  if ((await listTags(companyId)).length >= maxTags) return invalid('name', `A company has at most ${maxTags} tags.`);
  const at = now();
  const tag = { companyId, id: await takeIds(companyId, 'tag', 1), name, color: color ?? defaultColor, createdAt: at, updatedAt: at };
  return (await createTag(tag)) ? tagRecord(tag) : invalid('name', nameTaken);
};

export const changeTag = async (
  companyId: number,
  id: number,
  changes: TagChanges,
): Promise<TagRecord | Problem<'validation_failed' | 'not_found' | 'conflict'>> => {
  const tag = await findTag(companyId, id);
  if (tag === undefined) return problem('not_found');
  const next = { ...tag, name: changes.name ?? tag.name, color: changes.color ?? tag.color };
  if (next.name === tag.name && next.color === tag.color) return tagRecord(tag);
  const written = await updateTag(tag, { ...next, updatedAt: Math.max(now(), tag.updatedAt + 1) });
  if (written === 'taken') return invalid('name', nameTaken);
  return written === 'done' ? tagRecord(next) : problem('conflict');
};

export const removeTag = async (companyId: number, id: number): Promise<{ id: number } | Problem<'not_found' | 'conflict'>> => {
  const tag = await findTag(companyId, id);
  if (tag === undefined) return problem('not_found');
  if (!(await deleteTag(tag))) return problem('conflict');
  await deleteMembers(companyId, 'tag', id);
  return { id };
};

const maxTags = 1_000;
const defaultColor = '#6B7280';
const nameTaken = 'Another tag has this name.';

const tagRecord = ({ id, name, color }: Tag): TagRecord => ({ id, name, color });
