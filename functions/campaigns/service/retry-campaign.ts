import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { providerErrorEntry } from '../../../shared/provider/errors.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { Written } from '../../../shared/table/written.ts';
import { getRecipientMessages, retryFailedRecipient } from '../../messaging/service/campaign-recipients.ts';
import { messageStatuses, type StoredMessage } from '../../messaging/contract/stored.ts';
import type { CallCredential } from '../../spend/service/token-ceilings.ts';
import { startTemplateUse } from '../../templates/service/template-uses.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import type { RetryInput } from '../contract/message.ts';
import type { StoredCampaign, StoredFailures, StoredRecipientBatch } from '../contract/stored.ts';
import { retryRefusalReason } from '../domain/retry.ts';
import { getRecipientBatch, hasOpenBatch, listRecipientBatches, updateRecipientBatch } from '../store/recipient-batch.ts';
import { getStats, listFailures } from '../store/stats.ts';
import { getStoredCampaign, restartCampaign } from '../store/campaign.ts';
import { templateUserOf } from './create-campaign.ts';
import { unpaidProblem } from './token-payment.ts';

export interface RetryResult {
  campaign_id: number;
  retried: number;
  skipped: number;
  skipped_reasons: Record<string, number>;
}

/**
 * POST /campaigns/{id}/retry (A45): moves what may be sent again back to waiting, each row on the condition that it has failed so, and
 * says why the others stay. Batches learn of it before their rows, and the campaign starts again at the end; so a retry that is cut off and
 * repeated loses nothing, nor does one that is not repeated (completeInterruptedRetry). 1 RRU and 1 WRU a failure, and 2 WRU a batch that has any.
 */
export const retryCampaign = async (
  companyId: number,
  id: number,
  named: RetryInput,
  caller: CallCredential,
): Promise<RetryResult | Problem<'not_found' | 'template_not_approved' | 'spend_limit_reached' | 'conflict'>> => {
  const campaign = await getStoredCampaign(companyId, id);
  if (!campaign || campaign.status === 'deleted') return problem('not_found');
  const unpaid = await unpaidProblem(caller, campaign);
  if (unpaid) return unpaid;
  const template = await getTemplate(companyId, campaign.templateId);
  if (isProblem(template) || template.status !== 'APPROVED')
    return problem('template_not_approved', {
      details: { status: isProblem(template) ? 'DELETED' : template.status, template_id: campaign.templateId },
    });
  let retried = 0;
  const skipped: Record<string, number> = {};
  for (const failures of await listFailures(companyId, id)) {
    const batch = await retryBatch(failures, chooserOf(named));
    retried += batch.retried;
    for (const reason of batch.refusals) skipped[reason] = (skipped[reason] ?? 0) + 1;
  }
  const isOfAll = named.codes === undefined && named.contact_ids === undefined;
  const ambiguous = isOfAll ? await countAmbiguous(campaign) : 0;
  if (ambiguous > 0) skipped['fate_unknown'] = (skipped['fate_unknown'] ?? 0) + ambiguous;
  const sum = Object.values(skipped).reduce((total, count) => total + count, 0);
  const result = { campaign_id: id, retried, skipped: sum, skipped_reasons: skipped };
  if (retried === 0) return result;
  let seen = await getStoredCampaign(companyId, id);
  return retryOnConflict<RetryResult | Problem<'conflict'>>(
    8,
    async () => {
      if (!seen) return problem('conflict');
      const written = await restartChains(seen, { retried: seen.retried + retried }, template);
      if (written.done) return result;
      seen = written.current ?? (await getStoredCampaign(companyId, id));
      return conflict;
    },
    () => problem('conflict'),
  );
};

/**
 * After a retry that was cut off between its rows and the campaign's new start: the counters saw more rows move than the campaign knows of,
 * and some batch waits. Without its template the campaign starts too, and then rests, and says why.
 *
 * `retried` stays as it is: a retry that still runs adds its rows itself, and a sum with rows counted twice is one that the counters never
 * reach. Several checks at once start the campaign once.
 */
export const completeInterruptedRetry = async (companyId: number, id: number): Promise<void> => {
  const [campaign, stats] = await Promise.all([getStoredCampaign(companyId, id), getStats(companyId, id)]);
  if (!campaign || !stats) return;
  const isOwed = ({ status, retried, retriedAtRestart = 0 }: StoredCampaign): boolean =>
    status !== 'deleted' && stats.retried > Math.max(retried, retriedAtRestart);
  if (!isOwed(campaign) || !(await hasOpenBatch(companyId, id))) return;
  const template = await getTemplate(companyId, campaign.templateId);
  const approved = isProblem(template) || template.status !== 'APPROVED' ? undefined : template;
  let seen = await getStoredCampaign(companyId, id);
  await retryOnConflict(8, async () => {
    if (!seen || !isOwed(seen)) return undefined;
    const written = await restartChains(seen, { retriedAtRestart: stats.retried }, approved);
    if (written.done) return undefined;
    seen = written.current ?? (await getStoredCampaign(companyId, id));
    return conflict;
  });
};

