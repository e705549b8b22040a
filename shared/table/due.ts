import { shardOf, sortable } from './schema.ts';

/**
 * Due work lies on the items themselves, in a sparse index of fixed shards ordered by time (docs/decisions): any stretch of time is one
 * query a shard, so a missed hour costs no more than a missed minute.
 */
export const dueShards = 8;

export const dueBucket = (shard: number): string => `DUE#${shard}`;

/** The due keys of an item: `what` names a registered kind of due work, `reference` finds the item again. */
export const dueKeys = (dueAtMs: number, what: string, reference: string): { pk: string; sk: string } => ({
  pk: dueBucket(shardOf(reference, dueShards)),
  sk: `${dueTime(dueAtMs)}#${what}#${reference}`,
});

/** Reads back what dueKeys wrote. */
export const parseDueKey = (sk: string): { dueAtMs: number; what: string; reference: string } => {
  const [ms = '', what = '', ...reference] = sk.split('#');
  return { dueAtMs: Number(ms), what, reference: reference.join('#') };
};

/** Epoch milliseconds as 15 digits. */
export const dueTime = (ms: number): string => sortable(ms).slice(1);
