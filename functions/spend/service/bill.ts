import { isProblem } from '../../../shared/contract/problems.ts';
import { dayMs, now } from '../../../shared/runtime/clock.ts';
import { limited } from '../../../shared/runtime/parallel.ts';
import { type BusinessNumber, listActiveNumbers } from '../../account/service/numbers.ts';
import { utcDayOf } from '../../usage/contract/count.ts';
import type { AccountBill, BillRecord } from '../contract/bill.ts';
import { toMoney } from '../contract/money.ts';
import { type BillSum, differenceOf, isOtherBill, percentText, sumOfBill } from '../domain/bill.ts';
import { figuresOf, type PricedCharge } from '../domain/spend.ts';
import { getPricingAnalytics } from '../gateway/pricing-analytics.ts';
import { priceRange } from './spend.ts';

const days = 7;
/** Each is a call of the provider. */
const maxAccounts = 50;
const atOnce = limited(10);

/** The provider's figure for the last seven days beside ours, of each business account. As dear as `getSpend`, and a call of the provider for each account. */
export const getBill = async (companyId: number): Promise<BillRecord> => {
  const range = { from: utcDayOf(now() - (days - 1) * dayMs), to: utcDayOf(now()) };
  const [priced, numbers] = await Promise.all([priceRange(companyId, range), listActiveNumbers(companyId)]);
  if (isProblem(priced)) throw new Error('The last seven days are no range.');
  const byAccount = [...Map.groupBy(numbers, ({ wabaId }) => wabaId).values()].slice(0, maxAccounts);
  const accounts = byAccount.map((own) => atOnce(() => billOf(own, ofAccount(priced.charges, own, byAccount.length), range)));
  return { ...range, accounts: await Promise.all(accounts) };
};

/** What cells say of codes, and of numbers that are counted together, is of no account; where there is one, all is of it. */
const ofAccount = (charges: readonly PricedCharge[], numbers: readonly BusinessNumber[], accounts: number): readonly PricedCharge[] =>
  accounts === 1 ? charges : charges.filter(({ numberId }) => numbers.some(({ id }) => id === numberId));

async function billOf(
  numbers: readonly BusinessNumber[],
  charges: readonly PricedCharge[],
  { from, to }: { from: string; to: string },
): Promise<AccountBill> {
  const [first] = numbers;
  if (!first) throw new Error('An account has a number.');
  const ours = figuresOf(charges);
  const account = { waba_id: first.wabaId, number_ids: numbers.map(({ id }) => id), ours };
  const none = { ...account, bill: null, difference_percent: null, differs: false };
  const { currency } = first;
  if (currency === undefined) return { ...none, reason: 'no_currency' };
  const seconds = {
    startSeconds: Date.parse(`${from}T00:00:00Z`) / 1_000,
    endSeconds: Date.parse(`${to}T00:00:00Z`) / 1_000 + dayMs / 1_000,
  };
  const answered = await getPricingAnalytics(first, first.wabaId, seconds);
  if (answered.outcome !== 'answered') return { ...none, reason: answered.outcome };
  const bill = sumOfBill(answered.points);
  const difference = differenceFrom(bill, charges, { currency, charged: ours.charged });
  return {
    ...account,
    bill: { amount: bill.micros === undefined ? null : toMoney(bill.micros, currency), charged: bill.charged },
    reason: null,
    difference_percent: difference === undefined ? null : percentText(difference),
    differs: isOtherBill(difference, Math.max(bill.charged, ours.charged)),
  };
}

/** By amounts in the account's currency; by charged messages where the provider shows no amounts. */
const differenceFrom = (
  bill: BillSum,
  charges: readonly PricedCharge[],
  { currency, charged }: { currency: string; charged: number },
): number | undefined => {
  if (bill.micros === undefined) return differenceOf(BigInt(charged), BigInt(bill.charged));
  const ours = charges.reduce((sum, { amount }) => sum + (amount?.currency === currency ? amount.micros : 0n), 0n);
  return differenceOf(ours, bill.micros);
};
