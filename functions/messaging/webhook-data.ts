import * as z from 'zod';
import type { EventData, WebhookData } from '../../shared/contract/webhook-data.ts';
import { messageStatuses } from './contract/stored.ts';
import { getContactMessage } from './service/messages.ts';
import { getReceivedMessage } from './service/received-message.ts';

/** The text of a contact's message, and why a message failed. */
export const webhookData: readonly WebhookData[] = [
  { of: ['message.received'], read: withReceived },
  { of: ['message.status'], read: withError },
];

const ofMessage = z.looseObject({ contact_id: z.int(), message_id: z.int() });

async function withError(companyId: number, _event: string, data: EventData): Promise<EventData> {
  if (data['status'] !== messageStatuses.failed) return data;
  const { contact_id, message_id } = ofMessage.parse(data);
  const message = await getContactMessage(companyId, contact_id, message_id, { consistent: true });
  if (!message) return data;
  const { error } = message;
  return { ...data, error: error ? { code: error.code, title: error.title, details: error.details ?? null } : null };
}

async function withReceived(companyId: number, _event: string, data: EventData): Promise<EventData> {
  const { contact_id, message_id } = ofMessage.parse(data);
  const received = await getReceivedMessage(companyId, contact_id, message_id);
  if (!received) return data;
  const { message, isForBot } = received;
  const { kind, mime, size, filename, caption } = message.media ?? {};
  return {
    ...data,
    from: message.phone ?? null,
    user_id: message.userId ?? null,
    number_id: message.numberId ?? null,
    enabled_ai_bot: isForBot,
    value: message.value,
    subtype: message.subtype,
    context_message_id: message.contextWamid ?? null,
    content: message.content ?? null,
    media: message.media ? { kind, mime: mime ?? null, size: size ?? null, filename: filename ?? null, caption: caption ?? null } : null,
  };
}
