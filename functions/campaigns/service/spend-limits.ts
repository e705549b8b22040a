import { dayMs, now } from '../../../shared/runtime/clock.ts';
import type { SpendLimit } from '../../messaging/service/send-slots.ts';
import { moneyText } from '../../spend/service/money-text.ts';
import { readCeilings } from '../../spend/service/spend-accounts.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { campaignsBefore, changeCampaign, getStoredCampaign } from '../store/campaign.ts';
import { giveBackToBudget } from './campaign-budget.ts';
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

/**
 * At the next period, unless the company wants its campaigns to stop. At the campaign's own ceiling, which has none, when the day ends: what its messages
 * were proven not to cost goes back then. The queue of due work looks each minute.
 */
const resumeTimeOf = ({ ceiling, resetsAtMs, waits }: SpendLimit): number | undefined => {
  if (ceiling === 'campaign') return nextDayMs();
  return waits === true ? resetsAtMs : undefined;
};

const nextDayMs = (): number => (Math.floor(now() / dayMs) + 1) * dayMs;

/** How long after its start outcomes of a campaign's messages are waited for: the provider delivers none that is older. */
const outcomeDays = 30;

/**
 * A campaign that a ceiling paused is due: the period has begun anew, or the day has ended on which its own ceiling paused it. Of its own ceiling it continues
 * with what went back; without any it waits for the next day, as long as outcomes come.
 */
export const resumeAtCeiling = async (campaign: StoredCampaign): Promise<void> => {
  if (campaign.resumeAt === undefined || campaign.resumeAt > now()) return;
  if (campaign.pauseDetails?.ceiling !== 'campaign') return continueCampaign(campaign);
  if (await giveBackToBudget(campaign)) {
    const current = await getStoredCampaign(campaign.companyId, campaign.id);
    if (current?.status === 'paused' && current.pauseReason === 'spend_limit') await continueCampaign(current);
    return;
  }
  const isOver = now() - (campaign.startedAt ?? campaign.createdAt) > outcomeDays * dayMs;
  await changeCampaign(campaign, { resumeAt: isOver ? undefined : nextDayMs() }, now());
};

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
