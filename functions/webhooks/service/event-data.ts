import * as z from 'zod';
import { getMessage } from '../../messaging/service/messages.ts';
import { getCartCustomer } from '../../shop/service/cart-customers.ts';
import { getRequestIdentifier } from '../../verification/service/identifiers.ts';

type EventData = Readonly<Record<string, unknown>>;

/**
 * Events on queues and on the bus have ids and no personal data. The rest of an event's data is read here, when its deliveries are created:
 * the identifier of a verification, the text of a contact's message, why a message failed, whose cart was abandoned.
 * Undefined: a verification began whose request is not stored. Its call is about to store it, or has died.
 */
export const enrichEventData = async (companyId: number, event: string, data: EventData): Promise<EventData | undefined> => {
  if (event.startsWith('verification.') && 'request_id' in data) return withIdentifier(companyId, event, data);
  if (event === 'message.received' || event === 'message.status') return withMessage(companyId, event, data);
  if (event === 'cart.abandoned' && 'cart_key' in data) return withCartCustomer(companyId, data);
  return data;
};

async function withCartCustomer(companyId: number, data: EventData): Promise<EventData> {
  const { cart_key, ...rest } = ofCart.parse(data);
  return { ...rest, ...(await getCartCustomer(companyId, cart_key)) };
}

const ofCart = z.looseObject({ cart_key: z.string() });

const ofRequest = z.looseObject({ request_id: z.string() });

async function withIdentifier(companyId: number, event: string, data: EventData): Promise<EventData | undefined> {
  const { request_id, ...rest } = ofRequest.parse(data);
  const identifier = await getRequestIdentifier(companyId, request_id);
  if (identifier === undefined && event === 'verification.requested') return undefined;
  return { request_id, identifier: identifier ?? null, ...rest };
}

const ofMessage = z.looseObject({ contact_id: z.int(), message_id: z.int() });
const failed = 5;

async function withMessage(companyId: number, event: string, data: EventData): Promise<EventData> {
  if (event === 'message.status' && data['status'] !== failed) return data;
  const { contact_id, message_id } = ofMessage.parse(data);
  const message = await getMessage(companyId, contact_id, message_id, { consistent: true });
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
