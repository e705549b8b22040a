import * as z from 'zod';
import { updateAccountFromProvider, updateNumberFromProvider } from '../../account/service/provider-updates.ts';
import type { ProviderUpdate } from '../contract/provider-update.ts';

const optionalText = z.string().optional().catch(undefined);
const numberUpdate = z.looseObject({
  display_phone_number: z.string(),
  event: optionalText,
  current_limit: optionalText,
  decision: optionalText,
  requested_verified_name: optionalText,
});
const accountUpdate = z.looseObject({
  event: z.string(),
  ban_info: z.looseObject({ waba_ban_state: optionalText }).optional().catch(undefined),
  restriction_info: z
    .array(z.looseObject({ restriction_type: z.string(), expiration: z.coerce.number().int().positive().optional().catch(undefined) }))
    .optional()
    .catch(undefined),
});
/** The field that older versions of the API name; -1: unlimited. */
const capability = z.looseObject({
  max_daily_conversations_per_business: z.union([z.string(), z.int()]).optional().catch(undefined),
  max_daily_conversation_per_phone: z.union([z.string(), z.int()]).optional().catch(undefined),
});

/** Applies an update of a number or an account to what is stored of it. The whole update is archived beside. */
export const applyAccountUpdate = async (update: ProviderUpdate, field: string, value: unknown): Promise<void> => {
  const companyId = update.company_id;
  if (field === 'phone_number_quality_update') {
    const parsed = numberUpdate.safeParse(value);
    if (parsed.success)
      await updateNumberFromProvider(companyId, parsed.data.display_phone_number, {
        quality: qualities[parsed.data.event ?? ''],
        messagingLimit: parsed.data.current_limit,
      });
  } else if (field === 'account_update' && update.business_account_id !== undefined) {
    const parsed = accountUpdate.safeParse(value);
    const change = parsed.success ? accountChange(parsed.data) : undefined;
    if (change !== undefined) await updateAccountFromProvider(companyId, update.business_account_id, change);
  } else if (field === 'business_capability_update' && update.business_account_id !== undefined) {
    const parsed = capability.safeParse(value);
    const limit = parsed.success
      ? (parsed.data.max_daily_conversations_per_business ?? parsed.data.max_daily_conversation_per_phone)
      : undefined;
    if (limit !== undefined)
      await updateAccountFromProvider(companyId, update.business_account_id, {
        messagingLimit: Number(limit) === -1 ? 'UNLIMITED' : String(limit),
      });
  }
};

/** Only the legacy events carry a quality; newer ones (ONBOARDING, THROUGHPUT_UPGRADE) do not. */
const qualities: Readonly<Record<string, string>> = { FLAGGED: 'RED', UNFLAGGED: 'GREEN' };

type AccountChange = Parameters<typeof updateAccountFromProvider>[2];

/** A restriction ends by its time, or when the account is connected or reinstated; the latest list of restrictions is the whole. */
function accountChange({
  event,
  ban_info: ban,
  restriction_info: restrictions,
}: z.output<typeof accountUpdate>): AccountChange | undefined {
  if (event === 'ACCOUNT_RESTRICTION')
    return {
      restrictions: (restrictions ?? []).map(({ restriction_type: type, expiration }) => ({
        type,
        ...(expiration === undefined ? {} : { until: expiration * 1_000 }),
      })),
    };
  const isReinstated = event === 'ACCOUNT_RECONNECTED' || (event === 'DISABLED_UPDATE' && ban?.waba_ban_state === 'REINSTATE');
  if (isReinstated) return { accountState: 'ACTIVE', restrictions: [] };
  if (event === 'DISABLED_UPDATE') return ban?.waba_ban_state === undefined ? undefined : { accountState: ban.waba_ban_state };
  return event === 'ACCOUNT_DELETED' || event === 'ACCOUNT_VIOLATION' || event === 'ACCOUNT_OFFBOARDED'
    ? { accountState: event }
    : undefined;
}
