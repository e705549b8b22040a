import type * as z from 'zod';
import { isoTime } from '../../../shared/runtime/clock.ts';
import type { conversation } from '../contract/route.ts';
import { inboundAtOf, serviceWindowOf } from '../../service-window/service.ts';
import { isUnread } from '../domain.ts';
import type { ConversationRow } from './conversations.ts';

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
    last_message_at: isoTime(summary.lastMessageAt),
    last_inbound_at: optionalTime(summary.lastInboundAt),
    created_at: isoTime(summary.createdAt),
    updated_at: isoTime(summary.updatedAt),
  };
};

const optionalTime = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms));
