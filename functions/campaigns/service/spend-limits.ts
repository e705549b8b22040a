import type { SpendLimit } from '../../messaging/service/send-slots.ts';
import { moneyText } from '../../spend/service/money-text.ts';
import { readCeilings } from '../../spend/service/spend-accounts.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { campaignsBefore, getStoredCampaign } from '../store/campaign.ts';
import { continueCampaign, pauseStoredCampaign } from './pause-campaign.ts';

/**
 * Pauses a campaign that a ceiling does not allow to go on. One whose ceiling was changed between the refusal and the pause continues at once: the
 * change has found nothing to resume. `over`: it cannot be paused any more.
 */
export const pauseAtCeiling = async (campaign: StoredCampaign, limit: SpendLimit): Promise<'paused' | 'over'> => {
  const { companyId, id } = campaign;
  const current = await getStoredCampaign(companyId, id);
  const paused = await pauseStoredCampaign(current, 'spend_limit', resumeTimeOf(limit), detailsOf(campaign, limit));
  if (!paused) return current?.status === 'deleted' ? 'paused' : 'over';
  if (paused.pauseReason !== 'spend_limit') return 'paused';
  const hasChanged =
    limit.ceiling === 'campaign'
      ? paused.spendLimit?.micros !== campaign.spendLimit?.micros
      : (await readCeilings(companyId))?.rev !== limit.rev;
  if (hasChanged) await continueCampaign(paused);
  return 'paused';
};

/** At the next period, unless the company wants its campaigns to stop. The queue of due work looks each minute. */
const resumeTimeOf = ({ resetsAtMs, waits }: SpendLimit): number | undefined => (waits === true ? resetsAtMs : undefined);

function detailsOf(
  { spendLimit }: StoredCampaign,
  { ceiling, limitMicros, currency, resetsAtMs }: SpendLimit,
): NonNullable<StoredCampaign['pauseDetails']> {
  return {
    ceiling,
    limit: moneyText(limitMicros ?? spendLimit?.micros ?? 0),
    currency: currency ?? spendLimit?.currency ?? '',
    ...(resetsAtMs === undefined ? {} : { resetsAt: resetsAtMs }),
  };
}

/** After a change of the ceilings of a company: what they had paused continues. Where they still allow nothing, it pauses again. */
export const resumeCampaignsAtCeilings = async (companyId: number): Promise<void> => {
  for await (const campaign of campaignsBefore(companyId, { beforeId: undefined, count: campaignsPerRead }))
    if (campaign.status === 'paused' && campaign.pauseReason === 'spend_limit' && campaign.pauseDetails?.ceiling !== 'campaign')
      await continueCampaign(campaign);
};

const campaignsPerRead = 100;
