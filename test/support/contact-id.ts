import { findByIdentities, type Identities } from '../../functions/contacts/service/find-by-identities.ts';

/** The id of the contact that has these identities now. */
export const contactIdOf = async (companyId: number, identities: Identities): Promise<number | undefined> =>
  (await findByIdentities(companyId, identities))?.contactId;
