import { isoTime, now } from '../../../shared/runtime/clock.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { cooldownSeconds } from '../domain/code.ts';
import { secondsUntil } from '../domain/guard.ts';
import type { Identifier } from '../domain/identifier.ts';
import { intentLinks } from '../domain/intent.ts';
import { botPhoneOf } from './bot-phone.ts';
import type { Profile } from './caller.ts';
import { intentOf } from './secrets.ts';

interface Asked {
  request: StoredRequest;
  reused: boolean;
  profile: Profile;
  identifier: Identifier;
}

/** The answer's body (V10); `base` is where the outside reaches us. */
export const askedBody = async ({ request, reused, profile, identifier }: Asked, base: string) => ({
  success: true as const,
  cached: false as const,
  reused,
  request_id: request.id,
  status: 'pending' as const,
  expires_at: isoTime(request.expiresAt),
  otp_rules: {
    length: profile.settings.otp.length,
    type: profile.settings.otp.type,
    expiry_seconds: secondsUntil(request.expiresAt, now()),
    resend_in_seconds: request.sends === 0 ? 0 : cooldownSeconds(profile.settings.otp, request.sends),
  },
  mobile_actions: {
    one_click_whatsapp: await oneClick(request, profile, identifier),
    polling_url: `${base}/api/v1/verification/status/${request.id}`,
  },
});

async function oneClick(request: StoredRequest, { companyId, settings }: Profile, { kind }: Identifier) {
  const isMeant = kind !== 'email' && settings.one_click.enabled && settings.channels.includes('whatsapp');
  const phone = isMeant ? await botPhoneOf(companyId) : undefined;
  if (phone === undefined) return { enabled: false, intent_url: null, universal_url: null };
  return { enabled: true, ...intentLinks(phone, await intentOf(request.id)) };
}
