import { now } from '../../../shared/runtime/clock.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { log } from '../../../shared/runtime/log.ts';
import { activeNumber } from '../../account/service/numbers.ts';
import { readProfile } from '../../account/service/profile-of-key.ts';
import { sendToProvider } from '../../messaging/service/provider-send.ts';
import type { StoredRequest } from '../contract.ts';
import { settingsOf } from '../domain/settings.ts';
import { isFinalRefusal, sendMail } from '../gateway.ts';
import { codeMail } from '../page.ts';
import { claimSend, endRequest, releaseSend } from '../store.ts';
import { linkToken, openFor } from './secrets.ts';

type Fate = 'sent' | 'refused' | 'unsent';

/**
 * Sends a code that was asked for: claimed first, so that a message delivered twice, late or out of order sends nothing twice. What
 * proved not to have left is tried again by the queue; a refusal, or the last try, ends the request as `delivery_failed` (V10).
 */
export const sendCode = async (companyId: number, requestId: string, send: number, attempt: number): Promise<void> => {
  const claimed = await claimSend(companyId, requestId, send, now());
  if (!claimed.done || claimed.item.sealedCode === undefined) return;
  const request = claimed.item;
  const code = await openFor(requestId, 'code', claimed.item.sealedCode);
  const to = await openFor(requestId, 'identifier', request.sealedIdentifier);
  const fate = request.channel === 'email' ? await byMail(request, to, code) : await byWhatsapp(request, to, code);
  if (fate === 'sent') return;
  if (fate === 'unsent' && attempt < lastAttempt) {
    await releaseSend(companyId, requestId, send);
    throw new Error('A code did not leave and will be tried again.');
  }
  await endRequest(companyId, requestId, { status: 'failed', reason: 'delivery_failed', endedAt: now() });
};

const lastAttempt = 3;

/** The provider's authentication template: the code twice, in the text and for the copy button (provider reference §1.6). */
async function byWhatsapp(request: StoredRequest, to: string, code: string): Promise<Fate> {
  const number = await activeNumber(request.companyId);
  if (!number) return 'refused';
  const parameters = [{ type: 'text', text: code }];
  const sent = await sendToProvider(number, {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to,
    biz_opaque_callback_data: `sbv1:${request.companyId}:${request.id}`,
    type: 'template',
    template: {
      name: 'verification_code',
      language: { code: 'en' },
      components: [
        { type: 'body', parameters },
        { type: 'button', sub_type: 'url', index: '0', parameters },
      ],
    },
  });
  // nothing tells whether it left: the person may ask for it again, the system does not send it twice
  if (sent.outcome === 'ambiguous' || sent.outcome === 'accepted') return 'sent';
  return sent.outcome;
}

async function byMail(request: StoredRequest, to: string, code: string): Promise<Fate> {
  const profile = await readProfile(request.companyId, request.profileId);
  const { magic_link: magic } = settingsOf(profile?.settings ?? {});
  const base = optionalSetting('PUBLIC_BASE_URL');
  const link =
    magic.enabled && base !== undefined
      ? `${base}/api/v1/verification/magic/${request.id}/${await linkToken(request.companyId, request.id)}`
      : undefined;
  const minutes = Math.max(1, Math.round((request.expiresAt - now()) / 60_000));
  try {
    await sendMail({ to, ...codeMail({ code, link, minutes, name: profile?.name ?? '' }) });
    return 'sent';
  } catch (error) {
    log.error('A code could not be sent by email', error);
    return isFinalRefusal(error) ? 'refused' : 'unsent';
  }
}
