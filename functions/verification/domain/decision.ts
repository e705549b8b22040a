import type { StoredRequest } from '../contract/stored.ts';
import {
  bombingBlockMs,
  dayMs,
  type BudgetState,
  attemptField,
  hourField,
  isBlocked,
  recentBlocks,
  expiredHours,
  recentSends,
} from './request-budget.ts';
import type { Settings } from './settings.ts';

/** What somebody wants, as far as the decision on it needs it. `at` is epoch milliseconds. */
export interface DecisionInput {
  settings: Settings;
  purpose: string;
  isSilent: boolean;
  isTest: boolean;
  at: number;
}

export interface TrustedRequest {
  id: string;
  purpose: string;
  provenAt: number;
  label?: string | undefined;
}
export interface LatestRequest {
  id: string;
  createdAt: number;
  expiresAt: number;
  label?: string | undefined;
}
export type IdentifierState = BudgetState &
  Readonly<Record<string, unknown>> & {
    last: Readonly<Record<string, LatestRequest>>;
    trusted: readonly TrustedRequest[];
    trustFrom?: number | undefined;
  };
export const unknownIdentifier: IdentifierState = { sends: [], blocks: [], spent: 0, last: {}, trusted: [] };

export type RefusalCode = 'otp_bombing' | 'too_many_attempts' | 'too_many_sends' | 'blocked';
export type Decision =
  | { act: 'refuse'; why: RefusalCode; untilMs: number /** A block that begins now. */; begins?: boolean }
  | { act: 'reuse' | 'fresh' };

export const attemptBudgetReason = 'guess_budget';
/** How long after a failure nothing new is begun (V21). */
export const failureCooldownMs = 10 * 60_000;

/** What becomes of a request (decisions V11, V15, V21): refused, the pending one again, or a new one. `before`: the last of its purpose. */
export const decideRequest = (ask: DecisionInput, person: IdentifierState, before: StoredRequest | undefined): Decision => {
  const { settings, at } = ask;
  const isPending = before?.status === 'pending' && before.expiresAt > at;
  if (ask.isTest) return { act: isPending ? 'reuse' : 'fresh' };
  const refuse = (why: RefusalCode, untilMs: number, begins = false): Decision => ({
    act: 'refuse',
    why,
    untilMs,
    ...(begins ? { begins } : {}),
  });
  const block = activeBlock(person, at);
  if (block) return refuse(block.why, block.untilMs);
  if (person.spent - expiredHours(person, at).forgiven >= settings.guess_budget_per_day) return refuse('too_many_attempts', at + 3_600_000);
  const failedUntil = (before?.endedAt ?? 0) + failureCooldownMs;
  if (before?.status === 'failed' && failedUntil > at)
    return refuse(before.reason === 'attempts_exhausted' ? 'too_many_attempts' : 'blocked', failedUntil);
  if (isPending && before.sends >= settings.otp.max_sends && !ask.isSilent) return refuse('too_many_sends', before.expiresAt);
  if (recentSends(person, settings, at).length >= settings.bombing.max_requests)
    return refuse('otp_bombing', at + bombingBlockMs(person, settings, at), true);
  return { act: isPending ? 'reuse' : 'fresh' };
};

/** What blocks a person now, until when. */
export const activeBlock = (person: BudgetState, at: number): { why: 'too_many_attempts' | 'otp_bombing'; untilMs: number } | undefined =>
  isBlocked(person, at)
    ? { why: person.blockReason === attemptBudgetReason ? 'too_many_attempts' : 'otp_bombing', untilMs: person.blockedUntil ?? at }
    : undefined;

/** What a guard holds while a bombing block lasts. */
export const withBombingBlock = (person: BudgetState, untilMs: number, at: number) => ({
  sends: [],
  blockedUntil: untilMs,
  blockReason: 'otp_bombing',
  blocks: [...recentBlocks(person, at), at],
});

/** What a decision changes in a guard. */
export interface RequestBudgetChange {
  set: {
    sends: number[];
    last?: Record<string, LatestRequest>;
    trusted?: TrustedRequest[];
    blocks?: number[];
    blockedUntil?: number;
    blockReason?: string;
    until?: number;
    ttl?: number;
  };
  /** Guesses no longer counted, and the hours they are taken from. */
  add: { spent?: number; [hour: `h:${string}`]: number };
  remove: readonly `${'g' | 'h'}:${string}`[];
}

/**
 * What the guard is after a request: the message counted, the pointer moved, a verified predecessor remembered for its trust, guesses of
 * more than a day ago and the one that was right given back.
 */
export const budgetAfter = (
  ask: DecisionInput,
  person: IdentifierState,
  before: StoredRequest | undefined,
  request: StoredRequest,
): RequestBudgetChange => {
  const { settings, at } = ask;
  const old = expiredHours(person, at);
  const proven = before?.status === 'verified' && before.endedAt !== undefined ? before : undefined;
  const provenAt = proven?.endedAt ?? at;
  const living = person.trusted.filter((each) => isTrusting(person, each.provenAt, settings, at) && each.id !== proven?.id);
  const newest = proven ? [{ id: proven.id, purpose: proven.purpose, provenAt, ...(proven.label ? { label: proven.label } : {}) }] : [];
  const pointer = {
    id: request.id,
    createdAt: request.createdAt,
    expiresAt: request.expiresAt,
    ...(request.label ? { label: request.label } : {}),
  };
  const others = Object.entries(person.last).filter(([purpose]) => purpose !== ask.purpose);
  const kept = others.toSorted(([, a], [, b]) => b.createdAt - a.createdAt).filter(([, each], index) => index < 9 || each.expiresAt > at);
  const dropped = [
    ...others.filter((each) => !kept.includes(each)).map(([, { id }]) => attemptField(id)),
    ...(before && before.id !== request.id ? [attemptField(before.id)] : []),
  ];
  // a right code was counted as a guess before anyone knew that it was right
  const rightHour = proven?.via === 'code' && provenAt + 25 * 3_600_000 > at ? hourField(provenAt) : undefined;
  const givesBack = rightHour !== undefined && !old.fields.includes(rightHour) && person[rightHour] !== undefined;
  const forgiven = old.forgiven + (givesBack ? 1 : 0);
  return {
    set: {
      sends: ask.isTest
        ? recentSends(person, settings, at)
        : [...recentSends(person, settings, at), at].slice(-settings.bombing.max_requests),
      last: { ...Object.fromEntries(kept), [ask.purpose]: pointer },
      trusted: [...living, ...newest].toSorted((a, b) => a.provenAt - b.provenAt).slice(-10),
      ...retentionOf(settings, at),
    },
    add: { ...(forgiven > 0 ? { spent: -forgiven } : {}), ...(givesBack ? { [rightHour]: -1 } : {}) },
    remove: [...dropped, ...old.fields],
  };
};

/** Whether a proof of then is still enough (V19): within the profile's time, and not taken back. */
export const isTrusting = (person: { trustFrom?: number | undefined }, provenAt: number, settings: Settings, at: number): boolean =>
  provenAt + settings.trust.ttl_days * dayMs > at && provenAt > (person.trustFrom ?? -1);

/** How long a guard is kept, epoch seconds: as long as anything in it may matter. */
const retentionOf = (settings: Settings, at: number): { until: number; ttl: number } => {
  const until = Math.floor((at + (Math.max(30, settings.trust.ttl_days) + 1) * dayMs) / 1_000);
  return { until, ttl: until };
};
