import { now } from '../../../shared/runtime/clock.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { sentStatusDelaySeconds } from '../../messaging/contract/queue.ts';
import type { StoredRecipientBatch } from '../contract/stored.ts';
import { getRecipientBatch } from '../store/recipient-batch.ts';

/**
 * Whether the result of a recipient's send is recorded already, so that a `sent` status adds nothing. The status arrives some seconds after
 * the call; by then the batch is done, and one cached read of it answers for a hundred recipients. A cached read is younger than the delay
 * of a `sent` status, so it is never older than the call. False for a message whose result is not known, or that the provider may have held back.
 */
export const isSendResultRecorded = async (
  companyId: number,
  campaign: { id: number; batch: number },
  contactId: number,
): Promise<boolean> => {
  const batch = await getCachedBatch(companyId, campaign.id, campaign.batch);
  if (!batch?.done || batch.waiting.includes(contactId)) return false;
  return batch.hasUnknownResult !== true && batch.hasHeldSends !== true;
};

const cachedBatches = processMap<string, { readAt: number; batch: Promise<StoredRecipientBatch | undefined> }>();
const maxCachedBatches = 1_000;

function getCachedBatch(companyId: number, campaignId: number, batch: number): Promise<StoredRecipientBatch | undefined> {
  const key = `${companyId}:${campaignId}:${batch}`;
  const cached = cachedBatches.get(key);
  if (cached && now() - cached.readAt < sentStatusDelaySeconds * 1_000 - 1_000 && now() >= cached.readAt) return cached.batch;
  if (cachedBatches.size >= maxCachedBatches) cachedBatches.clear();
  const read = getRecipientBatch(companyId, campaignId, batch, { consistent: false });
  cachedBatches.set(key, { readAt: now(), batch: read });
  read.then(
    // an unfinished batch may be done in a moment
    (found) => found?.done !== true && cachedBatches.delete(key),
    () => cachedBatches.delete(key),
  );
  return read;
}
