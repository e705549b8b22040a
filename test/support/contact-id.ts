import { findSender, type Identities } from '../../functions/contacts/service/find-sender.ts';

/** The id of the contact that has these identities now. */
export const contactIdOf = async (companyId: number, identities: Identities): Promise<number | undefined> =>
  (await findSender(companyId, identities))?.contactId;
