import type * as z from 'zod';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import type { pendingBody, trustedBody } from '../contract/routes.ts';
import type { StoredRequest } from '../contract/stored.ts';
import type { Identifier } from '../domain/identifier.ts';
import { oneClickLinks } from '../domain/one-click.ts';
import { secondsUntil } from '../domain/request-budget.ts';
import { getBotPhone } from './bot-phone.ts';
import type { CompleteProfile } from './profile.ts';
import type { RequestVerificationResult } from './request-verification.ts';
import { oneClickReference } from './secrets.ts';

/** The response body of POST /verification/request; `baseUrl` is the API's public URL. */
export const toRequestResponse = async (
  result: RequestVerificationResult,
  baseUrl: string,
): Promise<z.output<typeof pendingBody> | z.output<typeof trustedBody>> => {
  if (result.kind === 'trusted') return { success: true, cached: true, verified: true, trust_key: result.trustKey };
  const { inProgress, profile, identifier } = result;
  const { request, isReused, nextSendAt } = inProgress;
  const { otp } = profile.settings;
  return {
    success: true,
    cached: false,
    reused: isReused,
    request_id: request.id,
    status: 'pending',
    expires_at: isoTime(request.expiresAt),
    otp_rules: {
      length: request.codeLength ?? otp.length,
      type: otp.type,
      expiry_seconds: secondsUntil(request.expiresAt, now()),
      resend_in_seconds: Math.max(0, Math.ceil((nextSendAt - now()) / 1_000)),
    },
    mobile_actions: {
      one_click_whatsapp: await oneClickAction(request, profile, identifier),
      polling_url: `${baseUrl}/api/v1/verification/status/${request.id}`,
    },
  };
};

async function oneClickAction(
  request: StoredRequest,
  { companyId, name, settings }: CompleteProfile,
  { kind }: Identifier,
): Promise<z.output<typeof pendingBody>['mobile_actions']['one_click_whatsapp']> {
  const isEnabled = kind !== 'email' && settings.one_click.enabled && settings.channels.includes('whatsapp');
  const phone = isEnabled ? await getBotPhone(companyId) : undefined;
  if (phone === undefined) return { enabled: false, intent_url: null, universal_url: null };
  return { enabled: true, ...oneClickLinks(phone, await oneClickReference(request.id), name) };
}
