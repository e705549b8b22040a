import { networkOf } from '../../../shared/access/network.ts';
import { windowField } from '../../../shared/access/window.ts';
import { isProblem, problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { sameSecret } from '../../../shared/runtime/seal.ts';
import { storedRequest, type StoredRequest } from '../contract/stored.ts';
import { normalCode } from '../domain/code.ts';
import { failureCooldownMs, attemptBudgetReason } from '../domain/decision.ts';
import { dayMs, attemptsAt, isBlocked, secondsUntil } from '../domain/request-budget.ts';
import { callsPerMinute } from '../domain/limits.ts';
import {
  updateRequestBudgetFields,
  reserveAttempt,
  reserveUnknownAttempt,
  getRequestBudget,
  type RequestBudget,
  type AttemptLimit,
  unknownRequestId,
} from '../store/request-budget.ts';
import { getRequest } from '../store/request.ts';
import { recordIdentifierBlock, getBlockSubject } from './block-records.ts';
import { type CallContext, requireActiveKeyProfile, limitCallRate, requireSignature, getCallerProfile, checkSignature } from './caller.ts';
import { finishRequest, requestBudgetIdOf } from './finish-request.ts';
import { rateHeaders, tooManyCalls } from './check-request-limits.ts';
import { hashCode, unsealValue, deriveTrustKey } from './secrets.ts';

const repeatWindowMs = 60_000;
const trustShownMs = 15 * 60_000;
const emptyHash = '0'.repeat(64);

/**
 * A guess (decisions V17, V18): its call and itself counted before it is compared, in one conditional write; the right one ends the
 * request, in another. At most 2 WRU and 0.5 RRU beyond the credential check, and as many calls for an id that is unknown, failed or
 * expired as for a wrong code.
 */
export const verifyCode = async (call: CallContext, requestId: string, given: string) => {
  const found = await getCallerRequest(call, requestId);
  if (isProblem(found)) return found;
  const { request } = found;
  const at = now();
  const hash = await hashCode(requestId, normalCode(given));
  const isComparable = request !== undefined && isComparableRequest(request, at);
  const counted = await countAttempt(call, request, isComparable, at);
  const used = counted.item === undefined ? 0 : callsIn(counted.item, call.caller.credentialId, request?.id ?? unknownRequestId, at);
  if (!counted.done && used >= callsPerMinute) return tooManyCalls(at);
  // compared in every case, with what cannot be right when nothing may be
  const isRight = sameSecret(hash, isComparable && counted.done ? request.codeHash : emptyHash);
  return { ...(await evaluateAttempt(request, { isComparable, isRight, counted }, at)), headers: rateHeaders(used, at) };
};

/** A right answer can still be given: pending, or verified within the minute in which it is repeated. */
const isComparableRequest = (request: StoredRequest, at: number): boolean =>
  (request.status === 'pending' && request.expiresAt > at) ||
  (request.status === 'verified' && (request.endedAt ?? 0) + repeatWindowMs >= at);

interface CountedAttempt {
  done: boolean;
  item: RequestBudget | undefined;
}

async function countAttempt(
  call: CallContext,
  request: StoredRequest | undefined,
  isComparable: boolean,
  at: number,
): Promise<CountedAttempt> {
  const { companyId, credentialId, subject } = call.caller;
  const limit: AttemptLimit | undefined =
    isComparable && request ? { attempts: request.maxAttempts, budget: request.guessBudget } : undefined;
  const written = request
    ? await reserveAttempt(requestBudgetIdOf(request), credentialId, request.id, limit, at)
    : await reserveUnknownAttempt(companyId, subject ?? 'company', credentialId, networkOf(call.sourceIp), at);
  return written.done ? { done: true, item: written.item } : { done: false, item: written.current };
}

const callsIn = (guard: RequestBudget, credentialId: number, about: string, at: number): number =>
  Number(guard[windowField(`${credentialId}:${about}`, at)] ?? 0);

async function evaluateAttempt(
  request: StoredRequest | undefined,
  { isComparable, isRight, counted }: { isComparable: boolean; isRight: boolean; counted: CountedAttempt },
  at: number,
) {
  if (!request) return problem('not_found');
  if (!isComparable) return finishedProblem(request, at);
  const guard = counted.item;
  if (counted.done && guard && isRight) return verifyRequest(request, guard, at);
  if (request.status === 'verified') return counted.done ? problem('already_verified') : tooManyAttempts(guard, at);
  // also after a refused guess: the process of the last one that was counted may have died before it drew the consequence
  const remaining = guard ? await applyAttemptLimits(request, guard, counted.done, at) : 0;
  if (!counted.done) return tooManyAttempts(guard, at);
  return { wrong: { verified: false as const, request_id: request.id, attempts_remaining: remaining } };
}

const tooManyAttempts = (guard: RequestBudget | undefined, at: number) =>
  problem('too_many_attempts', { retryAfterSeconds: secondsUntil(Math.max(guard?.blockedUntil ?? 0, at + failureCooldownMs), at) });

/** Ends a request whose attempts are spent, blocks a person whose guesses of a day are; how many are left. With some left nothing is written. */
async function applyAttemptLimits(request: StoredRequest, guard: RequestBudget, isCounted: boolean, at: number): Promise<number> {
  const remaining = Math.max(0, request.maxAttempts - attemptsAt(request.id, guard));
  const isSpent = guard.spent >= request.guessBudget;
  if (isSpent && !(isBlocked(guard, at) && guard.blockReason === attemptBudgetReason)) await blockIdentifier(request, at);
  if (remaining === 0 || (isSpent && isCounted)) await finishRequest(request, { status: 'failed', reason: 'attempts_exhausted' }, guard);
  return isSpent ? 0 : remaining;
}

/** The day's guesses are spent (V15). */
async function blockIdentifier(request: StoredRequest, at: number): Promise<void> {
  const blockedUntil = at + dayMs;
  const profile = { companyId: request.companyId, id: request.profileId };
  await recordIdentifierBlock(profile, await getBlockSubject(request), { reason: attemptBudgetReason, blockedUntil }, at);
  await updateRequestBudgetFields(requestBudgetIdOf(request), { blockedUntil, blockReason: attemptBudgetReason });
}

/** One winner; the same right code within a minute gets the same answer. */
async function verifyRequest(request: StoredRequest, guard: RequestBudget, at: number) {
  if (request.status === 'verified') return { right: await toVerifiedResponse(request) };
  const written = await finishRequest(request, { status: 'verified', via: 'code' }, guard);
  const winner = written.done ? written.item : written.current;
  if (!winner || winner.status !== 'verified') return winner ? finishedProblem(winner, at) : problem('not_found');
  return (winner.endedAt ?? at) + repeatWindowMs >= at ? { right: await toVerifiedResponse(winner) } : problem('already_verified');
}

function finishedProblem(request: StoredRequest, at: number) {
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

async function toVerifiedResponse(request: StoredRequest) {
  const [identifier, trustKey] = await Promise.all([
    unsealValue(request.id, 'identifier', request.sealedIdentifier),
    deriveTrustKey(request.profileId, request.id, request.person),
  ]);
  return {
    verified: true as const,
    trust_key: trustKey,
    request_id: request.id,
    identifier,
    channel: request.channel,
    verified_at: isoTime(request.endedAt ?? 0),
  };
}

/** How a request stands (V20). 1 RRU beyond the credential check, and the 1 WRU that counts the call. */
export const getVerificationStatus = async (call: CallContext, requestId: string) => {
  const found = await getRateLimitedRequest(call, requestId);
  if (isProblem(found)) return found;
  const { request, headers, trusted } = found;
  const at = now();
  if (!request || (request.endedAt ?? request.expiresAt) + dayMs <= at) return { ...problem('not_found'), headers };
  const shown = {
    request_id: request.id,
    is_verified: request.status === 'verified',
    expires_at: isoTime(request.expiresAt),
    ...(trusted ? { metadata_json: toRequestMetadata(request) } : {}),
  };
  if (request.status === 'verified') {
    const { trust_key, identifier, channel, verified_at } = await toVerifiedResponse(request);
    const showsTrust = (request.endedAt ?? 0) + trustShownMs > at && request.credentialId === call.caller.credentialId;
    return { headers, body: { ...shown, status: request.status, identifier, channel, verified_at, ...(showsTrust ? { trust_key } : {}) } };
  }
  const reason = request.reason && request.reason !== request.status ? { reason: request.reason } : {};
  if (request.status === 'blocked')
    return { headers, body: { ...shown, status: request.status, ...reason, retry_after: secondsUntil(request.blockedUntil ?? at, at) } };
  if (request.status !== 'pending') return { headers, body: { ...shown, status: request.status, ...reason } };
  if (request.expiresAt <= at) return { headers, body: { ...shown, status: 'expired' as const } };
  const guard = await getRequestBudget(requestBudgetIdOf(request));
  if (guard && isBlocked(guard, at))
    return { headers, body: { ...shown, status: 'rate_limited' as const, retry_after: secondsUntil(guard.blockedUntil ?? at, at) } };
  return { headers, body: { ...shown, status: 'pending' as const } };
};

/** V27: what is known of who asked. Never for callers that only have the public key. */
const toRequestMetadata = ({ ip, userAgent, country, asn, risk }: StoredRequest) => ({
  ip: ip ?? null,
  user_agent: userAgent ?? null,
  country: country ?? null,
  asn: asn ?? null,
  risk: risk ?? { score: 0, reasons: [] },
});

/** The request behind an id for this caller, not yet counted. 0.5 RRU; a bearer's costs its profile too. */
export const getCallerRequest = async (call: CallContext, requestId: string) => {
  const { companyId, subject } = call.caller;
  const inactive = requireActiveKeyProfile(call.caller);
  if (inactive) return inactive;
  const [trust, found] = await Promise.all([checkSignature(call), getRequest(companyId, requestId)]);
  if (isProblem(trust)) return trust;
  const request = parseDecoyIfMissing(found && (subject === undefined || found.profileId === subject) ? found : undefined);
  const unsigned = requireSignature(call, request?.mustSign ?? false, trust);
  if (unsigned) return unsigned;
  if (subject === undefined && request) {
    const profile = await getCallerProfile(call.caller, request.profileId);
    if (!isProblem(profile) && profile.status !== 'active') return problem('profile_inactive');
  }
  return { request, trusted: trust.trusted };
};

/** A row that is not there takes the time of reading one. */
function parseDecoyIfMissing(request: StoredRequest | undefined): StoredRequest | undefined {
  if (!request) storedRequest.parse(decoy);
  return request;
}
const decoy: StoredRequest = {
  companyId: 0,
  id: unknownRequestId,
  profileId: unknownRequestId,
  credentialId: 0,
  person: emptyHash,
  sealedIdentifier: emptyHash,
  sealedCode: emptyHash,
  codeHash: emptyHash,
  channel: 'whatsapp',
  purpose: 'default',
  status: 'pending',
  maxAttempts: 0,
  guessBudget: 0,
  sends: 0,
  claimedSend: 0,
  lastSendAt: 0,
  createdAt: 0,
  expiresAt: 0,
  until: 0,
};

/** The same, its call counted: by the request, or by the address when there is none (V16). */
export const getRateLimitedRequest = async (call: CallContext, requestId: string) => {
  const found = await getCallerRequest(call, requestId);
  if (isProblem(found)) return found;
  const { companyId, credentialId } = call.caller;
  const limited = await limitCallRate({ companyId, credentialId, about: found.request?.id ?? networkOf(call.sourceIp) });
  return isProblem(limited) ? limited : { ...found, headers: limited.headers };
};
