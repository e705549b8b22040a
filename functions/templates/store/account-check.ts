import { equals, missing } from '../../../shared/table/condition.ts';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { accountCheckEntityName, storedAccountCheck, type StoredAccountCheck } from '../contract/account-check.ts';

const accountCheckEntity = entity({
  name: accountCheckEntityName,
  purpose: 'When the accounts of a company are read from the provider again',
  attributes: storedAccountCheck,
  key: ({ companyId }: { companyId: number }) => ({ pk: tenant(companyId), sk: 'ACCOUNT_CHECK' }),
  idOf: ({ companyId }) => ({ companyId }),
  indexedBy: ['companyId', 'dueAt'],
  indexes: ({ companyId, dueAt }) => ({ due: dueKeys(dueAt, accountCheckEntityName, String(companyId)) }),
  example: { pk: 'C#<company>', sk: 'ACCOUNT_CHECK' },
});

export const getAccountCheck = pattern(
  { question: 'when the accounts of a company are read again', entity: accountCheckEntityName, by: 'GetItem', units: '1 RRU, consistent' },
  (companyId: number): Promise<StoredAccountCheck | undefined> => accountCheckEntity.get({ companyId }, { consistent: true }),
);

/** Undefined when another worker changed it since `seen` was read; `seen` undefined: there was none. */
export const putAccountCheck = pattern(
  { question: 'store when the accounts of a company are read again', entity: accountCheckEntityName, by: 'PutItem', units: '1-3 WRU' },
  async (next: Omit<StoredAccountCheck, 'rev'>, seen: StoredAccountCheck | undefined): Promise<StoredAccountCheck | undefined> => {
    const changed = { ...next, rev: (seen?.rev ?? 0) + 1 };
    return (await accountCheckEntity.put(changed, seen ? equals('rev', seen.rev) : missing())).done ? changed : undefined;
  },
);

/** Refused when another worker changed it since it was read. */
export const deleteAccountCheck = pattern(
  { question: 'a company has no account to read', entity: accountCheckEntityName, by: 'DeleteItem', units: '2 WRU' },
  async ({ companyId, rev }: StoredAccountCheck): Promise<void> => {
    await accountCheckEntity.delete({ companyId }, equals('rev', rev));
  },
);
