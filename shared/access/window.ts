import { any, below, type Condition, type CounterField, missing } from '../table/condition.ts';

/**
 * Rate limits by the minute, counted inside an item in the same write that checks it. Each minute has its own field, so the write needs no
 * read first: it adds to the field on condition that it is below the limit, and removes the fields of the two minutes before.
 */
export const windowMs = 60_000;

const prefix = 'n';

export const windowOf = (nowMs: number): number => Math.floor(nowMs / windowMs);

/** The end of the minute in Unix seconds, for X-RateLimit-Reset. */
export const windowEndSeconds = (nowMs: number): number => ((windowOf(nowMs) + 1) * windowMs) / 1_000;

export const windowField = (name: string, nowMs: number): CounterField => `${prefix}:${windowOf(nowMs)}:${name}`;

export const countInWindow = (
  name: string,
  limit: number,
  nowMs: number,
  requests = 1,
): { change: { add: Record<CounterField, number>; remove: CounterField[] }; condition: Condition<[CounterField, number]> } => {
  const field = windowField(name, nowMs);
  const past = [1, 2].map((back) => windowField(name, nowMs - back * windowMs));
  return { change: { add: { [field]: requests }, remove: past }, condition: any(missing(field), below(field, limit)) };
};

const minuteFields = (item: Record<string, unknown>, isWanted: (window: number) => boolean): CounterField[] =>
  Object.keys(item).filter((field): field is CounterField => field.startsWith(`${prefix}:`) && isWanted(Number(field.split(':')[1])));

/** Fields of earlier minutes that an idle time left behind. */
export const staleWindowFields = (item: Record<string, unknown>, nowMs: number): CounterField[] =>
  minuteFields(item, (window) => window < windowOf(nowMs) - 2);

/** Fields of the minute of a time and of later ones. */
export const countsSince = (item: Record<string, unknown>, sinceMs: number): CounterField[] =>
  minuteFields(item, (window) => window >= windowOf(sinceMs));
