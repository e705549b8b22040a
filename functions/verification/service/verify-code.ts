import type * as z from 'zod';
import { networkOf } from '../../../shared/access/network.ts';
import { countsSince, windowField, windowMs } from '../../../shared/access/window.ts';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { dayMs, hourMs, now } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { isOneOf } from '../../../shared/runtime/seal.ts';
import type { failedAttemptBody, verifiedBody } from '../contract/routes.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { normalCode } from '../domain/code.ts';
import { attemptBudgetReason, failureCooldownMs } from '../domain/decision.ts';
import { callsPerMinute } from '../domain/limits.ts';
import { attemptResult, withResult } from '../domain/request-result.ts';
import { sharedAttempts } from '../domain/attempt-limits.ts';
import {
  attemptsAt,
  attemptsOfSource,
  attemptsOfSourceAt,
  isBlocked,
  secondsUntil,
  sourceBlockedUntil,
  sourceBlockField,
} from '../domain/request-budget.ts';
import {
  type AttemptLimit,
  type RequestBudget,
  reserveAttempt,
  reserveUnknownAttempt,
  unknownRequestId,
  updateRequestBudgetFields,
} from '../store/request-budget.ts';
import { getBlockSubject, recordIdentifierBlock } from './block-records.ts';
import type { CallContext } from './caller.ts';
import { finishRequest, requestBudgetIdOf } from './finish-request.ts';
import { callLimitExceeded, rateHeaders } from './rate-limit.ts';
import { type AccessProblem, emptyHash, getCallerRequest } from './request-access.ts';
import { hashesOfCode, hashSource } from './secrets.ts';
import { toVerifiedResponse } from './verified-response.ts';

/** The correct code again within this time gets the same response. */
const repeatWindowMs = 60_000;

type VerifyBody = z.output<typeof verifiedBody> | z.output<typeof failedAttemptBody>;
type AttemptProblem = Problem<'not_found' | 'expired' | 'already_verified' | 'delivery_failed' | 'blocked' | 'too_many_attempts'>;

/**
 * POST /verification/verify: one conditional write counts an attempt and holds its result, and what the comparison brought is used only
 * where that write was made; see docs/decisions/verification-count-before-check.md. At most 2 WRU and 0.5 RRU beyond the credential check.
 * An id that is unknown, failed or expired costs the same calls as a wrong code.
 */
export const verifyCode = async (
  call: CallContext,
  {
    request_id: requestId,
    code,
    ip_address: givenAddress,
    browserKey,
  }: { request_id: string; code: string; ip_address?: string | undefined; browserKey?: string | undefined },
): Promise<{ body: VerifyBody; headers: Record<string, string> } | AccessProblem | AttemptProblem | Problem<'rate_limited'>> => {
  const accessed = await getCallerRequest(call, requestId);
  if (isProblem(accessed)) return accessed;
  // of a request of sign-in that another browser made, nothing is tried and nothing is shown
  const isOwn = accessed.request?.browser === (browserKey === undefined ? undefined : sha256(browserKey));
  const found = isOwn ? accessed : { ...accessed, request: undefined };
  const at = now();
  const hashes = await hashesOfCode(requestId, normalCode(code));
  const source = await hashSource(found.request?.identifierHash ?? unknownRequestId, found.isTrusted ? givenAddress : call.sourceIp);
  const attemptAt = async (request: StoredRequest | undefined) => {
    const isComparable = request !== undefined && isComparableRequest(request, at);
    // compared in every case, in constant time: with a hash that no code has where no code may be correct
    const isCorrect = isOneOf(hashes, isComparable ? request.codeHash : emptyHash);
    const limit = request && isComparable ? attemptLimitOf(request, source, found.isTrusted) : undefined;
    return { request, limit, source, isCorrect, reserved: await reserve(call, request, { limit, source, isCorrect }, at) };
  };
  let attempt = await attemptAt(found.request);
  const ended = !attempt.reserved.done && attempt.request ? withResult(attempt.request, attempt.reserved.budget) : attempt.request;
  // the request has ended a moment ago, and its row does not show it yet: the attempt is counted as at one whose row does
  if (ended !== attempt.request) attempt = await attemptAt(ended);
  const { request, reserved } = attempt;
  const used = reserved.budget === undefined ? 0 : callsIn(reserved.budget, call.caller.credentialId, request?.id ?? unknownRequestId, at);
  if (!reserved.done && used >= callsPerMinute) return callLimitExceeded(at);
  const outcome = await evaluateAttempt(request, attempt, at);
  const headers = rateHeaders(used, at);
  return isProblem(outcome) ? { ...outcome, headers } : { body: outcome, headers };
};

