import { isProblem } from '../../../shared/contract/problems.ts';
import { minuteMs, now } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { atMostEvery } from '../../../shared/runtime/memory.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { freedIn } from '../../usage/contract/charges.ts';
import { listUsageOfMonths } from '../../usage/service.ts';
import type { StoredSpendAccount } from '../contract/spend-account.ts';
import { allowancePeriod, changeAtPeriod, changeOfFreed, type FreedMoney, hasCeiling, periodsAt } from '../domain/spend-account.ts';
import { getStoredSpendAccount, giveBackToAccount } from '../store/spend-account.ts';

/**
 * What ceilings took and messages were proven not to cost goes back to them: when an account is short, at most once a minute, and at the end of a day. It
 * is computed from what the days of the month have counted, so that nothing goes back twice. See docs/decisions/spend-ceilings.md.
 */

/** Gives back what the month has freed so far; whether there was any. 5 to 10 RRU for the days of the month, 1 RRU and 1 WRU. */
export const giveBackFreed = async (companyId: number): Promise<boolean> => {
  const freed = await listFreed(companyId);
  return retryOnConflict(maxConflicts, async () => {
    const account = await getStoredSpendAccount(companyId, { consistent: true });
    // a day that begins has its own write
    if (!account || !hasCeiling(account) || changeAtPeriod(account, now())) return false;
    const change = changeOfFreed(account, freed);
    if (!change) return false;
    if (!(await giveBackToAccount(account, change)).done) return conflict;
    metric('SpendGivenBack', 'Count', 1);
    return true;
  });
};

const mayLook = atMostEvery<number>(minuteMs);

/** The same for an account that is short: once a minute in a process. */
export const giveBackWhenShort = async (companyId: number): Promise<boolean> => mayLook(companyId) && giveBackFreed(companyId);

/** Begins the day of an account, where there is a new one: with what the days of its month have freed, in one write. Undefined: it is of this day. */
export const beginDay = async (account: StoredSpendAccount): Promise<Awaited<ReturnType<typeof giveBackToAccount>> | undefined> => {
  if (!changeAtPeriod(account, now())) return undefined;
  const isOtherMonth = periodsAt(now()).month !== account.month;
  const freed = account.monthLimit === undefined || isOtherMonth ? [] : await listFreed(account.companyId);
  const change = changeAtPeriod(account, now(), freed);
  return change && giveBackToAccount(account, change);
};

/** What the days of the present month have freed. 0.5 RRU per 4 KB of them. */
async function listFreed(companyId: number): Promise<FreedMoney[]> {
  const today = periodsAt(now()).day;
  const used = await listUsageOfMonths(companyId, { from: today, to: today });
  if (isProblem(used)) throw new Error('The present day is no range.');
  return used.days.flatMap(({ date, cells }) =>
    freedIn(cells).map(({ began, kind, micros }) => ({ period: allowancePeriod({ began, day: date }), kind, micros })),
  );
}
