import { readUnits } from '../../../shared/table/read-units.ts';
import { maxWalkUnits } from '../../../shared/table/walk.ts';
import type { CampaignComparison, CampaignResult, ComparisonOrder, ComparisonQuery } from '../contract/compare.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { campaignResultView } from '../domain/campaign-view.ts';
import { campaignsBefore } from '../store/campaign.ts';
import { listStats } from '../store/stats.ts';

type StartedCampaign = StoredCampaign & { startedAt: number };

/** The newest campaigns that have begun, with their results (A41). 0.5 RRU per 4 KB of campaigns walked through, and 0.5 RRU for each one compared. */
export const compareCampaigns = async (
  companyId: number,
  { sort, template_id: templateId, limit }: ComparisonQuery,
): Promise<CampaignComparison> => {
  const { campaigns, isPartial } = await newestStarted(companyId, templateId, limit);
  const stats = await listStats(
    companyId,
    campaigns.map(({ id }) => id),
  );
  const results = campaigns.map((campaign) => campaignResultView(campaign, stats.get(campaign.id)));
  return { campaigns: inOrder(results, sort), is_partial: isPartial };
};

async function newestStarted(
  companyId: number,
  templateId: number | undefined,
  limit: number,
): Promise<{ campaigns: StartedCampaign[]; isPartial: boolean }> {
  const campaigns: StartedCampaign[] = [];
  const unitsBefore = readUnits();
  for await (const campaign of campaignsBefore(companyId, { beforeId: undefined, count: undefined })) {
    const isWanted = isStarted(campaign) && (templateId === undefined || campaign.templateId === templateId);
    if (isWanted && campaigns.length === limit) return { campaigns, isPartial: true };
    if (isWanted) campaigns.push(campaign);
    if (readUnits() - unitsBefore >= maxWalkUnits) return { campaigns, isPartial: true };
  }
  return { campaigns, isPartial: false };
}

const isStarted = (campaign: StoredCampaign): campaign is StartedCampaign =>
  campaign.startedAt !== undefined && campaign.status !== 'deleted';

/** Of equal rates the newer campaign comes first. */
const inOrder = (results: readonly CampaignResult[], sort: ComparisonOrder): CampaignResult[] =>
  sort === 'newest' ? [...results] : results.toSorted((a, b) => b.rates[sort] - a.rates[sort]);
