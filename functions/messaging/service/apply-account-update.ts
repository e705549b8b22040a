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
    const state = parsed.success ? accountState(parsed.data.event, parsed.data.ban_info?.waba_ban_state) : undefined;
    if (state !== undefined) await updateAccountFromProvider(companyId, update.business_account_id, state);
  }
};

/** Only the legacy events carry a quality; newer ones (ONBOARDING, THROUGHPUT_UPGRADE) do not. */
const qualities: Readonly<Record<string, string>> = { FLAGGED: 'RED', UNFLAGGED: 'GREEN' };

function accountState(event: string, ban: string | undefined): string | undefined {
  if (event === 'DISABLED_UPDATE') return ban === 'REINSTATE' ? 'ACTIVE' : ban;
  if (event === 'ACCOUNT_DELETED' || event === 'ACCOUNT_RESTRICTION' || event === 'ACCOUNT_VIOLATION' || event === 'ACCOUNT_OFFBOARDED')
    return event;
  return event === 'ACCOUNT_RECONNECTED' ? 'ACTIVE' : undefined;
}
