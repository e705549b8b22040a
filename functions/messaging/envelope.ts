import * as z from 'zod';
import { inboundMessage, providerUpdate, type ProviderUpdate, statusUpdate } from './contract.ts';

/**
 * Takes a webhook post apart into single updates (provider reference §3.4): `entry[] x changes[] x (messages[] | statuses[])`. What
 * does not fit a known shape becomes an update of kind `other`, whole; only a body that is no JSON object is refused (undefined).
 */
export const splitPost = (companyId: number, body: string, receivedAt: number): ProviderUpdate[] | undefined => {
  const post = parseObject(body);
  if (!post) return undefined;
  const entries = envelope.safeParse(post);
  if (!entries.success) return [other(companyId, receivedAt, 'unknown', post)];
  return entries.data.entry.flatMap((entry) =>
    entry.changes.flatMap((change) => {
      const base = {
        company_id: companyId,
        received_at: receivedAt,
        ...(entry.id ? { business_account_id: entry.id } : {}),
        ...(change.value.metadata?.phone_number_id ? { phone_number_id: change.value.metadata.phone_number_id } : {}),
        tries: 0,
      };
      const { messages, statuses } = change.value;
      if (change.field !== undefined && change.field !== 'messages') return [other(companyId, receivedAt, change.field, change.value)];
      const updates: ProviderUpdate[] = [
        ...(messages ?? []).map((message): ProviderUpdate => {
          const parsed = inboundMessage.safeParse(message);
          if (!parsed.success) return other(companyId, receivedAt, 'messages', message);
          const profile = change.value.contacts?.find((contact) => contact.wa_id === parsed.data.from)?.profile?.name;
          return { ...base, update: { kind: 'message', message: parsed.data, ...(profile ? { profile_name: profile } : {}) } };
        }),
        ...(statuses ?? []).map((status): ProviderUpdate => {
          const parsed = statusUpdate.safeParse(status);
          return parsed.success
            ? { ...base, update: { kind: 'status', status: parsed.data } }
            : other(companyId, receivedAt, 'statuses', status);
        }),
      ];
      return updates.length > 0 ? updates : [other(companyId, receivedAt, change.field ?? 'unknown', change.value)];
    }),
  );
};

const envelope = z.object({
  entry: z.array(
    z.looseObject({
      id: z.string().optional(),
      changes: z.array(
        z.looseObject({
          field: z.string().optional(),
          value: z.looseObject({
            metadata: z.looseObject({ phone_number_id: z.string().optional() }).optional(),
            contacts: z
              .array(z.looseObject({ wa_id: z.string().optional(), profile: z.looseObject({ name: z.string().optional() }).optional() }))
              .optional(),
            messages: z.array(z.unknown()).optional(),
            statuses: z.array(z.unknown()).optional(),
          }),
        }),
      ),
    }),
  ),
});

function other(companyId: number, receivedAt: number, field: string, value: unknown): ProviderUpdate {
  return providerUpdate.parse({ company_id: companyId, received_at: receivedAt, update: { kind: 'other', field, value } });
}

function parseObject(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
