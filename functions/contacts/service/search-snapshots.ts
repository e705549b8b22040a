import type { ErasureSubject } from '../../../shared/contract/erasure.ts';
import { deleteObject, wholeObject, writeObject } from '../../../shared/objects/bucket.ts';
import { minuteMs, now } from '../../../shared/runtime/clock.ts';
import { inParallel } from '../../../shared/runtime/parallel.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { Conflict } from '../../../shared/table/conflict.ts';
import { searchBucket, type StoredSearchSnapshot } from '../contract/search-snapshot.ts';
import type { SearchedContact } from '../contract/stored.ts';
import {
  isUsableSnapshot,
  linesOf,
  noLines,
  packLines,
  type PartLines,
  snapshotPartOf,
  partSize,
  type SearchPart,
  snapshotLine,
  snapshotMarginMs,
  unpackPart,
  withChange,
} from '../domain/search-snapshot.ts';
import {
  abandonSearchSnapshot,
  claimSearchSnapshot,
  getSearchSnapshot,
  publishSearchSnapshot,
  putSearchLeftovers,
  releaseSearchSnapshot,
  requestSearchSnapshot,
} from '../store/search-snapshot.ts';
import { listSearchedContactsUpdatedFrom } from '../store/updated.ts';

/**
 * Brings the search snapshot of a company up to date: reads the contacts that changed since, in the order of their changes, and writes the
 * parts that have any anew. A company's first snapshot is the same from the beginning of time. One call takes `atMost` changes; when there
 * are more, it requests the next call. Another worker at the same work makes it do nothing.
 */
export const updateSearchSnapshot = async (companyId: number, atMost = changesPerCall): Promise<void> => {
  const startedAt = now();
  const isDone = await withLease(companyId, async (claimed) => {
    const base = isUsableSnapshot(claimed, startedAt) ? claimed : { startedAt, asOf: 0, parts: [] };
    const until = startedAt - snapshotMarginMs;
    const { changed, next } = await listChanges(companyId, { asOf: base.asOf, until, atMost });
    const { parts, isComplete } = await writeParts(claimed, base.parts, changed);
    return {
      written: parts,
      published: isComplete
        ? {
            startedAt: base.startedAt,
            asOf: Math.max(1, base.asOf, Math.min(next ?? until, until)),
            parts,
            ...(next === undefined ? {} : { requestedAt: Math.max(startedAt, claimed.requestedAt + 1) }),
          }
        : { ...nothingYet, requestedAt: Math.max(startedAt, claimed.requestedAt + 1) },
    };
  });
  if (isDone === 'lost') throw new Conflict('Another worker took over the search snapshot.');
};

/** So many changes are read beside a snapshot for a search, about 4 RRU per 100; a newer one is requested before. */
const maxChangesOfSearch = 20_000;
const manyChanges = 500;

/**
 * The search snapshot with the contacts that changed since, deleted ones too: together the contacts as they are now. Undefined: there is none
 * yet, or too many contacts changed; a newer one is requested.
 */
export const readSearchSnapshot = async (
  companyId: number,
  maxChanges = maxChangesOfSearch,
): Promise<{ parts: (SearchPart | undefined)[]; changed: SearchedContact[] } | undefined> => {
  // its objects may have been replaced after an eventually consistent read
  for (const consistent of [false, true]) {
    const at = now();
    const snapshot = await getSearchSnapshot(companyId, { consistent });
    if (snapshot === undefined || !isUsableSnapshot(snapshot, at)) {
      await requestSearchSnapshot(companyId, snapshot, at);
      return undefined;
    }
    const [changed, parts] = await Promise.all([
      listSearchedContactsUpdatedFrom(companyId, { at: snapshot.asOf, id: 0 }, maxChanges + 1, 'newest'),
      getSearchParts(snapshot),
    ]);
    if (changed.length > manyChanges || (consistent && parts === 'missing')) await requestSearchSnapshot(companyId, snapshot, at);
    if (changed.length > maxChanges) return undefined;
    if (parts !== 'missing') return { parts, changed };
  }
  return undefined;
};

