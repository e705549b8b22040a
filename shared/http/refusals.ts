import type { ProblemCode } from '../contract/problems.ts';
import { metric } from '../runtime/log.ts';

/**
 * Refusals that show an attack, or a caller who is about to stop working, by metric. The code and the company are in the metric's line, not
 * in its dimensions: a metric for each code of each company would cost more than what it counts.
 */
const countedCodes: Readonly<Record<string, readonly ProblemCode[]>> = {
  RefusedCredentials: [
    'token_missing',
    'token_invalid',
    'token_expired',
    'token_revoked',
    'invalid_webhook_token',
    'public_key_missing',
    'public_key_invalid',
  ],
  RefusedAccess: [
    'insufficient_scope',
    'role_required',
    'company_suspended',
    'installation_refused',
    'profile_inactive',
    'profile_mismatch',
    'country_not_allowed',
    'ip_not_allowed',
    'domain_not_allowed',
  ],
  FailedSignatures: [
    'invalid_signature',
    'signature_required',
    'signature_timestamp_required',
    'timestamp_out_of_range',
    'handshake_failed',
  ],
  RateLimited: [
    'rate_limited',
    'velocity_limit',
    'otp_bombing',
    'too_many_sends',
    'resend_cooldown',
    'check_phone_quota',
    'enrolment_cooldown',
  ],
  WrongCodes: ['too_many_attempts'],
  VerificationBlocks: ['blocked', 'fraud_blocked'],
  FailedCaptchas: ['captcha_failed'],
};

const metricOf = new Map(Object.entries(countedCodes).flatMap(([name, codes]) => codes.map((code) => [code, name] as const)));

/** Counts a refused call. */
export const countRefusal = (code: ProblemCode): void => {
  const name = metricOf.get(code);
  if (name !== undefined) metric(name, 'Count', 1, {}, { code });
};
