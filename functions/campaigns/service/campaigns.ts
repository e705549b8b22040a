import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import { providerErrorEntry } from '../../../shared/provider/errors.ts';
import type { campaignDetails } from '../contract/campaign.ts';
import { campaignEntityName, type campaignTypes, type StoredCampaign } from '../contract/stored.ts';
import { campaignDetailsView } from '../domain/campaign-view.ts';
import { getStats } from '../store/recipient-batch.ts';
import { campaignsBefore, getCampaign as getStoredCampaign } from '../store/campaign.ts';
import { getCampaignNumber } from './campaign-number.ts';

export interface CampaignsQuery {
  search?: string | undefined;
  type?: (typeof campaignTypes)[number] | undefined;
  page: number;
  limit: number;
  cursor: string | undefined;
}

/** Newest first; deleted ones are not listed. A search or a type is looked for among all campaigns of the company. */
export const listCampaigns = async (
  companyId: number,
  { search, type, page, limit, cursor }: CampaignsQuery,
): Promise<Page<StoredCampaign> | Problem<'invalid_cursor'>> => {
  const wanted = search?.toLowerCase() ?? '';
  const scope = `campaigns:${companyId}:${type ?? ''}:${wanted}`;
  const after = cursor === undefined ? undefined : await decodeCursor(scope, cursor, z.object({ id: z.int().positive() }));
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  const holds = ({ status, name, type: kind }: StoredCampaign): boolean =>
    status !== 'deleted' && (type === undefined || kind === type) && (wanted === '' || name.toLowerCase().includes(wanted));
  const isFiltered = type !== undefined || wanted !== '';
  const skip = after ? 0 : (page - 1) * limit;
  const { lastId, total } = await getCounter(companyId, campaignEntityName);
  const [found, count] = await Promise.all([
    skip > lastId ? [] : campaignsBefore(companyId, { beforeId: after?.id, wanted: skip + limit + 1, holds }),
    isFiltered ? campaignsBefore(companyId, { beforeId: undefined, wanted: lastId, holds }).then(({ length }) => length) : total,
  ]);
  const items = found.slice(skip, skip + limit);
  const last = found.length > skip + limit ? items.at(-1) : undefined;
  return { items, total: count, page, limit, nextCursor: last && (await encodeCursor(scope, { id: last.id })) };
};

/** A campaign with its counters (A41). 2.5 RRU. */
export const getCampaign = async (companyId: number, id: number): Promise<z.input<typeof campaignDetails> | Problem<'not_found'>> => {
  const campaign = await getStoredCampaign(companyId, id);
  return campaign ? details(campaign) : problem('not_found');
};

export const details = async (campaign: StoredCampaign): Promise<z.input<typeof campaignDetails>> => {
  const [stats, number] = await Promise.all([getStats(campaign.companyId, campaign.id), getCampaignNumber(campaign)]);
  return campaignDetailsView(campaign, stats, { remedy: remedyOf, ratePerSecond: number?.ratePerSecond ?? 1, nowMs: now() });
};

/** What can be done about a failure: the provider's codes by their table, ours by name. */
export const remedyOf = (code: number | string): { retryable: boolean; fix: string } => {
  if (typeof code === 'number') {
    const { retryable, fix } = providerErrorEntry(code);
    return { retryable, fix };
  }
  return { retryable: code === 'provider_unreachable', fix: fixes[code] ?? 'Look at the messages of this campaign.' };
};

const fixes: Readonly<Record<string, string>> = {
  ambiguous_send: 'The provider never said whether it took the message; it is not sent again.',
  provider_unreachable: 'Retry when the provider can be reached.',
  missing_parameter: 'Fill the field of the contact, or give a value for all.',
  invalid_parameter: 'Shorten or correct the values of the placeholders.',
  cancelled: 'Create a new campaign for these contacts.',
};