/** The parts of a snapshot by number, from memory or the bucket; undefined where no contact is. `missing`: it was replaced meanwhile. */
async function getSearchParts({ companyId, parts }: StoredSearchSnapshot): Promise<(SearchPart | undefined)[] | 'missing'> {
  const found = await inParallel(parts, 16, async (generation, part) =>
    generation === 0 ? undefined : getPart({ companyId, part, generation }),
  );
  return found.includes('missing') ? 'missing' : found.map((part) => (part === 'missing' ? undefined : part));
}

/** What of a contact the search snapshot holds. A worker that brings the snapshot up to date may just have read the contact. */
export const snapshotLinesOf = async ({ companyId, contactId }: ErasureSubject): Promise<(() => Promise<void>)[]> => {
  const snapshot = await getSearchSnapshot(companyId, { consistent: true });
  if (snapshot === undefined) return [];
  const isFree = snapshot.leaseUntil === 0 && snapshot.leftovers.length === 0;
  return isFree && !(await holdsLine(snapshot, contactId)) ? [] : [() => removeLine(companyId, contactId)];
};

async function removeLine(companyId: number, contactId: number): Promise<void> {
  const isDone = await withLease(companyId, async (claimed) => {
    if (!(await holdsLine(claimed, contactId))) return { written: [], published: {} };
    const { parts, isComplete } = await writeParts(claimed, claimed.parts, new Map([[contactId, undefined]]));
    return { written: parts, published: isComplete ? { parts } : nothingYet };
  });
  if (isDone !== 'done') throw new Conflict('The search snapshot is being brought up to date.');
}

/** Of a snapshot that is to be begun anew. */
const nothingYet = { startedAt: 0, asOf: 0, parts: [] };

/**
 * Does the work as the only worker at this snapshot, publishes its result, and deletes the objects that are not named any more. They are
 * leftovers in the row until they are gone: who crashes at any point leaves none that the next worker does not delete.
 */
async function withLease(
  companyId: number,
  work: (claimed: StoredSearchSnapshot) => Promise<{
    written: readonly number[];
    published: Partial<Pick<StoredSearchSnapshot, 'startedAt' | 'asOf' | 'parts' | 'requestedAt'>>;
  }>,
): Promise<'done' | 'busy' | 'lost'> {
  const claimed = await claimSearchSnapshot(companyId, now(), leaseMs);
  if (claimed === 'busy') return 'busy';
  try {
    await deleteUnnamed(companyId, claimed.leftovers, claimed.parts);
    const { written, published } = await work(claimed);
    const { parts = claimed.parts } = published;
    const names = [...namesOf(claimed.parts), ...namesOf(written)];
    const isLast = unnamed(names, parts).length === 0;
    if (!(await publishSearchSnapshot(claimed, published, isLast))) {
      await deleteUnnamed(companyId, namesOf(written), claimed.parts);
      return 'lost';
    }
    if (!isLast) {
      await deleteUnnamed(companyId, names, parts);
      await releaseSearchSnapshot(claimed);
    }
    return 'done';
  } catch (error) {
    await abandonSearchSnapshot(claimed);
    throw error;
  }
}

async function holdsLine({ companyId, parts }: StoredSearchSnapshot, contactId: number): Promise<boolean> {
  const part = snapshotPartOf(contactId);
  const generation = parts[part] ?? 0;
  const lines = generation === 0 ? undefined : await readPart({ companyId, part, generation });
  if (lines === undefined || lines === 'missing') return false;
  return Boolean(linesOf(lines).facts[contactId % partSize]);
}

/** Changes in one call: about 5 s of work. */
const changesPerCall = 50_000;
const changesPerRead = 5_000;
const leaseMs = 2 * minuteMs;

