import * as z from 'zod';
import { callProvider, type ProviderAccess } from '../../../shared/provider/call.ts';
import { type ProviderNumber, providerNumber, type SetupReply } from '../domain/number-setup.ts';

const subscriptions = z.looseObject({ data: z.array(z.looseObject({ override_callback_uri: z.string().optional() })) });
const refusal = z.looseObject({
  error: z.looseObject({ code: z.int(), error_subcode: z.int().optional(), message: z.string().optional() }),
});

export const getProviderNumber = (access: ProviderAccess, phoneNumberId: string): Promise<SetupReply<ProviderNumber>> =>
  getFromProvider(access, [phoneNumberId], { fields: Object.keys(providerNumber.shape).join(',') }, providerNumber);

/** How many apps are subscribed to the account. */
export const countSubscribedApps = async (access: ProviderAccess, wabaId: string): Promise<SetupReply<number>> => {
  const reply = await getFromProvider(access, [wabaId, 'subscribed_apps'], {}, subscriptions);
  return reply.outcome === 'answered' ? { outcome: 'answered', value: reply.value.data.length } : reply;
};

async function getFromProvider<T>(
  access: ProviderAccess,
  path: readonly string[],
  query: Readonly<Record<string, string>>,
  schema: z.ZodType<T>,
): Promise<SetupReply<T>> {
  const reply = await callProvider(access, { method: 'GET', path, query, timeoutMs: 10_000 });
  if (reply.outcome !== 'answered') return { outcome: 'unreachable' };
  const { status, body } = reply;
  if (status < 300) {
    const parsed = schema.safeParse(body);
    return parsed.success ? { outcome: 'answered', value: parsed.data } : { outcome: 'unreadable', status };
  }
  const refused = refusal.safeParse(body);
  if (!refused.success) return { outcome: 'unreadable', status };
  return { outcome: 'refused', status, code: refused.data.error.code, subcode: refused.data.error.error_subcode };
}
