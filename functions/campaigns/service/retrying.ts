import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { providerErrorEntry, recipientRows, retryFailed } from '../../messaging/service/campaign-sends.ts';
import { messageStatuses, type StoredMessage } from '../../messaging/contract/stored.ts';
import { readTemplate, usingTemplate } from '../../messaging/service/templates.ts';
import type { StoredBlock, StoredCampaign } from '../contract/stored.ts';
import { retryRefusal } from '../domain/retry.ts';
import { blocksFrom, changeBlock, failuresFrom, getBlock } from '../store/block.ts';
import { changeCampaign, getCampaign } from '../store/campaign.ts';
import { startExtras } from './completing.ts';
import { userOf } from './creating.ts';

export interface Retried {
  campaign_id: number;
  retried: number;
  skipped: number;
  skipped_reasons: Record<string, number>;
}

/**
 * POST /campaigns/{id}/retry (A45): moves what may be sent again back to waiting, each row on the condition that it has failed so, and
 * says why the others stay. Blocks learn of it before their rows, and the campaign starts again at the end; so a retry that is cut off and
 * repeated loses nothing: it finds the rows that were moved and starts again as well. 1 RRU and 1 WRU a failure, and 2 WRU a block that
 * has any.
 */
export const retryCampaign = async (
  companyId: number,
  id: number,
): Promise<Retried | Problem<'not_found' | 'template_not_approved' | 'conflict'>> => {
  const campaign = await getCampaign(companyId, id);
  if (!campaign || campaign.status === 'deleted') return problem('not_found');
  const template = await readTemplate(companyId, campaign.templateId);
  if (isProblem(template) || template.status !== 'APPROVED')
    return problem('template_not_approved', {
      details: { status: isProblem(template) ? 'DELETED' : template.status, template_id: campaign.templateId },
    });
  const reasons = new Map<string, number>();
  const stays = (reason: string, count = 1): void => void reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  let retried = 0;
  for (const { block, contacts } of await failuresFrom(companyId, id, 0)) retried += await retryBlock(campaign, block, contacts, stays);
  const { unknown, isCutOff } = await unfinished(campaign);
  stays('fate_unknown', unknown);
  if ((retried > 0 || isCutOff) && !(await startAgain(companyId, id, retried, () => usingTemplate(template, userOf(campaign), now()))))
    return problem('conflict');
  // also those of an earlier try that was cut off
  await startExtras(companyId, id);
  const skipped = Object.fromEntries([...reasons].filter(([, count]) => count > 0));
  return { campaign_id: id, retried, skipped: Object.values(skipped).reduce((sum, each) => sum + each, 0), skipped_reasons: skipped };
};

const classOf = (code: number): string => providerErrorEntry(code).class;

/** How many rows of a block were moved by this very call. */
async function retryBlock(
  campaign: StoredCampaign,
  number: number,
  contacts: readonly number[],
  stays: (reason: string) => void,
): Promise<number> {
  const { companyId, id } = campaign;
  const block = await getBlock(companyId, id, number);
  if (!block) return 0;
  const rows = await recipientRows(companyId, { id, block: number }, contacts, block.secondMs ?? 0);
  const mayGo: StoredMessage[] = [];
  for (const row of rows.values()) {
    const refusal = retryRefusal(row, classOf, now());
    if (refusal === undefined) mayGo.push(row);
    else if (refusal !== 'not_failed') stays(refusal);
  }
  if (mayGo.length === 0) return 0;
  await addWaiting(
    block,
    mayGo.map(({ contactId }) => contactId),
  );
  const moved = await Promise.all(
    mayGo.map((row) => retryFailed(row, (seen) => seen.attempt === row.attempt && retryRefusal(seen, classOf, now()) === undefined)),
  );
  return moved.filter((row) => row !== undefined).length;
}

async function addWaiting(block: StoredBlock, contacts: readonly number[]): Promise<void> {
  for (let seen: StoredBlock | undefined = block; seen; ) {
    const waiting = [...new Set([...seen.waiting, ...contacts])];
    const written = await changeBlock(seen, { waiting, done: false });
    if (written.done) return;
    seen = written.current;
  }
}

/**
 * How many rows have a fate that is not known yet (they are looked at two minutes after their claim), and whether there are rows that an
 * earlier try moved before it was cut off: nobody was told to work them.
 */
async function unfinished({ companyId, id, blocks }: StoredCampaign): Promise<{ unknown: number; isCutOff: boolean }> {
  let unknown = 0;
  let isCutOff = false;
  for (let from = 0; from < blocks; from += 500) {
    const page = await blocksFrom(companyId, id, { from, to: Math.min(from + 500, blocks) - 1, limit: 500 });
    for (const { block, contacts, waiting, unsettled, secondMs = 0 } of page) {
      const meant = unsettled ? contacts : waiting;
      if (meant.length === 0) continue;
      const rows = [...(await recipientRows(companyId, { id, block }, meant, secondMs)).values()];
      unknown += rows.filter(({ status, ambiguous }) => status === messageStatuses.processing && ambiguous).length;
      isCutOff ||= rows.some(waitsSinceRetry);
    }
  }
  return { unknown, isCutOff };
}

/** What the provider gave back has a time at which it is tried again. */
const waitsSinceRetry = ({ status, attempt, dueAt }: StoredMessage): boolean =>
  status === messageStatuses.scheduled && attempt > 0 && dueAt === undefined;

/** The chains of blocks begin anew, in an epoch of their own; one that is paused does so when it is resumed. */
async function startAgain(companyId: number, id: number, moved: number, using: () => ReturnType<typeof usingTemplate>): Promise<boolean> {
  let seen = await getCampaign(companyId, id);
  for (let attempt = 0; seen && attempt < 8; attempt++) {
    const retried = seen.retried + moved;
    const change =
      seen.status === 'completed' || seen.status === 'sending'
        ? ({ retried, status: 'sending', epoch: seen.epoch + 1, completedAt: undefined } as const)
        : { retried };
    const written = await changeCampaign(seen, change, now(), seen.status === 'completed' ? using() : []);
    if (written.done) return true;
    seen = written.current ?? (await getCampaign(companyId, id));
  }
  return false;
}
