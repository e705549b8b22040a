import {
  addToCounter,
  project,
  projectPart,
  emitEvent,
  logEvent,
  message,
  reaction,
  type Consequence,
  reactionList,
  sumOfParts,
} from '../../shared/events/react.ts';
import { isoTime } from '../../shared/runtime/clock.ts';
import { numberKind, type StoredNumberState } from '../account/contract/number-state.ts';
import { conversationKind, type StoredConversation } from '../conversations/contract/stored.ts';
import { messageStatuses, messageKind, type StoredMessage } from '../messaging/contract/stored.ts';
import { spendAccountKind, type StoredSpendAccount } from '../spend/contract/spend-account.ts';
import { templateKind, type StoredTemplate } from '../templates/contract/stored.ts';
import { campaignCompleted, campaignPaused, campaignProgress, campaignUpdated } from './contract/event.ts';
import { campaignBatchesQueue, campaignBuildsQueue, campaignChecksQueue, retryCheckDelaySeconds } from './contract/queue.ts';
import {
  recipientBatchEntityName,
  campaignEntityName,
  campaignStatsEntityName,
  campaignStatsPartEntityName,
  failuresTarget,
  replyTarget,
  statsPartTarget,
  statsTarget,
  storedRecipientBatch,
  type StoredRecipientBatch,
  storedCampaign,
  type CampaignStatus,
  type StoredCampaign,
  storedStats,
  storedStatsPart,
  type StoredStats,
  type StoredStatsPart,
} from './contract/stored.ts';
import { audienceOf } from './domain/audience.ts';
import { addPartChange, applyMessageChange, emptyStats, openRecipientCount, removeOpenMessage } from './domain/stats.ts';

/**
 * The reactions of campaigns: workers construct a campaign and start its chains of recipient batches, its counters follow its rows, and
 * when no recipient is open a check decides whether it is complete.
 */
