import type { StoredRequest } from '../contract/stored.ts';
import { attemptLimits } from './attempt-limits.ts';
import {
  attemptField,
  attemptsOfSource,
  bombingBlockMs,
  type BudgetState,
  dayMs,
  expiredHours,
  hourField,
  isBlocked,
  recentBlocks,
  recentSends,
  sourceAttemptFields,
  sourceBlockedUntil,
  sourceField,
} from './request-budget.ts';
import { pastResultFields, resultField, resultIn, resultSourceField, withResult } from './request-result.ts';
import type { Settings } from './settings.ts';

/** What the decision on a verification request depends on. `at` is epoch milliseconds. */
export interface DecisionInput {
  settings: Settings;
  purpose: string;
  isSilent: boolean;
  isTest: boolean;
  /** What attempts are counted by, beside the identifier: an address, or a server that names none. */
  source: string;
  /** A server of the company. */
  isTrusted: boolean;
  /** A valid trust key was given, which a block keeps from being an answer. */
  hasLiveTrust: boolean;
  /** The send of this call is in the budget already. */
  isCounted?: boolean;
  at: number;
}

/** Who passes a block that callers with a public key caused. */
export const passesPublicBlock = ({ isTrusted, hasLiveTrust }: Pick<DecisionInput, 'isTrusted' | 'hasLiveTrust'>): boolean =>
  isTrusted || hasLiveTrust;

/** A verified request of an identifier, whose trust key is still valid. */
export interface TrustedRequest {
  id: string;
  purpose: string;
  provenAt: number;
  label?: string | undefined;
}
/** The latest request of an identifier for one purpose, with what the next one depends on. */
export interface LatestRequest {
  id: string;
  createdAt: number;
  expiresAt: number;
  label?: string | undefined;
  /** Absent: of a version that read this from the request. */
  sends?: number | undefined;
  lastSendAt?: number | undefined;
  operationId?: string | undefined;
  requester?: string | undefined;
  isShared?: true | undefined;
  /** Absent: the request was published when its own row was written. */
  channel?: StoredRequest['channel'] | undefined;
}

/** What a new request must know of the one before: the stored request has it, and so has its budget. */
export type PreviousRequest = Pick<
  StoredRequest,
  'id' | 'companyId' | 'purpose' | 'status' | 'createdAt' | 'expiresAt' | 'sends' | 'lastSendAt'
> &
  Partial<
    Pick<
      StoredRequest,
      'endedAt' | 'reason' | 'attemptSource' | 'via' | 'label' | 'operationId' | 'requester' | 'isShared' | 'isDecidedByBudget' | 'channel'
    >
  >;

export const latestOf = (request: PreviousRequest): LatestRequest => ({
  id: request.id,
  createdAt: request.createdAt,
  expiresAt: request.expiresAt,
  sends: request.sends,
  lastSendAt: request.lastSendAt,
  ...(request.label ? { label: request.label } : {}),
  ...(request.operationId ? { operationId: request.operationId } : {}),
  ...(request.requester ? { requester: request.requester } : {}),
  ...(request.isShared ? { isShared: true } : {}),
  ...(request.channel ? { channel: request.channel } : {}),
});

/** The latest request of a purpose as the budget has it; undefined: there is none, or a former version wrote it. */
export const previousIn = (budget: (IdentifierState & { companyId: number }) | undefined, purpose: string): PreviousRequest | undefined => {
  const latest = budget?.last[purpose];
  if (!budget || !latest || latest.sends === undefined || latest.lastSendAt === undefined) return undefined;
  const { channel, sends, lastSendAt, ...rest } = latest;
  const known = { ...rest, ...(channel ? { channel } : {}), companyId: budget.companyId, purpose };
  return withResult({ ...known, status: 'pending', sends, lastSendAt, isDecidedByBudget: true }, budget);
};
export type IdentifierState = BudgetState &
  Readonly<Record<string, unknown>> & {
    last: Readonly<Record<string, LatestRequest>>;
    trusted: readonly TrustedRequest[];
    trustFrom?: number | undefined;
  };
export const unknownIdentifier: IdentifierState = { sends: [], blocks: [], spent: 0, last: {}, trusted: [] };

