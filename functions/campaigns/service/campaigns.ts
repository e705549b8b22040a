import * as z from 'zod';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { listPage, type Page, type PageQuery } from '../../../shared/table/page.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import { readUnits } from '../../../shared/table/read-units.ts';
import { isTooDeep, maxPageDepth, maxWalkUnits, pageTooDeep } from '../../../shared/table/walk.ts';
import { providerErrorEntry } from '../../../shared/provider/errors.ts';
import type { campaignDetails } from '../contract/campaign.ts';
import { campaignEntityName, type campaignTypes, type listedStatuses, type StoredCampaign } from '../contract/stored.ts';
import { campaignDetailsView } from '../domain/campaign-view.ts';
import { getStats } from '../store/stats.ts';
import { campaignsBefore, getStoredCampaign } from '../store/campaign.ts';
import { getCampaignCost } from './campaign-cost.ts';
import { getCampaignNumber } from './campaign-number.ts';
import { getSpendLeft } from './campaign-budget.ts';

export interface CampaignsQuery extends PageQuery {
  search?: string | undefined;
  type?: (typeof campaignTypes)[number] | undefined;
  status?: (typeof listedStatuses)[number] | undefined;
}

const position = z.object({ id: z.int().positive(), total: z.int().nonnegative().optional(), skip: z.int().positive().optional() });

/**
 * Newest first; deleted ones are not listed. With a search, a type or a status the campaigns are read to their end once, for the total, which the cursor
 * carries. Where one call cannot, page and total end early and the cursor continues.
 */
export const listCampaigns = (
  companyId: number,
  { search, type, status, ...query }: CampaignsQuery,
): Promise<Page<StoredCampaign> | Problem<'invalid_cursor' | 'validation_failed'>> => {
  const wanted = search?.toLowerCase() ?? '';
  const isFiltered = type !== undefined || status !== undefined || wanted !== '';
  const holds = ({ status: stands, name, type: kind }: StoredCampaign): boolean =>
    stands !== 'deleted' &&
    (type === undefined || kind === type) &&
    (status === undefined || stands === status) &&
    (wanted === '' || name.toLowerCase().includes(wanted));
  // without a status as before: cursors of the release before hold
  const filters = `${type ?? ''}${status === undefined ? '' : `/${status}`}:${wanted}`;
  return listPage({ scope: `campaigns:${companyId}:${filters}`, query, position }, async ({ after, limit, ...range }) => {
    const skip = after?.skip ?? range.skip;
    const { lastId, total: all } = await getCounter(companyId, campaignEntityName);
    const isPastEnd = !after && skip >= lastId;
    if (!after && !isPastEnd && isTooDeep(query.page, limit)) return invalid('page', pageTooDeep());
    const known = after?.total ?? (isFiltered ? undefined : all);
    const items: StoredCampaign[] = [];
    const unitsBefore = readUnits();
    let matched = 0;
    let next: z.output<typeof position> | undefined;
    let isPartial = false;
    const count = known === undefined ? undefined : skip + limit + 1;
    for await (const campaign of isPastEnd ? [] : campaignsBefore(companyId, { beforeId: after?.id, count })) {
      if (holds(campaign)) {
        if (++matched > skip && items.length < limit) items.push(campaign);
        else if (matched > skip) next ??= { id: items.at(-1)?.id ?? campaign.id };
      }
      if (known !== undefined && next) break;
      if (readUnits() - unitsBefore >= maxWalkUnits) {
        isPartial = true;
        next ??= { id: campaign.id, ...(matched < skip ? { skip: skip - matched } : {}) };
        break;
      }
    }
    const total = isFiltered ? Math.max(known ?? 0, matched) : all;
    return { items, total, next: next && isFiltered ? { ...next, total } : next, depth: maxPageDepth, isPartial };
  });
};

/** A campaign with its counters (A41). 2.5 RRU, and the rate cards once a minute in a process: 3 RRU or more. */
export const getCampaign = async (companyId: number, id: number): Promise<z.input<typeof campaignDetails> | Problem<'not_found'>> => {
  const campaign = await getStoredCampaign(companyId, id);
  return campaign ? details(campaign) : problem('not_found');
};

export const details = async (campaign: StoredCampaign): Promise<z.input<typeof campaignDetails>> => {
  const [stats, number, spendLeft] = await Promise.all([
    getStats(campaign.companyId, campaign.id),
    getCampaignNumber(campaign),
    getSpendLeft(campaign),
  ]);
  const cost = await getCampaignCost(campaign, stats, number?.id);
  return campaignDetailsView(campaign, stats, {
    remedy: remedyOf,
    ratePerSecond: number?.ratePerSecond ?? 1,
    nowMs: now(),
    cost,
    spendLeft,
  });
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
  template_paused: 'Send it again once the template is approved.',
  provider_blocked: 'Connect a business number, then send it again.',
  number_restricted: 'Send it again once the restriction of the number has ended.',
  erased: 'The recipient was erased while the message was on its way; nothing is sent again.',
  price_unknown: 'Import a rate card that prices the country of the recipient, then retry.',
  spend_limit: 'Raise the ceiling, then send it again.',
  cancelled: 'Create a new campaign for these contacts.',
};
