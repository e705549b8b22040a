import { now } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { CeilingPeriod, StoredSpendAccount } from '../contract/spend-account.ts';
import type { StoredTokenCeiling } from '../contract/token-ceiling.ts';
import {
  addsCeiling,
  allowancePeriod,
  changeOfSettings,
  countersOf,
  type CeilingSettings,
  grantable,
  grantOf,
  type GrantRequest,
  grantsOf,
  hasCeiling,
  hasSameMoney,
  newSpendAccount,
  resetsAtMs,
  tightestCeiling,
} from '../domain/spend-account.ts';
import {
  addCeilingToAccount,
  changeSpendAccount,
  createSpendAccount,
  getStoredSpendAccount,
  returningToAccount,
  takingFromAccount,
  updateReached,
} from '../store/spend-account.ts';
import { beginDay, giveBackWhenShort } from './freed-money.ts';
import { hasLimit } from '../domain/token-ceiling.ts';
import { readStoredCeilings } from '../store/token-ceiling.ts';

export type { ChargeKind } from '../domain/spend-account.ts';
export {
  allowancePeriod,
  giveBackWhenShort,
  countersOf as leftOf,
  grantable,
  grantOf,
  type GrantRequest,
  grantsOf,
  hasSameMoney,
  resetsAtMs,
  returningToAccount,
  takingFromAccount,
  tightestCeiling,
};

/** How long a process goes by what it has read: a first ceiling holds within this time. Limits that are lowered hold at once, by the account itself. */
const accountAgeMs = 10_000;
const seen = processMap<number, { account: StoredSpendAccount | undefined; readAt: number }>();
const seenTokens = processMap<number, { ceilings: Map<number, StoredTokenCeiling>; readAt: number }>();
const maxSeen = 10_000;

/** The account of a company that has ceilings, at most ten seconds old; undefined: it has none. 0.5 RRU a process and ten seconds. */
export const getSpendAccount = async (companyId: number): Promise<StoredSpendAccount | undefined> => {
  const known = seen.get(companyId);
  return isRecent(known) ? known.account : (await readAll(companyId)).account;
};

/** The ceilings of a company's tokens by token, at most ten seconds old. They are read with the account of the company, in one request. */
export const getTokenCeilings = async (companyId: number): Promise<ReadonlyMap<number, StoredTokenCeiling>> => {
  const known = seenTokens.get(companyId);
  return isRecent(known) ? known.ceilings : (await readAll(companyId)).ceilings;
};

const isRecent = <T extends { readAt: number }>(known: T | undefined): known is T =>
  known !== undefined && Math.abs(now() - known.readAt) < accountAgeMs;

async function readAll(
  companyId: number,
): Promise<{ account: StoredSpendAccount | undefined; ceilings: ReadonlyMap<number, StoredTokenCeiling> }> {
  const { account, tokens } = await readStoredCeilings(companyId);
  const ceilings = new Map(tokens.filter(hasLimit).map((ceiling) => [ceiling.id, ceiling]));
  if (seenTokens.size >= maxSeen) seenTokens.clear();
  seenTokens.set(companyId, { ceilings, readAt: now() });
  return { account: remember(companyId, account), ceilings };
}

/** The ceiling of a token as a write has just met it; undefined: it is gone. */
export const rememberTokenCeiling = (companyId: number, id: number, ceiling: StoredTokenCeiling | undefined): void => {
  const ceilings = seenTokens.get(companyId)?.ceilings;
  if (ceiling && hasLimit(ceiling)) ceilings?.set(id, ceiling);
  else ceilings?.delete(id);
};

/** The account as it is, of the present day. 1 RRU, and 1 WRU for the first of a day. */
export const getCurrentSpendAccount = (companyId: number): Promise<StoredSpendAccount | undefined> =>
  retryOnConflict(maxConflicts, async () => {
    const stored = await getStoredSpendAccount(companyId, { consistent: true });
    const begun = stored && hasCeiling(stored) ? await beginDay(stored) : undefined;
    if (!begun) return remember(companyId, stored);
    return begun.done ? remember(companyId, begun.item) : conflict;
  });

function remember(companyId: number, stored: StoredSpendAccount | undefined): StoredSpendAccount | undefined {
  const account = stored && hasCeiling(stored) ? stored : undefined;
  if (seen.size >= maxSeen) seen.clear();
  seen.set(companyId, { account, readAt: now() });
  return account;
}

/** Publishes once a period that a message was refused. */
export const recordReached = async (account: StoredSpendAccount, period: CeilingPeriod): Promise<void> => {
  const isKnown = period === 'day' ? account.dayReached === account.day : account.monthReached === account.month;
  if (isKnown) return;
  metric('SpendLimits', 'Count', 1, {}, { code: period });
  await updateReached(account, period);
};

/**
 * Sets the ceilings of a company. What is spent stays spent; a ceiling that is new begins with what its period has cost (`spent`). `granted`: nothing is set,
 * because a ceiling comes beside another while numbers hold money. 1 to 2 WRU.
 */
export const putCeilings = (
  companyId: number,
  settings: CeilingSettings,
  spent: Readonly<Record<CeilingPeriod, number>> = { day: 0, month: 0 },
): Promise<StoredSpendAccount | 'granted'> =>
  retryOnConflict(maxConflicts, async () => {
    const stored = await getStoredSpendAccount(companyId, { consistent: true });
    if (!stored) {
      const created = await createSpendAccount(newSpendAccount(companyId, settings, spent, now()));
      return created.done ? rememberWhole(created.item) : conflict;
    }
    if (await beginDay(stored)) return conflict;
    const isAdded = addsCeiling(stored, settings);
    if (isAdded && grantsOf(stored).size > 0) return 'granted';
    const changed = await (isAdded ? addCeilingToAccount : changeSpendAccount)(stored, changeOfSettings(stored, settings, spent, now()));
    return changed.done ? rememberWhole(changed.item) : conflict;
  });

function rememberWhole(account: StoredSpendAccount): StoredSpendAccount {
  remember(account.companyId, account);
  return account;
}

/** The ceilings as they are stored, of the present day; without any too. 1 RRU. */
export const readCeilings = async (companyId: number): Promise<StoredSpendAccount | undefined> => {
  await getCurrentSpendAccount(companyId);
  return getStoredSpendAccount(companyId, { consistent: true });
};
