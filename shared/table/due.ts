import { optionalSetting } from '../runtime/env.ts';
import { shardOf, sortable } from './schema.ts';

/**
 * Due times are attributes of the items themselves, in a sparse index of a few partitions ordered by time. Any period is one query per
 * partition, so catching up on an hour costs no more than on a minute.
 */
export const leastDuePartitions = 8;

/** Over how many partitions new due times are spread: a setting of the stage. The dispatcher reads as many as there ever were. */
export const duePartitionsVariable = 'DUE_PARTITIONS';
export const duePartitions = (): number => Number(optionalSetting(duePartitionsVariable) ?? leastDuePartitions);

export const dueBucket = (shard: number): string => `DUE#${shard}`;

/** The due keys of an item: `what` names a declared kind of due work, `reference` identifies the item. */
export const dueKeys = (dueAtMs: number, what: string, reference: string): { pk: string; sk: string } => ({
  pk: dueBucket(shardOf(reference, duePartitions())),
  sk: `${dueTime(dueAtMs)}#${what}#${reference}`,
});

/** Reads back what dueKeys wrote. */
export const parseDueKey = (sk: string): { dueAtMs: number; what: string; reference: string } => {
  const [ms = '', what = '', ...reference] = sk.split('#');
  return { dueAtMs: Number(ms), what, reference: reference.join('#') };
};

/** Epoch milliseconds as 15 digits. */
export const dueTime = (ms: number): string => sortable(ms).slice(1);
