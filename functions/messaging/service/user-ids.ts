import { findContactId, joinIdentities } from '../../contacts/service/merge-identities.ts';
import type { IdentityUpdate, ProviderUpdate } from '../contract/provider-update.ts';
import { phoneOfWaId } from '../domain/wa-id.ts';
import { archiveUpdate } from './archive-update.ts';

/** Gives the contact of the former user id, or of the phone, its new one (A51). A contact that is not known is left for its first message. */
export const applyUserIdUpdate = async (update: ProviderUpdate, { wa_id, user_id }: IdentityUpdate): Promise<void> => {
  await archiveUpdate(update, 'user_id_update', { wa_id, user_id });
  const { company_id: companyId } = update;
  const contactId = await findContactId(companyId, { phone: phoneOfWaId(wa_id), userId: user_id.previous });
  if (contactId !== undefined) await joinIdentities(companyId, contactId, { userId: user_id.current });
};
