import { classifyResponse, type ProviderResult } from '../domain/provider-result.ts';
import type { ProviderPayload } from '../contract/content.ts';
import { callProvider, type ProviderAccess, type SendingNumber } from '../../../shared/provider/call.ts';

/** Long enough for the provider, short enough for a caller that waits. */
const timeoutMs = 10_000;

/**
 * Posts one message, to the edge that its content is for. Never repeated here, nor by the other edge: the provider has no idempotency key.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages
 */
export const postMessage = async (number: SendingNumber, request: Record<string, unknown>): Promise<ProviderResult> => {
  const edge = request['product_policy'] === undefined ? 'messages' : 'marketing_messages';
  const reply = await callProvider(number, { method: 'POST', path: [number.phoneNumberId, edge], body: request, timeoutMs });
  switch (reply.outcome) {
    case 'answered':
      return classifyResponse(reply.status, reply.body);
    case 'unsent':
      return { outcome: 'unsent' };
    case 'lost':
      return { outcome: 'ambiguous' };
  }
};

/** The recipient: by phone, or by the provider's user id where the phone is hidden. */
export interface MessageRecipient {
  phone?: string | undefined;
  userId?: string | undefined;
  /** The message that it answers. */
  contextWamid?: string | undefined;
}

/** The body of every message: a phone always with `+`, always with our reference. */
export const messageRequest = (
  { phone, userId, contextWamid }: MessageRecipient,
  payload: ProviderPayload,
  reference: string,
): Record<string, unknown> => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  ...(phone === undefined ? { recipient: userId } : { to: `+${phone}` }),
  // a reaction names its message itself
  ...(contextWamid === undefined || payload.type === 'reaction' ? {} : { context: { message_id: contextWamid } }),
  biz_opaque_callback_data: reference,
  ...payload,
});

export const textPayload = (body: string): ProviderPayload => ({ type: 'text', text: { preview_url: /https?:\/\//.test(body), body } });

/** `later`: another try may succeed. */
export type ReceiptResult = { outcome: 'accepted' } | { outcome: 'later' } | { outcome: 'refused'; status: number; body: unknown };

/** Marks a message, and those before it, as read for its sender. */
export const postReadReceipt = (access: ProviderAccess, phoneNumberId: string, wamid: string): Promise<ReceiptResult> =>
  postReceipt(access, phoneNumberId, { message_id: wamid });

/** The same, and shows the sender that an answer is being written: for 25 seconds, or until it comes. */
export const postTypingIndicator = (access: ProviderAccess, phoneNumberId: string, wamid: string): Promise<ReceiptResult> =>
  postReceipt(access, phoneNumberId, { message_id: wamid, typing_indicator: { type: 'text' } });

async function postReceipt(access: ProviderAccess, phoneNumberId: string, receipt: Record<string, unknown>): Promise<ReceiptResult> {
  const body = { messaging_product: 'whatsapp', status: 'read', ...receipt };
  const answer = await callProvider(access, { method: 'POST', path: [phoneNumberId, 'messages'], body, timeoutMs });
  if (answer.outcome !== 'answered') return { outcome: 'later' };
  if (answer.status >= 200 && answer.status < 300) return { outcome: 'accepted' };
  if (answer.status >= 500 || answer.status === 429) return { outcome: 'later' };
  return { outcome: 'refused', status: answer.status, body: answer.body };
}
