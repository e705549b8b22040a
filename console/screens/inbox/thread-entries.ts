import type { ConversationNote, Message } from '../../../client/client.ts';
import type { Outgoing } from '../../data/outbox.ts';
import type { SystemLine } from '../../data/system-lines.ts';
import type { Thread } from '../../data/thread.ts';
import { withoutReactions } from './reactions.ts';

/** What stands in a thread, each at its time. */
export type Entry =
  | { kind: 'message'; message: Message }
  | { kind: 'note'; note: ConversationNote }
  | { kind: 'outgoing'; outgoing: Outgoing }
  | { kind: 'system'; line: SystemLine };

export const keyOfEntry = (entry: Entry): string => {
  if (entry.kind === 'message') return `m${entry.message.id}`;
  if (entry.kind === 'note') return `n${entry.note.id}`;
  return entry.kind === 'system' ? `s${entry.line.id}` : entry.outgoing.key;
};

export const timeOfEntry = (entry: Entry): string => {
  if (entry.kind === 'message') return entry.message.created_at;
  if (entry.kind === 'note') return entry.note.created_at;
  return entry.kind === 'system' ? entry.line.at : entry.outgoing.createdAt;
};

/** The messages that were read with the notes and changes of their time, and at the end what is being sent until they have it. */
export const entriesOf = (
  thread: Thread | undefined,
  notes: readonly ConversationNote[],
  outgoing: readonly Outgoing[],
  lines: readonly SystemLine[] = [],
): Entry[] => {
  const messages = thread?.messages ?? [];
  const known = new Set(messages.slice(-60).map(({ id }) => id));
  const others = [...notes.map((note): Entry => ({ kind: 'note', note })), ...lines.map((line): Entry => ({ kind: 'system', line }))];
  return [
    ...withOthers(withoutReactions(messages), others, thread?.nextBefore === null),
    ...outgoing
      .filter(({ messageId }) => messageId === undefined || !known.has(messageId))
      .map((each): Entry => ({ kind: 'outgoing', outgoing: each })),
  ];
};

/**
 * Notes and changes at their time among the messages that were read, which stay in the order of the API: of one second, the last to come is the
 * last, whatever its time says. Those of before the oldest come with it.
 */
const withOthers = (messages: readonly Message[], others: readonly Entry[], isWhole: boolean): Entry[] => {
  const oldest = messages[0]?.created_at ?? '';
  const shown = others.filter((entry) => isWhole || timeOfEntry(entry) >= oldest);
  let latest = 0;
  const timeIn = (entry: Entry): number => Date.parse(timeOfEntry(entry));
  const placed = messages.map((message) => {
    const entry: Entry = { kind: 'message', message };
    latest = Math.max(latest, timeIn(entry));
    return { entry, at: latest };
  });
  return [...placed, ...shown.map((entry) => ({ entry, at: timeIn(entry) }))].toSorted((a, b) => a.at - b.at).map(({ entry }) => entry);
};

const togetherMs = 2 * 60_000;

/** Shown as a line, not as a message. */
const quietSubtypes: ReadonlySet<string> = new Set(['edit', 'revoke', 'request_welcome', 'system']);

/** Who an entry is from, as far as a reader sees it: of two in a row from the same, the second says it no more. */
const authorOf = (entry: Entry): string => {
  if (entry.kind === 'outgoing') return 'outgoing';
  if (entry.kind !== 'message') return '';
  const { is_message_by_contact: isByContact, sent_by: by, template_name: template, subtype } = entry.message;
  if (quietSubtypes.has(subtype)) return '';
  return isByContact ? 'contact' : `${by?.via} ${by?.user_id} ${by?.token_id} ${template}`;
};

/** Whether an entry goes on with the one before it: from the same, within two minutes. */
export const isContinued = (entry: Entry, before: Entry | undefined): boolean => {
  if (!before) return false;
  const [author, earlier] = [authorOf(entry), authorOf(before)];
  const isOurs = entry.kind === 'outgoing' && before.kind === 'message' && before.message.is_message_by_contact === 0;
  if (author === '' || (author !== earlier && !isOurs)) return false;
  const [from, to] = [new Date(timeOfEntry(before)), new Date(timeOfEntry(entry))];
  return to.getTime() - from.getTime() <= togetherMs && from.toDateString() === to.toDateString();
};

/** The first of the newest messages of the contact, as many as are unread; undefined where none is or it was not read yet. */
export const firstUnread = (messages: readonly Message[], unread: number): number | undefined =>
  unread === 0
    ? undefined
    : withoutReactions(messages)
        .filter(({ is_message_by_contact: isByContact }) => isByContact === 1)
        .at(-unread)?.id;
