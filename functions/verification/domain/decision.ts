import { dayMs, hourMs, minuteMs } from '../../../shared/runtime/clock.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { attemptLimits } from './attempt-limits.ts';
import {
  attemptField,
  attemptsOfSource,
  type BudgetField,
  type BudgetState,
  expiredHours,
  hourField,
  isBlocked,
  resultField,
  resultSourceField,
  sourceAttemptFields,
  sourceBlockedUntil,
  sourceField,
} from './request-budget.ts';
import { cooldownSeconds, resendTime } from './code.ts';
import { isLabelProven } from './requester.ts';
import { pastResultFields, resultIn, withResult } from './request-result.ts';
import { nextSendTime, openUntil, type SendPace, sendPace } from './send-pace.ts';
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
  /** Equal for every retry of the call. */
  operationId: string;
  /** The send of this call is in the budget already. */
  isCounted: boolean;
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
  /** Requested by a server of the company. */
  isTrusted?: true | undefined;
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
      | 'endedAt'
      | 'reason'
      | 'attemptSource'
      | 'via'
      | 'label'
      | 'operationId'
      | 'requester'
      | 'isShared'
      | 'isTrusted'
      | 'isOwnBrowser'
      | 'isDecidedByBudget'
      | 'channel'
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
  ...(request.isTrusted ? { isTrusted: true } : {}),
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

export type RefusalCode = 'otp_bombing' | 'too_many_attempts' | 'blocked';
/** What of a message follows from a decision. */
export interface SendDecision {
  /** A message leaves. */
  isSent: boolean;
  /** When the next one may leave, if none of another request does before. */
  nextSendAt: number;
  /** The request is open at least until then. */
  openUntil: number;
}
export type Decision =
  | { act: 'refuse'; code: RefusalCode; untilMs: number }
  /** An earlier attempt of this call has stored its request. */
  | { act: 'resume'; own: PreviousRequest }
  | { act: 'reuse'; pending: PreviousRequest; send: SendDecision }
  /** `expired`: the predecessor that has to end first. */
  | { act: 'create'; expired?: PreviousRequest; send: SendDecision };

/** The reason of a block by too many failed attempts. */
export const attemptBudgetReason = 'guess_budget';
/** How long after a failed request no new one is created. */
export const failureCooldownMs = 10 * minuteMs;

/** A concurrent call has updated the budget and is about to store its request: it does so within this time, or its process has crashed. */
export const isBeingStored = (latest: LatestRequest | undefined, before: PreviousRequest | undefined, at: number): boolean =>
  before === undefined && latest !== undefined && latest.createdAt > at - 3_000;

/** Refuses a request, reuses the pending one, or creates a new one. `before` is the latest request of the purpose. */
export const decideRequest = (input: DecisionInput, state: IdentifierState, before: PreviousRequest | undefined): Decision => {
  const { settings, at } = input;
  const open = before?.status === 'pending' ? before : undefined;
  if (open?.operationId === input.operationId) return { act: 'resume', own: open };
  const pending = open && open.expiresAt > at ? open : undefined;
  const pace = sendPace(state, { isTrusted: passesPublicBlock(input), isProven: before?.status === 'verified' }, settings, at);
  const creation: Decision = { act: 'create', ...(open ? { expired: open } : {}), send: sendOfNew(input, pace) };
  if (input.isTest) return pending ? reuseOf(input, pace, pending) : creation;
  const refuse = (code: RefusalCode, untilMs: number): Decision => ({ act: 'refuse', code, untilMs });
  const isPassing = passesPublicBlock(input);
  const block = activeBlock(state, at, isPassing);
  if (block) return refuse(block.code, block.untilMs);
  const limits = attemptLimits(settings);
  const expired = expiredHours(state, at);
  if (state.spent - expired.attempts >= (isPassing ? limits.total : limits.public)) return refuse('too_many_attempts', at + hourMs);
  const ownBlock = input.hasLiveTrust ? 0 : sourceBlockedUntil(input.source, state);
  if (ownBlock > at) return refuse('too_many_attempts', ownBlock);
  if (!input.hasLiveTrust && attemptsOfSource(input.source, state) - (expired.bySource.get(input.source) ?? 0) >= limits.source)
    return refuse('too_many_attempts', at + hourMs);
  const failedUntil = (before?.endedAt ?? 0) + failureCooldownMs;
  // the wrong codes of another source do not keep this one waiting
  const isOwnFailure = before?.attemptSource === undefined || before.attemptSource === input.source;
  if (before?.status === 'failed' && failedUntil > at && isOwnFailure)
    return refuse(before.reason === 'attempts_exhausted' ? 'too_many_attempts' : 'blocked', failedUntil);
  if (pending) return reuseOf(input, pace, pending);
  const freeAt = input.isSilent ? at : nextSendTime(pace, at, true);
  return freeAt > at ? refuse('otp_bombing', freeAt) : creation;
};

