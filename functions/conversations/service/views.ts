import type * as z from 'zod';
import { isoTime } from '../../../shared/runtime/clock.ts';
import type { MessageMedia, StoredMessage } from '../../messaging/contract/stored.ts';
import { getMediaLink } from '../../messaging/service/media-links.ts';
import type { conversation, conversationMessage } from '../contract/route.ts';
import { inboundAtOf, isUnread, serviceWindowOf } from '../domain.ts';
import type { ConversationRow } from './conversations.ts';

export const conversationView = ({ summary, contact, lastMessage }: ConversationRow, nowMs: number): z.input<typeof conversation> => {
  const window = serviceWindowOf(inboundAtOf(summary, summary.lastNumberId), nowMs);
  return {
    id: summary.contactId,
    contact,
    last_message: {
      id: lastMessage.id,
      value: lastMessage.value,
      message_type: lastMessage.type,
      status: lastMessage.status,
      is_message_by_contact: Number(lastMessage.inbound),
      created_at: isoTime(lastMessage.createdAt),
    },
    unread_count: isUnread(summary) ? Math.max(1, summary.unread) : 0,
    window: { open: window.open, expires_at: optionalTime(window.expiresAtMs), number_id: summary.lastNumberId ?? null },
    status: summary.status,
    assigned_to: summary.assignedTo ?? null,
    assigned_by: (summary.assignedTo && summary.assignedBy) ?? null,
    last_message_at: isoTime(summary.lastMessageAt),
    last_inbound_at: optionalTime(summary.lastInboundAt),
    created_at: isoTime(summary.createdAt),
    updated_at: isoTime(summary.updatedAt),
  };
};

export const messageView = async (message: StoredMessage): Promise<z.input<typeof conversationMessage>> => ({
  id: message.id,
  fb_message_id: message.wamid ?? null,
  contact_id: message.contactId,
  number_id: message.numberId ?? null,
  value: message.value,
  status: message.status,
  is_message_by_contact: Number(message.inbound),
  message_type: message.type,
  subtype: message.subtype,
  media: message.media ? await mediaView(message.media) : null,
  content: message.content ?? null,
  context_message_id: message.contextWamid ?? null,
  pricing: message.pricing ?? null,
  ambiguous: message.ambiguous ?? false,
  error: message.error ? { code: message.error.code, title: message.error.title } : null,
  sent_at: optionalTime(message.sentAt),
  delivered_at: optionalTime(message.deliveredAt),
  read_at: optionalTime(message.readAt),
  failed_at: optionalTime(message.failedAt),
  created_at: isoTime(message.createdAt),
  updated_at: isoTime(message.updatedAt),
});

async function mediaView(media: MessageMedia): Promise<NonNullable<z.input<typeof conversationMessage>['media']>> {
  return {
    url: (await getMediaLink(media)) ?? null,
    mime: media.mime ?? null,
    size: media.size ?? null,
    sha256: media.sha256 ?? null,
    caption: media.caption ?? null,
    filename: media.filename ?? null,
  };
}

const optionalTime = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms));
