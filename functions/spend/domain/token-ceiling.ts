import type { StoredTokenCeiling, TokenAmount, TokenLimits } from '../contract/token-ceiling.ts';
import { periodsAt } from './spend-account.ts';

/** The limits of a ceiling, each with its counter. */
const counters = [
  { limit: 'messages', left: 'messagesLeft' },
  { limit: 'micros', left: 'microsLeft' },
] as const;
type CounterField = (typeof counters)[number]['left'];

/** Whether anything is limited: a ceiling that was removed has no limit. */
export const hasLimit = ({ messages, micros }: TokenLimits): boolean => messages !== undefined || micros !== undefined;

/** The day that a ceiling is of at a time: another process may have begun the next one already. */
export const ceilingDay = ({ day }: Pick<StoredTokenCeiling, 'day'>, nowMs: number): string => {
  const today = periodsAt(nowMs).day;
  return day > today ? day : today;
};

/** What is left of each limit at a time. A day that nothing was taken on is whole. */
export const leftAt = (ceiling: StoredTokenCeiling, nowMs: number): TokenAmount => {
  const { messages, micros, messagesLeft, microsLeft, day } = ceiling;
  const isBegun = ceilingDay(ceiling, nowMs) === day;
  return isBegun ? { messages: messagesLeft, micros: microsLeft } : { messages, micros };
};

/** The limit that does not allow an amount, messages before money; undefined: all do. */
export const shortLimit = (ceiling: StoredTokenCeiling, amount: TokenAmount, nowMs: number): 'messages' | 'micros' | undefined => {
  const left = leftAt(ceiling, nowMs);
  return counters.find(({ limit }) => amount[limit] !== undefined && amount[limit] > (left[limit] ?? 0))?.limit;
};

/** Whether other limits, or another day, came since a ceiling was read. */
export const isSameTime = (one: StoredTokenCeiling, other: StoredTokenCeiling): boolean => one.rev === other.rev && one.day === other.day;

/** Fields that are set, removed where undefined, and numbers that are added. */
export interface TokenCeilingChange {
  set: { [K in keyof StoredTokenCeiling]?: StoredTokenCeiling[K] | undefined };
  add: Partial<Record<CounterField, number>>;
}

/** What taking an amount changes: of the day that the counters are of it is subtracted, a new day begins with what it leaves. */
export const changeOfTaking = (seen: StoredTokenCeiling, amount: TokenAmount, day: string): TokenCeilingChange => {
  const taken = counters.flatMap(({ limit, left }) =>
    seen[limit] === undefined ? [] : [{ left, limit: seen[limit], by: amount[limit] ?? 0 }],
  );
  return day === seen.day
    ? { set: {}, add: Object.fromEntries(taken.map(({ left, by }) => [left, -by])) }
    : { set: { day, ...Object.fromEntries(taken.map(({ left, limit, by }) => [left, limit - by])) }, add: {} };
};

/**
 * What other limits change. A limit that moves moves what is left of it by as much, so that what is spent stays spent; one that is new, or of
 * another currency, counts from now on.
 */
export const changeOfLimits = (stored: StoredTokenCeiling, limits: TokenLimits, at: number): TokenCeilingChange => {
  const day = ceilingDay(stored, at);
  const { messages, micros } = limits;
  const currency = micros === undefined ? undefined : limits.currency;
  const set: TokenCeilingChange['set'] = { messages, micros, currency, day, rev: stored.rev + 1, updatedAt: at };
  const add: TokenCeilingChange['add'] = {};
  for (const { limit, left } of counters) {
    const [before, after] = [stored[limit], limits[limit]];
    const isOther = limit === 'micros' && stored.currency !== currency;
    if (day !== stored.day || before === undefined || after === undefined || isOther) set[left] = after;
    else if (after !== before) add[left] = after - before;
  }
  return { set, add };
};