const classOf = (code: number): string => providerErrorEntry(code).class;

/** Which failures a request names: by the codes that the statistics count them under, and by their recipients. */
const chooserOf = ({ codes, contact_ids }: RetryInput): Chooser => {
  const [byCode, byContact] = [codes && new Set(codes.map(String)), contact_ids && new Set(contact_ids)];
  return {
    isRecipient: (contactId) => byContact?.has(contactId) ?? true,
    isReason: ({ error }) => byCode?.has(String(error?.code ?? 'unknown')) ?? true,
  };
};

interface Chooser {
  isRecipient: (contactId: number) => boolean;
  isReason: (message: StoredMessage) => boolean;
}

/** Moves failed rows of a batch back to waiting: how many this very call moved, and why each of the others stays. */
async function retryBatch(
  { companyId, campaignId, batch: number, contactIds: failed }: StoredFailures,
  { isRecipient, isReason }: Chooser,
): Promise<{ retried: number; refusals: string[] }> {
  const contactIds = failed.filter(isRecipient);
  if (contactIds.length === 0) return { retried: 0, refusals: [] };
  const batch = await getRecipientBatch(companyId, campaignId, number);
  if (!batch) return { retried: 0, refusals: [] };
  const rows = await getRecipientMessages(companyId, { id: campaignId, batch: number }, contactIds, batch.secondMs ?? 0);
  const retryable: StoredMessage[] = [];
  const refusals: string[] = [];
  for (const row of [...rows.values()].filter(isReason)) {
    const refusal = retryRefusalReason(row, classOf, now());
    if (refusal === undefined) retryable.push(row);
    else if (refusal !== 'not_failed') refusals.push(refusal);
  }
  if (retryable.length === 0) return { retried: 0, refusals };
  await addWaitingContacts(
    batch,
    retryable.map(({ contactId }) => contactId),
  );
  const moved = await Promise.all(
    retryable.map((row) =>
      retryFailedRecipient(row, (seen) => seen.attempt === row.attempt && retryRefusalReason(seen, classOf, now()) === undefined),
    ),
  );
  return { retried: moved.filter((row) => row !== undefined).length, refusals };
}

async function addWaitingContacts(batch: StoredRecipientBatch, contactIds: readonly number[]): Promise<void> {
  let seen: StoredRecipientBatch | undefined = batch;
  await retryOnConflict(maxConflicts, async () => {
    if (!seen) return undefined;
    const written = await updateRecipientBatch(seen, { waiting: [...new Set([...seen.waiting, ...contactIds])], done: false });
    seen = written.done ? undefined : written.current;
    return written.done ? undefined : conflict;
  });
}

/** Rows whose fate is not known yet: they are looked at two minutes after their claim. */
async function countAmbiguous({ companyId, id, batchCount }: StoredCampaign): Promise<number> {
  let count = 0;
  for (let from = 0; from < batchCount; from += 500) {
    const page = await listRecipientBatches(companyId, id, { from, to: Math.min(from + 500, batchCount) - 1, limit: 500 });
    for (const { batch, contactIds, secondMs = 0 } of page.filter(({ hasUnknownResult }) => hasUnknownResult)) {
      const rows = await getRecipientMessages(companyId, { id, batch }, contactIds, secondMs);
      count += [...rows.values()].filter(({ status, ambiguous }) => status === messageStatuses.processing && ambiguous).length;
    }
  }
  return count;
}

/**
 * Starts the chains of batches anew, in a run of their own; those of a paused campaign start when it is resumed. A completed campaign uses its
 * template again, if that is approved.
 */
function restartChains(
  seen: StoredCampaign,
  change: Pick<StoredCampaign, 'retried'> | Pick<StoredCampaign, 'retriedAtRestart'>,
  template: StoredTemplate | undefined,
): Promise<Written<StoredCampaign>> {
  const isCompleted = seen.status === 'completed';
  const restart: Partial<StoredCampaign> =
    isCompleted || seen.status === 'sending' ? { status: 'sending', runNumber: seen.runNumber + 1, completedAt: undefined } : {};
  const use = isCompleted && template ? startTemplateUse(template, templateUserOf(seen), now()) : [];
  return restartCampaign(seen, { ...change, ...restart, ...(isCompleted ? sendingStartsAgain(seen, now()) : {}) }, now(), use);
}

/** What it took until it was complete counts for its pace, the time between does not. */
const sendingStartsAgain = ({ sendingSince, sendingMs = 0, completedAt }: StoredCampaign, nowMs: number): Partial<StoredCampaign> =>
  sendingSince === undefined || completedAt === undefined
    ? {}
    : { sendingMs: sendingMs + Math.max(0, completedAt - sendingSince), sendingSince: nowMs };
