import { isProblem, problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { sameSecret } from '../../../shared/runtime/seal.ts';
import type { StoredRequest } from '../contract.ts';
import { normalCode } from '../domain/code.ts';
import { isBlocked, secondsUntil } from '../domain/guard.ts';
import { blockGuard, budgetBlock, countGuess, countVainGuess, endRequest, findGuard, findRequest, guessField } from '../store.ts';
import { type Call, limitCall, mustBeSigned, networkOf, trustOf } from './caller.ts';
import { codeHash, linkToken, openFor, trustKeyOf } from './secrets.ts';

const dayMs = 86_400_000;
const repeatMs = 60_000;
const trustShownMs = 15 * 60_000;
const emptyHash = '0'.repeat(64);

/**
 * A guess (decisions V17, V18): counted before it is compared, in one conditional write; the right one ends the request, in another.
 * The same reads and writes for an unknown id. At most 2 WRU and 0.5 RRU beyond the credential and the count of V16.
 */
export const guess = async (call: Call, requestId: string, given: string) => {
  const found = await reach(call, requestId);
  if (isProblem(found)) return found;
  const { request, headers } = found;
  const outcome = await judge(call, request, requestId, given);
  return { ...outcome, headers };
};

async function judge(call: Call, request: StoredRequest | undefined, requestId: string, given: string) {
  const at = now();
  const hash = await codeHash(requestId, normalCode(given));
  if (!request) {
    await countVainGuess(call.caller.companyId, call.caller.subject ?? '', requestId, at);
    return sameSecret(hash, emptyHash) ? problem('internal_error') : problem('not_found');
  }
  if (request.status === 'pending' && request.expiresAt <= at) return problem('expired');
  if (request.status !== 'pending' && request.status !== 'verified') return ended(request, at);
  const id = { companyId: request.companyId, profileId: request.profileId, person: request.person };
  const counted = await countGuess(id, request.id, { attempts: request.maxAttempts, budget: request.guessBudget }, at);
  if (!counted.done) {
    if (request.status === 'verified') return problem('already_verified');
    return problem('too_many_attempts', {
      retryAfterSeconds: secondsUntil(Math.max(counted.current?.blockedUntil ?? 0, at + 600_000), at),
    });
  }
  if (sameSecret(hash, request.codeHash)) return proven(request, at);
  if (request.status === 'verified') return problem('already_verified');
  const remaining = Math.max(0, request.maxAttempts - Number(counted.item[guessField(request.id)] ?? request.maxAttempts));
  const isSpent = counted.item.spent >= request.guessBudget;
  if (isSpent) await blockGuard(id, at + dayMs, budgetBlock);
  if (remaining === 0 || isSpent)
    await endRequest(request.companyId, request.id, { status: 'failed', reason: 'attempts_exhausted', endedAt: at });
  return { wrong: { verified: false as const, request_id: request.id, attempts_remaining: isSpent ? 0 : remaining } };
}

/** One winner; the same right code within a minute gets the same answer. */
async function proven(request: StoredRequest, at: number) {
  const written = await endRequest(request.companyId, request.id, { status: 'verified', endedAt: at, via: 'code' });
  const winner = written.done ? written.item : written.current;
  if (!winner || winner.status !== 'verified') return winner ? ended(winner, at) : problem('not_found');
  const endedAt = winner.endedAt ?? at;
  return endedAt + repeatMs >= at ? { right: await verifiedBody(winner) } : problem('already_verified');
}

function ended(request: StoredRequest, at: number) {
  switch (request.status) {
    case 'failed':
      return request.reason === 'delivery_failed'
        ? problem('delivery_failed')
        : problem('too_many_attempts', { retryAfterSeconds: secondsUntil((request.endedAt ?? at) + 600_000, at) });
    case 'blocked':
      return problem('blocked', { retryAfterSeconds: 3_600 });
    case 'verified':
      return problem('already_verified');
    default:
      return problem('expired');
  }
}

async function verifiedBody(request: StoredRequest) {
  const [identifier, trustKey] = await Promise.all([
    openFor(request.id, 'identifier', request.sealedIdentifier),
    trustKeyOf(request.profileId, request.id, request.person),
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

/** How a request stands (V20). 1 RRU beyond the credential and the count of V16. */
export const readStatus = async (call: Call, requestId: string) => {
  const found = await reach(call, requestId);
  if (isProblem(found)) return found;
  const { request, headers } = found;
  const at = now();
  if (!request || (request.endedAt ?? request.expiresAt) + dayMs <= at) return { ...problem('not_found'), headers };
  const shown = { request_id: request.id, is_verified: request.status === 'verified', expires_at: isoTime(request.expiresAt) };
  if (request.status === 'verified') {
    const { trust_key, identifier, channel, verified_at } = await verifiedBody(request);
    const showsTrust = (request.endedAt ?? 0) + trustShownMs > at && request.credentialId === call.caller.credentialId;
    return { headers, body: { ...shown, status: request.status, identifier, channel, verified_at, ...(showsTrust ? { trust_key } : {}) } };
  }
  if (request.status !== 'pending')
    return { headers, body: { ...shown, status: request.status, ...(request.reason ? { reason: request.reason } : {}) } };
  if (request.expiresAt <= at) return { headers, body: { ...shown, status: 'expired' as const } };
  const guard = await findGuard({ companyId: request.companyId, profileId: request.profileId, person: request.person });
  if (guard && isBlocked(guard, at))
    return { headers, body: { ...shown, status: 'rate_limited' as const, retry_after: secondsUntil(guard.blockedUntil ?? at, at) } };
  return { headers, body: { ...shown, status: 'pending' as const } };
};

/** The request behind an id for this caller, its call counted: by the request, or by the address when there is none (V16). */
export const reach = async (call: Call, requestId: string) => {
  const { companyId, credentialId, subject } = call.caller;
  const [trust, found] = await Promise.all([trustOf(call), findRequest(companyId, requestId)]);
  if (isProblem(trust)) return trust;
  const request = found && (subject === undefined || found.profileId === subject) ? found : undefined;
  const unsigned = mustBeSigned(call, request?.mustSign ?? false, trust);
  if (unsigned) return unsigned;
  const limited = await limitCall({ companyId, credentialId, about: request?.id ?? networkOf(call.sourceIp) });
  return isProblem(limited) ? limited : { request, headers: limited.headers };
};

export type LinkOutcome = 'verified' | 'already' | 'invalid';

/** A magic link that was opened (V24): the token decides, one conditional write ends the request. */
export const openLink = async (companyId: number, requestId: string, token: string): Promise<LinkOutcome> => {
  const [wanted, request] = await Promise.all([linkToken(companyId, requestId), findRequest(companyId, requestId, { consistent: true })]);
  const at = now();
  if (!sameSecret(wanted, token) || !request) return 'invalid';
  if (request.status === 'verified') return (request.endedAt ?? 0) + dayMs > at ? 'already' : 'invalid';
  if (request.status !== 'pending' || request.expiresAt <= at) return 'invalid';
  const written = await endRequest(companyId, requestId, { status: 'verified', endedAt: at, via: 'link' });
  return written.done ? 'verified' : written.current?.status === 'verified' ? 'already' : 'invalid';
};