/** Present contacts that changed between two times, deleted ones too, by id. `next`: the time from which to continue. */
async function listChanges(
  companyId: number,
  { asOf, until, atMost }: { asOf: number; until: number; atMost: number },
): Promise<{ changed: Map<number, SearchedContact>; next: number | undefined }> {
  const changed = new Map<number, SearchedContact>();
  for (let from = { at: asOf, id: 0 }; ; ) {
    const read = await listSearchedContactsUpdatedFrom(companyId, from, changesPerRead);
    for (const contact of read) changed.set(contact.id, contact);
    const last = read.at(-1);
    if (last === undefined || read.length < changesPerRead || last.updatedAt >= until) return { changed, next: undefined };
    // the changes of one millisecond are taken together, so that the next call gets on
    if (changed.size >= atMost && last.updatedAt > asOf) return { changed, next: last.updatedAt };
    from = { at: last.updatedAt, id: last.id + 1 };
  }
}

/** Writes the parts that have changes under the generation of the lease. Incomplete: an object of the snapshot is gone. */
async function writeParts(
  claimed: StoredSearchSnapshot,
  before: readonly number[],
  changed: ReadonlyMap<number, SearchedContact | undefined>,
): Promise<{ parts: number[]; isComplete: boolean }> {
  const byPart = Map.groupBy(changed, ([id]) => snapshotPartOf(id));
  const { companyId, generation } = claimed;
  const names = [...namesOf(claimed.parts), ...[...byPart.keys()].map((part) => ({ part, generation }))];
  if (byPart.size > 0 && !(await putSearchLeftovers(claimed, names))) throw new Conflict('Another worker took over the search snapshot.');
  const count = Math.max(before.length, ...[...byPart.keys()].map((part) => part + 1));
  const parts: number[] = Array.from({ length: count }, (_, part) => before[part] ?? 0);
  let isComplete = true;
  await inParallel([...byPart], 2, async ([part, changes]) => {
    const old = parts[part] ?? 0;
    const seen = old === 0 ? undefined : await readPart({ companyId, part, generation: old });
    if (seen === 'missing') {
      isComplete = false;
      return;
    }
    const lines: PartLines = seen === undefined ? noLines() : linesOf(seen);
    for (const [id, contact] of changes) withChange(lines, id, snapshotLine(contact));
    await writeObject(searchBucket, partKey({ companyId, part, generation }), packLines(lines), 'application/zstd');
    parts[part] = generation;
  });
  return { parts, isComplete };
}

type PartNames = StoredSearchSnapshot['leftovers'];

const namesOf = (parts: readonly number[]): PartNames =>
  parts.flatMap((generation, part) => (generation === 0 ? [] : [{ part, generation }]));

const unnamed = (names: PartNames, parts: readonly number[]): PartNames =>
  names.filter(({ part, generation }) => parts[part] !== generation);

/** Deletes those of the objects that the snapshot does not name. */
async function deleteUnnamed(companyId: number, names: PartNames, parts: readonly number[]): Promise<void> {
  const keys = unnamed(names, parts).map((name) => partKey({ companyId, ...name }));
  await inParallel([...new Set(keys)], 8, (key) => deleteObject(searchBucket, key));
}

interface PartName {
  companyId: number;
  part: number;
  generation: number;
}

const partKey = ({ companyId, part, generation }: PartName): string => `${companyId}/${part}/${generation}`;

async function readPart(name: PartName): Promise<SearchPart | 'missing'> {
  const packed = await wholeObject(searchBucket, partKey(name));
  return packed === undefined ? 'missing' : unpackPart(packed);
}

/** Parts that searches of this process read, the least recently used first. An object never changes, so none is out of date. */
const memory = processMap<string, SearchPart>();
const maxMemoryBytes = 160_000_000;

/** As in a new process. */
export const forgetSearchParts = (): void => memory.clear();

async function getPart(name: PartName): Promise<SearchPart | 'missing'> {
  const key = partKey(name);
  const part = memory.get(key) ?? (await readPart(name));
  if (part === 'missing') return part;
  memory.delete(key);
  memory.set(key, part);
  let bytes = 0;
  for (const each of memory.values()) bytes += each.bytes;
  for (const [oldest, { bytes: size }] of memory) {
    if (bytes <= maxMemoryBytes || oldest === key) break;
    memory.delete(oldest);
    bytes -= size;
  }
  return part;
}
