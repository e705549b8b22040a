import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Once } from '../../../shared/contract/route.ts';
import { currentActor } from '../../../shared/runtime/actor.ts';
import { dayMs, isoTime, now } from '../../../shared/runtime/clock.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { getUserNames } from '../../account/service/user-names.ts';
import { contactExists } from '../../contacts/service/contacts.ts';
import { findFiled, getFiledIds } from '../../contacts/service/followed-contacts.ts';
import { getContactMessages } from '../../messaging/service/messages.ts';
import type { ConversationNoteInput, ConversationNoteRecord } from '../contract/note.ts';
import { type ConversationNote, conversationNoteEntityName } from '../contract/stored-note.ts';
import {
  createStoredConversationNote,
  getConversationNote,
  listStoredConversationNotes,
  updateStoredConversationNote,
} from '../store/note.ts';

/** Internal notes of a conversation. Nothing here can send. */
export interface NotePage {
  notes: ConversationNoteRecord[];
  /** Where the next page begins; undefined at the end. */
  nextBeforeId: number | undefined;
}

/** Newest first; a contact without notes has an empty page, an unknown or deleted contact none. */
export const listConversationNotes = async (
  companyId: number,
  contactId: number,
  { limit, before_id }: { limit: number; before_id?: number | undefined },
): Promise<NotePage | Problem<'not_found'>> => {
  const filed = await getFiledIds(companyId, contactId);
  if (filed.length === 0) return problem('not_found');
  const found = await listNotesOfConversations(companyId, filed, before_id, limit + 1);
  const shown = found.slice(0, limit);
  return { notes: await toRecords(companyId, shown), nextBeforeId: found.length > limit ? shown.at(-1)?.id : undefined };
};

/** Up to `count` notes below an id of the conversations of several contacts, newest first. 0.5 RRU per 4 KB. */
export const listNotesOfConversations = async (
  companyId: number,
  contactIds: readonly number[],
  belowId: number | undefined,
  count: number,
): Promise<ConversationNote[]> => {
  const lists = await Promise.all(contactIds.map((id) => listStoredConversationNotes(companyId, id, belowId, count)));
  return lists
    .flat()
    .toSorted((a, b) => b.id - a.id)
    .slice(0, count);
};

export const createConversationNote = async (
  { companyId, userId }: { companyId: number; userId: number },
  contactId: number,
  { body, message_id }: ConversationNoteInput,
  once: Once,
): Promise<ConversationNoteRecord | Problem<'not_found' | 'validation_failed'>> => {
  const messageId = message_id ?? undefined;
  const [exists, messages] = await Promise.all([
    contactExists(companyId, contactId),
    messageId === undefined ? [] : getContactMessages(companyId, [{ contactId, id: messageId }]),
  ]);
  if (!exists) return problem('not_found');
  if (messageId !== undefined && messages.length === 0) return invalid('message_id', 'Must be a message of the conversation.');
  const id = await once('id', () => nextIds(companyId, conversationNoteEntityName, 1));
  const at = now();
  const author = userId > 0 ? { authorId: userId } : {};
  const note = {
    companyId,
    contactId,
    id,
    body,
    ...author,
    ...defined({ messageId }),
    createdAt: at,
    updatedAt: at,
    changedBy: changedBy(),
  };
  const written = await createStoredConversationNote(note);
  return toRecord(companyId, written.done ? note : (written.current ?? note));
};

/** The last text wins; who wrote it is in the event log. */
export const updateConversationNote = (
  companyId: number,
  contactId: number,
  id: number,
  body: string,
): Promise<ConversationNoteRecord | Problem<'not_found'>> =>
  retryOnConflict<ConversationNoteRecord | Problem<'not_found'>>(maxAttempts, async () => {
    const seen = await getLiveNote(companyId, contactId, id);
    if (!seen) return problem('not_found');
    const next = seen.body === body ? seen : { ...seen, body, updatedAt: laterThan(seen), changedBy: changedBy() };
    return next === seen || (await updateStoredConversationNote(next, seen)) ? toRecord(companyId, next) : conflict;
  });

/** Its text goes at once; from the empty item, which goes after a day, the event log knows who deleted it. */
export const deleteConversationNote = (companyId: number, contactId: number, id: number): Promise<{ id: number } | Problem<'not_found'>> =>
  retryOnConflict<{ id: number } | Problem<'not_found'>>(maxAttempts, async () => {
    const seen = await getLiveNote(companyId, contactId, id);
    if (!seen) return problem('not_found');
    const at = laterThan(seen);
    const until = Math.ceil((at + dayMs) / 1_000);
    const gone = { ...seen, body: '', updatedAt: at, deletedAt: at, until, changedBy: changedBy() };
    return (await updateStoredConversationNote(gone, seen)) ? { id } : conflict;
  });

const maxAttempts = 16;

const laterThan = ({ updatedAt }: ConversationNote): number => Math.max(now(), updatedAt + 1);

async function getLiveNote(companyId: number, contactId: number, id: number): Promise<ConversationNote | undefined> {
  const note = await findFiled(companyId, contactId, (each) => getConversationNote(companyId, each, id));
  return note?.deletedAt === undefined ? note : undefined;
}

function changedBy(): NonNullable<ConversationNote['changedBy']> {
  const { via, userId, credentialId } = currentActor();
  return { via, ...defined({ userId, credentialId }) };
}

const toRecord = async (companyId: number, note: ConversationNote): Promise<ConversationNoteRecord> =>
  noteRecord(note, await getUserNames(companyId, [note.authorId]));

async function toRecords(companyId: number, notes: readonly ConversationNote[]): Promise<ConversationNoteRecord[]> {
  if (notes.length === 0) return [];
  const names = await getUserNames(
    companyId,
    notes.map(({ authorId }) => authorId),
  );
  return notes.map((note) => noteRecord(note, names));
}

const noteRecord = (note: ConversationNote, names: ReadonlyMap<number, string>): ConversationNoteRecord => {
  const name = note.authorId === undefined ? undefined : names.get(note.authorId);
  return {
    id: note.id,
    conversation_id: note.contactId,
    body: note.body,
    message_id: note.messageId ?? null,
    author: note.authorId === undefined || name === undefined ? null : { id: note.authorId, name },
    created_at: isoTime(note.createdAt),
    updated_at: isoTime(note.updatedAt),
  };
};
