import * as z from 'zod';
import { hearAccount, hearNumber } from '../../account/service/news.ts';
import type { ProviderUpdate } from '../contract/webhook.ts';

const words = z.string().optional().catch(undefined);
const numberNews = z.looseObject({
  display_phone_number: z.string(),
  event: words,
  current_limit: words,
  decision: words,
  requested_verified_name: words,
});
const accountNews = z.looseObject({ event: z.string(), ban_info: z.looseObject({ waba_ban_state: words }).optional().catch(undefined) });

/** What the provider says of a number or an account, so far as it changes what we hold of them; all of it is kept beside. */
export const takeAccountNews = async (update: ProviderUpdate, field: string, value: unknown): Promise<void> => {
  const companyId = update.company_id;
  if (field === 'phone_number_quality_update') {
    const news = numberNews.safeParse(value);
    if (news.success)
      await hearNumber(companyId, news.data.display_phone_number, {
        quality: qualities[news.data.event ?? ''],
        messagingLimit: news.data.current_limit,
      });
  } else if (field === 'account_update' && update.business_account_id !== undefined) {
    const news = accountNews.safeParse(value);
    const state = news.success ? accountState(news.data.event, news.data.ban_info?.waba_ban_state) : undefined;
    if (state !== undefined) await hearAccount(companyId, update.business_account_id, state);
  }
};

/** The legacy events speak of quality; the new ones (ONBOARDING, THROUGHPUT_UPGRADE) do not. */
const qualities: Readonly<Record<string, string>> = { FLAGGED: 'RED', UNFLAGGED: 'GREEN' };

function accountState(event: string, ban: string | undefined): string | undefined {
  if (event === 'DISABLED_UPDATE') return ban === 'REINSTATE' ? 'ACTIVE' : ban;
  if (event === 'ACCOUNT_DELETED' || event === 'ACCOUNT_RESTRICTION' || event === 'ACCOUNT_VIOLATION' || event === 'ACCOUNT_OFFBOARDED')
    return event;
  return event === 'ACCOUNT_RECONNECTED' ? 'ACTIVE' : undefined;
}