const sendOfNew = ({ isSilent, settings, at }: DecisionInput, pace: SendPace): SendDecision =>
  isSilent
    ? { isSent: false, nextSendAt: at, openUntil: at }
    : { isSent: true, nextSendAt: at + cooldownSeconds(settings.otp, 1) * 1_000, openUntil: openUntil(pace, at) };

/**
 * A pending request is continued for every caller, so that strangers who have it sent keep no one from it. Another message leaves once it may:
 * after the cooldown, within `max_sends` and the pace of the identifier.
 */
const reuseOf = ({ isSilent, isTest, settings: { otp }, at }: DecisionInput, pace: SendPace, pending: PreviousRequest): Decision => {
  const isSpent = (sends: number): boolean => sends >= otp.max_sends;
  const freeAt = isSpent(pending.sends)
    ? pending.expiresAt
    : Math.max(at, resendTime(otp, pending), isTest ? at : nextSendTime(pace, at, false));
  if (isSilent || freeAt > at) return { act: 'reuse', pending, send: { isSent: false, nextSendAt: freeAt, openUntil: at } };
  const sends = pending.sends + 1;
  const nextSendAt = isSpent(sends) ? pending.expiresAt : resendTime(otp, { sends, lastSendAt: at });
  return { act: 'reuse', pending, send: { isSent: true, nextSendAt, openUntil: openUntil(pace, at) } };
};

/** The block of an identifier at a time, for callers that pass a public block or for the others. Sends block their source alone. */
export const activeBlock = (
  state: BudgetState,
  at: number,
  isPassing: boolean,
): { code: 'too_many_attempts'; untilMs: number } | undefined =>
  isBlocked(state, at) && state.blockReason === attemptBudgetReason && !(isPassing && state.blockScope === 'public')
    ? { code: 'too_many_attempts', untilMs: state.blockedUntil ?? at }
    : undefined;

/** The change of a budget by a decision. */
export interface RequestBudgetChange {
  set: {
    sends?: number[];
    serverSends?: number[];
    last?: Record<string, LatestRequest>;
    trusted?: TrustedRequest[];
    until?: number;
    ttl?: number;
  };
  /** Negative: attempts that are given back, and the hours they belong to. */
  add: { spent?: number } & Record<BudgetField<'attemptsInHour' | 'attemptsOfSource'>, number>;
  remove: readonly BudgetField[];
  /** A request that goes on: it must be open in the budget. */
  mustBeOpen?: string;
}

/** The sends of a class of callers with one more, as a budget stores them. */
export const withSend = (
  { sends, most }: SendPace,
  { isTrusted, isSent }: { isTrusted: boolean; isSent: boolean },
  at: number,
): { sends: number[] } | { serverSends: number[] } => {
  const counted = [...sends, ...(isSent ? [at] : [])].slice(-most - 1);
  return isTrusted ? { serverSends: counted } : { sends: counted };
};

/**
 * The change of a budget by a request: counts its send, points to it as the latest of its purpose, remembers a verified predecessor for
 * its trust key, and gives back the attempts older than a day and the correct one.
 */
export const budgetAfter = (
  input: DecisionInput,
  state: IdentifierState,
  before: PreviousRequest | undefined,
  request: PreviousRequest,
  isSent: boolean,
): RequestBudgetChange => {
  const { settings, at } = input;
  const isTrusted = passesPublicBlock(input);
  const expired = expiredHours(state, at);
  const proven = before?.status === 'verified' && before.endedAt !== undefined ? before : undefined;
  const provenAt = proven?.endedAt ?? at;
  const stillTrusted = state.trusted.filter((each) => isTrusting(state, each.provenAt, settings, at) && each.id !== proven?.id);
  const newlyTrusted = proven
    ? [{ id: proven.id, purpose: proven.purpose, provenAt, ...(proven.label && isLabelProven(proven) ? { label: proven.label } : {}) }]
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
  const correctSource = proven?.via === 'code' && provenAt + 25 * hourMs > at ? proven.attemptSource : undefined;
  const correctHour = correctSource === undefined ? undefined : hourField(provenAt, correctSource);
  const givesBack = correctHour !== undefined && !expired.fields.includes(correctHour) && state[correctHour] !== undefined;
  const returned = expired.attempts + (givesBack ? 1 : 0);
  const returnedBySource = new Map(expired.bySource);
  if (givesBack && correctSource !== undefined) returnedBySource.set(correctSource, (returnedBySource.get(correctSource) ?? 0) + 1);
  const sources = [...returnedBySource].map(([source, count]) => ({ source, count, isLast: attemptsOfSource(source, state) <= count }));
  return {
    set: {
      ...withSend(
        sendPace(state, { isTrusted, isProven: before?.status === 'verified' }, settings, at),
        { isTrusted, isSent: isSent && !input.isTest && !input.isCounted },
        at,
      ),
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
