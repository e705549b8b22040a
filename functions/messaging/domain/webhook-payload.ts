import * as z from 'zod';
import { parseExact } from '../../../shared/runtime/json.ts';
import {
  callUpdate,
  identityUpdate,
  inboundMessage,
  preferenceUpdate,
  type ProviderUpdate,
  statusUpdate,
} from '../contract/provider-update.ts';
import type { ListField } from './webhook-fields.ts';

/**
 * Splits a webhook post into single updates: `entry[] x changes[] x (messages[] | statuses[] | ...)`. A part of an unknown shape becomes an
 * update of kind `other` and does not affect its neighbours. Undefined: the body is not a JSON object.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components
 */
export const splitWebhookPayload = (companyId: number, body: string, receivedAt: number): ProviderUpdate[] | undefined => {
  const post = parseObject(body);
  if (!post) return undefined;
  const origin = { company_id: companyId, received_at: receivedAt };
  if (!Array.isArray(post['entry'])) return [other(origin, 'unknown', post)];
  return post['entry'].flatMap((raw: unknown) => {
    const entry = entrySchema.safeParse(raw);
    if (!entry.success) return [other(origin, 'unknown', raw)];
    const { id, time } = entry.data;
    const account = {
      ...(id === undefined ? {} : { business_account_id: id }),
      ...(time === undefined ? {} : { occurred_at: time * 1_000 }),
    };
    return entry.data.changes.flatMap((change) => splitChange({ ...origin, ...account }, change));
  });
};

type Origin = Omit<ProviderUpdate, 'update'>;

function splitChange(account: Origin, raw: unknown): ProviderUpdate[] {
  const change = changeSchema.safeParse(raw);
  if (!change.success) return [other(account, 'unknown', raw)];
  const { field = 'messages', value } = change.data;
  const origin = value.metadata?.phone_number_id === undefined ? account : { ...account, phone_number_id: value.metadata.phone_number_id };
  if (!isListField(field)) return [other(ofPartner(account, value), field, value)];
  const lists = updateReaders[field];
  const { metadata: _metadata, contacts = [], messaging_product: _product, ...rest } = value;
  const updates = Object.entries(lists).flatMap(([name, read]): ProviderUpdate[] => {
    const { [name]: list = [] } = rest;
    if (!Array.isArray(list)) return [];
    delete rest[name];
    return list.map((each: unknown) => {
      const update = read(each, contacts);
      return update ? { ...origin, update } : other(origin, name, each);
    });
  });
  if (updates.length === 0) return [other(origin, field, value)];
  return Object.keys(rest).length === 0 ? updates : [...updates, other(origin, field, rest)];
}

const isListField = (field: string): field is ListField => Object.hasOwn(updateReaders, field);

/** An update of a partnership comes from the partner's business, and names the account beside. */
const ofPartner = (origin: Origin, { waba_info: info }: z.output<typeof changeSchema>['value']): Origin =>
  info?.waba_id === undefined ? origin : { ...origin, business_account_id: info.waba_id };

type Update = ProviderUpdate['update'];
type Contacts = readonly z.output<typeof contactSchema>[];

/** How the elements of known lists are read, by field; undefined: the element has an unknown shape. */
const updateReaders: Readonly<Record<ListField, Readonly<Record<string, (raw: unknown, contacts: Contacts) => Update | undefined>>>> = {
  messages: {
    messages: (raw, contacts) => {
      const parsed = inboundMessage.safeParse(raw);
      if (!parsed.success) return undefined;
      const message = parsed.data;
      const [only] = contacts;
      // one contact is the sender's, unless it names another phone than the message does
      const sender = contacts.length === 1 && !isOfAnother(only, message) ? only : contacts.find((each) => isOf(each, message));
      const { name, username } = sender?.profile ?? {};
      // the message's own user id is the sender's; the provider's samples show another one in `contacts`
      const userId = message.from_user_id ?? sender?.user_id ?? userIdOf(message.from);
      return {
        kind: 'message',
        message: userId === undefined ? message : { ...message, from_user_id: userId },
        ...((name ?? username) ? { profile_name: name ?? username } : {}),
        ...(username ? { username } : {}),
      };
    },
    statuses: (raw) => {
      const parsed = statusUpdate.safeParse(raw);
      return parsed.success ? { kind: 'status', status: parsed.data } : undefined;
    },
  },
  calls: {
    calls: (raw, contacts) => {
      const parsed = callUpdate.safeParse(raw);
      // a call that the business made is no message of the contact
      if (!parsed.success || parsed.data.direction !== 'USER_INITIATED') return undefined;
      const { id, from, from_user_id, timestamp } = parsed.data;
      const name = contacts[0]?.profile?.name;
      const message = { id, from, from_user_id, timestamp, type: 'call', call: parsed.data };
      return { kind: 'message', message, ...(name ? { profile_name: name } : {}) };
    },
  },
  user_id_update: {
    user_id_update: (raw) => {
      const parsed = identityUpdate.safeParse(raw);
      return parsed.success ? { kind: 'identity', identity: parsed.data } : undefined;
    },
  },
  smb_message_echoes: {
    message_echoes: (raw) => {
      const parsed = inboundMessage.safeParse(raw);
      return parsed.success ? { kind: 'echo', message: parsed.data } : undefined;
    },
  },
  user_preferences: {
    user_preferences: (raw) => {
      const parsed = preferenceUpdate.safeParse(raw);
      return parsed.success ? { kind: 'preference', preference: parsed.data } : undefined;
    },
  },
};

const isOf = (contact: Contacts[number], message: { from?: string | undefined; from_user_id?: string | undefined }): boolean =>
  (contact.wa_id !== undefined && contact.wa_id === message.from) ||
  (contact.user_id !== undefined && contact.user_id === message.from_user_id);

const isOfAnother = (contact: Contacts[number] | undefined, message: { from?: string | undefined }): boolean =>
  contact?.wa_id !== undefined && message.from !== undefined && contact.wa_id !== message.from && /^\d+$/.test(message.from);

/** Some posts have the user id where a phone is expected. */
const userIdOf = (from: string | undefined): string | undefined =>
  from !== undefined && /^[A-Z]{2}\.[\w.]+$/.test(from) ? from : undefined;

const entrySchema = z.looseObject({
  id: z.coerce.string().optional().catch(undefined),
  /** Epoch seconds. */
  time: z.coerce.number().int().positive().max(99_999_999_999).optional().catch(undefined),
  changes: z.array(z.unknown()),
});

/** Only the parts that are read. Metadata and contacts only help, so an odd one must not lose the rest. */
const contactSchema = z
  .looseObject({
    wa_id: z.string().optional(),
    user_id: z.string().optional(),
    profile: z.looseObject({ name: z.string().optional(), username: z.string().optional() }).optional(),
  })
  .catch({});
const changeSchema = z.looseObject({
  field: z.string().optional(),
  value: z.looseObject({
    metadata: z.looseObject({ phone_number_id: z.coerce.string().optional() }).optional().catch(undefined),
    contacts: z.array(contactSchema).optional().catch(undefined),
    waba_info: z.looseObject({ waba_id: z.coerce.string().optional() }).optional().catch(undefined),
  }),
});

function other(origin: Origin, field: string, value: unknown): ProviderUpdate {
  return { ...origin, update: { kind: 'other', field, value } };
}

function parseObject(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parseExact(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
