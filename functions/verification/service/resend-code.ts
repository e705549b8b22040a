import { isProblem, problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { cooldownSeconds } from '../domain/code.ts';
import { activeBlock, withBombingBlock } from '../domain/decision.ts';
import { bombingBlockMs, recentSends, secondsUntil } from '../domain/request-budget.ts';
import type { Settings } from '../domain/settings.ts';
import { updateRequestBudget, getRequestBudget } from '../store/request-budget.ts';
import { updateRequestSends } from '../store/request.ts';
import { recordIdentifierBlock, getBlockSubject } from './block-records.ts';
import { type CallContext, type Profile, getCallerProfile } from './caller.ts';
import { requestBudgetIdOf } from './finish-request.ts';
import { enqueueCode } from './enqueue-code.ts';
import { getRateLimitedRequest } from './verify-code.ts';

/** The same code once more (V22): expiry unchanged, within the cooldown, the sends of the request and the person's own limit (V15). */
export const resendCode = async (call: CallContext, requestId: string) => {
  const found = await getRateLimitedRequest(call, requestId);
  if (isProblem(found)) return found;
  return { ...(await resendPendingRequest(call, found.request)), headers: found.headers };
};

async function resendPendingRequest(call: CallContext, request: StoredRequest | undefined) {
  if (!request) return problem('not_found');
  const at = now();
  if (request.status === 'verified') return problem('already_verified');
  if (request.status === 'failed' || request.status === 'blocked') return problem('resend_failed');
  if (request.status !== 'pending' || request.expiresAt <= at) return problem('expired');
  const profile = await getCallerProfile({ ...call.caller, subject: request.profileId }, undefined);
  if (isProblem(profile)) return profile;
  if (profile.status !== 'active') return problem('profile_inactive');
  const { settings } = profile;
  // a retry of a call that got this far: its message was asked for already, and perhaps not handed on
  if (request.operationId === call.operationId) return enqueueAndDescribe(undefined, request, settings);
  const waitUntil = request.sends === 0 ? 0 : request.lastSendAt + cooldownSeconds(settings.otp, request.sends) * 1_000;
  if (waitUntil > at) return problem('resend_cooldown', { retryAfterSeconds: secondsUntil(waitUntil, at) });
  if (request.sends >= settings.otp.max_sends) return problem('too_many_sends', { retryAfterSeconds: secondsUntil(request.expiresAt, at) });
  const refusal = request.test ? undefined : await countSend(request, profile, at);
  if (refusal) return refusal;
  const stored = await updateRequestSends(request, { sends: request.sends + 1, lastSendAt: at, operationId: call.operationId });
  return stored.done ? enqueueAndDescribe(request, stored.item, settings) : concurrentSend(settings);
}

async function enqueueAndDescribe(before: StoredRequest | undefined, stored: StoredRequest, { otp }: Settings) {
  await enqueueCode(before, stored);
  return {
    body: {
      success: true as const,
      message: 'The code is on its way.',
      resend_in_seconds: cooldownSeconds(otp, stored.sends),
      sends_remaining: Math.max(0, otp.max_sends - stored.sends),
      expires_at: isoTime(stored.expiresAt),
    },
  };
}

/** Counts the message among the person's own before it is asked for. */
async function countSend(request: StoredRequest, profile: Profile, at: number) {
  const { settings } = profile;
  const id = requestBudgetIdOf(request);
  const guard = await getRequestBudget(id);
  if (!guard) return undefined;
  const block = activeBlock(guard, at);
  if (block) return problem(block.why, { retryAfterSeconds: secondsUntil(block.untilMs, at) });
  const recent = recentSends(guard, settings, at);
  if (recent.length < settings.bombing.max_requests) {
    const written = await updateRequestBudget(id, guard, { set: { sends: [...recent, at] }, add: {}, remove: [] }, at);
    return written.done ? undefined : concurrentSend(settings);
  }
  const blockedUntil = at + bombingBlockMs(guard, settings, at);
  await recordIdentifierBlock(profile, await getBlockSubject(request), { reason: 'otp_bombing', blockedUntil }, at);
  await updateRequestBudget(id, guard, { set: withBombingBlock(guard, blockedUntil, at), add: {}, remove: [] }, at);
  return problem('otp_bombing', { retryAfterSeconds: secondsUntil(blockedUntil, at) });
}

/** Another call asked for a message in this moment. */
const concurrentSend = ({ otp }: Settings) => problem('resend_cooldown', { retryAfterSeconds: otp.resend_cooldown_seconds });
