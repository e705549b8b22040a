import { dayMs } from '../../../shared/runtime/clock.ts';
import { isCustomerMessage } from '../../messaging/contract/inbound.ts';
import { compareNewestFirst, type PlacedMessage } from '../../messaging/contract/message-order.ts';
import type { StoredMessage } from '../../messaging/contract/stored.ts';
import type { InboxView } from '../contract/inbox.ts';
import type { StoredConversation } from '../contract/stored.ts';
import { beginWait, endWait, firstOf, isAutomatic } from './waiting.ts';

/** Applies a message to the summary: the summary shows the newest message; an inbound one counts as unread and opens the window. */
export const applyMessage = (row: StoredConversation | undefined, message: StoredMessage): StoredConversation => {
  const summary: StoredConversation = row ?? {
    companyId: message.companyId,
    contactId: message.contactId,
    lastMessageId: message.id,
    lastMessageAt: message.createdAt,
    unread: 0,
    status: 'open',
    createdAt: message.createdAt,
    updatedAt: message.updatedAt,
    rev: 0,
    checkpoints: {},
  };
  const isNewest = summary.lastMessageId === 0 || compareNewestFirst(message, lastOf(summary)) <= 0;
  const { onlyAutomatic, snoozedUntil, waitingSince: _waited, ...lasting } = summary;
  const { lastMessageOf: _merged, lastArrivedAt: _arrived, ...own } = lasting;
  const wasOnlyAutomatic = row === undefined || row.lastMessageId === 0 || onlyAutomatic === true;
  return {
    ...(isNewest ? own : lasting),
    ...(wasOnlyAutomatic && isAutomatic(message) ? { onlyAutomatic: true } : {}),
    // who writes brings the conversation back at once
    ...(snoozedUntil === undefined || isCustomerMessage(message) ? {} : { snoozedUntil }),
    ...(summary.lastMessageId === 0 ? { createdAt: message.createdAt } : {}),
    ...(isNewest ? { lastMessageId: message.id, lastMessageAt: message.createdAt, ...arrivalOf(message) } : {}),
    ...lastCampaign(summary, message),
    ...(isCustomerMessage(message) ? applyInbound(summary, message) : applyAnswer(summary, message)),
    ...(isCustomerMessage(message) ? beginWait(summary, message) : endWait(summary, message)),
    updatedAt: Math.max(summary.updatedAt, message.updatedAt),
  };
};

/** The newest message of a conversation, by the order in which its messages are listed. */
const lastOf = ({ lastMessageId, lastMessageAt, lastArrivedAt }: StoredConversation): PlacedMessage => ({
  id: lastMessageId,
  createdAt: lastMessageAt,
  arrivedAt: lastArrivedAt,
});

const arrivalOf = ({ arrivedAt }: PlacedMessage): { lastArrivedAt?: number } =>
  arrivedAt === undefined ? {} : { lastArrivedAt: arrivedAt };

/** Who first answers a contact takes over the conversation, where the company wants it so. */
function applyAnswer({ assignedTo, lastInboundAt }: StoredConversation, { assignsTo: userId }: StoredMessage): Partial<StoredConversation> {
  if (userId === undefined || assignedTo !== undefined || lastInboundAt === undefined) return {};
  return { assignedTo: userId, assignedBy: userId, changedBy: { via: 'api', userId } };
}

/** An inbound message opens the window and a closed conversation; it is unread, unless a user read it before the projection applied it. */
function applyInbound(summary: StoredConversation, message: StoredMessage): Partial<StoredConversation> {
  const isRead = summary.readAt !== undefined && message.updatedAt <= summary.readAt;
  const isLast = message.createdAt >= (summary.lastInboundAt ?? 0);
  return {
    lastInboundAt: Math.max(summary.lastInboundAt ?? 0, message.createdAt),
    ...(isLast ? { lastInboundId: message.id } : {}),
    ...(message.numberId === undefined ? {} : applyNumber(summary, message.numberId, message.createdAt, isLast)),
    unread: summary.unread + (isRead ? 0 : 1),
    status: 'open',
    ...campaignReply(summary, message),
  };
}