export type RefusalCode = 'otp_bombing' | 'too_many_attempts' | 'too_many_sends' | 'blocked';
export type Decision =
  | { act: 'refuse'; code: RefusalCode; untilMs: number /** The refusal begins a block. */; isNewBlock?: boolean }
  | { act: 'reuse' | 'create' };

/** The reason of a block by too many failed attempts. */
export const attemptBudgetReason = 'guess_budget';
/** How long after a failed request no new one is created. */
export const failureCooldownMs = 10 * 60_000;

/** Refuses a request, reuses the pending one, or creates a new one. `before` is the latest request of the purpose. */
export const decideRequest = (input: DecisionInput, state: IdentifierState, before: PreviousRequest | undefined): Decision => {
  const { settings, at } = input;
  const isPending = before?.status === 'pending' && before.expiresAt > at;
  if (input.isTest) return { act: isPending ? 'reuse' : 'create' };
  const refuse = (code: RefusalCode, untilMs: number, isNewBlock = false): Decision => ({
    act: 'refuse',
    code,
    untilMs,
    ...(isNewBlock ? { isNewBlock } : {}),
  });
  const isPassing = passesPublicBlock(input);
  const block = activeBlock(state, at, isPassing);
  if (block) return refuse(block.code, block.untilMs);
  const limits = attemptLimits(settings);
  const expired = expiredHours(state, at);
  if (state.spent - expired.attempts >= (isPassing ? limits.total : limits.public)) return refuse('too_many_attempts', at + 3_600_000);
  const ownBlock = input.hasLiveTrust ? 0 : sourceBlockedUntil(input.source, state);
  if (ownBlock > at) return refuse('too_many_attempts', ownBlock);
  if (!input.hasLiveTrust && attemptsOfSource(input.source, state) - (expired.bySource.get(input.source) ?? 0) >= limits.source)
    return refuse('too_many_attempts', at + 3_600_000);
  const failedUntil = (before?.endedAt ?? 0) + failureCooldownMs;
  // the wrong codes of another source do not keep this one waiting
  const isOwnFailure = before?.attemptSource === undefined || before.attemptSource === input.source;
  if (before?.status === 'failed' && failedUntil > at && isOwnFailure)
    return refuse(before.reason === 'attempts_exhausted' ? 'too_many_attempts' : 'blocked', failedUntil);
  if (isPending && before.sends >= settings.otp.max_sends && !input.isSilent) return refuse('too_many_sends', before.expiresAt);
  if (recentSends(state, settings, at).length >= settings.bombing.max_requests)
    return refuse('otp_bombing', at + bombingBlockMs(state, settings, at), true);
  return { act: isPending ? 'reuse' : 'create' };
};

/** The block of an identifier at a time, for callers that pass a public block or for the others. */
export const activeBlock = (
  state: BudgetState,
  at: number,
  isPassing: boolean,
): { code: 'too_many_attempts' | 'otp_bombing'; untilMs: number } | undefined =>
  isBlocked(state, at) && !(isPassing && state.blockScope === 'public')
    ? { code: state.blockReason === attemptBudgetReason ? 'too_many_attempts' : 'otp_bombing', untilMs: state.blockedUntil ?? at }
    : undefined;

/** The change of a budget by a decision. */
export interface RequestBudgetChange {
  set: {
    sends: number[];
    last?: Record<string, LatestRequest>;
    trusted?: TrustedRequest[];
    blocks?: number[];
    blockedUntil?: number;
    blockReason?: string;
    blockScope?: 'public' | 'all';
    until?: number;
    ttl?: number;
  };
  /** Negative: attempts that are given back, and the hours they belong to. */
  add: { spent?: number; [counter: `${'h' | 'p'}:${string}`]: number };
  remove: readonly `${'g' | 'h' | 'p' | 'q' | 'r' | 'w' | 'x'}:${string}`[];
  /** A request that goes on: it must be open in the budget. */
  mustBeOpen?: string;
}

/** The fields of a budget while a bombing block lasts. One that a public key caused does not hold who passes such a block. */
export const withBombingBlock = (
  state: BudgetState,
  untilMs: number,
  at: number,
  isPassing: boolean,
): { sends: number[]; blockedUntil: number; blockReason: string; blockScope: 'public' | 'all'; blocks: number[] } => ({
  sends: [],
  blockedUntil: untilMs,
  blockReason: 'otp_bombing',
  blockScope: isPassing ? 'all' : 'public',
  blocks: [...recentBlocks(state, at), at],
});

