import { setConsent } from '../../contacts/service/consent.ts';
import { ensureContactId } from '../../contacts/service/merge-identities.ts';
import type { PreferenceUpdate, ProviderUpdate } from '../contract/webhook.ts';
import { phoneOfWaId } from '../domain/wa-id.ts';
import { providerTime } from '../domain/status.ts';
import { archiveUpdate } from './archive-update.ts';

/** A person stopped or resumed marketing at the provider (A10): only the person can undo it. */
export const applyPreference = async (update: ProviderUpdate, preference: PreferenceUpdate): Promise<void> => {
  const blocked = { stop: true, resume: false, signup: false }[preference.value];
  const person = { phone: phoneOfWaId(preference.wa_id), userId: preference.user_id };
  await archiveUpdate(update, 'user_preferences', preference);
  if (blocked === undefined || (person.phone === undefined && person.userId === undefined)) return;
  const contactId = await ensureContactId(update.company_id, person);
  const at = providerTime(preference.timestamp, update.received_at);
  await setConsent(update.company_id, contactId, { marketingBlocked: blocked, source: 'provider', at, evidence: preference.value });
};

/** The provider refused a marketing message because the person stopped them (131050). */
export const blockMarketing = async (companyId: number, contactId: number, at: number): Promise<void> => {
  await setConsent(companyId, contactId, { marketingBlocked: true, source: 'provider', at, evidence: 'error 131050' });
};
