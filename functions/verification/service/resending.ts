import { isProblem, problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { cooldownSeconds } from '../domain/code.ts';
import { bombingBlockMs, isBlocked, keptBlocks, recentSends, secondsUntil } from '../domain/guard.ts';
import { askForSend, budgetBlock, decideGuard, findGuard } from '../store.ts';
import { type Call, profileOf } from './caller.ts';
import { reach } from './verifying.ts';

/** The same code once more (V22): expiry unchanged, within the cooldown, the sends of the request and the person's own limit (V15). */
export const resend = async (call: Call, requestId: string) => {
  const found = await reach(call, requestId);
  if (isProblem(found)) return found;
  const { request, headers } = found;
  const outcome = await again(call, request);
  return { ...outcome, headers };
};

async function again(call: Call, request: Extract<Awaited<ReturnType<typeof reach>>, { headers: unknown; request: unknown }>['request']) {
  if (!request) return problem('not_found');
  const at = now();
  if (request.status === 'verified') return problem('already_verified');
  if (request.status === 'failed') return problem('resend_failed');
  if (request.status !== 'pending' || request.expiresAt <= at) return problem('expired');
  const profile = await profileOf({ ...call.caller, subject: request.profileId }, undefined);
  if (isProblem(profile)) return profile;
  if (profile.status !== 'active') return problem('profile_inactive');
  const { settings } = profile;
  const waitUntil = request.sends === 0 ? 0 : request.lastSendAt + cooldownSeconds(settings.otp, request.sends) * 1_000;
  if (waitUntil > at) return problem('resend_cooldown', { retryAfterSeconds: secondsUntil(waitUntil, at) });
  if (request.sends >= settings.otp.max_sends) return problem('too_many_sends', { retryAfterSeconds: secondsUntil(request.expiresAt, at) });
  const id = { companyId: request.companyId, profileId: request.profileId, person: request.person };
  const guard = await findGuard(id);
  if (guard && !request.test) {
    if (isBlocked(guard, at))
      return problem(guard.blockReason === budgetBlock ? 'too_many_attempts' : 'otp_bombing', {
        retryAfterSeconds: secondsUntil(guard.blockedUntil ?? at, at),
      });
    const recent = recentSends(guard, settings, at);
    const isBombed = recent.length >= settings.bombing.max_requests;
    const lasts = bombingBlockMs(guard, settings, at);
    const set = isBombed
      ? { sends: [], blockedUntil: at + lasts, blockReason: 'otp_bombing', blocks: [...keptBlocks(guard, at), at] }
      : { sends: [...recent, at] };
    const written = await decideGuard(id, guard, { set, add: {}, remove: [] }, at);
    if (isBombed) return problem('otp_bombing', { retryAfterSeconds: secondsUntil(at + lasts, at) });
    if (!written.done) return problem('resend_cooldown', { retryAfterSeconds: settings.otp.resend_cooldown_seconds });
  }
  const stored = await askForSend(request, { sends: request.sends + 1, lastSendAt: at });
  if (!stored.done) return problem('resend_cooldown', { retryAfterSeconds: settings.otp.resend_cooldown_seconds });
  return {
    body: {
      success: true as const,
      message: 'The code is on its way.',
      resend_in_seconds: cooldownSeconds(settings.otp, stored.item.sends),
      sends_remaining: Math.max(0, settings.otp.max_sends - stored.item.sends),
      expires_at: isoTime(request.expiresAt),
    },
  };
}