/**
 * The change of a budget by a request: counts its send, points to it as the latest of its purpose, remembers a verified predecessor for
 * its trust key, and gives back the attempts older than a day and the correct one.
 */
export const budgetAfter = (
  input: DecisionInput,
  state: IdentifierState,
  before: PreviousRequest | undefined,
  request: PreviousRequest,
): RequestBudgetChange => {
  const { settings, at } = input;
  const expired = expiredHours(state, at);
  const proven = before?.status === 'verified' && before.endedAt !== undefined ? before : undefined;
  const provenAt = proven?.endedAt ?? at;
  const stillTrusted = state.trusted.filter((each) => isTrusting(state, each.provenAt, settings, at) && each.id !== proven?.id);
  const newlyTrusted = proven
    ? [{ id: proven.id, purpose: proven.purpose, provenAt, ...(proven.label ? { label: proven.label } : {}) }]
    : [];
  const others = Object.entries(state.last).filter(([purpose]) => purpose !== input.purpose);
  const retained = others
    .toSorted(([, a], [, b]) => b.createdAt - a.createdAt)
    .filter(([, each], index) => index < 9 || each.expiresAt > at);
  const forgottenIds = others.filter((each) => !retained.includes(each)).map(([, { id }]) => id);
  const droppedIds = [...forgottenIds, ...(before && before.id !== request.id ? [before.id] : [])];
  const droppedFields = [
    ...droppedIds.flatMap((id) => [attemptField(id), ...sourceAttemptFields(id, state)]),
    // a result stays for a day: a slow attempt at the request must find that it has ended
    ...forgottenIds.filter((id) => resultIn(id, state) === undefined).flatMap((id) => [resultField(id), resultSourceField(id)]),
    ...pastResultFields(state, at - dayMs),
  ];
  // the correct code was reserved as an attempt before it was compared
  const correctSource = proven?.via === 'code' && provenAt + 25 * 3_600_000 > at ? proven.attemptSource : undefined;
  const correctHour = correctSource === undefined ? undefined : hourField(provenAt, correctSource);
  const givesBack = correctHour !== undefined && !expired.fields.includes(correctHour) && state[correctHour] !== undefined;
  const returned = expired.attempts + (givesBack ? 1 : 0);
  const returnedBySource = new Map(expired.bySource);
  if (givesBack && correctSource !== undefined) returnedBySource.set(correctSource, (returnedBySource.get(correctSource) ?? 0) + 1);
  const sources = [...returnedBySource].map(([source, count]) => ({ source, count, isLast: attemptsOfSource(source, state) <= count }));
  return {
    set: {
      sends:
        input.isTest || input.isCounted
          ? recentSends(state, settings, at)
          : [...recentSends(state, settings, at), at].slice(-settings.bombing.max_requests),
      last: { ...Object.fromEntries(retained), [input.purpose]: latestOf(request) },
      trusted: [...stillTrusted, ...newlyTrusted].toSorted((a, b) => a.provenAt - b.provenAt).slice(-10),
      ...retentionOf(settings, at),
    },
    ...(before?.id === request.id && before.isDecidedByBudget ? { mustBeOpen: request.id } : {}),
    add: {
      ...(returned > 0 ? { spent: -returned } : {}),
      ...(givesBack ? { [correctHour]: -1 } : {}),
      ...Object.fromEntries(sources.filter(({ isLast }) => !isLast).map(({ source, count }) => [sourceField(source), -count])),
    },
    remove: [...droppedFields, ...expired.fields, ...sources.filter(({ isLast }) => isLast).map(({ source }) => sourceField(source))],
  };
};

/** Whether a verification at `provenAt` is still trusted: within the profile's time to live, and not revoked. */
export const isTrusting = (state: { trustFrom?: number | undefined }, provenAt: number, settings: Settings, at: number): boolean =>
  provenAt + settings.trust.ttl_days * dayMs > at && provenAt > (state.trustFrom ?? -1);

/** How long a budget is stored, epoch seconds: as long as a field of it can matter. */
export const retentionOf = (settings: Settings, at: number): { until: number; ttl: number } => {
  const until = Math.floor((at + (Math.max(30, settings.trust.ttl_days) + 1) * dayMs) / 1_000);
  return { until, ttl: until };
};
