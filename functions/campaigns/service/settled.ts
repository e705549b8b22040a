import { now } from '../../../shared/runtime/clock.ts';
import { settledAfterSeconds } from '../contract/queue.ts';
import type { StoredBlock } from '../contract/stored.ts';
import { glanceAtBlock } from '../store/block.ts';

/**
 * Whether what the provider's answer said of a campaign's message is written already, so that its `sent` status tells nothing new. Asked
 * some seconds after the call: by then the block is through, and one look at it serves a hundred messages. A look is trusted for no longer
 * than a status waits before it is asked about, so none is older than the call. Never says yes of a message whose fate is unknown.
 */
export const isSettled = async (companyId: number, campaign: { id: number; block: number }, contactId: number): Promise<boolean> => {
  const block = await recentBlock(companyId, campaign.id, campaign.block);
  return block !== undefined && block.done && block.unsettled !== true && !block.waiting.includes(contactId);
};

const looks = new Map<string, { at: number; block: Promise<StoredBlock | undefined> }>();
const keptLooks = 1_000;

function recentBlock(companyId: number, campaignId: number, block: number): Promise<StoredBlock | undefined> {
  const key = `${companyId}:${campaignId}:${block}`;
  const held = looks.get(key);
  if (held && now() - held.at < settledAfterSeconds * 1_000 - 1_000 && now() >= held.at) return held.block;
  if (looks.size >= keptLooks) looks.clear();
  const look = glanceAtBlock(companyId, campaignId, block);
  looks.set(key, { at: now(), block: look });
  look.then(
    // a block that is not through yet may be so in a moment
    (found) => found?.done !== true && looks.delete(key),
    () => looks.delete(key),
  );
  return look;
}
