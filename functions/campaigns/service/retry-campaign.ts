import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { providerErrorEntry } from '../../../shared/provider/errors.ts';
import { getRecipientMessages, retryFailedRecipient } from '../../messaging/service/campaign-recipients.ts';
import { messageStatuses, type StoredMessage } from '../../messaging/contract/stored.ts';
import { startTemplateUse } from '../../templates/service/template-uses.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import type { StoredRecipientBatch, StoredCampaign } from '../contract/stored.ts';
import { retryRefusalReason } from '../domain/retry.ts';
import {
  getRecipientBatch,
  getStats,
  hasOpenBatch,
  listFailures,
  listRecipientBatches,
  updateRecipientBatch,
} from '../store/recipient-batch.ts';
import { getCampaign, restartCampaign } from '../store/campaign.ts';
import { templateUserOf } from './create-campaign.ts';

export interface RetryResult {
  campaign_id: number;
  retried: number;
  skipped: number;
  skipped_reasons: Record<string, number>;
}

/**
 * POST /campaigns/{id}/retry (A45): moves what may be sent again back to waiting, each row on the condition that it has failed so, and
 * says why the others stay. Blocks learn of it before their rows, and the campaign starts again at the end; so a retry that is cut off and
 * repeated loses nothing, nor does one that is not repeated (completeInterruptedRetry). 1 RRU and 1 WRU a failure, and 2 WRU a block that has any.
 */
export const retryCampaign = async (
  companyId: number,
  id: number,
): Promise<RetryResult | Problem<'not_found' | 'template_not_approved' | 'conflict'>> => {
  const campaign = await getCampaign(companyId, id);
  if (!campaign || campaign.status === 'deleted') return problem('not_found');
  const template = await getTemplate(companyId, campaign.templateId);
  if (isProblem(template) || template.status !== 'APPROVED')
    return problem('template_not_approved', {
      details: { status: isProblem(template) ? 'DELETED' : template.status, template_id: campaign.templateId },
    });
  const reasons = new Map<string, number>();
  const countSkipped = (reason: string, count = 1): void => void reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  let retried = 0;
  for (const { batch: block, contactIds: contacts } of await listFailures(companyId, id))
    retried += await retryBatch(campaign, block, contacts, countSkipped);
  countSkipped('fate_unknown', await countAmbiguous(campaign));
  const using = () => startTemplateUse(template, templateUserOf(campaign), now());
  const counted = (seen: StoredCampaign) => ({ retried: seen.retried + retried });
  if (retried > 0 && !(await restartChains(companyId, id, counted, using))) return problem('conflict');
  const skipped = Object.fromEntries([...reasons].filter(([, count]) => count > 0));
  return { campaign_id: id, retried, skipped: Object.values(skipped).reduce((sum, each) => sum + each, 0), skipped_reasons: skipped };
};

/**
 * After a retry that was cut off between its rows and the campaign's new start: the counters saw more rows move than the campaign knows of,
 * and some batch waits. Without its template the campaign starts too, and then rests, and says why.
 *
 * `retried` stays as it is: a retry that still runs adds its rows itself, and a sum with rows counted twice is one that the counters never
 * reach. Several checks at once start the campaign once.
 */
export const completeInterruptedRetry = async (companyId: number, id: number): Promise<void> => {
  const [campaign, stats] = await Promise.all([getCampaign(companyId, id), getStats(companyId, id)]);
  if (!campaign || !stats) return;
  const isOwed = ({ status, retried, retriedAtRestart = 0 }: StoredCampaign): boolean =>
    status !== 'deleted' && stats.retried > Math.max(retried, retriedAtRestart);
  if (!isOwed(campaign) || !(await hasOpenBatch(companyId, id))) return;
  const template = await getTemplate(companyId, campaign.templateId);
  const using = () =>
    isProblem(template) || template.status !== 'APPROVED' ? [] : startTemplateUse(template, templateUserOf(campaign), now());
  const seenNow = (seen: StoredCampaign) => (isOwed(seen) ? { retriedAtRestart: stats.retried } : undefined);
  if (!(await restartChains(companyId, id, seenNow, using))) throw new Error('A campaign could not be started again after a retry.');
};

