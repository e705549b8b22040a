import { dayMs } from '../../../shared/runtime/clock.ts';
import { readUnits } from '../../../shared/table/read-units.ts';
import { maxWalkUnits } from '../../../shared/table/walk.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { campaignsBefore } from '../store/campaign.ts';
import { listStats } from '../store/stats.ts';

export interface FinishedCampaign {
  id: number;
  name: string;
  delivered: number;
  read: number;
}

/** Campaigns lie in the order of their creation: those that were created longer before the stretch are not looked for. */
const longestMs = 31 * dayMs;

/**
 * The campaigns that were completed in a stretch of time, newest first, with how many recipients they have reached by now. Those to one contact are left
 * out: their names may be the contact's. 0.5 RRU per 4 KB of campaigns walked through, and 0.5 RRU for each one.
 */
export const listFinishedCampaigns = async (
  companyId: number,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<FinishedCampaign[]> => {
  const finished: StoredCampaign[] = [];
  const unitsBefore = readUnits();
  for await (const campaign of campaignsBefore(companyId, { beforeId: undefined, count: 50 })) {
    if (campaign.createdAt < fromMs - longestMs || readUnits() - unitsBefore >= maxWalkUnits) break;
    const { status, audienceType, completedAt = 0 } = campaign;
    if (status === 'completed' && audienceType !== 'contact' && completedAt >= fromMs && completedAt < toMs) finished.push(campaign);
  }
  const stats = await listStats(
    companyId,
    finished.map(({ id }) => id),
  );
  return finished.map(({ id, name }) => ({
    id,
    name,
    delivered: stats.get(id)?.everDelivered ?? 0,
    read: stats.get(id)?.everRead ?? 0,
  }));
};
