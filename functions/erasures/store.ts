import { equals, missing } from '../../shared/table/condition.ts';
import { dueKeys } from '../../shared/table/due.ts';
import { entity, type Written } from '../../shared/table/entity.ts';
import { pattern } from '../../shared/table/pattern.ts';
import { sortable, tenant } from '../../shared/table/schema.ts';
import { erasureEntityName, type StoredErasure, storedErasure } from './contract/erasure.ts';
import { retentionEntityName, type StoredRetention, storedRetention } from './contract/retention.ts';

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

export const listStoredErasures = pattern(
  {
    question: 'the erasures of a company',
    entity: erasureEntityName,
    by: 'Query',
    units: '1 RRU for about 15, by the operator after a restore',
  },
  (companyId: number): Promise<StoredErasure[]> => erasureEntity.collect({ pk: `${tenant(companyId)}#ERASURE`, consistent: true }),
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

const retentionEntity = entity({
  name: retentionEntityName,
  purpose: 'The daily walk that deletes messages older than a company keeps them',
  attributes: storedRetention,
  key: ({ companyId }: { companyId: number }) => ({ pk: tenant(companyId), sk: 'RETENTION' }),
  idOf: ({ companyId }) => ({ companyId }),
  indexedBy: ['companyId', 'dueAt'],
  indexes: ({ companyId, dueAt }) => ({ due: dueKeys(dueAt, retentionEntityName, String(companyId)) }),
  example: { pk: 'C#<company>', sk: 'RETENTION' },
});

export const getRetention = pattern(
  {
    question: 'where the deletion of old messages of a company stands',
    entity: retentionEntityName,
    by: 'GetItem',
    units: '1 RRU, consistent',
  },
  (companyId: number): Promise<StoredRetention | undefined> => retentionEntity.get({ companyId }, { consistent: true }),
);

/** Undefined when another worker changed it since `seen` was read; `seen` undefined: there was none. */
export const putRetention = pattern(
  { question: 'store where the deletion of old messages stands', entity: retentionEntityName, by: 'PutItem', units: '1-3 WRU' },
  async (next: Omit<StoredRetention, 'rev'>, seen: StoredRetention | undefined): Promise<StoredRetention | undefined> => {
    const changed = { ...next, rev: (seen?.rev ?? 0) + 1 };
    const written = await retentionEntity.put(changed, seen ? equals('rev', seen.rev) : missing());
    return written.done ? changed : undefined;
  },
);

export const deleteRetention = pattern(
  { question: 'a company keeps its messages from now on', entity: retentionEntityName, by: 'DeleteItem', units: '2 WRU' },
  async (companyId: number): Promise<void> => {
    await retentionEntity.delete({ companyId });
  },
);
