import type { Settings } from './settings.ts';

/** The part of an identifier's request budget that decides on its requests. Times are epoch milliseconds. */
export interface BudgetState {
  sends: readonly number[];
  blocks: readonly number[];
  spent: number;
  blockedUntil?: number | undefined;
  blockReason?: string | undefined;
  /** `public`: trusted callers and users with a live trust key pass the block. Absent: all. */
  blockScope?: 'public' | 'all' | undefined;
}

const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;

/** The counters of attempts: of a request, of an hour and a source, of a source, of a source at a request. */
export const attemptField = (requestId: string): `g:${string}` => `g:${requestId}`;
export const hourField = (at: number, source: string): HourField => `${hourPrefix}${Math.floor(at / hourMs)}:${source}`;
export const isHourField = (field: string): field is HourField => field.startsWith(hourPrefix);
const hourPrefix = 'h:';
type HourField = `h:${string}`;
export const sourceField = (source: string): SourceField => `p:${source}`;
type SourceField = `p:${string}`;
export const sourceAttemptField = (requestId: string, source: string): `q:${string}` => `q:${requestId}:${source}`;
/** When the block of a source ends. */
export const sourceBlockField = (source: string): SourceBlockField => `x:${source}`;
type SourceBlockField = `x:${string}`;
const isSourceBlockField = (field: string): field is SourceBlockField => field.startsWith('x:');

/** The counters and blocks of all sources, which end with the block of their identifier. */
export const isAttemptCounter = (field: string): field is HourField | SourceField | SourceBlockField => /^[hpx]:/.test(field);

type Counters = Readonly<Record<string, unknown>>;

/** The attempts that were reserved for a request. */
export const attemptsAt = (requestId: string, budget: Counters | undefined): number => Number(budget?.[attemptField(requestId)] ?? 0);
export const attemptsOfSource = (source: string, budget: Counters | undefined): number => Number(budget?.[sourceField(source)] ?? 0);
export const attemptsOfSourceAt = (requestId: string, source: string, budget: Counters | undefined): number =>
  Number(budget?.[sourceAttemptField(requestId, source)] ?? 0);
export const sourceBlockedUntil = (source: string, budget: Counters | undefined): number => Number(budget?.[sourceBlockField(source)] ?? 0);

/** The counters of a request at each source. */
export const sourceAttemptFields = (requestId: string, budget: Counters): `q:${string}`[] =>
  Object.keys(budget).filter((field): field is `q:${string}` => field.startsWith(`q:${requestId}:`));

/** The counters of hours that began more than 24 hours ago, and their attempts, in total and by source; blocks of sources that ended. */
export const expiredHours = (
  budget: Counters,
  at: number,
): { attempts: number; bySource: Map<string, number>; fields: (HourField | SourceBlockField)[] } => {
  const hours = Object.keys(budget).filter(
    (field): field is HourField => isHourField(field) && (Number(field.split(':')[1]) + 25) * hourMs <= at,
  );
  const bySource = new Map<string, number>();
  for (const field of hours) {
    const source = field.split(':')[2] ?? '';
    bySource.set(source, (bySource.get(source) ?? 0) + Number(budget[field]));
  }
  const blocks = Object.keys(budget).filter((field): field is SourceBlockField => isSourceBlockField(field) && Number(budget[field]) <= at);
  return { attempts: [...bySource.values()].reduce((sum, count) => sum + count, 0), bySource, fields: [...hours, ...blocks] };
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
