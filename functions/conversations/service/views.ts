import type * as z from 'zod';
import { isoTime } from '../../../shared/runtime/clock.ts';
import type { conversation } from '../contract/conversation-record.ts';
import type { SyncRecord } from '../contract/sync.ts';
import { messageView } from '../../messaging/service/message-views.ts';
import { inboundAtOf, serviceWindowOf } from '../../service-window/service.ts';
import { isUnread } from '../domain/conversation.ts';
import type { ConversationRow } from './conversations.ts';
import type { Sync } from './sync.ts';

export const conversationView = ({ summary, contact, lastMessage }: ConversationRow, nowMs: number): z.input<typeof conversation> => {
  const window = serviceWindowOf(inboundAtOf(summary, summary.lastNumberId), nowMs);
  return {
    id: summary.contactId,
    contact,
    last_message: {
      id: lastMessage.id,
      value: lastMessage.value,
      subtype: lastMessage.subtype,
      message_type: lastMessage.type,
      status: lastMessage.status,
      is_message_by_contact: Number(lastMessage.inbound),
      ambiguous: lastMessage.ambiguous === true,
      error_code: lastMessage.error?.code ?? null,
      created_at: isoTime(lastMessage.createdAt),
    },
    is_automatic: summary.onlyAutomatic === true,
    unread_count: isUnread(summary) ? Math.max(1, summary.unread) : 0,
    window: { open: window.open, expires_at: optionalTime(window.expiresAtMs), number_id: summary.lastNumberId ?? null },
    status: summary.status,
    assigned_to: summary.assignedTo ?? null,
    assigned_by: (summary.assignedTo && summary.assignedBy) ?? null,
    snoozed_until: optionalTime(summary.snoozedUntil),
    waiting_since: optionalTime(summary.waitingSince),
    last_message_at: isoTime(summary.lastMessageAt),
    last_inbound_at: optionalTime(summary.lastInboundAt),
    created_at: isoTime(summary.createdAt),
    updated_at: isoTime(summary.updatedAt),
  };
};

export const syncView = async (
  { page, counts, changed, thread, others }: Sync,
  conversationId: number | undefined,
  nowMs: number,
): Promise<SyncRecord> => ({
  events: page.events,
  counts,
  conversations: changed.rows.map((row) => conversationView(row, nowMs)),
  unlisted_ids: changed.unlistedIds,
  other_ids: changed.otherIds,
  thread:
    thread && conversationId !== undefined
      ? {
          conversation_id: conversationId,
          version: thread.version,
          messages: thread.messages ? await Promise.all(thread.messages.map(messageView)) : null,
          next_before_id: thread.nextBeforeId ?? null,
        }
      : null,
  others,
});

const optionalTime = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms));
