import * as z from 'zod';
import { updateAccountFromProvider, updateNumberFromProvider } from '../../account/service/provider-updates.ts';
import { recordVolumeTier } from '../../spend/service/volume-tiers.ts';
import type { ProviderUpdate } from '../contract/provider-update.ts';
import type { AccountField } from '../domain/webhook-fields.ts';

const optionalText = z.string().optional().catch(undefined);
const numberUpdate = z.looseObject({
  display_phone_number: z.string(),
  event: optionalText,
  current_limit: optionalText,
  decision: optionalText,
});
const accountUpdate = z.looseObject({
  event: z.string(),
  ban_info: z.looseObject({ waba_ban_state: optionalText }).optional().catch(undefined),
  restriction_info: z
    .array(z.looseObject({ restriction_type: z.string(), expiration: z.coerce.number().int().positive().optional().catch(undefined) }))
    .optional()
    .catch(undefined),
});
const review = z.looseObject({ decision: z.string() });
/** The field that older versions of the API name; -1: unlimited. */
const capability = z.looseObject({
  max_daily_conversations_per_business: z.union([z.string(), z.int()]).optional().catch(undefined),
  max_daily_conversation_per_phone: z.union([z.string(), z.int()]).optional().catch(undefined),
});

type AccountChange = Parameters<typeof updateAccountFromProvider>[2];

/** What a field of the provider's webhooks changes of an account; undefined: nothing. */
const accountChanges: Readonly<Record<AccountField, (value: unknown) => AccountChange | undefined>> = {
  account_update: (value) => {
    const parsed = accountUpdate.safeParse(value);
    return parsed.success ? accountChange(parsed.data) : undefined;
  },
  account_review_update: (value) => {
    const parsed = review.safeParse(value);
    return parsed.success ? { accountReview: parsed.data.decision } : undefined;
  },
  business_capability_update: (value) => {
    const { max_daily_conversations_per_business: ofBusiness, max_daily_conversation_per_phone: ofPhone } =
      capability.safeParse(value).data ?? {};
    const limit = ofBusiness ?? ofPhone;
    return limit === undefined ? undefined : { messagingLimit: Number(limit) === -1 ? 'UNLIMITED' : String(limit) };
  },
};
const isAccountField = (field: string): field is AccountField => Object.hasOwn(accountChanges, field);

const volumeTier = z.looseObject({
  event: z.literal('VOLUME_BASED_PRICING_TIER_UPDATE'),
  volume_tier_info: z.looseObject({ pricing_category: z.string(), region: z.string(), tier: z.string(), effective_month: z.string() }),
});

/** A volume tier that the portfolio of an account has reached: prices are cheaper from it on. */
async function applyVolumeTier(companyId: number, accountId: string, value: unknown): Promise<void> {
  const { volume_tier_info: tier } = volumeTier.safeParse(value).data ?? {};
  if (!tier) return;
  const { pricing_category: category, region, effective_month: month } = tier;
  await recordVolumeTier(companyId, accountId, { category, region, tier: tier.tier, month });
}

/** Applies an update of a number or an account to what is stored of it. The whole update is archived beside. */
export const applyAccountUpdate = async (update: ProviderUpdate, field: string, value: unknown): Promise<void> => {
  const { company_id: companyId, business_account_id: accountId } = update;
  if (isAccountField(field)) {
    const change = accountChanges[field](value);
    if (change !== undefined && accountId !== undefined) await updateAccountFromProvider(companyId, accountId, change);
    if (field === 'account_update' && accountId !== undefined) await applyVolumeTier(companyId, accountId, value);
    return;
  }
  const parsed = numberUpdate.safeParse(value);
  if (!parsed.success) return;
  const { display_phone_number: phone, event, current_limit: messagingLimit, decision: nameStatus } = parsed.data;
  if (field === 'phone_number_quality_update')
    await updateNumberFromProvider(companyId, phone, { quality: qualities[event ?? ''], messagingLimit });
  if (field === 'phone_number_name_update') await updateNumberFromProvider(companyId, phone, { nameStatus });
};

/** Only the legacy events carry a quality; newer ones (ONBOARDING, THROUGHPUT_UPGRADE) do not. */
const qualities: Readonly<Record<string, string>> = { FLAGGED: 'RED', UNFLAGGED: 'GREEN' };

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
  if (event === 'VERIFIED_ACCOUNT') return { accountReview: 'VERIFIED' };
  const isReinstated = connectingEvents.has(event) || (event === 'DISABLED_UPDATE' && ban?.waba_ban_state === 'REINSTATE');
  if (isReinstated) return { accountState: 'ACTIVE', restrictions: [] };
  if (event === 'DISABLED_UPDATE') return ban?.waba_ban_state === undefined ? undefined : { accountState: ban.waba_ban_state };
  return endingEvents.has(event) ? { accountState: event } : undefined;
}

const connectingEvents: ReadonlySet<string> = new Set(['ACCOUNT_RECONNECTED', 'PARTNER_ADDED', 'PARTNER_APP_INSTALLED']);
const endingEvents: ReadonlySet<string> = new Set([
  'ACCOUNT_DELETED',
  'ACCOUNT_VIOLATION',
  'ACCOUNT_OFFBOARDED',
  'PARTNER_REMOVED',
  'PARTNER_APP_UNINSTALLED',
]);
