import { type Contact, isLive } from '../domain/contact.ts';
import { chunkSize } from '../domain/counts.ts';
import { blockOf, blockSize, findContacts, readBlock } from './contact.ts';
import { idsOfChunk, readCounts } from './digest.ts';

/**
 * The list of a company's contacts, newest first, as a walk down the blocks of ids. Each step reads the blocks that can hold what is
 * still needed; where a stretch is mostly deleted, the steps grow, and counts tell where to go on.
 */

/** Up to `count` live contacts with ids below `belowId`, newest first. */
export const contactsBelow = async (companyId: number, belowId: number, count: number): Promise<Contact[]> => {
  const found: Contact[] = [];
  let below = belowId;
  for (let stride = 1; found.length < count && below > 1; stride = Math.min(stride * 2, maxStride)) {
    const step = await readStep(companyId, below, (count - found.length) * stride);
    const live = step.contacts.filter(isLive);
    found.push(...live);
    below = live.length === 0 && stride >= maxStride ? await nextLive(companyId, step.next) : step.next;
  }
  return found.slice(0, count);
};

/**
 * Where page N begins: below which id, so that exactly `skip` live contacts come before. Undefined when the list ends earlier. A few are
 * walked; further on, the counts say in which 1,024 ids the place is, and the digests of those where: at most 6 RRU at a million.
 */
export const positionAfter = async (companyId: number, lastId: number, skip: number): Promise<number | undefined> => {
  if (skip === 0) return lastId + 1;
  if (skip >= lastId) return undefined;
  if (skip <= maxWalked) return walkedPosition(companyId, lastId, skip);
  let left = skip;
  for (const { chunk, count } of await readCounts(companyId)) {
    if (left > count) {
      left -= count;
      continue;
    }
    const ids = await idsOfChunk(companyId, chunk);
    return ids[left - 1] ?? chunk * chunkSize;
  }
  return undefined;
};

/** Contacts by id in the order asked, whole blocks in one query where many of one are wanted; live ones, unless told. */
export const contactsByIds = async (
  companyId: number,
  ids: readonly number[],
  { deletedToo = false }: { deletedToo?: boolean } = {},
): Promise<Contact[]> => {
  const byBlock = Map.groupBy(ids, blockOf);
  const dense = [...byBlock].filter(([, wanted]) => wanted.length >= worthABlock);
  const sparse = [...byBlock].filter(([, wanted]) => wanted.length < worthABlock).flatMap(([, wanted]) => wanted);
  const byId = new Map<number, Contact>();
  const keep = (contacts: readonly Contact[]): void => contacts.forEach((contact) => byId.set(contact.id, contact));
  const lanes = Array.from({ length: maxAtOnce }, async (_, lane) => {
    for (let i = lane; i < dense.length; i += maxAtOnce) keep(await wholeBlock(companyId, dense[i]?.[0] ?? 0));
  });
  await Promise.all([...lanes, findContacts(companyId, sparse).then(keep)]);
  return ids.flatMap((id) => byId.get(id) ?? []).filter((contact) => deletedToo || isLive(contact));
};

/** Ids that live contacts can have, greatest first: all that were given out. */
export const allIds = (lastId: number): number[] => Array.from({ length: lastId }, (_, index) => lastId - index);

const maxStride = 16;
const maxBlocksAtOnce = 8;
/** As many as a page has at most: what is walked on the way to a page costs no more than the page. */
const maxWalked = 100;
/** A block's query costs about 1.5 RRU, a contact by key 0.5. */
const worthABlock = 4;
const maxAtOnce = 48;

async function walkedPosition(companyId: number, lastId: number, skip: number): Promise<number | undefined> {
  return (await contactsBelow(companyId, lastId + 1, skip))[skip - 1]?.id;
}

/** Below which id the next live contact may be: the end of the next stretch that has any. */
async function nextLive(companyId: number, below: number): Promise<number> {
  const counts = await readCounts(companyId);
  const next = counts.find(({ chunk, count }) => chunk * chunkSize < below && count > 0);
  if (next === undefined) return counts.length === 0 ? below : 1;
  return Math.min(below, (next.chunk + 1) * chunkSize);
}

async function wholeBlock(companyId: number, block: number): Promise<Contact[]> {
  const contacts: Contact[] = [];
  for (let below: number | undefined = (block + 1) * blockSize; below !== undefined; ) {
    const page: Awaited<ReturnType<typeof readBlock>> = await readBlock(companyId, block, below, blockSize);
    contacts.push(...page.contacts);
    below = page.next !== undefined && page.next > block * blockSize ? page.next : undefined;
  }
  return contacts;
}

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
