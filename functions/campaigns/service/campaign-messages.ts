import * as z from 'zod';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { csvLine } from '../../../shared/runtime/csv-line.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
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
import { listRecipientBatches, listFailures, getStats } from '../store/recipient-batch.ts';
import { getCampaign } from '../store/campaign.ts';
import { remedyOf } from './campaigns.ts';

/** Rows read for one page at most: a state that few are in is looked for through several pages, by cursor. */
const maxRows = 3_000;

/**
 * Recipients in the order of their batches (A42): about 0.5 RRU a row shown. The batches show which recipients wait without a row, and the
 * failures projection shows which batches have failures; for other states the function reads through the rows.
 */
export const listCampaignMessages = async (
  companyId: number,
  campaignId: number,
  query: { status?: MessageFilter | undefined; page: number; limit: number; cursor: string | undefined },
): Promise<Page<CampaignMessage> | Problem<'not_found' | 'invalid_cursor'>> => {
  const { status, page, limit, cursor } = query;
  const scope = `campaign-messages:${companyId}:${campaignId}:${status ?? ''}`;
  const after = cursor === undefined ? undefined : await decodeCursor(scope, cursor, position);
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  const [campaign, stats] = await Promise.all([getCampaign(companyId, campaignId), getStats(companyId, campaignId)]);
  if (!campaign) return problem('not_found');
  const skip = after ? 0 : (page - 1) * limit;
  const found = await readPage(campaign, status, after ?? { block: 0, place: 0 }, skip, limit);
  return {
    items: found.items,
    total: totalOf(campaign, stats, status),
    page,
    limit,
    nextCursor: found.next && (await encodeCursor(scope, found.next)),
  };
};

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

const position = z.object({ block: z.int().nonnegative(), place: z.int().nonnegative() });
type Position = z.output<typeof position>;

async function readPage(campaign: StoredCampaign, status: MessageFilter | undefined, from: Position, skip: number, limit: number) {
  const items: CampaignMessage[] = [];
  const unitsBefore = readUnits();
  let [left, read] = [skip, 0];
  for await (const { block, mayContain } of batchesFrom(campaign, status, from.block)) {
    // units are read a page of batches at a time: what is passed over has its cost too
    if (readUnits() - unitsBefore >= maxWalkUnits && block.batch !== from.block) return { items, next: { block: block.batch, place: 0 } };
    if (!mayContain) continue;
    const start = block.batch === from.block ? from.place : 0;
    const size = block.contactIds.length - start;
    // whole blocks of a list without a filter are passed over unread
    if (status === undefined && left >= size) {
      left -= size;
      continue;
    }
    const views = await viewsOf(campaign, block, status);
    read += block.contactIds.length;
    for (let place = start; place < views.length; place++) {
      const view = views[place];
      if (!view) continue;
      if (left > 0) left--;
      else if (items.length < limit) items.push(view);
      else return { items, next: { block: block.batch, place } };
    }
    if (read >= maxRows) return { items, next: { block: block.batch + 1, place: 0 } };
  }
  return { items, next: undefined };
}

async function* batchesFrom(
  campaign: StoredCampaign,
  status: MessageFilter | undefined,
  from: number,
): AsyncGenerator<{ block: StoredRecipientBatch; mayContain: boolean }> {
  const { companyId, id, batchCount: blocks } = campaign;
  for (let next = from; ; ) {
    const page = await listRecipientBatches(companyId, id, { from: next, limit: batchesPerPage });
    const last = page.at(-1);
    const failures = status === 'failed' && last ? await listFailures(companyId, id, { from: next, to: last.batch }) : undefined;
    const failing = failures && new Set(failures.map(({ batch }) => batch));
    for (const block of page) if (isCommitted(block, blocks)) yield { block, mayContain: mayContainStatus(block, status, failing) };
    if (page.length < batchesPerPage || !last) return;
    next = last.batch + 1;
  }
}

const batchesPerPage = 100;

/** A construction that was cut off may have left blocks behind the last one. */
const isCommitted = ({ batch: block, isSingleRecipient: extra }: StoredRecipientBatch, blocks: number): boolean =>
  extra === true || block < blocks;

function mayContainStatus(
  block: StoredRecipientBatch,
  status: MessageFilter | undefined,
  failing: ReadonlySet<number> | undefined,
): boolean {
  if (failing) return failing.has(block.batch);
  if (status === 'scheduled') return !block.done;
  if (status === 'skipped') return block.skipped.length > 0;
  return status === undefined || block.secondMs !== undefined;
}

/** A view for each place of the block; undefined where the filter leaves it out. */
async function viewsOf(
  campaign: StoredCampaign,
  block: StoredRecipientBatch,
  status: MessageFilter | undefined,
): Promise<(CampaignMessage | undefined)[]> {
  const { companyId, id } = campaign;
  const rows =
    block.secondMs === undefined
      ? new Map<number, StoredMessage>()
      : await getRecipientMessages(companyId, { id, batch: block.batch }, block.contactIds, block.secondMs, { consistent: false });
  const skipped = new Map(block.skipped);
  const isShown = (contactId: number): boolean => {
    const row = rows.get(contactId);
    if (status === undefined) return true;
    if (!row) return status === (skipped.has(contactId) ? 'skipped' : 'scheduled');
    const state = recipientStateOf(row) ?? 'scheduled';
    return state === status || (status === 'failed' && state === 'ambiguous');
  };
  const rowless = block.contactIds.filter((contactId) => isShown(contactId) && !rows.has(contactId));
  const contacts = rowless.length > 0 ? await getLiveContacts(companyId, rowless) : new Map<number, { phone: string }>();
  return block.contactIds.map((contactId) => {
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
