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
import { templateKind, type StoredTemplate } from '../templates/contract/stored.ts';
import { campaignCompleted, campaignPaused } from './contract/event.ts';
import { campaignBatchesQueue, campaignBuildsQueue, campaignChecksQueue, retryCheckDelaySeconds } from './contract/queue.ts';
import {
  recipientBatchEntityName,
  campaignEntityName,
  campaignStatsEntityName,
  campaignStatsPartEntityName,
  failuresTarget,
  statsPartTarget,
  statsTarget,
  storedRecipientBatch,
  type StoredRecipientBatch,
  storedCampaign,
  type StoredCampaign,
  storedStats,
  storedStatsPart,
  type StoredStats,
  type StoredStatsPart,
} from './contract/stored.ts';
import { addPartChange, applyMessageChange, emptyStats, openRecipientCount } from './domain/stats.ts';

/**
 * The reactions of campaigns: workers construct a campaign and start its chains of recipient batches, its counters follow its rows, and
 * when no recipient is open a check decides whether it is complete.
 */
export const reactions = reactionList({ sendsTo: [campaignBuildsQueue, campaignBatchesQueue, campaignChecksQueue] }, [
  reaction<StoredCampaign>({ name: campaignEntityName, parse: (raw) => storedCampaign.parse(raw) }, ({ before, after }) => {
    if (!after) return [];
    const { companyId, id } = after;
    const reference = { company_id: companyId, campaign_id: id };
    const consequences: Consequence[] = [];
    const total = Number(after.status !== 'deleted') - Number(before !== undefined && before.status !== 'deleted');
    if (total !== 0) consequences.push(addToCounter(companyId, campaignEntityName, total));
    const audience = after.audience - (before?.audience ?? 0);
    if (audience !== 0) consequences.push(projectStats(companyId, id, (stats) => ({ ...stats, audience: stats.audience + audience })));
    const becomes = (status: StoredCampaign['status']): boolean => after.status === status && before?.status !== status;
    // a group or tag follows its contacts by the stream too: who was added just before is waited for
    if (becomes('queued'))
      consequences.push(
        message(campaignBuildsQueue, companyId, reference, (after.groupId ?? after.tagId) === undefined ? 0 : groupDelaySeconds),
      );
    const isOpen = after.status !== 'deleted' && after.status !== 'paused';
    const isRetried = before !== undefined && (after.retried !== before.retried || after.retriedAtRestart !== before.retriedAtRestart);
    // single recipients are in no chain: their messages were dropped during the pause, or a retry has moved them back
    if (isOpen && (before?.status === 'paused' || isRetried))
      consequences.push(message(campaignChecksQueue, companyId, { about: 'extras', ...reference }));
    if (becomes('constructing') && before?.status === 'paused') consequences.push(message(campaignBuildsQueue, companyId, reference));
    if (after.status === 'sending' && after.runNumber !== before?.runNumber)
      for (let batch = 0; batch < Math.min(after.chainCount, Math.max(1, after.batchCount)); batch++)
        consequences.push(
          message(campaignBatchesQueue, companyId, {
            ...reference,
            run_number: after.runNumber,
            batch,
            chain_count: after.chainCount,
          }),
        );
    const eventData = { campaign_id: id, name: after.name, at: isoTime(after.updatedAt) };
    if (before?.status !== after.status && !['completed', 'paused'].includes(after.status))
      consequences.push(
        logEvent(companyId, {
          type: 'campaign.updated',
          subject: `campaign:${id}`,
          data: { campaign_id: id, status: after.status },
          by: { kind: 'system' },
        }),
      );
    if (becomes('completed')) consequences.push(emitEvent(campaignCompleted, companyId, { ...eventData, audience_count: after.audience }));
    if (becomes('paused')) consequences.push(emitEvent(campaignPaused, companyId, { ...eventData, reason: after.pauseReason ?? 'user' }));
    return consequences;
  }),

  reaction<StoredNumberState>(numberKind, ({ before, after }) => {
    const of = (number: StoredNumberState | undefined): string => JSON.stringify([number?.accountState, number?.restrictions ?? []]);
    if (!before || !after || of(before) === of(after)) return [];
    const { companyId, id } = after;
    return [message(campaignChecksQueue, companyId, { about: 'number', company_id: companyId, number_id: id })];
  }),

  reaction<StoredMessage>(messageKind, ({ before, after }) => {
    if (!after?.campaign) return [];
    const { companyId, contactId, campaign } = after;
    const consequences: Consequence[] = [projectStatsPart(companyId, campaign.id, (stats) => applyMessageChange(stats, before, after))];
    const [did, does] = [hasFailed(before), hasFailed(after)];
    if (did !== does)
      consequences.push(
        project(failuresTarget, { companyId, campaignId: campaign.id, batch: campaign.batch }, (row) => {
          const failures = row ?? { companyId, campaignId: campaign.id, batch: campaign.batch, contactIds: [], rev: 0, checkpoints: {} };
          const others = failures.contactIds.filter((id) => id !== contactId);
          return { ...failures, contactIds: does ? [...others, contactId] : others };
        }),
      );
    return consequences;
  }),

  reaction<StoredRecipientBatch>(
    { name: recipientBatchEntityName, parse: (raw) => storedRecipientBatch.parse(raw) },
    ({ before, after }) => {
      if (!after) return [];
      const { companyId, campaignId } = after;
      // a recipient of its own call (campaigns/send): its batch is its order
      if (!before && after.isSingleRecipient)
        return [
          message(campaignBatchesQueue, companyId, {
            company_id: companyId,
            campaign_id: campaignId,
            run_number: 0,
            batch: after.batch,
            chain_count: 0,
          }),
        ];
      const skipped = after.skipped.length - (before?.skipped.length ?? 0);
      if (skipped === 0) return [];
      return [projectStats(after.companyId, after.campaignId, (stats) => ({ ...stats, skipped: stats.skipped + skipped }))];
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
        companyId,
        { type: 'campaign.progress', subject: `campaign:${campaignId}`, data: progressOf(after), by: { kind: 'system' } },
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

  reaction<StoredConversation>(conversationKind, ({ before, after }) => {
    const answered = after?.answeredCampaign;
    if (!after || answered === undefined) return [];
    const replied = answered.id !== before?.answeredCampaign?.id;
    const stopped = answered.stopped === true && (replied || before?.answeredCampaign?.stopped !== true);
    if (!replied && !stopped) return [];
    return [
      projectStatsPart(after.companyId, answered.id, (stats) => ({
        ...stats,
        replied: stats.replied + Number(replied),
        optedOut: stats.optedOut + Number(stopped),
      })),
    ];
  }),
]);

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

const hasFailed = (message: StoredMessage | undefined): boolean => message?.status === messageStatuses.failed;

const groupDelaySeconds = 1;

const projectStats = (companyId: number, campaignId: number, apply: (stats: StoredStats) => StoredStats) =>
  project(statsTarget, { companyId, campaignId }, (row) => apply(row ?? emptyStats(companyId, campaignId)));

/** Recipients' rows lie in all shards of the stream, which would all write to the one row of a large campaign. */
const projectStatsPart = (companyId: number, campaignId: number, apply: (stats: StoredStats) => StoredStats) =>
  projectPart({ part: statsPartTarget, sum: statsTarget }, { companyId, campaignId }, (row) =>
    apply(row ?? emptyStats(companyId, campaignId)),
  );
