import { getCompany } from '../../account/service/companies.ts';
import { getLastContactId, listContactIdsBelow } from '../../contacts/service/contact-ids.ts';
import { getNewestMessage, removeOldConversation } from '../../conversations/service/erase-conversation.ts';
import { deleteOldMessages } from '../../messaging/service/erase-messages.ts';
import { runSlices } from '../../../shared/queue/slices.ts';
import { dayMs, now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import type { StoredRetention } from '../contract/retention.ts';
import { deleteRetention, getRetention, putRetention } from '../store.ts';

/**
 * Deletes the messages that a company keeps no longer, contact by contact from the newest, and stores where it stands; after some time it leaves
 * the rest to its next turn, and at the end begins again a day later. Repeated or run twice at once it deletes nothing else. See
 * docs/decisions/message-retention.md.
 */
export const runRetention = async (companyId: number): Promise<void> => {
  const [company, stored] = await Promise.all([getCompany(companyId), getRetention(companyId)]);
  const days = company?.settings.retentionDays;
  if (days === undefined) return stored && deleteRetention(companyId);
  await runSlices(await currentWalk(companyId, days, stored), {
    claim: async (walk) =>
      walk.belowId === undefined ? undefined : { walk, contactIds: await listContactIdsBelow(companyId, walk.belowId, contactsPerSlice) },
    work: ({ contactIds }) => deleteOfContacts(companyId, contactIds, now() - days * dayMs),
    advance: ({ walk, contactIds }, deleted) => afterSlice(walk, contactIds.at(-1), deleted),
    turn: { ms: turnMs, giveBack: (walk) => putRetention({ ...walk, turn: walk.turn + 1 }, walk) },
  });
};

const turnMs = 45_000;
const contactsPerSlice = 200;

/** The walk to go on with; a new one where none is on its way and one is due, or the retention changed. */
async function currentWalk(companyId: number, days: number, stored: StoredRetention | undefined): Promise<StoredRetention | undefined> {
  if (stored?.belowId !== undefined && stored.days === days) return stored;
  if (stored && stored.days === days && stored.dueAt > now()) return undefined;
  // due again in a day, also when every worker crashes
  const belowId = (await getLastContactId(companyId)) + 1;
  const next = { companyId, days, dueAt: now() + dayMs, belowId, deleted: 0, turn: stored?.turn ?? 0 };
  return putRetention(next, stored);
}

async function deleteOfContacts(companyId: number, contactIds: readonly number[], beforeMs: number): Promise<number> {
  let deleted = 0;
  for (let start = 0; start < contactIds.length; start += contactsAtOnce) {
    const slice = contactIds.slice(start, start + contactsAtOnce);
    const done = await Promise.all(slice.map((contactId) => deleteOfContact({ companyId, contactId, beforeMs })));
    deleted += done.reduce((sum, count) => sum + count, 0);
  }
  return deleted;
}

const contactsAtOnce = 8;

/** The newest message goes last and with the conversation, which names it; it stays while another waits to be sent. */
async function deleteOfContact(old: { companyId: number; contactId: number; beforeMs: number }): Promise<number> {
  const { companyId, contactId, beforeMs } = old;
  const newest = await getNewestMessage(companyId, contactId);
  const lastId = newest && newest.at < beforeMs ? newest.id : undefined;
  const { deleted, hasOthers } = await deleteOldMessages(old, lastId);
  if (lastId === undefined || hasOthers || !(await removeOldConversation(companyId, contactId, lastId))) return deleted;
  return deleted + (await deleteOldMessages(old, undefined)).deleted;
}

/** Undefined at the end of the walk, or when another worker went on with it. */
async function afterSlice(walk: StoredRetention, lastId: number | undefined, deleted: number): Promise<StoredRetention | undefined> {
  const { belowId: _done, ...rest } = walk;
  const next = { ...rest, deleted: walk.deleted + deleted, ...(lastId === undefined ? {} : { belowId: lastId }) };
  if (lastId === undefined && next.deleted > 0) log.info('Messages older than a company keeps them were deleted', { count: next.deleted });
  const stored = await putRetention(next, walk);
  return lastId === undefined ? undefined : stored;
}
