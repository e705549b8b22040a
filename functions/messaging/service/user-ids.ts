import { moveIdentities } from '../../contacts/service/move-identities.ts';
import type { IdentityUpdate, ProviderUpdate } from '../contract/provider-update.ts';
import { phoneOfWaId } from '../domain/wa-id.ts';
import { archiveUpdate } from './archive-update.ts';

/** Gives the contact of the former user id, and of the phone, its new one (A51). */
export const applyUserIdUpdate = async (update: ProviderUpdate, { wa_id, user_id }: IdentityUpdate): Promise<void> => {
  await archiveUpdate(update, 'user_id_update', { wa_id, user_id });
  const current = { phone: phoneOfWaId(wa_id), userId: user_id.current };
  // it has no time: a phone that moved meanwhile is still the one that it names, and replaces none
  await moveIdentities(update.company_id, { userId: user_id.previous }, current);
};