/** The window is one of contact and number: the provider takes an answer from the number that was written to. */
function applyNumber(summary: StoredConversation, numberId: number, at: number, isLast: boolean): Partial<StoredConversation> {
  const known = summary.inboundAtByNumber?.[numberId] ?? 0;
  return {
    inboundAtByNumber: { ...summary.inboundAtByNumber, [numberId]: Math.max(known, at) },
    ...(isLast ? { lastNumberId: numberId } : {}),
  };
}

/** The newest message of a campaign decides, of two of one time the newer campaign, in whatever order they are applied. */
function lastCampaign(
  // of rows of before the time is not known
  { campaignAt = 0, campaignId = 0 }: StoredConversation,
  { campaign, createdAt: at }: StoredMessage,
): Partial<StoredConversation> {
  if (!campaign || at < campaignAt || (at === campaignAt && campaign.id < campaignId)) return {};
  return { campaignId: campaign.id, campaignAt: at };
}

/** The contact's first message after a campaign answers the campaign; a word of refusal may come later. */
function campaignReply(
  { campaignId: id, answeredCampaign: known }: StoredConversation,
  { id: messageId, createdAt: at, keyword }: StoredMessage,
): Partial<StoredConversation> {
  if (id === undefined) return {};
  const answered = known?.id === id ? known : { id, at, messageId };
  return { answeredCampaign: { ...answered, ...(keyword === 'stop' ? { stopped: true } : {}) } };
}

/**
 * Applies a contact: the conversation of a deleted contact leaves the list. Changes of different items come in any order, so a message may
 * come after the deletion: a deleted contact without messages gets a hidden summary too.
 */
export const applyContact = (
  row: StoredConversation | undefined,
  contact: { companyId: number; id: number; updatedAt: number; mergedInto?: number },
  hidden: boolean,
): StoredConversation | undefined => {
  const { companyId, id: contactId, updatedAt: at, mergedInto } = contact;
  const merged = mergedInto === undefined ? {} : { mergedInto };
  if (row) return { ...row, hidden, ...merged };
  if (!hidden) return undefined;
  const nothing = { lastMessageId: 0, lastMessageAt: 0, unread: 0, status: 'open' as const, rev: 0, checkpoints: {} };
  return { companyId, contactId, ...nothing, hidden, ...merged, createdAt: at, updatedAt: at };
};

/**
 * Adds the conversation of a merged contact to that of the contact it became part of: all of it at first (`was` undefined), then what still
 * changes there. The sums and maxima are the same in any order.
 */
export const applyMerged = (
  row: StoredConversation | undefined,
  was: StoredConversation | undefined,
  is: StoredConversation,
  contactId: number,
): StoredConversation => {
  const { companyId, lastMessageId, lastMessageAt, createdAt, updatedAt } = is;
  const nothing = { lastMessageId: 0, lastMessageAt: 0, unread: 0, status: is.status, rev: 0, checkpoints: {} };
  const summary: StoredConversation = row ?? { companyId, contactId, ...nothing, createdAt, updatedAt };
  const isNewest = lastMessageId > 0 && (summary.lastMessageId === 0 || compareNewestFirst(lastOf(is), lastOf(summary)) < 0);
  const { onlyAutomatic, snoozedUntil, ...lasting } = summary;
  const { lastArrivedAt: _arrived, ...own } = lasting;
  const waits = was ? {} : firstOf(summary, is);
  const isOnlyAutomatic = lastMessageId === 0 ? onlyAutomatic : (summary.lastMessageId === 0 || onlyAutomatic) && is.onlyAutomatic;
  const unread = Math.max(0, is.unread - (was?.unread ?? 0));
  const assignedTo = summary.assignedTo ?? (was ? undefined : is.assignedTo);
  const inbound = is.lastInboundAt === undefined ? {} : latestInbound(summary, is, is.lastInboundAt);
  return {
    ...(isNewest ? own : lasting),
    ...(isOnlyAutomatic ? { onlyAutomatic: true } : {}),
    ...(snoozedUntil === undefined || unread > 0 ? {} : { snoozedUntil }),
    ...inbound,
    ...(isNewest ? { lastMessageId, lastMessageAt, ...arrivalOf(lastOf(is)), lastMessageOf: is.lastMessageOf ?? is.contactId } : {}),
    ...(unread > 0 ? { unread: summary.unread + unread, status: 'open' as const } : {}),
    ...(assignedTo === undefined ? {} : { assignedTo }),
    ...waits,
    mergedIds: [...new Set([...(summary.mergedIds ?? []), ...(is.mergedIds ?? []), is.contactId])],
    updatedAt: Math.max(summary.updatedAt, updatedAt),
  };
};

