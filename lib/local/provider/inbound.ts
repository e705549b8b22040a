/** A customer writes to a business: builds what the provider would post. */
import * as z from 'zod';
import type { BlockedUsers } from './blocked-users.ts';
import type { Delivery } from './delivery.ts';
import { webhookError } from './errors.ts';
import { messageId, phoneDigits } from './identifiers.ts';
import type { Ledger } from './ledger.ts';
import type { MediaStore } from './media.ts';
import type { BusinessNumber, Registry } from './registry.ts';
import { sampleBytes, defaultTypes } from './sample-media.ts';
import type { Users } from './users.ts';
import { digitsOf, numberValue, seconds } from './webhooks.ts';

const words = z.union([z.string(), z.number()]).transform(String);
const choice = z.looseObject({ id: words, title: z.string(), description: z.string().optional() });
const file = z.looseObject({
  kind: z.enum(['image', 'video', 'audio', 'voice', 'document', 'sticker']).optional(),
  mime_type: z.string().optional(),
  caption: z.string().optional(),
  filename: z.string().optional(),
  data_base64: z.base64().optional(),
});
const degrees = z.union([z.number(), z.string().regex(/^-?\d+(\.\d+)?$/)]).transform(Number);

const kinds = [
  'text',
  'button_reply',
  'list_reply',
  'interactive',
  'media',
  'image',
  'video',
  'audio',
  'voice',
  'document',
  'sticker',
] as const;
const otherKinds = [
  'location',
  'button',
  'reaction',
  'contacts',
  'order',
  'nfm_reply',
  'edit',
  'revoke',
  'system',
  'unsupported',
  'marketing_stop',
  'marketing_resume',
  'marketing_signup',
] as const;

/** `POST /_local/provider/inbound`. `from` may be absent when `user_id` is given: a customer known by username only. */
export const inboundRequest = z.looseObject({
  company_id: words,
  phone_number_id: words.optional(),
  from: words.refine((phone) => phoneDigits(phone) !== undefined, 'must be a phone of 7 to 15 digits').optional(),
  user_id: z.string().optional(),
  name: z.string().default('Somebody'),
  type: z.enum([...kinds, ...otherKinds]).optional(),
  text: z.union([z.string(), z.looseObject({ body: z.string() }).transform(({ body }) => body)]).optional(),
  button_reply: choice.optional(),
  list_reply: choice.optional(),
  media: z.union([z.string().transform(() => ({})), file]).optional(),
  location: z
    .looseObject({ latitude: degrees, longitude: degrees, name: z.string().optional(), address: z.string().optional() })
    .optional(),
  button: z.looseObject({ payload: z.string().optional(), text: z.string() }).optional(),
  reaction: z.looseObject({ message_id: z.string(), emoji: z.string().optional() }).optional(),
  contacts: z.array(z.looseObject({ name: z.looseObject({ formatted_name: z.string() }) })).optional(),
  order: z.looseObject({ catalog_id: words, product_items: z.array(z.looseObject({ product_retailer_id: words })) }).optional(),
  nfm_reply: z.looseObject({ response_json: z.string() }).optional(),
  /** The text in place of the former one; the customer can change a message for 15 minutes. */
  edit: z.looseObject({ original_message_id: z.string(), text: z.string() }).optional(),
  revoke: z.looseObject({ original_message_id: z.string() }).optional(),
  system: z.looseObject({ type: z.string(), body: z.string() }).optional(),
  /** The advertisement or post from which the customer wrote. */
  referral: z.looseObject({ source_url: z.string(), headline: z.string().optional(), body: z.string().optional() }).optional(),
  /** Of a marketing_signup. */
  signup_id: words.optional(),
  unsupported: z.looseObject({ type: z.string() }).optional(),
  context_message_id: z.string().optional(),
  /** The customer wrote it so long before, and the webhook comes late: up to the seven days for which the provider repeats one. */
  seconds_ago: z
    .number()
    .int()
    .min(0)
    .max(7 * 86_400)
    .default(0),
});
type Inbound = z.infer<typeof inboundRequest>;

