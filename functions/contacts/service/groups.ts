import * as z from 'zod';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { mapOk } from '../../../shared/http/reply.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { cutPage, listPage } from '../../../shared/table/page.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import type { GroupRecord, GroupsQuery, ListedGroup } from '../contract/group.ts';
import { isLive } from '../domain/contact.ts';
import { maxGroups } from '../contract/group.ts';
import { getContactsByIds } from '../store/contact.ts';
import { deleteGroupAndName, getGroup, type Group, getOrCreateGroup, updateGroupName } from '../store/group.ts';
import { listAllGroups } from '../store/label.ts';
import { deleteMembers, listNewestMembers } from '../store/members.ts';

const position = z.object({ id: z.int() });

/** Groups (A19, A21). A company has at most 500, so a list reads them all: about 10 RRU. */
export const listGroups = async (companyId: number, { showContacts, ...query }: GroupsQuery) => {
  const found = await listPage({ scope: `groups:${companyId}`, query, position }, async ({ after, skip, limit }) => {
    const groups = await listAllGroups(companyId);
    const { items, next } = cutPage(after ? groups.filter(({ id }) => id > after.id) : groups, { skip, limit }, ({ id }) => ({ id }));
    return { items: showContacts ? await withContacts(companyId, items) : items.map(toGroupRecord), total: groups.length, next };
  });
  return mapOk(found, ({ items, total, page, limit, nextCursor }) => ({
    current_page: page,
    data: items,
    total,
    per_page: limit,
    last_page: Math.max(1, Math.ceil(total / limit)),
    next_cursor: nextCursor ?? null,
  }));
};

export const createGroup = async (companyId: number, name: string): Promise<GroupRecord | Problem<'validation_failed'>> => {
  if ((await listAllGroups(companyId)).length >= maxGroups) return invalid('name', `A company has at most ${maxGroups} groups.`);
  const at = now();
  const { id, created } = await getOrCreateGroup(companyId, await nextIds(companyId, 'group', 1), name, at);
  return created ? { id, name, contacts_count: 0, created_at: isoTime(at), updated_at: isoTime(at) } : invalid('name', nameTaken);
};

/** Renames a group. A name that differs only in case from its own is allowed. */
export const updateGroup = async (
  companyId: number,
  id: number,
  name: string,
): Promise<GroupRecord | Problem<'validation_failed' | 'not_found' | 'conflict'>> => {
  const group = await getGroup(companyId, id);
  if (group === undefined) return problem('not_found');
  if (group.name === name) return toGroupRecord(group);
  const at = now();
  const renamed = await updateGroupName(group, name, at);
  if (renamed === 'taken') return invalid('name', nameTaken);
  if (renamed === 'missing') return problem('conflict');
  return toGroupRecord({ ...group, name, updatedAt: at });
};

/**
 * Deletes a group. Contacts leave it without a write to any of them: every read of a contact ignores ids of deleted groups, and ids are
 * never reused.
 */
export const deleteGroup = async (companyId: number, id: number): Promise<{ id: number } | Problem<'not_found' | 'conflict'>> => {
  const group = await getGroup(companyId, id);
  if (group === undefined) return problem('not_found');
  if (!(await deleteGroupAndName(group))) return problem('conflict');
  await deleteMembers(companyId, 'group', id);
  return { id };
};

const shownContacts = 100;
const nameTaken = 'Another group has this name.';

async function withContacts(companyId: number, groups: readonly Group[]): Promise<ListedGroup[]> {
  const members = await Promise.all(groups.map(({ id }) => listNewestMembers(companyId, 'group', id, shownContacts + 1)));
  const shown = members.map((ids) => ids.slice(0, shownContacts));
  const contacts = await getContactsByIds(companyId, [...new Set(shown.flat())]);
  const byId = new Map(contacts.filter(isLive).map(({ id, name, phone }) => [id, { id, name: name ?? null, phone }]));
  return groups.map((group, index) => ({
    ...toGroupRecord(group),
    contacts: (shown[index] ?? []).flatMap((id) => byId.get(id) ?? []),
    contacts_truncated: (members[index]?.length ?? 0) > shownContacts,
  }));
}

const toGroupRecord = ({ id, name, contactsCount, createdAt, updatedAt }: Group): GroupRecord => ({
  id,
  name,
  contacts_count: contactsCount,
  created_at: isoTime(createdAt),
  updated_at: isoTime(updatedAt),
});
