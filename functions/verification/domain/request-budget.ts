import { hourMs } from '../../../shared/runtime/clock.ts';
import type { Settings } from './settings.ts';

/** The part of an identifier's request budget that decides on its requests. Times are epoch milliseconds. */
export interface BudgetState {
  /** When messages for callers with a public key were requested. */
  sends: readonly number[];
  /** The same for servers of the company: what public keys use up leaves theirs. Absent: none. */
  serverSends?: readonly number[] | undefined;
  blocks: readonly number[];
  spent: number;
  blockedUntil?: number | undefined;
  blockReason?: string | undefined;
  /** `public`: trusted callers and users with a live trust key pass the block. Absent: all. */
  blockScope?: 'public' | 'all' | undefined;
}

/** What a budget's row has in fields of their own, beside its attributes: each kind by the letter with which its fields are stored. */
const prefixes = {
  attemptsAtRequest: 'g:',
  attemptsInHour: 'h:',
  attemptsOfSource: 'p:',
  attemptsOfSourceAtRequest: 'q:',
  result: 'r:',
  sourceOfResult: 'w:',
  endOfSourceBlock: 'x:',
} as const;
type FieldKind = keyof typeof prefixes;
export type BudgetField<Kind extends FieldKind = FieldKind> = `${(typeof prefixes)[Kind]}${string}`;
const isField = <Kind extends FieldKind>(field: string, ...kinds: readonly Kind[]): field is BudgetField<Kind> =>
  kinds.some((kind) => field.startsWith(prefixes[kind]));

export const attemptField = (requestId: string) => `${prefixes.attemptsAtRequest}${requestId}` as const;
/** By hour and source. */
export const hourField = (at: number, source: string) => `${prefixes.attemptsInHour}${Math.floor(at / hourMs)}:${source}` as const;
export const isHourField = (field: string): field is BudgetField<'attemptsInHour'> => isField(field, 'attemptsInHour');
export const sourceField = (source: string) => `${prefixes.attemptsOfSource}${source}` as const;
export const sourceAttemptField = (requestId: string, source: string) =>
  `${prefixes.attemptsOfSourceAtRequest}${requestId}:${source}` as const;
export const sourceBlockField = (source: string) => `${prefixes.endOfSourceBlock}${source}` as const;
export const resultField = (requestId: string) => `${prefixes.result}${requestId}` as const;
export const resultSourceField = (requestId: string) => `${prefixes.sourceOfResult}${requestId}` as const;
/** The request whose result a field holds. */
export const requestOfResult = (field: string): string | undefined =>
  isField(field, 'result') ? field.slice(prefixes.result.length) : undefined;

/** The counters and blocks of all sources, which end with the block of their identifier. */
export const isAttemptCounter = (field: string): field is BudgetField<'attemptsInHour' | 'attemptsOfSource' | 'endOfSourceBlock'> =>
  isField(field, 'attemptsInHour', 'attemptsOfSource', 'endOfSourceBlock');

type Counters = Readonly<Record<string, unknown>>;

/** The attempts that were reserved for a request. */
export const attemptsAt = (requestId: string, budget: Counters | undefined): number => Number(budget?.[attemptField(requestId)] ?? 0);
export const attemptsOfSource = (source: string, budget: Counters | undefined): number => Number(budget?.[sourceField(source)] ?? 0);
export const attemptsOfSourceAt = (requestId: string, source: string, budget: Counters | undefined): number =>
  Number(budget?.[sourceAttemptField(requestId, source)] ?? 0);
export const sourceBlockedUntil = (source: string, budget: Counters | undefined): number => Number(budget?.[sourceBlockField(source)] ?? 0);

/** The counters of a request at each source. */
export const sourceAttemptFields = (requestId: string, budget: Counters): BudgetField<'attemptsOfSourceAtRequest'>[] =>
  Object.keys(budget).filter(
    (field): field is BudgetField<'attemptsOfSourceAtRequest'> =>
      isField(field, 'attemptsOfSourceAtRequest') && field.startsWith(sourceAttemptField(requestId, '')),
  );

/** The counters of hours that began more than 24 hours ago, and their attempts, in total and by source; blocks of sources that ended. */
export const expiredHours = (
  budget: Counters,
  at: number,
): { attempts: number; bySource: Map<string, number>; fields: BudgetField<'attemptsInHour' | 'endOfSourceBlock'>[] } => {
  const hours = Object.keys(budget).filter(
    (field): field is BudgetField<'attemptsInHour'> => isHourField(field) && (Number(field.split(':')[1]) + 25) * hourMs <= at,
  );
  const bySource = new Map<string, number>();
  for (const field of hours) {
    const source = field.split(':')[2] ?? '';
    bySource.set(source, (bySource.get(source) ?? 0) + Number(budget[field]));
  }
  const blocks = Object.keys(budget).filter(
    (field): field is BudgetField<'endOfSourceBlock'> => isField(field, 'endOfSourceBlock') && Number(budget[field]) <= at,
  );
  return { attempts: [...bySource.values()].reduce((sum, count) => sum + count, 0), bySource, fields: [...hours, ...blocks] };
};

/** The sends within the bombing window, of all callers. */
export const recentSends = (budget: BudgetState, settings: Settings, at: number): number[] =>
  [...budget.sends, ...(budget.serverSends ?? [])].filter((sent) => sent > at - settings.bombing.window_seconds * 1_000);

/** How long a source is refused that requests one identifier too often: the profile's time, then four times as long, then a day. */
export const bombingBlockMs = ({ bombing }: Settings, blocksBefore: number): number => {
  const first = bombing.block_seconds * 1_000;
  return blocksBefore === 0 ? first : blocksBefore === 1 ? first * 4 : Math.max(first * 4, 24 * hourMs);
};

export const isBlocked = (budget: BudgetState, at: number): boolean => budget.blockedUntil !== undefined && budget.blockedUntil > at;

/** Whole seconds until a time, at least one. */
export const secondsUntil = (until: number, at: number): number => Math.max(1, Math.ceil((until - at) / 1_000));
