import type { StoredMessage } from '../messaging/contract/stored.ts';
import type { StoredConversation } from './contract.ts';
import { secondOf } from '../../shared/runtime/ids.ts';

/** A message's part in its conversation's head: the newest message shows, an inbound one counts as unread and opens the window. */
export const withMessage = (row: StoredConversation | undefined, message: StoredMessage): StoredConversation => {
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
    marks: {},
  };
  // changes come in the order in which messages arrived, which tells those of one second apart; their ids do not
  const isNewest = secondOf(message.id) >= secondOf(head.lastMessageId);
  return {
    ...head,
    ...(isNewest ? { lastMessageId: message.id, lastMessageAt: message.createdAt } : {}),
    ...(message.inbound ? { lastInboundAt: Math.max(head.lastInboundAt ?? 0, message.createdAt), unread: head.unread + 1 } : {}),
    updatedAt: Math.max(head.updatedAt, message.updatedAt),
  };
};

/** Newest first: by their second, then by when they reached us. */
export const newestFirst = (messages: readonly StoredMessage[]): StoredMessage[] =>
  messages.toSorted(
    (a, b) => secondOf(b.id) - secondOf(a.id) || (b.arrivedAt ?? b.createdAt) - (a.arrivedAt ?? a.createdAt) || b.id - a.id,
  );

export const isListed = (row: StoredConversation | undefined): boolean => row !== undefined && row.hidden !== true;

/** The customer service window (decision A26): 24 hours from the person's last message. */
export const windowMs = 24 * 3_600_000;

export const windowOf = (lastInboundAtMs: number | undefined, nowMs: number): { open: boolean; expiresAtMs: number | undefined } => {
  const expiresAtMs = lastInboundAtMs === undefined ? undefined : lastInboundAtMs + windowMs;
  return { open: expiresAtMs !== undefined && expiresAtMs > nowMs, expiresAtMs };
};
