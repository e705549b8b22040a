import * as z from 'zod';
import { inboundMessage, type ProviderUpdate, statusUpdate } from './contract/webhook.ts';

/**
 * Takes a webhook post apart into single updates (provider reference §3.4): `entry[] x changes[] x (messages[] | statuses[])`. What
 * does not fit a known shape becomes an update of kind `other`, whole, and leaves its neighbours as they are; only a body that is no
 * JSON object is refused (undefined).
 */
export const splitPost = (companyId: number, body: string, receivedAt: number): ProviderUpdate[] | undefined => {
  const post = parseObject(body);
  if (!post) return undefined;
  const origin = { company_id: companyId, received_at: receivedAt };
  if (!Array.isArray(post['entry'])) return [other(origin, 'unknown', post)];
  return post['entry'].flatMap((raw: unknown) => {
    const entry = entrySchema.safeParse(raw);
    if (!entry.success) return [other(origin, 'unknown', raw)];
    const account = entry.data.id === undefined ? {} : { business_account_id: entry.data.id };
    return entry.data.changes.flatMap((change) => splitChange({ ...origin, ...account }, change));
  });
};

type Origin = Omit<ProviderUpdate, 'update'>;

function splitChange(account: Origin, raw: unknown): ProviderUpdate[] {
  const change = changeSchema.safeParse(raw);
  if (!change.success) return [other(account, 'unknown', raw)];
  const { field = 'messages', value } = change.data;
  if (field !== 'messages') return [other(account, field, value)];
  const { messages = [], statuses = [], metadata, contacts = [], messaging_product: _product, ...rest } = value;
  const origin = metadata?.phone_number_id === undefined ? account : { ...account, phone_number_id: metadata.phone_number_id };
  const updates: ProviderUpdate[] = [
    ...messages.map((message): ProviderUpdate => {
      const parsed = inboundMessage.safeParse(message);
      if (!parsed.success) return other(origin, 'messages', message);
      const profile = contacts.find((contact) => contact.wa_id === parsed.data.from)?.profile?.name;
      return { ...origin, update: { kind: 'message', message: parsed.data, ...(profile ? { profile_name: profile } : {}) } };
    }),
    ...statuses.map((status): ProviderUpdate => {
      const parsed = statusUpdate.safeParse(status);
      return parsed.success ? { ...origin, update: { kind: 'status', status: parsed.data } } : other(origin, 'statuses', status);
    }),
  ];
  if (updates.length === 0) return [other(origin, field, value)];
  return Object.keys(rest).length === 0 ? updates : [...updates, other(origin, field, rest)];
}

const entrySchema = z.looseObject({ id: z.coerce.string().optional().catch(undefined), changes: z.array(z.unknown()) });

/** Only the parts that are read; what only helps reading (metadata, contacts) must not spoil the rest by being odd. */
const contactSchema = z
  .looseObject({ wa_id: z.string().optional(), profile: z.looseObject({ name: z.string().optional() }).optional() })
  .catch({});
const changeSchema = z.looseObject({
  field: z.string().optional(),
  value: z.looseObject({
    metadata: z.looseObject({ phone_number_id: z.coerce.string().optional() }).optional().catch(undefined),
    contacts: z.array(contactSchema).optional().catch(undefined),
    messages: z.array(z.unknown()).optional(),
    statuses: z.array(z.unknown()).optional(),
  }),
});

function other(origin: Origin, field: string, value: unknown): ProviderUpdate {
  return { ...origin, update: { kind: 'other', field, value } };
}

function parseObject(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