function latestInbound(summary: StoredConversation, is: StoredConversation, at: number): Partial<StoredConversation> {
  const isLast = at > (summary.lastInboundAt ?? 0);
  const numbers = Object.keys({ ...summary.inboundAtByNumber, ...is.inboundAtByNumber });
  const times = numbers.map((number): [string, number] => [
    number,
    Math.max(summary.inboundAtByNumber?.[number] ?? 0, is.inboundAtByNumber?.[number] ?? 0),
  ]);
  return {
    ...(numbers.length > 0 ? { inboundAtByNumber: Object.fromEntries(times) } : {}),
    ...(isLast ? { lastInboundAt: at } : {}),
    ...(isLast && is.lastInboundId !== undefined ? { lastInboundId: is.lastInboundId } : {}),
    ...(isLast && is.lastNumberId !== undefined ? { lastNumberId: is.lastNumberId } : {}),
  };
}

export const isListed = (row: StoredConversation | undefined): boolean => row !== undefined && row.hidden !== true && row.lastMessageId > 0;

/** The conversations of which events say that lists show something else of them now, the last to change first; notes are in no list. */
export const changedConversations = (events: readonly { type: string; subject: string }[]): number[] => {
  const ids = events.toReversed().flatMap(({ type, subject }) => {
    const id = type === 'conversation.note' ? undefined : /^conversation:(\d+)$/.exec(subject)?.[1];
    return id === undefined ? [] : [Number(id)];
  });
  return [...new Set(ids)];
};

/**
 * The cells of the inbox: each conversation is in one list by whether it is open, assigned and unread, so that a view reads little more than
 * it shows: docs/decisions/inbox-views.md
 */
export const inboxCells = [
  'open',
  'open_unread',
  'assigned',
  'assigned_unread',
  'closed',
  'closed_unread',
  'automatic',
  'snoozed',
  'snoozed_unread',
] as const;
export type InboxCell = (typeof inboxCells)[number];

type CellFields = Pick<StoredConversation, 'status' | 'unread' | 'markedUnread' | 'assignedTo' | 'onlyAutomatic' | 'snoozedUntil'>;

export const isUnread = ({ unread, markedUnread }: Pick<StoredConversation, 'unread' | 'markedUnread'>): boolean =>
  unread > 0 || markedUnread === true;

export const inboxCellOf = (summary: CellFields): InboxCell => {
  const place = placeOf(summary);
  if (isUnread(summary)) return `${place}_unread`;
  // whom a user took care of, or marked, is no longer waited for alone
  return place === 'open' && summary.onlyAutomatic === true ? 'automatic' : place;
};

const placeOf = ({ status, snoozedUntil, assignedTo }: CellFields): 'open' | 'assigned' | 'closed' | 'snoozed' => {
  if (status === 'closed') return 'closed';
  if (snoozedUntil !== undefined) return 'snoozed';
  return assignedTo === undefined ? 'open' : 'assigned';
};

/** Where a conversation is counted: its cell, and who takes care of it. */
export const countedCellOf = (summary: CellFields): string => `${inboxCellOf(summary)}:${summary.assignedTo ?? 0}`;

