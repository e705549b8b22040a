import type * as z from 'zod';
import { networkOf } from '../../../shared/access/network.ts';
import { windowField } from '../../../shared/access/window.ts';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sameSecret } from '../../../shared/runtime/seal.ts';
import type { failedAttemptBody, verifiedBody } from '../contract/routes.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { normalCode } from '../domain/code.ts';
import { attemptBudgetReason, failureCooldownMs } from '../domain/decision.ts';
import { callsPerMinute } from '../domain/limits.ts';
import { attemptsAt, dayMs, isBlocked, secondsUntil } from '../domain/request-budget.ts';
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
import { hashCode } from './secrets.ts';
import { toVerifiedResponse } from './verified-response.ts';

/** The correct code again within this time gets the same response. */
const repeatWindowMs = 60_000;

type VerifyBody = z.output<typeof verifiedBody> | z.output<typeof failedAttemptBody>;
type AttemptProblem = Problem<'not_found' | 'expired' | 'already_verified' | 'delivery_failed' | 'blocked' | 'too_many_attempts'>;

/**
 * POST /verification/verify: reserves an attempt in one conditional write, compares, and for the correct code finishes the request in
 * another; see docs/decisions/verification-count-before-check.md. At most 2 WRU and 0.5 RRU beyond the credential check. An id that is
 * unknown, failed or expired costs the same calls as a wrong code.
 */
export const verifyCode = async (
  call: CallContext,
  requestId: string,
  code: string,
): Promise<{ body: VerifyBody; headers: Record<string, string> } | AccessProblem | AttemptProblem | Problem<'rate_limited'>> => {
  const found = await getCallerRequest(call, requestId);
  if (isProblem(found)) return found;
  const { request } = found;
  const at = now();
  const hash = await hashCode(requestId, normalCode(code));
  const isComparable = request !== undefined && isComparableRequest(request, at);
  const reserved = await reserve(call, request, isComparable, at);
  const used = reserved.budget === undefined ? 0 : callsIn(reserved.budget, call.caller.credentialId, request?.id ?? unknownRequestId, at);
  if (!reserved.done && used >= callsPerMinute) return callLimitExceeded(at);
  // compared in every case, in constant time: with a hash that no code has where no code may be correct
  const isCorrect = sameSecret(hash, isComparable && reserved.done ? request.codeHash : emptyHash);
  const outcome = await evaluateAttempt(request, { isComparable, isCorrect, reserved }, at);
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

async function reserve(call: CallContext, request: StoredRequest | undefined, isComparable: boolean, at: number): Promise<ReservedAttempt> {
  const { companyId, credentialId, subject } = call.caller;
  const limit: AttemptLimit | undefined =
    isComparable && request ? { attempts: request.maxAttempts, budget: request.attemptBudget } : undefined;
  const written = request
    ? await reserveAttempt(requestBudgetIdOf(request), credentialId, request.id, limit, at)
    : await reserveUnknownAttempt(companyId, subject ?? 'company', credentialId, networkOf(call.sourceIp), at);
  return written.done ? { done: true, budget: written.item } : { done: false, budget: written.current };
}

const callsIn = (budget: RequestBudget, credentialId: number, requestId: string, at: number): number =>
  Number(budget[windowField(`${credentialId}:${requestId}`, at)] ?? 0);

async function evaluateAttempt(
  request: StoredRequest | undefined,
  { isComparable, isCorrect, reserved }: { isComparable: boolean; isCorrect: boolean; reserved: ReservedAttempt },
  at: number,
): Promise<VerifyBody | AttemptProblem> {
  if (!request) return problem('not_found');
  if (!isComparable) return finishedProblem(request, at);
  const { done, budget } = reserved;
  if (done && budget && isCorrect) return verifyRequest(request, budget, at);
  if (request.status === 'verified') return done ? problem('already_verified') : tooManyAttempts(budget, at);
  // also after a refused attempt: the process of the last reserved one may have crashed before it applied the limits
  const remaining = budget ? await applyAttemptLimits(request, budget, done, at) : 0;
  if (!done) return tooManyAttempts(budget, at);
  return { verified: false, request_id: request.id, attempts_remaining: remaining };
}

const tooManyAttempts = (budget: RequestBudget | undefined, at: number): Problem<'too_many_attempts'> =>
  problem('too_many_attempts', { retryAfterSeconds: secondsUntil(Math.max(budget?.blockedUntil ?? 0, at + failureCooldownMs), at) });

/** Fails a request without attempts left, blocks an identifier whose daily budget is spent. Returns the attempts left; some left: no write. */
async function applyAttemptLimits(request: StoredRequest, budget: RequestBudget, isReserved: boolean, at: number): Promise<number> {
  const remaining = Math.max(0, request.maxAttempts - attemptsAt(request.id, budget));
  const isSpent = budget.spent >= request.attemptBudget;
  if (isSpent && !(isBlocked(budget, at) && budget.blockReason === attemptBudgetReason)) await blockIdentifier(request, at);
  if (remaining === 0 || (isSpent && isReserved)) await finishRequest(request, { status: 'failed', reason: 'attempts_exhausted' }, budget);
  return isSpent ? 0 : remaining;
}

/** Blocks the identifier for a day: its daily budget of attempts is spent. */
async function blockIdentifier(request: StoredRequest, at: number): Promise<void> {
  const blockedUntil = at + dayMs;
  const profile = { companyId: request.companyId, id: request.profileId };
  await recordIdentifierBlock(profile, await getBlockSubject(request), { reason: attemptBudgetReason, blockedUntil }, at);
  await updateRequestBudgetFields(requestBudgetIdOf(request), { blockedUntil, blockReason: attemptBudgetReason });
}

/** Of concurrent correct codes one finishes the request; all of them get its response. */
async function verifyRequest(request: StoredRequest, budget: RequestBudget, at: number): Promise<VerifyBody | AttemptProblem> {
  if (request.status === 'verified') return toVerifiedResponse(request);
  const written = await finishRequest(request, { status: 'verified', via: 'code' }, budget);
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
      return problem('blocked', { retryAfterSeconds: secondsUntil(request.blockedUntil ?? at + 3_600_000, at) });
    case 'verified':
      return problem('already_verified');
    default:
      return problem('expired');
  }
}
