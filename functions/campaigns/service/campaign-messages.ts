import * as z from 'zod';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { csvLine } from '../../../shared/runtime/csv-line.ts';
import { listPage, type Page, type PageQuery } from '../../../shared/table/page.ts';
import { readUnits } from '../../../shared/table/read-units.ts';
import { maxWalkUnits } from '../../../shared/table/walk.ts';
import { getLiveContacts } from '../../contacts/service/audience.ts';
import { providerErrorEntry } from '../../../shared/provider/errors.ts';
import { getRecipientMessages } from '../../messaging/service/campaign-recipients.ts';
import type { StoredMessage } from '../../messaging/contract/stored.ts';
import type { CampaignMessage, MessageFilter } from '../contract/message.ts';
import type { StoredRecipientBatch, StoredCampaign, StoredStats } from '../contract/stored.ts';
import { campaignMessageView, scheduledMessageView, skippedMessageView } from '../domain/campaign-message-view.ts';
import { recipientStateOf, workedRecipientCount } from '../domain/stats.ts';
import { listRecipientBatches } from '../store/recipient-batch.ts';
import { listFailures, getStats } from '../store/stats.ts';
import { getStoredCampaign } from '../store/campaign.ts';
import { remedyOf } from './campaigns.ts';

/** Rows read for one page at most: a state that few are in is looked for through several pages, by cursor. */
const maxRows = 3_000;

/**
 * Recipients in the order of their batches (A42): about 0.5 RRU a row shown. The batches show which recipients wait without a row, and the
 * failures projection shows which batches have failures; for other states the function reads through the rows.
 */
export const listCampaignMessages = (
  companyId: number,
  campaignId: number,
  { status, ...query }: PageQuery & { status?: MessageFilter | undefined },
): Promise<Page<CampaignMessage> | Problem<'not_found' | 'invalid_cursor'>> =>
  listPage(
    { scope: `campaign-messages:${companyId}:${campaignId}:${status ?? ''}`, query, position },
    async ({ after = { block: 0, place: 0 }, skip, limit }) => {
      const [campaign, stats] = await Promise.all([getStoredCampaign(companyId, campaignId), getStats(companyId, campaignId)]);
      if (!campaign) return problem('not_found');
      return { ...(await readPage(campaign, status, after, skip, limit)), total: totalOf(campaign, stats, status) };
    },
  );

/**
 * The same recipients as lines of a CSV file, the names of the columns before the first of them. In pages, so that no file is stored that an
 * erasure would have to find. About 0.5 RRU a line.
 */
export const exportCampaignMessages = async (
  companyId: number,
  campaignId: number,
  { status, limit, cursor }: { status?: MessageFilter | undefined; limit: number; cursor?: string | undefined },
): Promise<{ csv: string; nextCursor: string | undefined } | Problem<'not_found' | 'invalid_cursor'>> => {
  const page = await listCampaignMessages(companyId, campaignId, { status, page: 1, limit, cursor });
  if (isProblem(page)) return page;
  const names = cursor === undefined ? [csvLine(exportColumns)] : [];
  return { csv: [...names, ...page.items.map((each) => csvLine(exportLine(each)))].join(''), nextCursor: page.nextCursor };
};

const exportColumns = [
  'contact_id',
  'phone',
  'status',
  'message_id',
  'sent_at',
  'delivered_at',
  'read_at',
  'failed_at',
  'error_code',
  'error',
  'retryable',
] as const;

function exportLine(message: CampaignMessage): string[] {
  const { contact_id, phone, status_name, id, sent_at, delivered_at, read_at, failed_at, error } = message;
  const cells = [
    contact_id,
    phone,
    status_name,
    id,
    sent_at,
    delivered_at,
    read_at,
    failed_at,
    error?.code,
    error?.title,
    error?.retryable,
  ];
  return cells.map((cell) => String(cell ?? ''));
}

/** `block` is the number of a batch: cursors in use have this name. */
const position = z.object({ block: z.int().nonnegative(), place: z.int().nonnegative() });
type Position = z.output<typeof position>;

