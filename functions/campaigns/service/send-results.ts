import { now } from '../../../shared/runtime/clock.ts';
import { sentStatusDelaySeconds } from '../../messaging/contract/queue.ts';
import type { StoredRecipientBatch } from '../contract/stored.ts';
import { glanceAtBlock } from '../store/recipient-batch.ts';

/**
 * Whether what the provider's answer said of a campaign's message is written already, so that its `sent` status tells nothing new. Asked
 * some seconds after the call: by then the block is through, and one look at it serves a hundred messages. A look is trusted for no longer
 * than a status waits before it is asked about, so none is older than the call. Never says yes of a message whose fate is unknown.
 */
export const isSendResultRecorded = async (
  companyId: number,
  campaign: { id: number; batch: number },
  contactId: number,
): Promise<boolean> => {
  const block = await getCachedBatch(companyId, campaign.id, campaign.batch);
  return block !== undefined && block.done && block.hasUnknownResult !== true && !block.waiting.includes(contactId);
};

const cachedBatches = new Map<string, { at: number; block: Promise<StoredRecipientBatch | undefined> }>();
const maxCachedBatches = 1_000;

function getCachedBatch(companyId: number, campaignId: number, block: number): Promise<StoredRecipientBatch | undefined> {
  const key = `${companyId}:${campaignId}:${block}`;
  const held = cachedBatches.get(key);
  if (held && now() - held.at < sentStatusDelaySeconds * 1_000 - 1_000 && now() >= held.at) return held.block;
  if (cachedBatches.size >= maxCachedBatches) cachedBatches.clear();
  const look = glanceAtBlock(companyId, campaignId, block);
  cachedBatches.set(key, { at: now(), block: look });
  look.then(
    // a block that is not through yet may be so in a moment
    (found) => found?.done !== true && cachedBatches.delete(key),
    () => cachedBatches.delete(key),
  );
  return look;
}
