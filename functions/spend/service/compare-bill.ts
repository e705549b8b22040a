import { now } from '../../../shared/runtime/clock.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { utcDayOf } from '../../usage/contract/count.ts';
import type { AccountBill } from '../contract/bill.ts';
import type { OtherBill } from '../contract/spend-bill.ts';
import { getSpendBill, putSpendBill } from '../store/spend-bill.ts';
import { getBill } from './bill.ts';

/**
 * Remembers once a day which accounts' bills differ from ours: the event follows from one that did not the day before. Of an account whose bill cannot be
 * read, what was known stays. Of a company without messages nothing is stored. 1 RRU, and once a day the reads of `getBill` and 1 WRU.
 */
export const compareBill = async (companyId: number): Promise<void> => {
  const known = await getSpendBill(companyId);
  if (known && known.day >= utcDayOf(now())) return;
  const { from, to, accounts } = await getBill(companyId);
  const others = accounts.flatMap((account) => {
    const before = known?.others.find(({ wabaId }) => wabaId === account.waba_id);
    if (account.bill === null) return before ? [before] : [];
    return account.differs ? [otherBillOf(account, { from, to })] : [];
  });
  if (known || others.length > 0) await putSpendBill({ companyId, day: to, others });
};

const otherBillOf = (
  { waba_id: wabaId, bill, difference_percent: percent }: AccountBill,
  range: { from: string; to: string },
): OtherBill => ({
  wabaId,
  ...range,
  charged: bill?.charged ?? 0,
  ...defined({ differencePercent: percent ?? undefined }),
});
