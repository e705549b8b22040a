import { isoTime, now } from '../../../shared/runtime/clock.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { cooldownSeconds } from '../domain/code.ts';
import { secondsUntil } from '../domain/request-budget.ts';
import type { Identifier } from '../domain/identifier.ts';
import { oneClickLinks } from '../domain/one-click.ts';
import { getBotPhone } from './bot-phone.ts';
import type { Profile } from './caller.ts';
import { oneClickReference } from './secrets.ts';

interface PendingVerification {
  request: StoredRequest;
  reused: boolean;
  profile: Profile;
  identifier: Identifier;
}

/** The answer's body (V10); `base` is where the outside reaches us. */
export const toRequestResponse = async ({ request, reused, profile, identifier }: PendingVerification, base: string) => ({
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
    one_click_whatsapp: await oneClickAction(request, profile, identifier),
    polling_url: `${base}/api/v1/verification/status/${request.id}`,
  },
});

async function oneClickAction(request: StoredRequest, { companyId, settings }: Profile, { kind }: Identifier) {
  const isMeant = kind !== 'email' && settings.one_click.enabled && settings.channels.includes('whatsapp');
  const phone = isMeant ? await getBotPhone(companyId) : undefined;
  if (phone === undefined) return { enabled: false, intent_url: null, universal_url: null };
  return { enabled: true, ...oneClickLinks(phone, await oneClickReference(request.id)) };
}
