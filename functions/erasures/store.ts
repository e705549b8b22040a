import { equals, missing } from '../../shared/table/condition.ts';
import { dueKeys } from '../../shared/table/due.ts';
import { entity, type Written } from '../../shared/table/entity.ts';
import { pattern } from '../../shared/table/pattern.ts';
import { sortable, tenant } from '../../shared/table/schema.ts';
import { erasureEntityName, type StoredErasure, storedErasure } from './contract/erasure.ts';

/** One for each erased contact: an id is never assigned again. */
const erasureEntity = entity({
  name: erasureEntityName,
  purpose: 'The erasure of a contact: the job while it runs, then the receipt, which holds counts and the id alone',
  attributes: storedErasure,
  key: ({ companyId, contactId }: ErasureId) => ({ pk: `${tenant(companyId)}#ERASURE`, sk: sortable(contactId) }),
  idOf: ({ companyId, contactId }) => ({ companyId, contactId }),
  indexedBy: ['companyId', 'contactId', 'dueAt'],
  indexes: ({ companyId, contactId, dueAt }) => ({
    due: dueAt === undefined ? undefined : dueKeys(dueAt, erasureEntityName, `${companyId}:${contactId}`),
  }),
  personalData: 'identifiers, sealed, until the second pass',
  endsBy: 'its second pass',
  example: { pk: 'C#<company>#ERASURE', sk: '<contact, 16 digits>' },
});

interface ErasureId {
  companyId: number;
  contactId: number;
}

export const getStoredErasure = pattern(
  { question: 'the erasure of a contact', entity: erasureEntityName, by: 'GetItem', units: '1 RRU, consistent' },
  (companyId: number, contactId: number): Promise<StoredErasure | undefined> =>
    erasureEntity.get({ companyId, contactId }, { consistent: true }),
);

/** Refused when the contact is being erased already. */
export const createStoredErasure = pattern(
  { question: 'erase a contact', entity: erasureEntityName, by: 'PutItem', units: '1 WRU' },
  (erasure: StoredErasure): Promise<Written<StoredErasure>> => erasureEntity.put(erasure, missing()),
);

/** Refused when another worker changed it since it was read. */
export const updateStoredErasure = pattern(
  { question: 'store the progress of an erasure', entity: erasureEntityName, by: 'PutItem', units: '1 WRU, 2 when the second pass is due' },
  async (seen: StoredErasure, next: StoredErasure): Promise<StoredErasure | undefined> => {
    const changed = { ...next, rev: seen.rev + 1 };
    return (await erasureEntity.put(changed, equals('rev', seen.rev))).done ? changed : undefined;
  },
);