/** Which conversations a list shows. */
export interface InboxFilter {
  status?: StoredConversation['status'] | undefined;
  unread?: boolean | undefined;
  /** 0: those of no user. */
  assignedTo?: number | undefined;
  /** Those that only automatic messages wrote to; false: all others. */
  automatic?: boolean | undefined;
  /** Those that a user put away; false: all others. */
  snoozed?: boolean | undefined;
}

export const isCellOf = (cell: InboxCell, { status, unread, assignedTo, automatic, snoozed }: InboxFilter): boolean => {
  const isClosed = cell.startsWith('closed');
  const isSnoozed = cell.startsWith('snoozed');
  return (
    (status === undefined || (status === 'closed') === isClosed) &&
    (unread === undefined || cell.endsWith('_unread') === unread) &&
    (assignedTo === undefined || isClosed || isSnoozed || cell.startsWith('assigned') === assignedTo > 0) &&
    (automatic === undefined || (cell === 'automatic') === automatic) &&
    (snoozed === undefined || isSnoozed === snoozed)
  );
};

export const isShownBy = (summary: CellFields, filter: InboxFilter): boolean =>
  isCellOf(inboxCellOf(summary), filter) && (filter.assignedTo === undefined || (summary.assignedTo ?? 0) === filter.assignedTo);

/** What conversations of one cell differ in. */
export interface InboxChoice {
  /** The number of the company that the contact last wrote to. */
  numberId?: number | undefined;
  /** Whether the newest message is the contact's. */
  waiting?: boolean | undefined;
}

export const isChosen = (
  { lastMessageId, lastInboundId, lastNumberId }: Pick<StoredConversation, 'lastMessageId' | 'lastInboundId' | 'lastNumberId'>,
  { numberId, waiting }: InboxChoice,
): boolean =>
  (numberId === undefined || lastNumberId === numberId) && (waiting === undefined || (lastInboundId === lastMessageId) === waiting);

/** How many conversations a list shows, by the counts of the cells. */
export const countShown = (cells: Readonly<Record<string, number>>, filter: InboxFilter): number => {
  let count = 0;
  for (const [place, each] of Object.entries(cells)) {
    const [name, user] = place.split(':');
    const cell = inboxCells.find((known) => known === name);
    if (cell && isCellOf(cell, filter) && (filter.assignedTo === undefined || Number(user) === filter.assignedTo)) count += each;
  }
  return Math.max(0, count);
};

export const filterOfView = (view: InboxView, userId: number): InboxFilter => {
  if (view === 'closed') return { status: 'closed' };
  if (view === 'snoozed') return { snoozed: true };
  if (view === 'automatic') return { automatic: true };
  const open = { status: 'open', snoozed: false } as const;
  if (view === 'unread') return { ...open, unread: true };
  if (view === 'mine') return { ...open, assignedTo: userId };
  return { ...open, automatic: false, ...(view === 'unassigned' ? { assignedTo: 0 } : {}) };
};

/** A search leaves out nothing that waits elsewhere. It finds the conversation, automatic or put away. */
export const filterOfSearch = ({ automatic, snoozed, ...filter }: InboxFilter): InboxFilter => ({
  ...filter,
  ...(automatic ? { automatic } : {}),
  ...(snoozed ? { snoozed } : {}),
});

const maxSnoozeMs = 365 * dayMs;

/** Why a conversation cannot be put away until then. */
export const snoozeProblem = (untilMs: number, nowMs: number): string | undefined => {
  if (untilMs <= nowMs) return 'Must be in the future.';
  return untilMs > nowMs + maxSnoozeMs ? 'Must be within 365 days.' : undefined;
};

/** Words, each the beginning of a word of the text (A48); case and accents do not count. */
export const matchesWords = (text: string, search: string): boolean => {
  const words = wordsOf(text);
  return wordsOf(search).every((wanted) => words.some((word) => (isUnspaced(wanted) ? word.includes(wanted) : word.startsWith(wanted))));
};

const normalizeText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .trim();

/** Scripts without spaces are one word up to the next mark: there any part counts. */
const isUnspaced = (word: string): boolean =>
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u.test(word);

const wordsOf = (text: string): string[] => normalizeText(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
