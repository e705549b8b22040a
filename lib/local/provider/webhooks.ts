/** Builds and signs the provider's webhooks. */
import { createHmac } from 'node:crypto';
import { webhookError } from './errors.ts';
import { conversationId } from './identifiers.ts';
import type { AcceptedMessage, StatusName } from './ledger.ts';
import type { BusinessNumber } from './registry.ts';
import type { UserNames } from './users.ts';

/** One change of a webhook body. */
export interface Change {
  field: string;
  value: Record<string, unknown>;
}

/** `metadata` names the number; every value of a number's webhooks begins with it. */
export function numberValue(number: BusinessNumber): Record<string, unknown> {
  return {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: digitsOf(number), phone_number_id: number.phone_number_id },
  };
}

/** One entry of `statuses[]`, in the form of the number's webhook version. `at`: epoch milliseconds. */
export function buildStatus(
  number: BusinessNumber,
  message: AcceptedMessage,
  { status, at, names }: { status: StatusName; at: number; names: UserNames | undefined },
): Record<string, unknown> {
  const isPhone = /^\d+$/.test(message.to);
  const modern = number.webhook_version === 'v24.0';
  // a failure names what the message was sent to, and nothing else of the user
  const phone = isPhone ? message.to : status === 'failed' ? undefined : names?.phone;
  const userId = !isPhone ? message.to : status === 'failed' ? undefined : names?.userId;
  return {
    id: message.wamid,
    status,
    timestamp: seconds(at),
    ...(phone !== undefined && { recipient_id: phone }),
    ...(userId !== undefined && { recipient_user_id: userId }),
    ...(message.reference !== undefined && { biz_opaque_callback_data: message.reference }),
    ...((status === 'sent' || status === 'delivered') &&
      (modern ? { pricing: perMessagePricing(message) } : conversation(message, status))),
    ...(status === 'failed' && { errors: [webhookError(message.error ?? 131000)] }),
  };
}

/** What the statuses of a post say of the user; undefined: nothing. */
export function statusContact(status: StatusName, names: UserNames | undefined): Record<string, unknown> | undefined {
  if (status === 'failed' || names === undefined) return undefined;
  const { phone, userId, username } = names;
  const profile = status !== 'sent' && username !== undefined ? { profile: { username } } : {};
  return { ...profile, ...(phone !== undefined && { wa_id: phone }), user_id: userId };
}

/** An update of a post: a change, or a status, which shares a change with the others of its number. */
export interface PostPart {
  number: BusinessNumber;
  change?: Change;
  status?: Record<string, unknown>;
  contact?: Record<string, unknown> | undefined;
}

/** The body of one POST: an entry for each business account. */
export function buildBody(parts: readonly PostPart[], at: number): Record<string, unknown> {
  const accounts = [...new Set(parts.map(({ number }) => number.waba_id))];
  return {
    object: 'whatsapp_business_account',
    entry: accounts.map((id) =>
      entryOf(
        id,
        parts.filter(({ number }) => number.waba_id === id),
        at,
      ),
    ),
  };
}

function entryOf(id: string, parts: readonly PostPart[], at: number): Record<string, unknown> {
  const byNumber = Map.groupBy(
    parts.filter(({ status }) => status),
    ({ number }) => number.phone_number_id,
  );
  const statuses = [...byNumber.values()].flatMap((together) => {
    const [first] = together;
    if (!first) return [];
    const contacts = new Map(together.flatMap(({ contact }) => (contact ? [[String(contact['user_id']), contact]] : [])));
    const value = { ...numberValue(first.number), ...(contacts.size > 0 && { contacts: [...contacts.values()] }) };
    return [{ field: 'messages', value: { ...value, statuses: together.map(({ status }) => status) } }];
  });
  const changes: Change[] = [...parts.flatMap(({ change }) => (change ? [change] : [])), ...statuses];
  // The time stands on entries of account and template fields only.
  const isOfAccount = changes.some(({ field }) => field.includes('template') || field.startsWith('account'));
  return { id, ...(isOfAccount && { time: Math.floor(at / 1000) }), changes };
}

/** The bytes as the provider writes them: slashes and everything outside ASCII escaped, so a receiver must hash what it received. */
export function encodeBody(body: Record<string, unknown>): Buffer {
  const json = JSON.stringify(body)
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Buffer.from(json, 'latin1');
}

/** The value of X-Hub-Signature-256. */
export function sign(body: Buffer, appSecret: string): string {
  return `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;
}

/** Seconds as the provider writes them in messages and statuses: a string. */
export function seconds(at: number): string {
  return String(Math.floor(at / 1000));
}

export function digitsOf(number: BusinessNumber): string {
  return number.display_phone_number.replace(/\D/g, '');
}

function perMessagePricing(message: AcceptedMessage): Record<string, unknown> {
  const { pricingType: type, category } = message;
  return { billable: type === 'regular', pricing_model: 'PMP', type, category, ...costOf(message) };
}

const costOf = ({ cost }: AcceptedMessage): Record<string, unknown> =>
  cost ? { cost: { amount: cost.micros / 1_000_000, currency: cost.currency } } : {};

function conversation(message: AcceptedMessage, status: StatusName): Record<string, unknown> {
  return {
    conversation: {
      id: conversationId(message.phoneNumberId, message.to, message.category, message.at),
      ...(status === 'sent' && { expiration_timestamp: seconds(message.at + 86_400_000) }),
      origin: { type: message.category },
    },
    pricing: { billable: message.pricingType === 'regular', pricing_model: 'CBP', category: message.category, ...costOf(message) },
  };
}
