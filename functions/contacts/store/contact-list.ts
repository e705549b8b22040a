import type { Contact } from '../contract/stored.ts';
import { isLive } from '../domain/contact.ts';
import { chunkSize } from '../domain/counts.ts';
import { contactPageOf, contactPageSize, getContactsByIds, listContactPage } from './contact.ts';
import { listIdsOfChunk, listCounts } from './digest.ts';

/**
 * The list of a company's contacts, newest first, as a walk down the contact pages. Each step reads the pages that can have the contacts
 * still needed. Where most contacts are deleted, the steps grow, and the counts show the next range with live contacts.
 */

/** Up to `count` live contacts with ids below `belowId`, newest first. */
export const listContactsBelow = async (companyId: number, belowId: number, count: number): Promise<Contact[]> => {
  const found: Contact[] = [];
  let below = belowId;
  for (let stepFactor = 1; found.length < count && below > 1; stepFactor = Math.min(stepFactor * 2, maxStepFactor)) {
    const step = await readStep(companyId, below, (count - found.length) * stepFactor, stepFactor === 1 ? maxAtOnce : maxPagesAtOnce);
    const live = step.contacts.filter(isLive);
    found.push(...live);
    below = live.length === 0 && stepFactor >= maxStepFactor ? await nextLive(companyId, step.next) : step.next;
  }
  return found.slice(0, count);
};

/**
 * The id below which page N begins, so that exactly `skip` live contacts come before it. Undefined when the list ends earlier. Short
 * distances are walked; for longer ones the counts give the range of 1,024 ids, and its digests the id: at most 6 RRU at a million.
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

/** Contacts in the order of `ids`, by one query per contact page where that is cheaper. Only live ones, unless `deletedToo`. */
export const listContactsByIds = async (
  companyId: number,
  ids: readonly number[],
  { deletedToo = false, consistent = false }: { deletedToo?: boolean; consistent?: boolean } = {},
): Promise<Contact[]> => {
  const byContactPage = Map.groupBy(ids, contactPageOf);
  const dense = [...byContactPage].filter(([, wanted]) => wanted.length >= minIdsForPageQuery);
  const sparse = [...byContactPage].filter(([, wanted]) => wanted.length < minIdsForPageQuery).flatMap(([, wanted]) => wanted);
  const byId = new Map<number, Contact>();
  const addAll = (contacts: readonly Contact[]): void => contacts.forEach((contact) => byId.set(contact.id, contact));
  const readers = Array.from({ length: maxAtOnce }, async (_, reader) => {
    for (let i = reader; i < dense.length; i += maxAtOnce) addAll(await listWholePage(companyId, dense[i]?.[0] ?? 0, { consistent }));
  });
  await Promise.all([...readers, getContactsByIds(companyId, sparse, { consistent }).then(addAll)]);
  return ids.flatMap((id) => byId.get(id) ?? []).filter((contact) => deletedToo || isLive(contact));
};

/** All assigned ids, greatest first. */
export const allIds = (lastId: number): number[] => Array.from({ length: lastId }, (_, index) => lastId - index);

const maxStepFactor = 16;
/** Where many are deleted, no more is read than the next page may need. */
const maxPagesAtOnce = 8;
/** The largest page size, so that walking to a page costs no more than the page. */
const maxWalked = 100;
/** A query of a contact page costs about 1.5 RRU, a contact by key 0.5. */
const minIdsForPageQuery = 4;
const maxAtOnce = 48;

async function getPositionByWalking(companyId: number, lastId: number, skip: number): Promise<number | undefined> {
  return (await listContactsBelow(companyId, lastId + 1, skip))[skip - 1]?.id;
}

/** The id below which the next live contact may be: the end of the next range that has any. */
async function nextLive(companyId: number, below: number): Promise<number> {
  const counts = await listCounts(companyId);
  const next = counts.find(({ chunk, count }) => chunk * chunkSize < below && count > 0);
  if (next === undefined) return counts.length === 0 ? below : 1;
  return Math.min(below, (next.chunk + 1) * chunkSize);
}

async function listWholePage(companyId: number, contactPage: number, options: { consistent: boolean }): Promise<Contact[]> {
  const contacts: Contact[] = [];
  for (let below: number | undefined = (contactPage + 1) * contactPageSize; below !== undefined; ) {
    const page: Awaited<ReturnType<typeof listContactPage>> = await listContactPage(
      companyId,
      contactPage,
      below,
      contactPageSize,
      options,
    );
    contacts.push(...page.contacts);
    below = page.next !== undefined && page.next > contactPage * contactPageSize ? page.next : undefined;
  }
  return contacts;
}

/** Contacts, deleted ones too, of the `ids` ids below `belowId`, read in parallel. `next`: the id below which to continue. */
async function readStep(
  companyId: number,
  belowId: number,
  ids: number,
  pagesAtOnce: number,
): Promise<{ contacts: Contact[]; next: number }> {
  const reads: { block: number; below: number; limit: number }[] = [];
  let left = ids;
  let below = belowId;
  while (left > 0 && below > 1 && reads.length < pagesAtOnce) {
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
    // a full query result counts as cut even when it ends with the page
    if (next !== undefined && contactPageOf(next - 1) === reads[index]?.block) return { contacts, next };
  }
  return { contacts, next: below };
}
