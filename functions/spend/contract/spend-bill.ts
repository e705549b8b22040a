import * as z from 'zod';
import type { ItemKind } from '../../../shared/events/react.ts';

export const spendBillEntityName = 'spend-bill';

/** How a bill of the provider differs from ours. */
const otherBill = z.object({
  wabaId: z.string(),
  from: z.string(),
  to: z.string(),
  /** Messages that the provider charged. */
  charged: z.int(),
  /** Decimal text; absent: ours has nothing of it. */
  differencePercent: z.string().optional(),
});
export type OtherBill = z.output<typeof otherBill>;

/** The last comparison with the provider's bill, once a day: the accounts whose bill is another one. */
export const storedSpendBill = z.object({
  companyId: z.int(),
  /** `2026-11-30`, UTC. */
  day: z.string(),
  others: z.array(otherBill).max(50),
});
export type StoredSpendBill = z.output<typeof storedSpendBill>;
export const spendBillKind: ItemKind<StoredSpendBill> = { name: spendBillEntityName, parse: (raw) => storedSpendBill.parse(raw) };
