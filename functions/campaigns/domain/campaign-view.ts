import type * as z from 'zod';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { microsText } from '../../spend/contract/micros-text.ts';
import type { campaignDetails, CampaignRecord } from '../contract/campaign.ts';
import type { CampaignResult } from '../contract/compare.ts';
import { exclusionReasons, type StoredCampaign, type StoredStats } from '../contract/stored.ts';
import { audienceFields, audienceOf } from './audience.ts';
import { expectedEndMs } from './pace.ts';
import { emptyStats, workedRecipientCount } from './stats.ts';

/** Decision A37. */
export const campaignView = (campaign: StoredCampaign): CampaignRecord => ({
  id: campaign.id,
  name: campaign.name,
  type: campaign.type,
  status: campaign.status,
  is_active: !['paused', 'failed', 'deleted'].includes(campaign.status),
  template_id: campaign.templateId,
  number_id: campaign.numberId ?? null,
  template: templateOf(campaign),
  group_id: null,
  tag_id: null,
  segment_id: null,
  contact_id: null,
  ...audienceFields(audienceOf(campaign)),
  audience_count: campaign.audience,
  excluded_count: Object.values(campaign.excluded).reduce((sum, each) => sum + each, 0),
  send_now: campaign.sendNow,
  send_time: optionalTime(campaign.sendTime),
  timezone: campaign.timezone,
  prevent_template_duplicates: campaign.preventDuplicates,
  paramvalues: campaign.values,
  parammatch: campaign.match,
  media_url: campaign.mediaUrl ?? null,
  offer_ends_at: optionalTime(campaign.offerEndsAt),
  products: campaign.products ?? null,
  pause_reason: campaign.status === 'paused' ? (campaign.pauseReason ?? null) : null,
  pause_details: campaign.status === 'paused' && campaign.pauseDetails ? toPauseDetails(campaign.pauseDetails) : null,
  spend_limit: campaign.spendLimit ? moneyOf(campaign.spendLimit.micros, campaign.spendLimit.currency) : null,
  max_price_multiplier: campaign.maxPricePercent === undefined ? null : campaign.maxPricePercent / 100,
  failure_reason: campaign.failureReason ?? null,
  started_at: optionalTime(campaign.startedAt),
  completed_at: campaign.status === 'completed' || campaign.status === 'failed' ? optionalTime(campaign.completedAt) : null,
  created_at: isoTime(campaign.createdAt),
  updated_at: isoTime(campaign.updatedAt),
});

const templateOf = ({ templateId, template: { cap, ...template } }: StoredCampaign): CampaignRecord['template'] => ({
  id: templateId,
  ...template,
  max_price: cap && 'micros' in cap ? moneyOf(cap.micros, cap.currency) : null,
});

export type CampaignCost = z.input<typeof campaignDetails>['cost'];

const toPauseDetails = ({
  ceiling,
  limit,
  currency,
  resetsAt,
}: NonNullable<StoredCampaign['pauseDetails']>): CampaignRecord['pause_details'] => ({
  ceiling,
  limit,
  currency,
  resets_at: optionalTime(resetsAt),
});

const moneyOf = (micros: number, currency: string): NonNullable<CampaignRecord['spend_limit']> => ({
  amount: microsText(micros),
  currency,
});

/** What a user can do about a failure with this code. */
export type RemedyLookup = (code: number | string) => { retryable: boolean; fix: string };

/** Decision A41. The states exclude each other; who has no row yet, and who waits, is scheduled. */
export const campaignDetailsView = (
  campaign: StoredCampaign,
  stored: StoredStats | undefined,
  {
    remedy,
    ratePerSecond,
    nowMs,
    cost,
    spendLeft,
  }: { remedy: RemedyLookup; ratePerSecond: number; nowMs: number; cost: CampaignCost; spendLeft: number | undefined },
): z.input<typeof campaignDetails> => {
  const stats = stored ?? emptyStats(campaign.companyId, campaign.id);
  const total = recipientCount(campaign, stats);
  const scheduled = total - workedRecipientCount(stats);
  const { sent, delivered, read, failed, ambiguous, skipped, processing } = stats;
  const statistics = { total, scheduled, processing, sent, delivered, read, failed, ambiguous, skipped };
  return {
    ...campaignView(campaign),
    excluded: Object.fromEntries(
      exclusionReasons.flatMap((reason) => (campaign.excluded[reason] ? [[reason, campaign.excluded[reason]]] : [])),
    ),
    statistics,
    cost,
    held_count: stats.held,
    ...progressView(stats, total),
    // so that they add up to what the rate of failure counts
    failures: Object.entries({
      ...stats.failures,
      ...(ambiguous > 0 ? { ambiguous_send: { count: ambiguous, title: ambiguousTitle } } : {}),
    })
      .map(([key, { count, title }]) => {
        const code = /^\d+$/.test(key) ? Number(key) : key;
        return { code, title, count, ...remedy(code) };
      })
      .toSorted((a, b) => b.count - a.count),
    spend_left: campaign.spendLimit ? moneyOf(spendLeft ?? 0, campaign.spendLimit.currency) : null,
    eta:
      campaign.status === 'sending' && scheduled > 0
        ? isoTime(expectedEndMs(campaign, stats, { waiting: scheduled, ratePerSecond, nowMs }))
        : null,
  };
};

/** All recipients: those of the audience, and those of calls of their own. */
const recipientCount = (campaign: StoredCampaign, stats: StoredStats): number =>
  Math.max(campaign.audience + stats.singleRecipients, workedRecipientCount(stats));

const progressView = (stats: StoredStats, total: number): Pick<z.input<typeof campaignDetails>, 'funnel' | 'rates'> => ({
  funnel: {
    accepted: stats.accepted,
    delivered: stats.everDelivered,
    read: stats.everRead,
    replied: stats.replied,
    opted_out: stats.optedOut,
  },
  rates: {
    delivery: ratio(stats.everDelivered, stats.accepted),
    read: ratio(stats.everRead, stats.accepted),
    reply: ratio(stats.replied, stats.accepted),
    opt_out: ratio(stats.optedOut, stats.accepted),
    failure: ratio(stats.failed + stats.ambiguous, total),
  },
});

/** How far a campaign got that has begun. */
export const campaignResultView = (campaign: StoredCampaign & { startedAt: number }, stored: StoredStats | undefined): CampaignResult => {
  const stats = stored ?? emptyStats(campaign.companyId, campaign.id);
  const { id, name, status, template } = campaignView(campaign);
  const recipients = recipientCount(campaign, stats);
  const failed = stats.failed + stats.ambiguous;
  return { id, name, status, template, recipients, failed, ...progressView(stats, recipients), started_at: isoTime(campaign.startedAt) };
};

const ambiguousTitle = 'The provider never said whether it took the message';

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000);
const optionalTime = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms));
