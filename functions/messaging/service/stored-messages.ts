import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { parseSchedule } from '../../../shared/runtime/schedule.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import * as z from 'zod';
import { getCompany } from '../../account/service/companies.ts';
import { contactExists } from '../../contacts/service.ts';
import { getFiledIds } from '../../contacts/service/followed-contacts.ts';
import type { RescheduleInput, ScheduledQuery } from '../contract/message.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import { getMessage as getStored, getMessages, updateMessage } from '../store/message.ts';
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

export interface WaitingPage {
  messages: StoredMessage[];
  nextCursor: string | undefined;
}

/** Entries of the list that one call looks at. */
const maxExamined = 1_000;

/** Messages that wait for their time, the next one first. */
export const listMessages = async (
  companyId: number,
  { contact_id: contactId, cursor, limit }: ScheduledQuery,
): Promise<WaitingPage | Problem<'invalid_cursor'>> => {
  const scope = `waiting:${companyId}:${contactId ?? ''}`;
  let after = cursor === undefined ? undefined : await decodeCursor(scope, cursor, position);
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  const filed = contactId === undefined ? undefined : new Set([contactId, ...(await getFiledIds(companyId, contactId))]);
  const found: StoredMessage[] = [];
  for (let examined = 0; examined < maxExamined; ) {
    const entries = await listWaitingMessages(companyId, after, limit);
    examined += limit;
    const waiting = await waitingOf(companyId, filed === undefined ? entries : entries.filter((entry) => filed.has(entry.contactId)));
    const shown = waiting.slice(0, limit - found.length);
    found.push(...shown.map(({ message }) => message));
    const last = shown.length < waiting.length ? shown.at(-1)?.entry : entries.at(-1);
    const isAll = entries.length < limit && shown.length === waiting.length;
    if (isAll || !last) return { messages: found, nextCursor: undefined };
    after = { dueAt: last.dueAt, id: last.id };
    if (found.length >= limit) break;
  }
  return { messages: found, nextCursor: after && (await encodeCursor(scope, { ...after })) };
};

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
  for (let current: StoredMessage | undefined = message; current; ) {
    if (current.status !== messageStatuses.scheduled || current.campaign)
      return problem('message_not_scheduled', { details: { status: current.status } });
    await putScheduledMessage({ companyId, id, contactId: current.contactId, dueAt });
    const written = await updateMessage(current, { dueAt }, now());
    if (written.done) return written.item;
    current = written.current;
  }
  return problem('not_found');
};

const position = z.object({ dueAt: z.int(), id: z.int() });

/** The messages of entries, in their order; without those that were sent, cancelled or erased. */
async function waitingOf(
  companyId: number,
  entries: readonly WaitingMessage[],
): Promise<{ entry: WaitingMessage; message: StoredMessage }[]> {
  const messages = await getMessages(companyId, entries);
  return entries.flatMap((entry) => {
    const message = messages.find(({ id, contactId }) => id === entry.id && contactId === entry.contactId);
    return message?.status === messageStatuses.scheduled ? [{ entry, message }] : [];
  });
}
