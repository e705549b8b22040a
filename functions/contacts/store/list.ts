import { type Contact, isLive } from '../domain/contact.ts';
import { blockOf, blockSize, readBlock } from './contact.ts';

/**
 * The list of a company's contacts, newest first, as a walk down the blocks of ids. Each step reads the blocks that can hold what is
 * still needed; where a stretch is mostly deleted, the steps grow.
 */

/** Up to `count` live contacts with ids below `belowId`, newest first. */
export const contactsBelow = async (companyId: number, belowId: number, count: number): Promise<Contact[]> => {
  const found: Contact[] = [];
  let below = belowId;
  for (let stride = 1; found.length < count && below > 1; stride = Math.min(stride * 2, maxStride)) {
    const step = await readStep(companyId, below, (count - found.length) * stride);
    found.push(...step.contacts.filter(isLive));
    below = step.next;
  }
  return found.slice(0, count);
};

/**
 * Where page N begins: below which id, so that exactly `skip` live contacts come before. Undefined when the list ends earlier.
 * Counts by walking; the one place to replace when blocks keep counts.
 */
export const positionAfter = async (companyId: number, lastId: number, skip: number): Promise<number | undefined> => {
  if (skip === 0) return lastId + 1;
  if (skip >= lastId) return undefined;
  let left = skip;
  for (let below = lastId + 1; below > 1; ) {
    const step = await readStep(companyId, below, Math.max(left, 8 * blockSize));
    const live = step.contacts.filter(isLive);
    const last = live[left - 1];
    if (last) return last.id;
    left -= live.length;
    below = step.next;
  }
  return undefined;
};

const maxStride = 16;
const maxBlocksAtOnce = 8;

/** All contacts, deleted ones too, of the `ids` ids below `belowId`, in parallel; `next`: below which id the next step goes on. */
async function readStep(companyId: number, belowId: number, ids: number): Promise<{ contacts: Contact[]; next: number }> {
  const reads: { block: number; below: number; limit: number }[] = [];
  let left = ids;
  let below = belowId;
  while (left > 0 && below > 1 && reads.length < maxBlocksAtOnce) {
    const block = blockOf(below - 1);
    const limit = Math.min(left, below - block * blockSize);
    reads.push({ block, below, limit });
    left -= limit;
    below = block * blockSize;
  }
  const pages = await Promise.all(reads.map((read) => readBlock(companyId, read.block, read.below, read.limit)));
  const contacts: Contact[] = [];
  for (const [index, { contacts: read, next }] of pages.entries()) {
    contacts.push(...read);
    // A full page is marked as cut even when it ends with the block.
    if (next !== undefined && blockOf(next - 1) === reads[index]?.block) return { contacts, next };
  }
  return { contacts, next: below };
}
