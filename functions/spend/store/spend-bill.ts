import { any, below, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { spendBillEntityName, storedSpendBill, type StoredSpendBill } from '../contract/spend-bill.ts';

export const spendBillEntity = entity({
  name: spendBillEntityName,
  purpose: "The last comparison with the provider's bill: the accounts whose bill differs from ours",
  attributes: storedSpendBill,
  key: ({ companyId }: { companyId: number }) => ({ pk: `${tenant(companyId)}#SPEND`, sk: 'BILL' }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'C#<company>#SPEND', sk: 'BILL' },
});

export const getSpendBill = pattern(
  { question: "the last comparison with the provider's bill", entity: spendBillEntityName, by: 'GetItem', units: '1 RRU' },
  (companyId: number): Promise<StoredSpendBill | undefined> => spendBillEntity.get({ companyId }, { consistent: true }),
);

/** Once a day: another worker may have compared meanwhile. */
export const putSpendBill = pattern(
  { question: 'a comparison of another day', entity: spendBillEntityName, by: 'PutItem', units: '1 WRU' },
  async (bill: StoredSpendBill): Promise<void> => {
    await spendBillEntity.put(bill, any(missing(), below('day', bill.day)));
  },
);
