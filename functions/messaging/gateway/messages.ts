import { classifyResponse, type ProviderResult } from '../domain/provider-result.ts';
import type { ProviderPayload } from '../domain/content.ts';
import { callProvider, type ProviderAccess } from '../../../shared/provider/call.ts';

/** The number that messages go out from. */
export interface SendingNumber extends ProviderAccess {
  phoneNumberId: string;
}

/** Long enough for the provider, short enough for the caller who waits (decision A28). */
const timeoutMs = 10_000;

/** One message (provider reference §1). Never repeated: the provider has no idempotency key. */
export const postMessage = async (number: SendingNumber, request: Record<string, unknown>): Promise<ProviderResult> => {
  const reply = await callProvider(number, { method: 'POST', path: [number.phoneNumberId, 'messages'], body: request, timeoutMs });
  switch (reply.outcome) {
    case 'answered':
      return classifyResponse(reply.status, reply.body);
    case 'unsent':
      return { outcome: 'unsent' };
    case 'lost':
      return { outcome: 'ambiguous' };
  }
};

/** To whom: by phone, or by the provider's user id of a person whose phone it does not tell (provider reference §3.6). */
export interface MessageRecipient {
  phone?: string | undefined;
  userId?: string | undefined;
}

/** The envelope of every message (provider reference §1.1): a phone always with `+`, always with our reference. */
export const messageRequest = (
  { phone, userId }: MessageRecipient,
  payload: ProviderPayload,
  reference: string,
): Record<string, unknown> => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  ...(phone === undefined ? { recipient: userId } : { to: `+${phone}` }),
  biz_opaque_callback_data: reference,
  ...payload,
});

export const textPayload = (body: string): ProviderPayload => ({ type: 'text', text: { preview_url: /https?:\/\//.test(body), body } });
