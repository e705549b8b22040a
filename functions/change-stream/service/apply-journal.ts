import { gunzipSync } from 'node:zlib';
import type { RestoreStep } from '../../../shared/contract/journal.ts';
import { listObjects, wholeObject } from '../../../shared/objects/bucket.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { inParallel } from '../../../shared/runtime/parallel.ts';
import { getRestoredCopy, ownCopy, putRestoredCopy, type RestoredCopy } from '../../../shared/table/restored-copy.ts';
import { journalBucket } from '../contract.ts';
import { journalHour, type JournalLine, journalLine, newestChanges } from '../domain.ts';

export interface JournalRequest {
  /** The table whose journal it is. */
  source: string;
  /** The restored second, epoch milliseconds: the journal is read from a minute before. */
  sinceMs: number;
  /** Changes after this time are left out. */
  untilMs: number;
}

/** The backup may lack what was written in the last seconds before it, by the clock of the stream. */
const marginMs = 60_000;

/**
 * Brings back into a restored table what it must not have forgotten: the journal, hour by hour in the order of time. Where it stands is stored after
 * each hour, so an interrupted call goes on; repeating an hour changes nothing more. The table is readable afterwards.
 */
export const applyJournal = async (request: JournalRequest, steps: readonly RestoreStep[]): Promise<RestoredCopy> => {
  let copy = await beginCopy(request);
  if (copy.state !== 'closed') return copy;
  const range = { sinceMs: copy.sinceMs - marginMs, untilMs: request.untilMs };
  for await (const { hour, keys } of hoursOf(copy.source, copy.appliedUpTo ?? journalHour(range.sinceMs), copy.appliedUpTo !== undefined)) {
    const lines = (await inParallel(keys, 16, readLines)).flat();
    const byKind = Map.groupBy(newestChanges(lines, range), ({ of }) => of);
    const restored = { ...copy.restored };
    for (const { of, restore } of steps) {
      const changes = byKind.get(of) ?? [];
      if (changes.length > 0) restored[of] = (restored[of] ?? 0) + (await restore(changes));
    }
    copy = { ...copy, appliedUpTo: hour, restored, updatedAt: now() };
    await putRestoredCopy(copy);
  }
  return putState(copy, 'readable');
};

/** The table is in use from now on: everything leaves again. */
export const openCopy = (copy: RestoredCopy): Promise<RestoredCopy> => putState(copy, 'open');

/** The journal is lost, as after the loss of a region: what happened since the backup stays forgotten. */
export const openWithoutJournal = async (at: number): Promise<RestoredCopy> =>
  putState(await beginCopy({ source: '', sinceMs: at, untilMs: at }), 'open');

/** The copy that this deployment runs on, as far as it is brought; undefined: nothing was done with it yet. */
export const getOwnCopy = async (): Promise<RestoredCopy | undefined> => {
  const stored = await getRestoredCopy();
  return stored?.copy === ownCopy() ? stored : undefined;
};

async function beginCopy({ source, sinceMs }: JournalRequest): Promise<RestoredCopy> {
  const name = ownCopy();
  if (name === undefined) throw new Error('This deployment does not run on a restored table.');
  const stored = await getOwnCopy();
  if (stored) return stored;
  const begun: RestoredCopy = { copy: name, state: 'closed', source, sinceMs, restored: {}, updatedAt: now() };
  await putRestoredCopy(begun);
  return begun;
}

async function putState(copy: RestoredCopy, state: RestoredCopy['state']): Promise<RestoredCopy> {
  const next = { ...copy, state, updatedAt: now() };
  await putRestoredCopy(next);
  return next;
}

/** The hours of a table's journal that have objects, from one on or behind it, with their keys. */
async function* hoursOf(source: string, from: string, isBehind: boolean): AsyncGenerator<{ hour: string; keys: string[] }> {
  let open: { hour: string; keys: string[] } | undefined;
  for await (const key of listObjects(journalBucket, `${source}/`, `${source}/${from}${isBehind ? '/~' : ''}`)) {
    const hour = key.split('/')[1] ?? '';
    if (open && open.hour !== hour) yield open;
    open = open?.hour === hour ? open : { hour, keys: [] };
    open.keys.push(key);
  }
  if (open) yield open;
}

async function readLines(key: string): Promise<JournalLine[]> {
  const body = await wholeObject(journalBucket, key);
  if (!body) throw new Error(`The object ${key} of the journal is missing.`);
  const text = gunzipSync(body).toString();
  return text.split('\n').map((line) => journalLine.parse(JSON.parse(line)));
}
