import { companyEntityName, type StoredCompanySettings, storedCompanySettings } from '../account/contract/stored-company.ts';
import { message, reaction, reactionList } from '../../shared/events/react.ts';
import { contactKind, type StoredContact } from '../contacts/contract/stored.ts';
import { erasureEntityName, erasuresQueue, storedErasure, type StoredErasure } from './contract/erasure.ts';
import { retentionEntityName, storedRetention, type StoredRetention } from './contract/retention.ts';

/**
 * A new erasure, and each turn of it, goes to the worker; so does a contact whose row ended 30 days after its deletion (A11), and a company whose
 * retention changed, with each turn of its walk.
 */
export const reactions = reactionList({ sendsTo: [erasuresQueue] }, [
  reaction<StoredErasure>({ name: erasureEntityName, parse: (raw) => storedErasure.parse(raw) }, ({ before, after }) =>
    after && before?.turn !== after.turn
      ? [message(erasuresQueue, after.companyId, { company_id: after.companyId, contact_id: after.contactId })]
      : [],
  ),
  reaction<StoredContact>(contactKind, ({ before, after }) => {
    if (after !== undefined || before?.deletedAt === undefined) return [];
    const { companyId, id, phone, userId, email, name, mergedIds = [] } = before;
    const purged = { ...(phone === '' ? {} : { phone }), user_id: userId, email, name };
    return [id, ...mergedIds].map((contactId) =>
      message(erasuresQueue, companyId, { company_id: companyId, contact_id: contactId, purged: contactId === id ? purged : {} }),
    );
  }),
  reaction<StoredCompanySettings>({ name: companyEntityName, parse: (raw) => storedCompanySettings.parse(raw) }, ({ before, after }) =>
    after && before?.settings.retentionDays !== after.settings.retentionDays
      ? [message(erasuresQueue, after.companyId, { company_id: after.companyId })]
      : [],
  ),
  reaction<StoredRetention>({ name: retentionEntityName, parse: (raw) => storedRetention.parse(raw) }, ({ before, after }) =>
    after && before !== undefined && before.turn !== after.turn
      ? [message(erasuresQueue, after.companyId, { company_id: after.companyId })]
      : [],
  ),
]);
