import { isoTime } from '../../../shared/runtime/clock.ts';
import { multipliedCap } from '../../spend/contract/price-cap.ts';
import { priceSend } from '../../spend/service/spend.ts';
import type { StoredCampaign, StoredStats } from '../contract/stored.ts';
import type { CampaignCost } from '../domain/campaign-view.ts';
import { chargesByDay } from '../domain/cost.ts';

/** What a campaign costs: its recipients at the prices of its start, and its messages at those of their days. Nothing is read before it starts. */
export const getCampaignCost = async (
  { companyId, countries, template, maxPricePercent = 100, startedAt, createdAt }: StoredCampaign,
  stats: StoredStats | undefined,
  numberId: number | undefined,
): Promise<CampaignCost> => {
  const items = Object.entries(countries ?? {}).map(([country, recipients]) => ({
    country: country === '-' ? undefined : country,
    recipients,
  }));
  const charged = [...chargesByDay(stats?.cost ?? {})]
    .map(([date, charges]) => ({ date, charges }))
    .toSorted((a, b) => (a.date < b.date ? -1 : 1));
  if (items.length === 0 && charged.length === 0) return { estimate: null, actual: nothing };
  const day = isoTime(startedAt ?? createdAt).slice(0, 10);
  const { estimate, actual } = await priceSend(companyId, {
    numberId,
    category: template.category,
    cap: template.cap && multipliedCap(template.cap, maxPricePercent),
    items,
    day,
    charged,
  });
  return { estimate: items.length === 0 ? null : estimate, actual };
};

const nothing: CampaignCost['actual'] = { amounts: [], messages: 0, charged: 0, free: 0, unknown: 0 };
