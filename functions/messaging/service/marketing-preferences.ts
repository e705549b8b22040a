import { setConsent } from '../../contacts/service/consent.ts';
import { ensureSender } from '../../contacts/service/ensure-sender.ts';
import type { PreferenceUpdate, ProviderUpdate } from '../contract/provider-update.ts';
import { phoneOfWaId } from '../domain/wa-id.ts';
import { providerTime } from '../domain/status.ts';
import { archiveUpdate } from './archive-update.ts';

/**
 * Applies a contact's choice at the provider: to stop or resume marketing messages, or to sign up for them there, which is a proof of consent. Only the
 * contact can make it. A later choice of the contact, such as STOP, holds whichever comes first.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/in-app-signup
 */
export const applyPreference = async (update: ProviderUpdate, preference: PreferenceUpdate): Promise<void> => {
  const blocked = { stop: true, resume: false, signup: false }[preference.value];
  const identity = { phone: phoneOfWaId(preference.wa_id), userId: preference.user_id };
  await archiveUpdate(update, 'user_preferences', preference);
  if (blocked === undefined || (identity.phone === undefined && identity.userId === undefined)) return;
  const at = providerTime(preference.timestamp, update.received_at);
  const { contactId } = await ensureSender(update.company_id, identity, at);
  await setConsent(update.company_id, contactId, { marketingBlocked: blocked, source: 'provider', at, evidence: preference.value });
  // one that names no signup proves nothing more than that the contact may be written to
  if (preference.value === 'signup' && preference.signup_id !== undefined)
    await setConsent(update.company_id, contactId, {
      subscribed: true,
      source: 'provider',
      at,
      evidence: `signup ${preference.signup_id}`,
    });
};

/** The provider refused a marketing message because the recipient stopped them (error 131050). */
export const blockMarketing = async (companyId: number, contactId: number, at: number): Promise<void> => {
  await setConsent(companyId, contactId, { marketingBlocked: true, source: 'provider', at, evidence: 'error 131050' });
};
