import type * as z from 'zod';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { type MessageMedia, messageStatuses, type StoredMessage } from '../../messaging/contract/stored.ts';
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
  content: message.content ?? outboundContent(message) ?? null,
  context_message_id: message.contextWamid ?? null,
  pricing: message.pricing ?? null,
  ambiguous: message.ambiguous ?? false,
  error: message.error ? { code: message.error.code, title: message.error.title, details: message.error.details ?? null } : null,
  ...timesInOrder(message),
  failed_at: optionalTime(message.failedAt),
  scheduled_at: message.status === messageStatuses.scheduled ? optionalTime(message.dueAt) : null,
  edited_at: optionalTime(message.editedAt),
  revoked_at: optionalTime(message.revokedAt),
  group_id: groupOf(message),
  template_name: message.template?.name ?? null,
  campaign_id: message.campaign?.id ?? null,
  created_at: isoTime(message.createdAt),
  updated_at: isoTime(message.updatedAt),
});

/** Buttons, list, header and template of a message that we sent. */
function outboundContent({ payload }: StoredMessage): Record<string, unknown> | undefined {
  if (payload === undefined) return undefined;
  const { type: _type, ...content } = JSON.parse(payload) as Record<string, unknown>;
  return content;
}

/** The provider's times are whole seconds and ours are not: a step is never shown before the one that it follows. */
function timesInOrder({ sentAt, deliveredAt, readAt, inbound }: StoredMessage) {
  const delivered = deliveredAt === undefined ? undefined : Math.max(deliveredAt, inbound ? 0 : (sentAt ?? 0));
  const read = readAt === undefined ? undefined : Math.max(readAt, delivered ?? sentAt ?? 0);
  return { sent_at: optionalTime(sentAt), delivered_at: optionalTime(delivered), read_at: optionalTime(read) };
}

const groupOf = ({ content }: StoredMessage): string | null => {
  const group = content?.['group_id'];
  return typeof group === 'string' ? group : null;
};

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
