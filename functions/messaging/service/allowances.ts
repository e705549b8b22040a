import { processMap } from '../../../shared/runtime/memory.ts';
import type { CeilingPeriod, StoredSpendAccount } from '../../spend/contract/spend-account.ts';
import {
  allowancePeriod,
  getCurrentSpendAccount,
  getSpendAccount,
  giveBackWhenShort,
  grantable,
  grantOf,
  grantsOf,
  hasSameMoney,
  recordReached,
  returningToAccount,
  takingFromAccount,
  tightestCeiling,
} from '../../spend/service/spend-accounts.ts';
import { allowanceField, type AllowanceState, prefixThatFits, type SlotSpend, type SpendKind, totalOf } from '../domain/allowance.ts';
import { moveMoney } from '../store/money.ts';
import { addingToAllowance, clearingAllowances, getAllowances, returningSpend } from '../store/pace.ts';

/**
 * What a number may spend: granted from the account of its company, so that many workers do not write to one item for each message, and called in
 * again when the account is short, so that the last message is spent too. Money moves in transactions alone: no answer that is lost doubles it.
 */

export interface SpendingNumber {
  companyId: number;
  id: number;
  ratePerSecond: number;
}

/** How many of the messages may be sent, and the period that pays; or the ceiling that is reached. `contended`: others took it meanwhile. */
export type Provided =
  | { count: number; period: string }
  | { ceiling: CeilingPeriod; account: StoredSpendAccount; leftMicros: number }
  /** The company has no ceilings any more. */
  | 'unlimited'
  | 'contended';

export interface AllowanceRequest {
  kind: SpendKind;
  /** Of the next messages, in their order. */
  prices: readonly number[];
  /** What the number may spend, as a refused write has just shown it. */
  seen: AllowanceState;
}

/** Provides a number with what its next messages cost, or the first of them. 4 WRU a grant, and 2 RRU where the money is short. */
export const provideAllowance = (number: SpendingNumber, request: AllowanceRequest): Promise<Provided> => {
  const before = turns.get(number.companyId);
  return inTurn(number.companyId, async () => {
    // one that had to wait may be provided for meanwhile
    const granted = before ? undefined : await grantFromSeen(number, request);
    return granted ?? provide(number, request);
  });
};

/** Half a minute of sending lies with a number. */
const aheadSeconds = 30;
const maxTries = 40;

/**
 * The grant of an account with plenty, by what the process has seen of it: the conditions of its write hold, whatever has changed. Undefined: it is not granted
 * so, and what is there is to be read; as for codes always, whose reserve is dealt out by what is left of it.
 */
async function grantFromSeen(number: SpendingNumber, { kind, prices, seen }: AllowanceRequest): Promise<Provided | undefined> {
  if (kind !== 'other') return undefined;
  const account = await getSpendAccount(number.companyId);
  const period = account && allowancePeriod(account);
  if (!account || period === undefined || seen.period !== period) return undefined;
  const has = seen[allowanceField(kind)];
  const micros = grantOf(account, { needed: totalOf(prices) - has, ahead: aheadOf(number, prices), kind });
  if (micros === undefined || micros <= 0) return undefined;
  return (await grant(number, account, { kind, micros })) ? { count: prices.length, period } : undefined;
}

const aheadOf = ({ ratePerSecond }: SpendingNumber, prices: readonly number[]): number =>
  Math.ceil((totalOf(prices) / prices.length) * ratePerSecond * aheadSeconds);

/** Moves money from the account to the number; refused where either is not as it was seen. */
const grant = async (
  { companyId, id: numberId }: SpendingNumber,
  account: StoredSpendAccount,
  { kind, micros }: { kind: Exclude<SpendKind, 'counted'>; micros: number },
): Promise<boolean> => {
  const granted = await moveMoney({
    account: takingFromAccount(account, { numberId, kind, micros }),
    pace: addingToAllowance(companyId, numberId, { period: allowancePeriod(account), kind, micros }),
  });
  return granted.done;
};

async function provide(number: SpendingNumber, { kind, prices }: AllowanceRequest): Promise<Provided> {
  const { companyId, id: numberId } = number;
  for (let tries = 0; tries < maxTries; tries++) {
    const account = await getCurrentSpendAccount(companyId);
    if (!account) return 'unlimited';
    const period = allowancePeriod(account);
    const state = await getAllowances(companyId, numberId);
    if (state.period !== period) {
      await returnAllowances(account, numberId, state);
      continue;
    }
    if (kind === 'counted') return { count: prices.length, period };
    const has = state[allowanceField(kind)];
    const fit = prefixThatFits(prices, has + Math.max(0, grantable(account, kind)));
    const isAll = fit === prices.length;
    if (!isAll && (await callIn(account, { numberId, state, kind }))) continue;
    if (!isAll && (await giveBackWhenShort(companyId))) continue;
    if (fit === 0) {
      // only then were the allowances, which were read one after another, all that numbers had
      const current = await getCurrentSpendAccount(companyId);
      if (!current || !hasSameMoney(account, current)) continue;
      const ceiling = tightestCeiling(account, kind);
      await recordReached(account, ceiling);
      return { ceiling, account, leftMicros: has + grantable(account, kind) };
    }
    const needed = totalOf(prices.slice(0, fit)) - has;
    // another worker of the number has provided it
    if (needed <= 0) return { count: fit, period };
    const micros = grantOf(account, { needed, ahead: isAll ? aheadOf(number, prices) : 0, kind });
    if (micros === undefined) continue;
    if (await grant(number, account, { kind, micros })) return { count: fit, period };
  }
  return 'contended';
}

