import { isCustomerMessage } from '../messaging/contract/inbound.ts';
import type { StoredMessage } from '../messaging/contract/stored.ts';
import type { StoredConversation } from './contract/stored.ts';
import { secondOf } from '../../shared/runtime/ids.ts';

/** A message's part in its conversation's head: the newest message shows, an inbound one counts as unread and opens the window. */
export const applyMessage = (row: StoredConversation | undefined, message: StoredMessage): StoredConversation => {
  const head: StoredConversation = row ?? {
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
  // changes come in the order in which messages arrived, which tells those of one second apart; their ids do not
  const isNewest = secondOf(message.id) >= secondOf(head.lastMessageId);
  return {
    ...head,
    ...(head.lastMessageId === 0 ? { createdAt: message.createdAt } : {}),
    ...(isNewest ? { lastMessageId: message.id, lastMessageAt: message.createdAt } : {}),
    ...(message.campaign ? { campaignId: message.campaign.id } : {}),
    ...(isCustomerMessage(message) ? applyInbound(head, message) : {}),
    updatedAt: Math.max(head.updatedAt, message.updatedAt),
  };
};

/** A person wrote: the window opens again, a closed conversation too; unread, unless somebody read it before this was folded in. */
function applyInbound(head: StoredConversation, message: StoredMessage): Partial<StoredConversation> {
  const isRead = head.readAt !== undefined && message.updatedAt <= head.readAt;
  const isLast = message.createdAt >= (head.lastInboundAt ?? 0);
  return {
    lastInboundAt: Math.max(head.lastInboundAt ?? 0, message.createdAt),
    ...(isLast ? { lastInboundId: message.id } : {}),
    unread: head.unread + (isRead ? 0 : 1),
    status: 'open',
    ...campaignReply(head, message),
  };
}

/** The first thing a person writes after a campaign answers it; a word of refusal may come later. */
function campaignReply(
  { campaignId: id, answeredCampaign: known }: StoredConversation,
  { keyword }: StoredMessage,
): Partial<StoredConversation> {
  if (id === undefined) return {};
  const stopped = keyword === 'stop' || (known?.id === id && known.stopped === true);
  return { answeredCampaign: { id, ...(stopped ? { stopped } : {}) } };
}

/**
 * The contact's part: deleted, it leaves the list. Its messages may be folded in later than its deletion, since changes of different items
 * come in any order: so there is a head, hidden and without a message, also of a contact that nobody has written to yet.
 */
export const applyContact = (
  row: StoredConversation | undefined,
  contact: { companyId: number; id: number; updatedAt: number },
  hidden: boolean,
): StoredConversation | undefined => {
  if (row) return { ...row, hidden };
  if (!hidden) return undefined;
  const { companyId, id: contactId, updatedAt: at } = contact;
  const nothing = { lastMessageId: 0, lastMessageAt: 0, unread: 0, status: 'open' as const, rev: 0, checkpoints: {} };
  return { companyId, contactId, ...nothing, hidden, createdAt: at, updatedAt: at };
};

export const isListed = (row: StoredConversation | undefined): boolean => row !== undefined && row.hidden !== true && row.lastMessageId > 0;

/** The customer service window (decision A26): 24 hours from the person's last message. */
export const serviceWindowMs = 24 * 3_600_000;

export const serviceWindowOf = (lastInboundAtMs: number | undefined, nowMs: number): { open: boolean; expiresAtMs: number | undefined } => {
  const expiresAtMs = lastInboundAtMs === undefined ? undefined : lastInboundAtMs + serviceWindowMs;
  return { open: expiresAtMs !== undefined && expiresAtMs > nowMs, expiresAtMs };
};

/** Words, each the beginning of a word of the text (A48); case and accents do not count. */
export const matchesWords = (text: string, search: string): boolean => {
  const words = wordsOf(text);
  return wordsOf(search).every((wanted) => words.some((word) => (isUnspaced(wanted) ? word.includes(wanted) : word.startsWith(wanted))));
};

const foldAccents = (text: string): string =>
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

const wordsOf = (text: string): string[] => foldAccents(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