/** A wrong field of a control request, or the wamid of what was written. */
export type InboundAnswer = { wamid: string } | { field: string; message: string };

export function createInbound(parts: {
  blocked: BlockedUsers;
  ledger: Ledger;
  registry: Registry;
  users: Users;
  delivery: Delivery;
  media: MediaStore;
  base: () => string;
}) {
  const { blocked, ledger, registry, users, delivery, media, base } = parts;

  /** Content of the message under the provider's type, or the field that is missing. */
  function contentOf(
    number: BusinessNumber,
    inbound: Inbound,
    type: string,
  ): { type: string; content: Record<string, unknown> } | { field: string } {
    switch (type) {
      case 'text':
        return inbound.text ? { type, content: { text: { body: inbound.text } } } : { field: 'text' };
      case 'button_reply':
      case 'list_reply': {
        const reply = inbound[type];
        return reply ? { type: 'interactive', content: { interactive: { type, [type]: reply } } } : { field: type };
      }
      case 'nfm_reply': {
        const reply = inbound.nfm_reply;
        return reply
          ? { type: 'interactive', content: { interactive: { type, nfm_reply: { name: 'flow', body: 'Sent', ...reply } } } }
          : { field: type };
      }
      case 'unsupported':
        return {
          type,
          content: {
            errors: [webhookError(131051, 'Message type is currently not supported.')],
            unsupported: inbound.unsupported ?? { type: 'edit' },
          },
        };
      case 'edit': {
        const { text: body, ...edit } = inbound.edit ?? {};
        return body === undefined ? { field: type } : { type, content: { edit: { ...edit, message: { type: 'text', text: { body } } } } };
      }
      case 'button':
        return inbound.button ? { type, content: { button: { payload: inbound.button.text, ...inbound.button } } } : { field: type };
      case 'location':
      case 'reaction':
      case 'contacts':
      case 'revoke':
      case 'system':
      case 'order': {
        const content = inbound[type];
        return content ? { type, content: { [type]: content } } : { field: type };
      }
      default:
        return fileOf(number, inbound, type);
    }
  }

  function fileOf(number: BusinessNumber, inbound: Inbound, type: string) {
    const given: z.infer<typeof file> = inbound.media ?? {};
    const kind = type === 'media' ? (given.kind ?? kindOf(given.mime_type)) : type;
    const shown = kind === 'voice' ? 'audio' : kind;
    const mimeType = given.mime_type ?? defaultTypes[kind] ?? 'application/octet-stream';
    const bytes = given.data_base64 === undefined ? sampleBytes(mimeType) : Buffer.from(given.data_base64, 'base64');
    const saved = media.save({ phoneNumberId: number.phone_number_id, mimeType, bytes, filename: given.filename, received: true });
    const caption = given.caption ?? inbound.text;
    const content = {
      ...(caption !== undefined && !['audio', 'sticker'].includes(shown) && { caption }),
      ...(shown === 'document' && { filename: given.filename ?? 'document.pdf' }),
      mime_type: mimeType,
      // Base64 here, hexadecimal in the answer of GET /{MEDIA_ID}: so does the provider.
      sha256: Buffer.from(saved.sha256, 'hex').toString('base64'),
      id: saved.id,
      ...(number.webhook_version === 'v24.0' && { url: media.link(base(), saved) }),
      ...(shown === 'audio' && { voice: kind === 'voice' || mimeType.includes('opus') }),
      ...(shown === 'sticker' && { animated: false }),
    };
    return { type: shown, content: { [shown]: content } };
  }

  return {
    /** Queues the webhook and opens the 24-hour window. */
    write(inbound: Inbound): InboundAnswer {
      const number = registry
        .numbersOf({ company_id: inbound.company_id })
        .find((each) => inbound.phone_number_id === undefined || each.phone_number_id === inbound.phone_number_id);
      if (!number)
        return { field: inbound.phone_number_id === undefined ? 'company_id' : 'phone_number_id', message: 'has no registered number' };
      const own = inbound.from === undefined ? undefined : phoneDigits(inbound.from);
      const user = own ?? inbound.user_id;
      if (user === undefined) return { field: 'from', message: 'is required' };
      if (blocked.isBlocked(number, user)) return { field: 'from', message: 'is blocked by the business, which its messages do not reach' };
      const type = typeOf(inbound);
      if (type === undefined) return { field: 'type', message: 'is required' };
      const now = Date.now() - inbound.seconds_ago * 1000;
      const names = own === undefined ? undefined : users.namesOf(number, own, now);
      const { phone, username } = names ?? {};
      const showsId = number.webhook_version === 'v24.0' || username !== undefined;
      const scoped = inbound.user_id ?? (showsId ? names?.userId : undefined);
      if (phone !== undefined) users.recordShown(number, phone, now);
      const profile = { name: inbound.name, ...(username !== undefined && { username }) };
      const contacts = [{ profile, ...(phone !== undefined && { wa_id: phone }), ...(scoped !== undefined && { user_id: scoped }) }];
      const wamid = messageId(user, 'inbound');
      if (type === 'marketing_stop' || type === 'marketing_resume' || type === 'marketing_signup') {
        const stop = type === 'marketing_stop';
        const isSignup = type === 'marketing_signup';
        ledger.setMarketingStopped(number.phone_number_id, user, stop);
        const choice = {
          ...(phone !== undefined && { wa_id: phone }),
          ...(scoped !== undefined && { user_id: scoped }),
          detail: isSignup ? 'User signed up for marketing messages' : `User requested to ${stop ? 'stop' : 'resume'} marketing messages`,
          category: 'marketing_messages',
          value: isSignup ? 'signup' : stop ? 'stop' : 'resume',
          ...(isSignup && { signup_id: inbound.signup_id ?? '1234567890123456' }),
          timestamp: Math.floor(now / 1000),
        };
        delivery.addChange(number.phone_number_id, {
          field: 'user_preferences',
          value: { ...numberValue(number), contacts, user_preferences: [choice] },
        });
        return { wamid };
      }
      const made = contentOf(number, inbound, type);
      if ('field' in made) return { field: made.field, message: `is required for type ${type}` };
      const isReply = ['button_reply', 'list_reply', 'nfm_reply', 'button'].includes(type);
      const quoted = inbound.context_message_id ?? (isReply ? ledger.lastSentTo(number.phone_number_id, user) : undefined);
      const message = {
        ...(quoted !== undefined && { context: { from: digitsOf(number), id: quoted } }),
        ...(phone !== undefined && { from: phone }),
        ...(scoped !== undefined && { from_user_id: scoped }),
        id: wamid,
        timestamp: seconds(now),
        type: made.type,
        ...(inbound.referral && { referral: { source_type: 'ad', source_id: '1', ...inbound.referral } }),
        ...made.content,
      };
      if (type === 'button' && quoted !== undefined && inbound.button) ledger.addClick(quoted, inbound.button.text, now);
      // one user, by either name that a message may be addressed to
      for (const name of new Set([user, scoped])) {
        if (name === undefined) continue;
        ledger.recordInbound(number.phone_number_id, name, now);
        if (inbound.referral) ledger.recordEntry(number.phone_number_id, name, now);
      }
      delivery.addChange(number.phone_number_id, { field: 'messages', value: { ...numberValue(number), contacts, messages: [message] } });
      return { wamid };
    },
  };
}
export type InboundMessages = ReturnType<typeof createInbound>;

/** The stated type, or the one content that was given. */
function typeOf(inbound: Inbound): string | undefined {
  if (inbound.type !== undefined && inbound.type !== 'interactive') return inbound.type;
  const given = [
    'button_reply',
    'list_reply',
    'nfm_reply',
    'media',
    'location',
    'button',
    'reaction',
    'contacts',
    'order',
    'text',
  ] as const;
  return given.find((key) => inbound[key] !== undefined) ?? (inbound.type === 'interactive' ? 'button_reply' : undefined);
}

function kindOf(mimeType: string | undefined): string {
  if (mimeType === 'image/webp') return 'sticker';
  const family = mimeType?.split('/')[0] ?? 'image';
  return ['image', 'video', 'audio'].includes(family) ? family : 'document';
}