/** A code can still be correct: the request is pending, or was verified within the repeat window. */
const isComparableRequest = (request: StoredRequest, at: number): boolean =>
  (request.status === 'pending' && request.expiresAt > at) ||
  (request.status === 'verified' && (request.endedAt ?? 0) + repeatWindowMs >= at);

interface ReservedAttempt {
  /** False when the rate limit or the attempt limits refused the attempt. */
  done: boolean;
  budget: RequestBudget | undefined;
}

/**
 * What an attempt of a source must stay below. Of a shared request each source has its own attempts, so that a stranger who joined uses up
 * the stranger's. Servers, and the source that gave a live trust key, have what public keys leave of the identifier's budget.
 */
function attemptLimitOf(request: StoredRequest, source: string, isTrusted: boolean): AttemptLimit {
  const { maxAttempts, attemptBudget, publicBudget = attemptBudget, totalBudget = attemptBudget } = request;
  const hasLiveTrust = request.trustedSource === source;
  const isPassing = isTrusted || hasLiveTrust;
  return {
    attempts: request.isShared ? sharedAttempts(maxAttempts) : maxAttempts,
    sourceAttempts: request.isShared ? maxAttempts : undefined,
    sourceBudget: hasLiveTrust ? undefined : attemptBudget,
    budget: isPassing ? totalBudget : publicBudget,
    isPassing,
  };
}

async function reserve(
  call: CallContext,
  request: StoredRequest | undefined,
  { limit, source, isCorrect }: { limit: AttemptLimit | undefined; source: string; isCorrect: boolean },
  at: number,
): Promise<ReservedAttempt> {
  const { companyId, credentialId, subject } = call.caller;
  const unknown = { companyId, profileId: subject ?? 'company', address: networkOf(call.sourceIp) };
  const decides = request?.isDecidedByBudget && request.status === 'pending' && limit;
  const result = decides ? attemptResult(request.id, isCorrect ? 'correct' : undefined, source, at) : undefined;
  const written = request
    ? await reserveAttempt(requestBudgetIdOf(request), credentialId, { requestId: request.id, source, result }, limit, at)
    : await reserveUnknownAttempt(unknown, credentialId, source, at);
  return written.done ? { done: true, budget: written.item } : { done: false, budget: written.current };
}

const callsIn = (budget: RequestBudget, credentialId: number, requestId: string, at: number): number =>
  Number(budget[windowField(`${credentialId}:${requestId}`, at)] ?? 0);

/** Whether an attempt at the request was reserved, through any credential, in this minute or the one before. */
const hasRecentAttempt = (requestId: string, budget: RequestBudget, at: number): boolean =>
  countsSince(budget, at - windowMs).some((field) => field.endsWith(`:${requestId}`));

interface Attempt {
  /** Absent: the request is over. */
  limit: AttemptLimit | undefined;
  source: string;
  isCorrect: boolean;
  reserved: ReservedAttempt;
}

async function evaluateAttempt(
  request: StoredRequest | undefined,
  { limit, source, isCorrect, reserved: { done, budget } }: Attempt,
  at: number,
): Promise<VerifyBody | AttemptProblem> {
  if (!request) return problem('not_found');
  if (!limit) return finishedProblem(request, at);
  if (done && budget && isCorrect) return verifyRequest(request, budget, source, at);
  if (request.status === 'verified') return done ? problem('already_verified') : tooManyAttempts(budget, source, at);
  // also after a refused attempt: the process of the last reserved one may have crashed before it applied the limits
  const remaining = budget ? await applyAttemptLimits(request, budget, { limit, source, isReserved: done }, at) : 0;
  if (!done) return tooManyAttempts(budget, source, at);
  metric('WrongCodes', 'Count', 1);
  return { verified: false, request_id: request.id, attempts_remaining: remaining };
}