async function readPage(campaign: StoredCampaign, status: MessageFilter | undefined, from: Position, skip: number, limit: number) {
  const items: CampaignMessage[] = [];
  const unitsBefore = readUnits();
  let [left, read] = [skip, 0];
  for await (const { batch, mayContain } of batchesFrom(campaign, status, from.block)) {
    // units are read a page of batches at a time: what is passed over has its cost too
    if (readUnits() - unitsBefore >= maxWalkUnits && batch.batch !== from.block) return { items, next: { block: batch.batch, place: 0 } };
    if (!mayContain) continue;
    const start = batch.batch === from.block ? from.place : 0;
    const size = batch.contactIds.length - start;
    // whole batches of a list without a filter are passed over unread
    if (status === undefined && left >= size) {
      left -= size;
      continue;
    }
    const views = await viewsOf(campaign, batch, status);
    read += batch.contactIds.length;
    for (let place = start; place < views.length; place++) {
      const view = views[place];
      if (!view) continue;
      if (left > 0) left--;
      else if (items.length < limit) items.push(view);
      else return { items, next: { block: batch.batch, place } };
    }
    if (read >= maxRows) return { items, next: { block: batch.batch + 1, place: 0 } };
  }
  return { items, next: undefined };
}

async function* batchesFrom(
  campaign: StoredCampaign,
  status: MessageFilter | undefined,
  from: number,
): AsyncGenerator<{ batch: StoredRecipientBatch; mayContain: boolean }> {
  const { companyId, id, batchCount } = campaign;
  for (let next = from; ; ) {
    const page = await listRecipientBatches(companyId, id, { from: next, limit: batchesPerPage });
    const last = page.at(-1);
    const failures = status === 'failed' && last ? await listFailures(companyId, id, { from: next, to: last.batch }) : undefined;
    const failing = failures && new Set(failures.map(({ batch }) => batch));
    for (const each of page) if (isCommitted(each, batchCount)) yield { batch: each, mayContain: mayContainStatus(each, status, failing) };
    if (page.length < batchesPerPage || !last) return;
    next = last.batch + 1;
  }
}

const batchesPerPage = 100;

/** A construction that was cut off may have left batches behind the last one. */
const isCommitted = ({ batch, isSingleRecipient }: StoredRecipientBatch, batchCount: number): boolean =>
  isSingleRecipient === true || batch < batchCount;

function mayContainStatus(
  batch: StoredRecipientBatch,
  status: MessageFilter | undefined,
  failing: ReadonlySet<number> | undefined,
): boolean {
  if (failing) return failing.has(batch.batch);
  if (status === 'scheduled') return !batch.done;
  if (status === 'skipped') return batch.skipped.length > 0;
  return status === undefined || batch.secondMs !== undefined;
}

/** A view for each place of the batch; undefined where the filter leaves it out. */
async function viewsOf(
  campaign: StoredCampaign,
  batch: StoredRecipientBatch,
  status: MessageFilter | undefined,
): Promise<(CampaignMessage | undefined)[]> {
  const { companyId, id } = campaign;
  const rows =
    batch.secondMs === undefined
      ? new Map<number, StoredMessage>()
      : await getRecipientMessages(companyId, { id, batch: batch.batch }, batch.contactIds, batch.secondMs, { consistent: false });
  const skipped = new Map(batch.skipped);
  const isShown = (contactId: number): boolean => {
    const row = rows.get(contactId);
    if (status === undefined) return true;
    if (!row) return status === (skipped.has(contactId) ? 'skipped' : 'scheduled');
    const state = recipientStateOf(row) ?? 'scheduled';
    return state === status || (status === 'failed' && state === 'ambiguous');
  };
  const rowless = batch.contactIds.filter((contactId) => isShown(contactId) && !rows.has(contactId));
  const contacts = rowless.length > 0 ? await getLiveContacts(companyId, rowless) : new Map<number, { phone: string }>();
  return batch.contactIds.map((contactId) => {
    if (!isShown(contactId)) return undefined;
    const row = rows.get(contactId);
    if (row) return campaignMessageView(row, { remedyOf, classOf });
    const reason = skipped.get(contactId);
    const bare = { campaign, contactId, phone: contacts.get(contactId)?.phone };
    return reason === undefined ? scheduledMessageView(bare) : skippedMessageView({ ...bare, reason });
  });
}

const classOf = (code: number | string): string => (typeof code === 'number' ? providerErrorEntry(code).class : code);

function totalOf(campaign: StoredCampaign, stats: StoredStats | undefined, status: MessageFilter | undefined): number {
  const whole = campaign.audience + (stats?.singleRecipients ?? 0);
  if (!stats) return status === undefined || status === 'scheduled' ? whole : 0;
  const counted = workedRecipientCount(stats);
  switch (status) {
    case undefined:
      return whole;
    case 'scheduled':
      return Math.max(0, whole - counted);
    case 'failed':
      return stats.failed + stats.ambiguous;
    default:
      return stats[status];
  }
}
