import type { Settings } from './settings.ts';

/** The part of an identifier's request budget that decides on its requests. Times are epoch milliseconds. */
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

/** The counters of attempts: one for each request, one for each hour. */
export const attemptField = (requestId: string): `g:${string}` => `g:${requestId}`;
export const hourField = (at: number): HourField => `${hourPrefix}${Math.floor(at / hourMs)}`;
export const isHourField = (field: string): field is HourField => field.startsWith(hourPrefix);
const hourPrefix = 'h:';
type HourField = `h:${string}`;

/** The attempts that were reserved for a request. */
export const attemptsAt = (requestId: string, budget: Readonly<Record<string, unknown>> | undefined): number =>
  Number(budget?.[attemptField(requestId)] ?? 0);

/** The counters of hours that began more than 24 hours ago, and their attempts. */
export const expiredHours = (budget: Readonly<Record<string, unknown>>, at: number): { attempts: number; fields: HourField[] } => {
  const fields = Object.keys(budget).filter(
    (field): field is HourField => isHourField(field) && (Number(field.slice(hourPrefix.length)) + 25) * hourMs <= at,
  );
  return { attempts: fields.reduce((sum, field) => sum + Number(budget[field]), 0), fields };
};

/** The sends within the bombing window. */
export const recentSends = (budget: BudgetState, settings: Settings, at: number): number[] =>
  budget.sends.filter((sent) => sent > at - settings.bombing.window_seconds * 1_000);

/** How long a bombing block lasts: the profile's time, four times as long for the second in 7 days, a day for the third. */
export const bombingBlockMs = (budget: BudgetState, settings: Settings, at: number): number => {
  const before = recentBlocks(budget, at).length;
  const first = settings.bombing.block_seconds * 1_000;
  return before === 0 ? first : before === 1 ? first * 4 : Math.max(first * 4, 24 * hourMs);
};

/** When the blocks of the last 7 days began. */
export const recentBlocks = (budget: BudgetState, at: number): number[] => budget.blocks.filter((began) => began > at - weekMs);

export const isBlocked = (budget: BudgetState, at: number): boolean => budget.blockedUntil !== undefined && budget.blockedUntil > at;

/** Whole seconds until a time, at least one. */
export const secondsUntil = (until: number, at: number): number => Math.max(1, Math.ceil((until - at) / 1_000));
