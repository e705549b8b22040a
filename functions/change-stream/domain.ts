import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { JournaledChange, JournalRule, StoredImage } from '../../shared/contract/journal.ts';
import { keyText } from '../../shared/table/batch-get.ts';

/** As many rows are written to side by side where all shards count the same. */
const partCount = 16;

/** Which part of a row in parts a shard writes to. */
export const shardPartOf = (shardId: string): number => createHash('sha256').update(shardId).digest().readUInt16BE(0) % partCount;

/** A change in the journal: what the item was after it. */
export const journalLine = z.object({
  /** Epoch seconds, as the stream has it. */
  at: z.number(),
  /** In the stream. Of one item, later changes have greater ones. */
  sequence: z.string(),
  of: z.string(),
  key: z.object({ pk: z.string(), sk: z.string() }),
  /** Absent: the item was removed. */
  image: z.record(z.string(), z.unknown()).optional(),
});
export type JournalLine = z.output<typeof journalLine>;

export interface StreamChange {
  at: number;
  sequence: string;
  before: StoredImage | undefined;
  after: StoredImage | undefined;
}

/** The line of a change that must survive a restore; undefined: none of the rules is about it. */
export const lineOf = ({ at, sequence, before, after }: StreamChange, rules: ReadonlyMap<string, JournalRule>): JournalLine | undefined => {
  const item = after ?? before;
  const of = String(item?.['kind']);
  const rule = rules.get(of);
  if (!item || !rule || (rule.only === 'inserts' && (before || !after)) || rule.when?.(before, after) === false) return undefined;
  const key = { pk: String(item['pk']), sk: String(item['sk']) };
  return { at, sequence, of, key, ...(after ? { image: after } : {}) };
};

/** The hour of an object of the journal, as its name has it: names are in the order of time. */
export const journalHour = (atMs: number): string => new Date(atMs).toISOString().slice(0, 13);

/** By its last line: an object that has lines of an hour or later lies in that hour or later, and those of a shard in their order. */
export const journalKey = (table: string, shard: string, last: JournalLine): string =>
  `${table}/${journalHour(last.at * 1_000)}/${last.sequence.padStart(40, '0')}-${shard}.jsonl.gz`;

export interface JournalRange {
  sinceMs: number;
  untilMs: number;
}

/** Of each item the newest change within the range. */
export const newestChanges = (lines: readonly JournalLine[], { sinceMs, untilMs }: JournalRange): JournaledChange[] => {
  const newest = new Map<string, JournalLine>();
  for (const line of lines) {
    if (line.at * 1_000 < sinceMs || line.at * 1_000 > untilMs) continue;
    const id = keyText(line.key);
    const known = newest.get(id);
    if (!known || BigInt(known.sequence) <= BigInt(line.sequence)) newest.set(id, line);
  }
  return [...newest.values()].map(({ of, key, image }) => ({ of, key, image }));
};

/** Epoch milliseconds, where its kind has it. A message's own time is the provider's, who may bring it later. */
export const creationTimeOf = (item: StoredImage): number | undefined => {
  const at = item['arrivedAt'] ?? item['createdAt'] ?? item['at'];
  return typeof at === 'number' ? at : undefined;
};

/** What an item says of a stretch of time: that it was created in it, or that it may have changed. */
export const changeWithin = (item: StoredImage, { sinceMs, untilMs }: JournalRange): 'created' | 'changed' | undefined => {
  const isWithin = (value: unknown): boolean => typeof value === 'number' && value >= sinceMs && value <= untilMs;
  if (isWithin(creationTimeOf(item))) return 'created';
  return Object.values(item).some(isWithin) ? 'changed' : undefined;
};
