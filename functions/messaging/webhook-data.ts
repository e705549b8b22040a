import * as z from 'zod';
import type { EventData, WebhookData } from '../../shared/contract/webhook-data.ts';
import { messageStatuses } from './contract/stored.ts';
import { getContactMessage } from './service/messages.ts';

/** The text of a contact's message, and why a message failed. */
export const webhookData: readonly WebhookData[] = [{ of: ['message.received', 'message.status'], read: withMessage }];

const ofMessage = z.looseObject({ contact_id: z.int(), message_id: z.int() });

async function withMessage(companyId: number, event: string, data: EventData): Promise<EventData> {
  if (event === 'message.status' && data['status'] !== messageStatuses.failed) return data;
  const { contact_id, message_id } = ofMessage.parse(data);
  const message = await getContactMessage(companyId, contact_id, message_id, { consistent: true });
  if (!message) return data;
  if (event === 'message.status')
    return {
      ...data,
      error: message.error ? { code: message.error.code, title: message.error.title, details: message.error.details ?? null } : null,
    };
  const { kind, mime, size, filename, caption } = message.media ?? {};
  return {
    ...data,
    from: message.phone ?? null,
    user_id: message.userId ?? null,
    number_id: message.numberId ?? null,
    value: message.value,
    subtype: message.subtype,
    context_message_id: message.contextWamid ?? null,
    content: message.content ?? null,
    media: message.media ? { kind, mime: mime ?? null, size: size ?? null, filename: filename ?? null, caption: caption ?? null } : null,
  };
}