interface Short {
  numberId: number;
  state: AllowanceState;
  kind: SpendKind;
}

/** Calls in what other numbers, and the other kind of this one, may spend. Whether any of it came back. */
async function callIn(account: StoredSpendAccount, { numberId, state, kind }: Short): Promise<boolean> {
  // what codes have helps others only where codes have spent beyond their reserve
  const withCodes = kind === 'code' || grantable(account, 'code') < grantable({ ...account, ...withoutTotals(account) }, 'other');
  const isOwnUseful = kind === 'code' ? state.allowance > 0 : withCodes && state.codeAllowance > 0;
  if (isOwnUseful) return returnAllowances(account, numberId, state);
  for (const other of grantsOf(account).keys()) {
    if (other === numberId) continue;
    const held = await getAllowances(account.companyId, other);
    const isUseful = held.allowance > 0 || (withCodes && held.codeAllowance > 0);
    if (isUseful && (await returnAllowances(account, other, held))) return true;
  }
  return false;
}

/** The account with the counters for all but codes alone. */
const withoutTotals = ({ dayLeftForOthers, monthLeftForOthers }: StoredSpendAccount): Partial<StoredSpendAccount> => ({
  ...(dayLeftForOthers === undefined ? {} : { dayLeft: dayLeftForOthers }),
  ...(monthLeftForOthers === undefined ? {} : { monthLeft: monthLeftForOthers }),
});

/** A number has nothing to spend any more: what it had is the account's again, as far as it is of this time. Refused where it spent meanwhile. 4 WRU. */
export async function returnAllowances(account: StoredSpendAccount, numberId: number, state: AllowanceState): Promise<boolean> {
  const returned = await moveMoney({
    account: returningToAccount(account, numberId, state),
    pace: clearingAllowances(account.companyId, numberId, state, allowancePeriod(account)),
  });
  return returned.done;
}

/** Around a change of the ceilings: no number spends what it was granted before. `numberIds`: beside those that the account knows to hold money. */
export const callInAllowances = async (companyId: number, numberIds: readonly number[]): Promise<void> => {
  const granted = await getCurrentSpendAccount(companyId);
  for (const numberId of new Set([...numberIds, ...(granted ? grantsOf(granted).keys() : [])])) {
    for (let tries = 0; tries < maxTries; tries++) {
      const account = await getCurrentSpendAccount(companyId);
      const state = await getAllowances(companyId, numberId);
      // without ceilings no number spends an allowance, and one from before the next ceilings is void
      if (!account) break;
      if (state.allowance <= 0 && state.codeAllowance <= 0 && !grantsOf(account).has(numberId)) break;
      if (await returnAllowances(account, numberId, state)) break;
    }
  }
};

/** What the numbers of a company may spend in this period, and have not. 0.5 RRU a number. */
export const totalAllowance = async (account: StoredSpendAccount, numberIds: readonly number[]): Promise<number> => {
  const states = await Promise.all(numberIds.map((numberId) => getAllowances(account.companyId, numberId, { consistent: false })));
  return totalOf(
    states.map(({ period, allowance, codeAllowance }) => (period === allowancePeriod(account) ? allowance + codeAllowance : 0)),
  );
};

/**
 * Gives back what was taken for messages that were proven not to be sent. What is refused (the day has changed since) stays spent: that is
 * the safe side. 2 WRU.
 */
export const returnSpend = async ({ companyId, id }: Pick<SpendingNumber, 'companyId' | 'id'>, spend: SlotSpend): Promise<void> => {
  const { company, campaign } = spend;
  if ((company?.micros ?? 0) + (campaign?.micros ?? 0) === 0) return;
  const isReturned = (await moveMoney(returningSpend(companyId, id, spend))).done;
  if (!isReturned && company && campaign) await moveMoney(returningSpend(companyId, id, { campaign }));
};

/** One at a time of a company in a process: they would clash in the one account. */
async function inTurn<T>(companyId: number, work: () => Promise<T>): Promise<T> {
  const before = turns.get(companyId) ?? Promise.resolve();
  const mine = before.then(work);
  const turn = mine.then(
    () => undefined,
    () => undefined,
  );
  turns.set(companyId, turn);
  try {
    return await mine;
  } finally {
    if (turns.get(companyId) === turn) turns.delete(companyId);
  }
}

const turns = processMap<number, Promise<void>>();
