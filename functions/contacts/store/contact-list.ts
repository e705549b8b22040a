import { type Contact, isLive } from '../domain/contact.ts';
import { chunkSize } from '../domain/counts.ts';
import { contactPageOf, contactPageSize, getContactsByIds, listContactPage } from './contact.ts';
import { listIdsOfChunk, listCounts } from './digest.ts';

/**
 * The list of a company's contacts, newest first, as a walk down the blocks of ids. Each step reads the blocks that can hold what is
 * still needed; where a stretch is mostly deleted, the steps grow, and counts tell where to go on.
 */

/** Up to `count` live contacts with ids below `belowId`, newest first. */
export const listContactsBelow = async (companyId: number, belowId: number, count: number): Promise<Contact[]> => {
  const found: Contact[] = [];
  let below = belowId;
  for (let stepFactor = 1; found.length < count && below > 1; stepFactor = Math.min(stepFactor * 2, maxStepFactor)) {
    const step = await readStep(companyId, below, (count - found.length) * stepFactor);
    const live = step.contacts.filter(isLive);
    found.push(...live);
    below = live.length === 0 && stepFactor >= maxStepFactor ? await nextLive(companyId, step.next) : step.next;
  }
  return found.slice(0, count);
};

/**
 * Where page N begins: below which id, so that exactly `skip` live contacts come before. Undefined when the list ends earlier. A few are
 * walked; further on, the counts say in which 1,024 ids the place is, and the digests of those where: at most 6 RRU at a million.
 */
export const getPositionAfter = async (companyId: number, lastId: number, skip: number): Promise<number | undefined> => {
  if (skip === 0) return lastId + 1;
  if (skip >= lastId) return undefined;
  if (skip <= maxWalked) return getPositionByWalking(companyId, lastId, skip);
  let left = skip;
  for (const { chunk, count } of await listCounts(companyId)) {
    if (left > count) {
      left -= count;
      continue;
    }
    const ids = await listIdsOfChunk(companyId, chunk);
    return ids[left - 1] ?? chunk * chunkSize;
  }
  return undefined;
};

/** Contacts by id in the order asked, whole blocks in one query where many of one are wanted; live ones, unless told. */
export const listContactsByIds = async (
  companyId: number,
  ids: readonly number[],
  { deletedToo = false }: { deletedToo?: boolean } = {},
): Promise<Contact[]> => {
  const byContactPage = Map.groupBy(ids, contactPageOf);
  const dense = [...byContactPage].filter(([, wanted]) => wanted.length >= minIdsForPageQuery);
  const sparse = [...byContactPage].filter(([, wanted]) => wanted.length < minIdsForPageQuery).flatMap(([, wanted]) => wanted);
  const byId = new Map<number, Contact>();
  const addAll = (contacts: readonly Contact[]): void => contacts.forEach((contact) => byId.set(contact.id, contact));
  const readers = Array.from({ length: maxAtOnce }, async (_, reader) => {
    for (let i = reader; i < dense.length; i += maxAtOnce) addAll(await listWholePage(companyId, dense[i]?.[0] ?? 0));
  });
  await Promise.all([...readers, getContactsByIds(companyId, sparse).then(addAll)]);
  return ids.flatMap((id) => byId.get(id) ?? []).filter((contact) => deletedToo || isLive(contact));
};

/** Ids that live contacts can have, greatest first: all that were given out. */
export const allIds = (lastId: number): number[] => Array.from({ length: lastId }, (_, index) => lastId - index);

const maxStepFactor = 16;
const maxPagesAtOnce = 8;
/** As many as a page has at most: what is walked on the way to a page costs no more than the page. */
const maxWalked = 100;
/** A block's query costs about 1.5 RRU, a contact by key 0.5. */
const minIdsForPageQuery = 4;
const maxAtOnce = 48;

async function getPositionByWalking(companyId: number, lastId: number, skip: number): Promise<number | undefined> {
  return (await listContactsBelow(companyId, lastId + 1, skip))[skip - 1]?.id;
}

/** Below which id the next live contact may be: the end of the next stretch that has any. */
async function nextLive(companyId: number, below: number): Promise<number> {
  const counts = await listCounts(companyId);
  const next = counts.find(({ chunk, count }) => chunk * chunkSize < below && count > 0);
  if (next === undefined) return counts.length === 0 ? below : 1;
  return Math.min(below, (next.chunk + 1) * chunkSize);
}

async function listWholePage(companyId: number, contactPage: number): Promise<Contact[]> {
  const contacts: Contact[] = [];
  for (let below: number | undefined = (contactPage + 1) * contactPageSize; below !== undefined; ) {
    const page: Awaited<ReturnType<typeof listContactPage>> = await listContactPage(companyId, contactPage, below, contactPageSize);
    contacts.push(...page.contacts);
    below = page.next !== undefined && page.next > contactPage * contactPageSize ? page.next : undefined;
  }
  return contacts;
}

/** All contacts, deleted ones too, of the `ids` ids below `belowId`, in parallel; `next`: below which id the next step goes on. */
async function readStep(companyId: number, belowId: number, ids: number): Promise<{ contacts: Contact[]; next: number }> {
  const reads: { block: number; below: number; limit: number }[] = [];
  let left = ids;
  let below = belowId;
  while (left > 0 && below > 1 && reads.length < maxPagesAtOnce) {
    const block = contactPageOf(below - 1);
    const limit = Math.min(left, below - block * contactPageSize);
    reads.push({ block, below, limit });
    left -= limit;
    below = block * contactPageSize;
  }
  const pages = await Promise.all(reads.map((read) => listContactPage(companyId, read.block, read.below, read.limit)));
  const contacts: Contact[] = [];
  for (const [index, { contacts: read, next }] of pages.entries()) {
    contacts.push(...read);
    // A full page is marked as cut even when it ends with the block.
    if (next !== undefined && contactPageOf(next - 1) === reads[index]?.block) return { contacts, next };
  }
  return { contacts, next: below };
}