const classOf = (code: number): string => providerErrorEntry(code).class;

/** How many rows of a block were moved by this very call. */
async function retryBatch(
  campaign: StoredCampaign,
  number: number,
  contacts: readonly number[],
  countSkipped: (reason: string) => void,
): Promise<number> {
  const { companyId, id } = campaign;
  const block = await getRecipientBatch(companyId, id, number);
  if (!block) return 0;
  const rows = await getRecipientMessages(companyId, { id, batch: number }, contacts, block.secondMs ?? 0);
  const retryable: StoredMessage[] = [];
  for (const row of rows.values()) {
    const refusal = retryRefusalReason(row, classOf, now());
    if (refusal === undefined) retryable.push(row);
    else if (refusal !== 'not_failed') countSkipped(refusal);
  }
  if (retryable.length === 0) return 0;
  await addWaitingContacts(
    block,
    retryable.map(({ contactId }) => contactId),
  );
  const moved = await Promise.all(
    retryable.map((row) =>
      retryFailedRecipient(row, (seen) => seen.attempt === row.attempt && retryRefusalReason(seen, classOf, now()) === undefined),
    ),
  );
  return moved.filter((row) => row !== undefined).length;
}

async function addWaitingContacts(block: StoredRecipientBatch, contacts: readonly number[]): Promise<void> {
  for (let seen: StoredRecipientBatch | undefined = block; seen; ) {
    const waiting = [...new Set([...seen.waiting, ...contacts])];
    const written = await updateRecipientBatch(seen, { waiting, done: false });
    if (written.done) return;
    seen = written.current;
  }
}

/** Rows whose fate is not known yet: they are looked at two minutes after their claim. */
async function countAmbiguous({ companyId, id, batchCount: blocks }: StoredCampaign): Promise<number> {
  let count = 0;
  for (let from = 0; from < blocks; from += 500) {
    const page = await listRecipientBatches(companyId, id, { from, to: Math.min(from + 500, blocks) - 1, limit: 500 });
    for (const block of page.filter(({ hasUnknownResult }) => hasUnknownResult)) {
      const rows = await getRecipientMessages(companyId, { id, batch: block.batch }, block.contactIds, block.secondMs ?? 0);
      count += [...rows.values()].filter(({ status, ambiguous }) => status === messageStatuses.processing && ambiguous).length;
    }
  }
  return count;
}

/**
 * The chains of batches begin anew, in a run of their own; a campaign that is paused begins when it is resumed. `change` says what is known of
 * the retry; undefined: another check was faster. False after too many conflicts.
 */
async function restartChains(
  companyId: number,
  id: number,
  change: (seen: StoredCampaign) => Partial<StoredCampaign> | undefined,
  using: () => ReturnType<typeof startTemplateUse>,
): Promise<boolean> {
  let seen = await getCampaign(companyId, id);
  for (let attempt = 0; seen && attempt < 8; attempt++) {
    const known = change(seen);
    if (!known) return true;
    const isCompleted = seen.status === 'completed';
    const restart: Partial<StoredCampaign> =
      isCompleted || seen.status === 'sending'
        ? {
            status: 'sending',
            runNumber: seen.runNumber + 1,
            completedAt: undefined,
            ...(isCompleted ? sendingStartsAgain(seen, now()) : {}),
          }
        : {};
    const written = await restartCampaign(seen, { ...known, ...restart }, now(), isCompleted ? using() : []);
    if (written.done) return true;
    seen = written.current ?? (await getCampaign(companyId, id));
  }
  return false;
}

/** What it took until it was complete counts for its pace, the time between does not. */
const sendingStartsAgain = ({ sendingSince, sendingMs = 0, completedAt }: StoredCampaign, nowMs: number): Partial<StoredCampaign> =>
  sendingSince === undefined || completedAt === undefined
    ? {}
    : { sendingMs: sendingMs + Math.max(0, completedAt - sendingSince), sendingSince: nowMs };
