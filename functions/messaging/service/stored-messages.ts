import * as z from 'zod';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { parseSchedule } from '../../../shared/runtime/schedule.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { type CursorPage, listByCursor } from '../../../shared/table/page.ts';
import { getCompany } from '../../account/service/companies.ts';
import { contactExists } from '../../contacts/service/contacts.ts';
import { getFiledIds } from '../../contacts/service/followed-contacts.ts';
import type { RescheduleInput, ScheduledQuery } from '../contract/message.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import { getStoredMessage as getStored, getStoredMessages, updateMessage } from '../store/message.ts';
import { getRecipientHold } from '../store/pace.ts';
import { getScheduledContactId, listWaitingMessages, putScheduledMessage, type WaitingMessage } from '../store/scheduled-message.ts';
import { findMessage } from './messages.ts';
import { dueTimeOf } from './send-request.ts';

/** Single messages as callers of the API see them. */

/** A message of a contact; without the contact, one that was scheduled. */
export const getMessage = async (
  companyId: number,
  id: number,
  contactId: number | undefined,
): Promise<StoredMessage | Problem<'not_found'>> => {
  const owner = contactId ?? (await getScheduledContactId(companyId, id));
  if (owner === undefined) return missing(contactId);
  const [message, exists] = await Promise.all([findMessage(companyId, owner, id), contactExists(companyId, owner)]);
  return message && exists ? message : missing(contactId);
};

const missing = (contactId: number | undefined): Problem<'not_found'> =>
  problem(
    'not_found',
    contactId === undefined ? { remedy: 'Name the contact too: without contact_id only scheduled messages are found.' } : {},
  );

/** Entries of the list that one call looks at. */
const maxExamined = 1_000;

const position = z.object({ dueAt: z.int(), id: z.int() });

/** Messages that wait for their time, the next one first. */
export const listMessages = (
  companyId: number,
  { contact_id: contactId, cursor, limit }: ScheduledQuery,
): Promise<CursorPage<StoredMessage> | Problem<'invalid_cursor'>> =>
  listByCursor({ scope: `waiting:${companyId}:${contactId ?? ''}`, cursor, position }, async (begin) => {
    const filed = contactId === undefined ? undefined : new Set([contactId, ...(await getFiledIds(companyId, contactId))]);
    const items: StoredMessage[] = [];
    let next = begin;
    for (let examined = 0; examined < maxExamined && items.length < limit; examined += limit) {
      const entries = await listWaitingMessages(companyId, next, limit);
      const waiting = await waitingOf(companyId, filed === undefined ? entries : entries.filter((entry) => filed.has(entry.contactId)));
      const shown = waiting.slice(0, limit - items.length);
      items.push(...shown.map(({ message }) => message));
      const last = shown.length < waiting.length ? shown.at(-1)?.entry : entries.at(-1);
      const isAll = entries.length < limit && shown.length === waiting.length;
      if (isAll || !last) return { items, next: undefined };
      next = { dueAt: last.dueAt, id: last.id };
    }
    return { items, next };
  });

/** Gives a message that waits another time: one conditional write. Its list entry is written first, so that it can always be found. */
export const rescheduleMessage = async (
  companyId: number,
  id: number,
  input: RescheduleInput,
  ofContactId?: number,
): Promise<StoredMessage | Problem<'not_found' | 'message_not_scheduled' | 'validation_failed'>> => {
  const [contactId, company] = await Promise.all([ofContactId ?? getScheduledContactId(companyId, id), getCompany(companyId)]);
  const message = contactId === undefined ? undefined : await getStored(companyId, contactId, id, { consistent: true });
  if (!message || !(await contactExists(companyId, message.contactId))) return problem('not_found');
  const schedule = parseSchedule(input.scheduled_at, input.timezone ?? company?.timezone ?? 'UTC', now());
  if (schedule.when === 'never') return invalid('scheduled_at', schedule.reason);
  const heldUntil = message.phone === undefined ? undefined : await getRecipientHold(companyId, message.phone);
  const dueAt = dueTimeOf(schedule, heldUntil) ?? now();
  let current: StoredMessage | undefined = message;
  return retryOnConflict<StoredMessage | Problem<'not_found' | 'message_not_scheduled'>>(maxConflicts, async () => {
    if (!current) return problem('not_found');
    if (current.status !== messageStatuses.scheduled || current.campaign)
      return problem('message_not_scheduled', { details: { status: current.status } });
    await putScheduledMessage({ companyId, id, contactId: current.contactId, dueAt });
    const written = await updateMessage(current, { dueAt }, now());
    if (written.done) return written.item;
    current = written.current;
    return conflict;
  });
};

/** The messages of entries, in their order; without those that were sent, cancelled or erased. */
async function waitingOf(
  companyId: number,
  entries: readonly WaitingMessage[],
): Promise<{ entry: WaitingMessage; message: StoredMessage }[]> {
  const messages = await getStoredMessages(companyId, entries);
  return entries.flatMap((entry) => {
    const message = messages.find(({ id, contactId }) => id === entry.id && contactId === entry.contactId);
    return message?.status === messageStatuses.scheduled ? [{ entry, message }] : [];
  });
}
