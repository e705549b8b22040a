import type { Settings } from './settings.ts';

/** The pure part of what a person's guard decides (decisions V11, V15, V19). Times are epoch milliseconds. */
export interface BudgetState {
  sends: readonly number[];
  blocks: readonly number[];
  spent: number;
  blockedUntil?: number | undefined;
  blockReason?: string | undefined;
}

const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;

/** The guard's counters of guesses: of a request, and of an hour. */
export const attemptField = (requestId: string): `g:${string}` => `g:${requestId}`;
export const hourField = (at: number): HourField => `${hourPrefix}${Math.floor(at / hourMs)}`;
export const isHourField = (field: string): field is HourField => field.startsWith(hourPrefix);
const hourPrefix = 'h:';
type HourField = `h:${string}`;

/** The guesses at a request that were counted. */
export const attemptsAt = (requestId: string, guard: Readonly<Record<string, unknown>> | undefined): number =>
  Number(guard?.[attemptField(requestId)] ?? 0);

/** Guesses whose hour began more than 24 hours ago: no longer counted. */
export const expiredHours = (guard: Readonly<Record<string, unknown>>, at: number): { forgiven: number; fields: HourField[] } => {
  const fields = Object.keys(guard).filter(
    (field): field is HourField => isHourField(field) && (Number(field.slice(hourPrefix.length)) + 25) * hourMs <= at,
  );
  return { forgiven: fields.reduce((sum, field) => sum + Number(guard[field]), 0), fields };
};

/** The messages asked for within the bombing window. */
export const recentSends = (guard: BudgetState, settings: Settings, at: number): number[] =>
  guard.sends.filter((sent) => sent > at - settings.bombing.window_seconds * 1_000);

/** How long a bombing block lasts: the profile's time, four times as long for the second in 7 days, a day for the third. */
export const bombingBlockMs = (guard: BudgetState, settings: Settings, at: number): number => {
  const before = guard.blocks.filter((began) => began > at - weekMs).length;
  const first = settings.bombing.block_seconds * 1_000;
  return before === 0 ? first : before === 1 ? first * 4 : Math.max(first * 4, 24 * hourMs);
};

export const recentBlocks = (guard: BudgetState, at: number): number[] => guard.blocks.filter((began) => began > at - weekMs);

export const isBlocked = (guard: BudgetState, at: number): boolean => guard.blockedUntil !== undefined && guard.blockedUntil > at;

/** Whole seconds until a time, at least one. */
export const secondsUntil = (until: number, at: number): number => Math.max(1, Math.ceil((until - at) / 1_000));