export const reactions = reactionList({ sendsTo: [campaignBuildsQueue, campaignBatchesQueue, campaignChecksQueue] }, [
  reaction<StoredCampaign>({ name: campaignEntityName, parse: (raw) => storedCampaign.parse(raw) }, ({ before, after }) => {
    if (!after) return [];
    const change = { before, after };
    return [
      ...countCampaign(change),
      ...countAudience(change),
      ...queueBuild(change),
      ...startSingleRecipients(change),
      ...startChains(change),
      ...logStatus(change),
      ...announceEnd(change),
    ];
  }),

  reaction<StoredNumberState>(numberKind, ({ before, after }) => {
    const of = (number: StoredNumberState | undefined): string => JSON.stringify([number?.accountState, number?.restrictions ?? []]);
    if (!before || !after || of(before) === of(after)) return [];
    const { companyId, id } = after;
    return [message(campaignChecksQueue, companyId, { about: 'number', company_id: companyId, number_id: id })];
  }),

  reaction<StoredMessage>(messageKind, ({ before, after }) => {
    const message = after ?? before;
    if (!message?.campaign) return [];
    const { companyId, contactId, campaign } = message;
    return [
      projectStatsPart(companyId, campaign.id, (stats) =>
        after ? applyMessageChange(stats, before, after) : removeOpenMessage(stats, message),
      ),
      // a message that is gone has not failed: it is in no list of failures, and no retry sends it
      ...(hasFailed(before) === hasFailed(after) ? [] : [projectFailure({ companyId, contactId, campaign }, hasFailed(after))]),
    ];
  }),

  reaction<StoredRecipientBatch>(
    { name: recipientBatchEntityName, parse: (raw) => storedRecipientBatch.parse(raw) },
    ({ before, after }) => {
      if (!after) return [];
      const { companyId, campaignId, batch } = after;
      // a recipient of its own call (campaigns/send): its batch is its order
      if (!before && after.isSingleRecipient) return [sendBatchMessage({ companyId, id: campaignId, runNumber: 0, chainCount: 0 }, batch)];
      const skipped = after.skipped.length - (before?.skipped.length ?? 0);
      return skipped === 0 ? [] : [projectStats(companyId, campaignId, (stats) => ({ ...stats, skipped: stats.skipped + skipped }))];
    },
  ),

  sumOfParts<StoredStatsPart, { companyId: number; campaignId: number }, StoredStats>(
    { name: campaignStatsPartEntityName, parse: (raw) => storedStatsPart.parse(raw) },
    statsTarget,
    {
      idOf: ({ companyId, campaignId }) => ({ companyId, campaignId }),
      add: (sum, before, after) => addPartChange(sum ?? emptyStats(after.companyId, after.campaignId), before, after),
    },
  ),

  reaction<StoredStats>({ name: campaignStatsEntityName, parse: (raw) => storedStats.parse(raw) }, ({ before, after }) => {
    if (!after) return [];
    const { companyId, campaignId } = after;
    const reference = { company_id: companyId, campaign_id: campaignId };
    const isRetried = after.retried > (before?.retried ?? 0);
    const hasNoOpenRecipient = openRecipientCount(after) <= 0 && (!before || openRecipientCount(before) > 0);
    return [
      logEvent(
        campaignProgress,
        companyId,
        { subject: `campaign:${campaignId}`, data: progressOf(after), by: { kind: 'system' } },
        { oncePerSecond: true },
      ),
      ...(isRetried ? [message(campaignChecksQueue, companyId, { about: 'retry', ...reference }, retryCheckDelaySeconds)] : []),
      ...(hasNoOpenRecipient ? [message(campaignChecksQueue, companyId, { about: 'completion', ...reference })] : []),
    ];
  }),

  reaction<StoredTemplate>(templateKind, ({ before, after }) => {
    if (!before || before.id === 0 || before.status !== 'APPROVED' || after?.status === 'APPROVED') return [];
    const { companyId, id } = before;
    const status = after?.id === id ? after.status : 'DELETED';
    return [message(campaignChecksQueue, companyId, { about: 'template', company_id: companyId, template_id: id, status })];
  }),

  reaction<StoredSpendAccount>(spendAccountKind, ({ before, after }) => {
    // grants move its counters alone; what goes back to them may let a campaign continue
    const isFreed = (field: 'dayFreed' | 'monthFreed'): boolean => (after?.[field] ?? 0) > (before?.[field] ?? 0);
    if (!before || !after || (before.rev === after.rev && !isFreed('dayFreed') && !isFreed('monthFreed'))) return [];
    return [message(campaignChecksQueue, after.companyId, { about: 'ceilings', company_id: after.companyId })];
  }),

  reaction<StoredConversation>(conversationKind, ({ before, after }) => {
    const answered = after?.answeredCampaign;
    if (!after || answered === undefined) return [];
    const replied = answered.id !== before?.answeredCampaign?.id;
    const stopped = answered.stopped === true && (replied || before?.answeredCampaign?.stopped !== true);
    if (!replied && !stopped) return [];
    return [
      ...projectReply(after, answered),
      projectStatsPart(after.companyId, answered.id, (stats) => ({
        ...stats,
        replied: stats.replied + Number(replied),
        optedOut: stats.optedOut + Number(stopped),
      })),
    ];
  }),
]);

/** A campaign that was created or changed. */
interface CampaignChange {
  before: StoredCampaign | undefined;
  after: StoredCampaign;
}

const becomes = ({ before, after }: CampaignChange, status: CampaignStatus): boolean =>
  after.status === status && before?.status !== status;

const referenceOf = ({ companyId, id }: StoredCampaign) => ({ company_id: companyId, campaign_id: id });

/** A deleted campaign counts no longer. */
function countCampaign({ before, after }: CampaignChange): Consequence[] {
  const by = Number(after.status !== 'deleted') - Number(before !== undefined && before.status !== 'deleted');
  return by === 0 ? [] : [addToCounter(after.companyId, campaignEntityName, by)];
}

function countAudience({ before, after }: CampaignChange): Consequence[] {
  const by = after.audience - (before?.audience ?? 0);
  return by === 0 ? [] : [projectStats(after.companyId, after.id, (stats) => ({ ...stats, audience: stats.audience + by }))];
}

/** A group or tag follows its contacts by the stream too: contacts that were added just before are waited for. */
function queueBuild(change: CampaignChange): Consequence[] {
  const { before, after } = change;
  const isResumed = becomes(change, 'constructing') && before?.status === 'paused';
  if (!isResumed && !becomes(change, 'queued')) return [];
  const waits = !isResumed && ['group', 'tag'].includes(audienceOf(after).of);
  return [message(campaignBuildsQueue, after.companyId, referenceOf(after), waits ? groupDelaySeconds : 0)];
}

const groupDelaySeconds = 1;

