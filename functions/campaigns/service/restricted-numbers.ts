import { now } from '../../../shared/runtime/clock.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { sendBlockOf } from '../../account/contract/number-state.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { campaignsBefore, changeCampaign, getStoredCampaign } from '../store/campaign.ts';
import { getCampaignNumber } from './campaign-number.ts';
import { continueCampaign, pauseStoredCampaign } from './pause-campaign.ts';

/**
 * After a change of a number: pauses the campaigns that cannot succeed from it, and lets those continue whose number is free again. The status
 * is read after each reservation of slots, before its first claim, so that sending ends within a second.
 */
export const checkCampaignsOfNumber = async (companyId: number): Promise<void> => {
  const isOpen = ({ status, pauseReason }: StoredCampaign): boolean =>
    ['constructing', 'sending'].includes(status) || (status === 'paused' && pauseReason === 'number_restricted');
  for await (const campaign of campaignsBefore(companyId, { beforeId: undefined, count: campaignsPerRead }))
    if (isOpen(campaign)) await checkNumberOf(campaign);
};

/** Pauses the campaign while its number can start no conversation, and continues it once the number can. `over`: it cannot be paused any more. */
export const checkNumberOf = async (campaign: StoredCampaign): Promise<'continues' | 'paused' | 'over'> => {
  const number = await getCampaignNumber(campaign);
  const block = number && sendBlockOf(number, now());
  if (block) return (await holdCampaign(campaign, block.untilMs)) ? 'paused' : 'over';
  if (campaign.pauseReason !== 'number_restricted' || !number || number.isSuspended) return 'continues';
  await continueCampaign(campaign);
  return 'continues';
};

/** A restriction that was extended moves the time at which the campaign is looked at again. False: the campaign is over. */
async function holdCampaign(campaign: StoredCampaign, untilMs: number | undefined): Promise<boolean> {
  const resumeAt = untilMs === undefined ? undefined : untilMs + 1_000;
  const paused = await pauseStoredCampaign(campaign, 'number_restricted', resumeAt);
  if (paused?.pauseReason !== 'number_restricted' || paused.resumeAt === resumeAt) return paused !== undefined;
  let seen: StoredCampaign | undefined = paused;
  await retryOnConflict(maxConflicts, async () => {
    if (seen?.pauseReason !== 'number_restricted') return undefined;
    const written = await changeCampaign(seen, { resumeAt }, now());
    if (written.done) return undefined;
    seen = await getStoredCampaign(campaign.companyId, campaign.id);
    return conflict;
  });
  return true;
}

const campaignsPerRead = 100;
