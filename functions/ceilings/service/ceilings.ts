import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { listBusinessNumbers } from '../../account/service/numbers.ts';
import { callInAllowances, totalAllowance } from '../../messaging/service/allowances.ts';
import {
  type CeilingPeriod,
  defaultCeilings,
  type StoppableCategory,
  type StoredSpendAccount,
} from '../../spend/contract/spend-account.ts';
import { microsOfText, moneyText } from '../../spend/service/money-text.ts';
import { spentSoFar } from '../../spend/service/spend.ts';
import { leftOf, putCeilings, readCeilings, resetsAtMs } from '../../spend/service/spend-accounts.ts';
import type { CeilingsBody, CeilingsRecord } from '../contract/ceilings.ts';

/** The ceilings of a company. What its numbers were granted and have not spent is left too. 1 RRU, and 0.5 a number. */
export const getCeilings = async (companyId: number): Promise<CeilingsRecord> => {
  const account = await readCeilings(companyId);
  if (!account) return { currency: null, day: null, month: null, ...settingsOf(defaultCeilings), updated_at: null };
  return toRecord(account, await totalAllowance(account, await numberIdsOf(companyId)));
};

/** Sets the ceilings, and takes back what numbers were granted under the former ones. 2 WRU, 4 for each number that was granted money, and the reads of `getSpend` for a month. */
export const setCeilings = async (companyId: number, input: CeilingsBody): Promise<CeilingsRecord | Problem<'validation_failed'>> => {
  const stored = await readCeilings(companyId);
  const currency = input.currency ?? stored?.currency;
  if (currency === undefined) return invalid('currency', 'Send the currency of the ceilings: none was set yet.');
  const isOther = stored !== undefined && currency !== stored.currency;
  if (isOther && [input.day, input.month].includes(undefined))
    return invalid('currency', 'With another currency send both ceilings, or null.');
  const limitOf = (given: string | null | undefined, before: number | undefined): number | undefined =>
    given === undefined ? before : given === null ? undefined : microsOfText(given);
  const before = stored ?? defaultCeilings;
  const settings = {
    currency,
    dayLimit: limitOf(input.day, stored?.dayLimit),
    monthLimit: limitOf(input.month, stored?.monthLimit),
    reservePercent: input.code_reserve_percent ?? before.reservePercent,
    stops: [...new Set(input.stops ?? before.stops)],
    unknownPrice: input.unknown_price ?? before.unknownPrice,
    onReached: input.on_reached ?? before.onReached,
  };
  const numberIds = await numberIdsOf(companyId);
  await retryOnConflict(maxConflicts, async () => {
    const put = await putCeilings(companyId, settings, await spentSoFar(companyId, currency));
    if (put !== 'granted') return put;
    await callInAllowances(companyId, numberIds);
    return conflict;
  });
  await callInAllowances(companyId, numberIds);
  return getCeilings(companyId);
};

/** Inactive ones too: they may have been granted money. */
const numberIdsOf = async (companyId: number): Promise<number[]> => (await listBusinessNumbers(companyId)).map(({ id }) => id);

type Settings = Pick<StoredSpendAccount, 'reservePercent' | 'unknownPrice' | 'onReached'> & { stops: readonly StoppableCategory[] };

const settingsOf = ({ reservePercent, stops, unknownPrice, onReached }: Settings) => ({
  code_reserve_percent: reservePercent,
  stops: [...stops],
  unknown_price: unknownPrice,
  on_reached: onReached,
});

const toRecord = (account: StoredSpendAccount, allowances: number): CeilingsRecord => ({
  currency: account.currency,
  day: ceilingOf(account, 'day', allowances),
  month: ceilingOf(account, 'month', allowances),
  ...settingsOf(account),
  updated_at: isoTime(account.updatedAt),
});

function ceilingOf(account: StoredSpendAccount, period: CeilingPeriod, allowances: number): CeilingsRecord['day'] {
  const counters = leftOf(account, period);
  if (!counters) return null;
  return {
    limit: moneyText(counters.limit),
    left: moneyText(counters.left + allowances),
    resets_at: isoTime(resetsAtMs(account, period)),
  };
}