/** Single recipients are in no chain: their messages were dropped during the pause, or a retry has moved them back. */
function startSingleRecipients({ before, after }: CampaignChange): Consequence[] {
  const isOpen = after.status !== 'deleted' && after.status !== 'paused';
  const isRetried = before !== undefined && (after.retried !== before.retried || after.retriedAtRestart !== before.retriedAtRestart);
  if (!isOpen || (before?.status !== 'paused' && !isRetried)) return [];
  return [message(campaignChecksQueue, after.companyId, { about: 'extras', ...referenceOf(after) })];
}

/** A new run starts as many chains as the number's send rate needs. */
function startChains({ before, after }: CampaignChange): Consequence[] {
  if (after.status !== 'sending' || after.runNumber === before?.runNumber) return [];
  const chains = Math.min(after.chainCount, Math.max(1, after.batchCount));
  return Array.from({ length: chains }, (_, batch) => sendBatchMessage(after, batch));
}

const sendBatchMessage = (
  { companyId, id, runNumber, chainCount }: Pick<StoredCampaign, 'companyId' | 'id' | 'runNumber' | 'chainCount'>,
  batch: number,
): Consequence =>
  message(campaignBatchesQueue, companyId, {
    company_id: companyId,
    campaign_id: id,
    run_number: runNumber,
    batch,
    chain_count: chainCount,
  });

/** A pause and the completion have events of their own. */
function logStatus({ before, after: { companyId, id, status } }: CampaignChange): Consequence[] {
  if (before?.status === status || status === 'completed' || status === 'paused') return [];
  const data = { campaign_id: id, status };
  return [logEvent(campaignUpdated, companyId, { subject: `campaign:${id}`, data, by: { kind: 'system' } })];
}

function announceEnd(change: CampaignChange): Consequence[] {
  const { before, after } = change;
  const { companyId, id, name, status, updatedAt, audience, pauseReason = 'user' } = after;
  const data = { campaign_id: id, name, at: isoTime(updatedAt) };
  if (becomes(change, 'completed')) return [emitEvent(campaignCompleted, companyId, { ...data, audience_count: audience })];
  const isPause = status === 'paused' && (before?.status !== 'paused' || before.pauseReason !== after.pauseReason);
  return isPause ? [emitEvent(campaignPaused, companyId, { ...data, reason: pauseReason })] : [];
}

const hasFailed = (message: StoredMessage | undefined): boolean => message?.status === messageStatuses.failed;

/** The failures of a batch, with this message's recipient or without it. */
function projectFailure(
  { companyId, contactId, campaign }: Pick<StoredMessage, 'companyId' | 'contactId'> & { campaign: NonNullable<StoredMessage['campaign']> },
  isFailed: boolean,
): Consequence {
  const id = { companyId, campaignId: campaign.id, batch: campaign.batch };
  return project(failuresTarget, id, (row) => {
    const failures = row ?? { ...id, contactIds: [], rev: 0, checkpoints: {} };
    const others = failures.contactIds.filter((each) => each !== contactId);
    return { ...failures, contactIds: isFailed ? [...others, contactId] : others };
  });
}

/** The reply in the list of its campaign; a word of refusal may come after it. Of conversations of before, the reply is not known. */
function projectReply({ companyId, contactId }: StoredConversation, answered: AnsweredCampaign): Consequence[] {
  const { id: campaignId, at, messageId, stopped } = answered;
  if (at === undefined || messageId === undefined) return [];
  const id = { companyId, campaignId, contactId, at };
  return [
    project(replyTarget, id, (row) => ({
      ...(row ?? { ...id, messageId, rev: 0, checkpoints: {} }),
      ...(stopped ? { hasStopped: true as const } : {}),
    })),
  ];
}

type AnsweredCampaign = NonNullable<StoredConversation['answeredCampaign']>;

const progressOf = ({ campaignId, audience, processing, sent, delivered, read, failed, ambiguous, skipped }: StoredStats) => ({
  campaign_id: campaignId,
  audience,
  processing,
  sent,
  delivered,
  read,
  failed,
  ambiguous,
  skipped,
});

const projectStats = (companyId: number, campaignId: number, apply: (stats: StoredStats) => StoredStats) =>
  project(statsTarget, { companyId, campaignId }, (row) => apply(row ?? emptyStats(companyId, campaignId)));

/** Recipients' rows lie in all shards of the stream, which would all write to the one row of a large campaign. */
const projectStatsPart = (companyId: number, campaignId: number, apply: (stats: StoredStats) => StoredStats) =>
  projectPart({ part: statsPartTarget, sum: statsTarget }, { companyId, campaignId }, (row) =>
    apply(row ?? emptyStats(companyId, campaignId)),
  );