const tooManyAttempts = (budget: RequestBudget | undefined, source: string, at: number): Problem<'too_many_attempts'> => {
  const until = Math.max(budget?.blockedUntil ?? 0, sourceBlockedUntil(source, budget), at + failureCooldownMs);
  return problem('too_many_attempts', { retryAfterSeconds: secondsUntil(until, at) });
};

/**
 * Blocks a source whose daily budget is spent, or the identifier if its own is; fails a request without attempts left. A shared request
 * fails only when the attempts of all its sources are spent. Returns the attempts left to the source; some left: no write.
 */
async function applyAttemptLimits(
  request: StoredRequest,
  budget: RequestBudget,
  { limit, source, isReserved }: { limit: AttemptLimit; source: string; isReserved: boolean },
  at: number,
): Promise<number> {
  const left = Math.max(0, limit.attempts - attemptsAt(request.id, budget));
  const leftToSource = Math.max(0, (limit.sourceAttempts ?? limit.attempts) - attemptsOfSourceAt(request.id, source, budget));
  const isSpent = budget.spent >= limit.budget;
  const isSourceSpent = limit.sourceBudget !== undefined && attemptsOfSource(source, budget) >= limit.sourceBudget;
  if (isSpent) await blockIdentifier(request, budget, limit.isPassing ? 'all' : 'public', at);
  else if (isSourceSpent && sourceBlockedUntil(source, budget) <= at)
    await recordAttemptBlock(request, { [sourceBlockField(source)]: at + dayMs }, at);
  const isOver = request.isShared ? limit.isPassing && isSpent : isSpent || isSourceSpent;
  // a refused attempt ends what a crashed one left, and not the request of a correct code that is being compared beside it
  if (isReserved ? left === 0 || isOver : left === 0 && !hasRecentAttempt(request.id, budget, at))
    await finishRequest(request, { status: 'failed', reason: 'attempts_exhausted', attemptSource: source }, budget);
  return isSpent || isSourceSpent ? 0 : Math.min(left, leftToSource);
}

/** Blocks the identifier for a day: its daily budget of attempts is spent, all of it or what public keys may use. */
async function blockIdentifier(request: StoredRequest, budget: RequestBudget, scope: 'public' | 'all', at: number): Promise<void> {
  const isSame = budget.blockReason === attemptBudgetReason && (budget.blockScope === scope || budget.blockScope !== 'public');
  if (isBlocked(budget, at) && isSame) return;
  await recordAttemptBlock(request, { blockedUntil: at + dayMs, blockReason: attemptBudgetReason, blockScope: scope }, at);
}

async function recordAttemptBlock(request: StoredRequest, set: Parameters<typeof updateRequestBudgetFields>[1], at: number): Promise<void> {
  const profile = { companyId: request.companyId, id: request.profileId };
  await recordIdentifierBlock(profile, await getBlockSubject(request), { reason: attemptBudgetReason, blockedUntil: at + dayMs }, at);
  await updateRequestBudgetFields(requestBudgetIdOf(request), set);
}

/** Of concurrent correct codes one ends the request, in the write that counted it or else here; all of them get its response. */
async function verifyRequest(
  request: StoredRequest,
  budget: RequestBudget,
  source: string,
  at: number,
): Promise<VerifyBody | AttemptProblem> {
  if (request.status === 'verified') return toVerifiedResponse(request);
  if (request.isDecidedByBudget) return toVerifiedResponse(withResult(request, budget));
  const written = await finishRequest(request, { status: 'verified', via: 'code', attemptSource: source }, budget);
  const finished = written.done ? written.item : written.current;
  if (!finished || finished.status !== 'verified') return finished ? finishedProblem(finished, at) : problem('not_found');
  return (finished.endedAt ?? at) + repeatWindowMs >= at ? toVerifiedResponse(finished) : problem('already_verified');
}

function finishedProblem(request: StoredRequest, at: number): AttemptProblem {
  switch (request.status) {
    case 'failed':
      return request.reason === 'delivery_failed'
        ? problem('delivery_failed')
        : problem('too_many_attempts', { retryAfterSeconds: secondsUntil((request.endedAt ?? at) + failureCooldownMs, at) });
    case 'blocked':
      return problem('blocked', { retryAfterSeconds: secondsUntil(request.blockedUntil ?? at + hourMs, at) });
    case 'verified':
      return problem('already_verified');
    default:
      return problem('expired');
  }
}
