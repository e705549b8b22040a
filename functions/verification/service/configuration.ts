import type * as z from 'zod';
import { networkOf } from '../../../shared/access/network.ts';
import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { getActiveNumber } from '../../account/service/numbers.ts';
import type { configBody } from '../contract/routes.ts';
import { type CallContext, checkSignature, requireSignature, type SignatureProblem } from './caller.ts';
import { getCallerProfile } from './profile.ts';
import { limitCallRate } from './rate-limit.ts';

/** GET /verification/config: what a client needs to show the form. */
export const getVerificationConfig = async (
  call: CallContext,
): Promise<
  | { body: z.output<typeof configBody>; headers: Record<string, string> }
  | SignatureProblem
  | Problem<'rate_limited' | 'signature_required' | 'profile_mismatch' | 'profile_not_found'>
> => {
  const { companyId, credentialId } = call.caller;
  const limited = await limitCallRate({ companyId, credentialId, subject: networkOf(call.sourceIp) });
  if (isProblem(limited)) return limited;
  const [trust, profile, number] = await Promise.all([
    checkSignature(call),
    getCallerProfile(call.caller, undefined),
    getActiveNumber(companyId),
  ]);
  if (isProblem(trust)) return trust;
  if (isProblem(profile)) return profile;
  const { settings } = profile;
  const unsigned = requireSignature(call, settings.require_signature, trust);
  if (unsigned) return unsigned;
  return {
    headers: limited.headers,
    body: {
      status: profile.status,
      profile_id: profile.id,
      profile_name: profile.name,
      channels: settings.channels,
      default_channel: settings.default_channel,
      captcha:
        settings.captcha.mode === 'disabled'
          ? null
          : {
              mode: settings.captcha.mode,
              provider: settings.captcha.provider,
              site_key: settings.captcha.site_key || null,
              action: settings.captcha.action || null,
            },
      otp: {
        length: settings.otp.length,
        type: settings.otp.type,
        expiry_minutes: settings.otp.expiry_seconds / 60,
        expiry_seconds: settings.otp.expiry_seconds,
        resend_cooldown_seconds: settings.otp.resend_cooldown_seconds,
        max_attempts: settings.otp.max_attempts,
      },
      whatsapp: {
        enabled: settings.channels.includes('whatsapp') && number !== undefined,
        one_click_enabled: settings.one_click.enabled && settings.channels.includes('whatsapp') && number !== undefined,
        bot_phone: number?.phone ?? null,
      },
      polling: {
        status_url_template: `${new URL(call.url).origin}/api/v1/verification/status/{request_id}`,
        recommended_interval_ms: settings.polling.interval_ms,
        timeout_seconds: settings.polling.timeout_seconds,
      },
      guess_bound: { per_request: settings.otp.max_attempts, per_day: settings.guess_budget_per_day },
    },
  };
};
