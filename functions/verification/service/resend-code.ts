import type * as z from 'zod';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import type { resendBody } from '../contract/routes.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { cooldownSeconds, resendTime } from '../domain/code.ts';
import { activeBlock, latestOf, withSend } from '../domain/decision.ts';
import { secondsUntil } from '../domain/request-budget.ts';
import { withResult } from '../domain/request-result.ts';
import { nextSendTime, sendPace } from '../domain/send-pace.ts';
import type { Settings } from '../domain/settings.ts';
import { updateRequestSends } from '../store/request.ts';
import { getRequestBudget, type RequestBudget, updateRequestBudget } from '../store/request-budget.ts';
import { getBlockSubject } from './block-records.ts';
import type { CallContext } from './caller.ts';
import { reserveCode } from './code-ceiling.ts';
import { enqueueCode } from './enqueue-code.ts';
import { requestBudgetIdOf } from './finish-request.ts';
import { reserveMailboxSend } from './mailbox.ts';
import { getCallerProfile, type CompleteProfile } from './profile.ts';
import { type AccessProblem, getRateLimitedRequest } from './request-access.ts';
import { hashSource } from './secrets.ts';

type ResendBody = z.output<typeof resendBody>;
type ResendProblem = Problem<
  | 'not_found'
  | 'already_verified'
  | 'resend_failed'
  | 'expired'
  | 'profile_mismatch'
  | 'profile_not_found'
  | 'profile_inactive'
  | 'resend_cooldown'
  | 'too_many_sends'
  | 'otp_bombing'
  | 'ceiling_reached'
  | 'too_many_attempts'
>;

/** POST /verification/resend: the same code once more. Expiry stays; cooldown, sends of the request and the identifier's budget apply. */
export const resendCode = async (
  call: CallContext,
  requestId: string,
): Promise<{ body: ResendBody; headers: Record<string, string> } | AccessProblem | ResendProblem | Problem<'rate_limited'>> => {
  const found = await getRateLimitedRequest(call, requestId);
  if (isProblem(found)) return found;
  const { request, headers } = found;
  const isPassing = request !== undefined && (await hasPass(call, request, found.isTrusted));
  const outcome = request ? await resendPendingRequest(call, request, { isPassing, isTrusted: found.isTrusted }) : problem('not_found');
  return isProblem(outcome) ? { ...outcome, headers } : { body: outcome, headers };
};

/** Whether the caller passes a block that public keys caused: a server, or the source that gave a live trust key. */
const hasPass = async ({ sourceIp }: CallContext, { identifierHash, trustedSource }: StoredRequest, isTrusted: boolean): Promise<boolean> =>
  isTrusted || (trustedSource !== undefined && trustedSource === (await hashSource(identifierHash, sourceIp)));

async function resendPendingRequest(
  call: CallContext,
  found: StoredRequest,
  { isPassing, isTrusted }: { isPassing: boolean; isTrusted: boolean },
): Promise<ResendBody | ResendProblem> {
  const at = now();
  const budget = found.status === 'pending' ? await getRequestBudget(requestBudgetIdOf(found)) : undefined;
  const request = withResult(found, budget);
  if (request.status === 'verified') return problem('already_verified');
  if (request.status === 'failed' || request.status === 'blocked') return problem('resend_failed');
  if (request.status !== 'pending' || request.expiresAt <= at) return problem('expired');
  const profile = await getCallerProfile({ ...call.caller, subject: request.profileId }, undefined);
  if (isProblem(profile)) return profile;
  if (profile.status !== 'active') return problem('profile_inactive');
  const { settings } = profile;
  // a retry of a call that has stored its send: the code may not be on the queue yet
  if (request.operationId === call.operationId) return enqueueAndDescribe(undefined, request, settings);
  const waitUntil = resendTime(settings.otp, request);
  if (waitUntil > at) return problem('resend_cooldown', { retryAfterSeconds: secondsUntil(waitUntil, at) });
  if (request.sends >= settings.otp.max_sends) return problem('too_many_sends', { retryAfterSeconds: secondsUntil(request.expiresAt, at) });
  const refusal = request.test ? undefined : await countSend(request, { budget, profile, isPassing, isTrusted }, at);
  if (refusal) return refusal;
  const stored = await updateRequestSends(request, { sends: request.sends + 1, lastSendAt: at, operationId: call.operationId });
  return stored.done ? enqueueAndDescribe(request, stored.item, settings) : concurrentSend(settings);
}

async function enqueueAndDescribe(before: StoredRequest | undefined, stored: StoredRequest, { otp }: Settings): Promise<ResendBody> {
  await enqueueCode(before, stored);
  return {
    success: true,
    message: 'The code is on its way.',
    resend_in_seconds: cooldownSeconds(otp, stored.sends),
    sends_remaining: Math.max(0, otp.max_sends - stored.sends),
    expires_at: isoTime(stored.expiresAt),
  };
}

/** Counts the send in the identifier's budget before the request allows it. */
async function countSend(
  request: StoredRequest,
  {
    budget,
    profile,
    isPassing,
    isTrusted,
  }: { budget: RequestBudget | undefined; profile: CompleteProfile; isPassing: boolean; isTrusted: boolean },
  at: number,
): Promise<Problem<'otp_bombing' | 'ceiling_reached' | 'too_many_attempts' | 'resend_cooldown'> | undefined> {
  const { settings } = profile;
  const id = requestBudgetIdOf(request);
  if (!budget) return undefined;
  const block = activeBlock(budget, at, isPassing);
  if (block) return problem(block.code, { retryAfterSeconds: secondsUntil(block.untilMs, at) });
  const pace = sendPace(budget, { isTrusted: isPassing, isProven: false }, settings, at);
  const freeAt = nextSendTime(pace, at, false);
  if (freeAt > at) return problem('otp_bombing', { retryAfterSeconds: secondsUntil(freeAt, at) });
  const refusal =
    (await reserveCode({ profile, isTrusted, country: request.country }, at)) ??
    (await reserveMailboxSend(profile, (await getBlockSubject(request)).identifier, isTrusted, at));
  if (refusal) return refusal;
  const sent = latestOf({ ...request, sends: request.sends + 1, lastSendAt: at });
  const isLatest = budget.last[request.purpose]?.id === request.id;
  const set = {
    ...withSend(pace, { isTrusted: isPassing, isSent: true }, at),
    ...(isLatest ? { last: { ...budget.last, [request.purpose]: sent } } : {}),
  };
  const open = request.isDecidedByBudget ? { mustBeOpen: request.id } : {};
  const written = await updateRequestBudget(id, budget, { set, add: {}, remove: [], ...open }, at);
  return written.done ? undefined : concurrentSend(settings);
}

/** A concurrent call has requested a send at this moment. */
const concurrentSend = ({ otp }: Settings): Problem<'resend_cooldown'> =>
  problem('resend_cooldown', { retryAfterSeconds: otp.resend_cooldown_seconds });
