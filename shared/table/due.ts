import { minuteMs } from '../runtime/clock.ts';
import { sortable, shardOf } from './schema.ts';

/** Due work lies in buckets of minute and shard (architecture 4). */
export const dueShards = 8;

export const dueBucket = (minute: number, shard: number): string => `DUE#${minute}#${shard}`;

/** The due keys of an item: `what` says which worker wakes (a registered kind of due work), `reference` finds the item again. */
export const dueKeys = (dueAtMs: number, what: string, reference: string): { pk: string; sk: string } => ({
  pk: dueBucket(Math.floor(dueAtMs / minuteMs), shardOf(reference, dueShards)),
  sk: `${sortableMs(dueAtMs)}#${what}#${reference}`,
});

/** Reads back what dueKeys wrote. */
export const parseDueKey = (sk: string): { dueAtMs: number; what: string; reference: string } => {
  const [ms = '', what = '', ...reference] = sk.split('#');
  return { dueAtMs: Number(ms), what, reference: reference.join('#') };
};

const sortableMs = (ms: number): string => sortable(ms).slice(1);
