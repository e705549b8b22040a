import {
  type AccountFields,
  type Alerted,
  type CeilingPeriod,
  ceilingPeriods,
  type StoppableCategory,
  type StoredSpendAccount,
} from '../contract/spend-account.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { priceCategoryOf } from './price.ts';

/** Who a message takes from: `code` from all that is left, `other` not from the reserve of codes, `counted` without ever being refused. */
export type ChargeKind = 'code' | 'other' | 'counted';

/** What is left of one ceiling: for all, and for all but codes. */
interface Counters {
  limit: number;
  left: number;
  leftForOthers: number;
}

/** The counters of a ceiling; undefined: the company has no such ceiling. */
export const countersOf = (account: StoredSpendAccount, period: CeilingPeriod): Counters | undefined => {
  const { dayLimit, dayLeft, dayLeftForOthers, monthLimit, monthLeft, monthLeftForOthers } = account;
  const [limit, left, leftForOthers] =
    period === 'day' ? [dayLimit, dayLeft, dayLeftForOthers] : [monthLimit, monthLeft, monthLeftForOthers];
  return limit === undefined ? undefined : { limit, left: left ?? 0, leftForOthers: leftForOthers ?? 0 };
};

export const hasCeiling = ({ dayLimit, monthLimit }: StoredSpendAccount): boolean => dayLimit !== undefined || monthLimit !== undefined;

/** What a kind of message may take of a counter. */
const usable = ({ left, leftForOthers }: Counters, kind: ChargeKind): number => (kind === 'code' ? left : Math.min(left, leftForOthers));

/** What may be granted for messages of a kind: the least that any ceiling leaves. */
export const grantable = (account: StoredSpendAccount, kind: ChargeKind): number =>
  Math.min(
    ...ceilingPeriods.flatMap((period) => {
      const counters = countersOf(account, period);
      return counters ? [usable(counters, kind)] : [];
    }),
  );

/** The ceiling that leaves least for a kind of message: of two equal ones the longer, which ends later. */
export const tightestCeiling = (account: StoredSpendAccount, kind: ChargeKind): CeilingPeriod => {
  const [day, month] = [countersOf(account, 'day'), countersOf(account, 'month')];
  if (!day) return 'month';
  return month && usable(month, kind) <= usable(day, kind) ? 'month' : 'day';
};

/** The part of a limit that only codes may use, rounded down. */
export const reserveOf = (limit: number, percent: number): number => Number((BigInt(limit) * BigInt(percent)) / 100n);

export interface GrantRequest {
  /** What is short. */
  needed: number;
  /** What half a minute of sending costs. */
  ahead: number;
  kind: ChargeKind;
}

/**
 * How much is granted: what is short, and where there is plenty what half a minute of sending costs, at most a hundredth of the day's ceiling (of
 * the month's, without one), for codes a tenth of their reserve where that is more: of a hundred codes of a reserve one waits for a grant. So little
 * lies with the numbers, and an account is not written for each message. Undefined: not even what is short is left.
 */
export const grantOf = (account: StoredSpendAccount, { needed, ahead, kind }: GrantRequest): number | undefined => {
  const left = grantable(account, kind);
  if (needed > left) return undefined;
  const limit = account.dayLimit ?? account.monthLimit ?? 0;
  const ofReserve = kind === 'code' ? reserveOf(limit, account.reservePercent) : 0;
  const share = Math.max(Math.floor(limit / 100), Math.floor(ofReserve / 10));
  const wanted = Math.max(needed, Math.min(ahead, share));
  if (wanted <= left) return wanted;
  // of codes half of what is left, so that few of the last ones wait for a grant either
  return kind === 'code' ? Math.max(needed, Math.min(wanted, Math.floor(left / 2))) : needed;
};

/** The day and month of a time, UTC. */
export const periodsAt = (nowMs: number): Pick<StoredSpendAccount, 'day' | 'month'> => {
  const iso = new Date(nowMs).toISOString();
  return { day: iso.slice(0, 10), month: iso.slice(0, 7) };
};

/** When a ceiling begins anew, epoch milliseconds. */
export const resetsAtMs = ({ day, month }: Pick<StoredSpendAccount, 'day' | 'month'>, period: CeilingPeriod): number => {
  if (period === 'day') return Date.parse(`${day}T00:00:00Z`) + 86_400_000;
  const [year = 0, nth = 0] = month.split('-').map(Number);
  return Date.UTC(year, nth, 1);
};

/**
 * What an allowance is of: the account's beginning and the day. The allowance of another day, or from before the counters began anew, is not to be
 * spent.
 */
export const allowancePeriod = ({ began, day }: Pick<StoredSpendAccount, 'began' | 'day'>): string => `${began}:${day}`;

/** Which counters what is left of an allowance goes back to: of this day both, of an earlier day of the month the month's, else none. */
export const returnedTo = (account: StoredSpendAccount, period: string | undefined): readonly CeilingPeriod[] => {
  const [began, day = ''] = period?.split(':') ?? [];
  if (Number(began) !== account.began) return [];
  if (day === account.day) return ceilingPeriods.filter((each) => countersOf(account, each));
  return day.startsWith(account.month) && account.monthLimit !== undefined ? ['month'] : [];
};

/** Who a message of a category takes from, by what the company lets its ceilings stop. Undefined: no card prices the category. */
export const chargeKindOf = ({ stops }: Pick<StoredSpendAccount, 'stops'>, category: string): ChargeKind => {
  const known = priceCategoryOf(category);
  const stoppable: StoppableCategory | undefined = known === 'authentication_international' ? 'authentication' : known;
  if (stoppable !== undefined && !stops.includes(stoppable)) return 'counted';
  return stoppable === 'authentication' ? 'code' : 'other';
};

/** The field of an account that has what was granted to a number. */
export const grantedField = (numberId: number): `n:${number}` => `n:${numberId}`;

/** What was granted to each number since its allowance was last returned: those that may hold one. */
export const grantsOf = (account: StoredSpendAccount): ReadonlyMap<number, unknown> =>
  new Map(Object.entries(account).flatMap(([field, micros]) => (field.startsWith('n:') ? [[Number(field.slice(2)), micros]] : [])));

/**
 * Whether an account has the same money in the same places: the settings and the day it is of, what is left of each ceiling, and what was granted to each
 * number. Then nothing was granted or returned between two reads. What it says beside (what was reached, when it was changed) does not count.
 */
export const hasSameMoney = (one: StoredSpendAccount, other: StoredSpendAccount): boolean => {
  const [grants, others] = [grantsOf(one), grantsOf(other)];
  return (
    one.rev === other.rev &&
    one.began === other.began &&
    one.day === other.day &&
    counterFields.every((field) => one[field] === other[field]) &&
    grants.size === others.size &&
    [...grants].every(([numberId, micros]) => others.get(numberId) === micros)
  );
};

/** The settings of the ceilings as they are stored. */
export type CeilingSettings = Pick<
  StoredSpendAccount,
  'currency' | 'dayLimit' | 'monthLimit' | 'reservePercent' | 'stops' | 'unknownPrice' | 'onReached'
>;

/** A change of an account: fields that are set, or removed where undefined, and numbers that are added. */
export interface AccountChange {
  set: AccountFields;
  add: Partial<Record<CounterField, number>>;
}
export const counterFields = ['dayLeft', 'dayLeftForOthers', 'monthLeft', 'monthLeftForOthers'] as const;
type CounterField = (typeof counterFields)[number];

/** What of a period was given back: nothing is given back twice, since a change names what it found here. */
export const freedFields = ['dayFreed', 'dayFreedForOthers', 'monthFreed', 'monthFreedForOthers'] as const;

const fieldsOf = {
  day: {
    limit: 'dayLimit',
    left: 'dayLeft',
    leftForOthers: 'dayLeftForOthers',
    reached: 'dayReached',
    freed: 'dayFreed',
    freedForOthers: 'dayFreedForOthers',
    since: 'daySince',
  },
  month: {
    limit: 'monthLimit',
    left: 'monthLeft',
    leftForOthers: 'monthLeftForOthers',
    reached: 'monthReached',
    freed: 'monthFreed',
    freedForOthers: 'monthFreedForOthers',
    since: 'monthSince',
  },
} as const satisfies Record<CeilingPeriod, Record<string, keyof StoredSpendAccount>>;

/** What a grant takes from an account; negative: what a return gives back to the counters of `periods`. */
export const takenFrom = (
  account: StoredSpendAccount,
  micros: number,
  kind: ChargeKind,
  periods: readonly CeilingPeriod[] = ceilingPeriods,
): AccountChange['add'] => {
  const add: AccountChange['add'] = {};
  for (const period of periods) {
    if (!countersOf(account, period)) continue;
    add[fieldsOf[period].left] = -micros;
    if (kind !== 'code') add[fieldsOf[period].leftForOthers] = -micros;
  }
  return add;
};

/** The counters that a grant must leave at 0 or more. */
export const counterFieldsOf = (account: StoredSpendAccount, kind: ChargeKind): CounterField[] =>
  ceilingPeriods.flatMap((period): CounterField[] => {
    if (!countersOf(account, period)) return [];
    return kind === 'code' ? [fieldsOf[period].left] : [fieldsOf[period].left, fieldsOf[period].leftForOthers];
  });

/**
 * What the periods that a time begins change: their counters are full again, and that of a month that goes on has back what was `freed` of its days so
 * far. Undefined: the account is of this time, or of a later one.
 */
export const changeAtPeriod = (
  account: StoredSpendAccount,
  nowMs: number,
  freed: readonly FreedMoney[] = [],
): AccountChange | undefined => {
  const { day, month } = periodsAt(nowMs);
  if (day <= account.day) return undefined;
  const begun = ceilingPeriods.filter((period) => period === 'day' || month !== account.month);
  const goesOn = changeOfFreed(
    account,
    freed,
    ceilingPeriods.filter((period) => !begun.includes(period)),
  );
  return {
    set: { day, month, ...Object.assign({}, ...begun.map((period) => fullCounters(account, period))), ...goesOn?.set },
    add: { ...goesOn?.add },
  };
};

/** What messages that were taken from an allowance were proven not to cost: all of those that failed or were free, of others what they cost less. */
export interface FreedMoney {
  /** What the allowance was of. */
  period: string;
  kind: Exclude<ChargeKind, 'counted'>;
  micros: number;
}

/**
 * What goes back to the counters: what is freed, less what was given back before. It depends on the sums alone, so that it makes no difference how often
 * and in which order outcomes came, and no message gives back more than it took. A sum only grows: a smaller one is an older read. Undefined: nothing.
 */
export const changeOfFreed = (
  account: StoredSpendAccount,
  freed: readonly FreedMoney[],
  periods: readonly CeilingPeriod[] = ceilingPeriods,
): AccountChange | undefined => {
  const change: AccountChange = { set: {}, add: {} };
  for (const period of periods) {
    if (!countersOf(account, period)) continue;
    const fields = fieldsOf[period];
    const own = freed.filter((each) => countsFor(account, period, each.period));
    const totals = [
      { micros: own, left: fields.left, given: fields.freed },
      { micros: own.filter(({ kind }) => kind !== 'code'), left: fields.leftForOthers, given: fields.freedForOthers },
    ] as const;
    for (const { micros, left, given } of totals) {
      const total = micros.reduce((sum, each) => sum + each.micros, 0);
      const by = total - (account[given] ?? 0);
      if (by <= 0) continue;
      change.add[left] = by;
      change.set[given] = total;
    }
  }
  return Object.keys(change.add).length > 0 ? change : undefined;
};

/** Whether what an allowance paid was taken from the counters as they are now. */
function countsFor(account: StoredSpendAccount, period: CeilingPeriod, allowanceOf: string): boolean {
  const [began, day = ''] = allowanceOf.split(':');
  const isOfPeriod = period === 'day' ? day === account.day : day.startsWith(account.month);
  return Number(began) === account.began && isOfPeriod && day > (account[fieldsOf[period].since] ?? '');
}

const fullCounters = (settings: CeilingSettings, period: CeilingPeriod, spent = 0): AccountFields => {
  const { limit: limitField, left, leftForOthers, reached, freed, freedForOthers } = fieldsOf[period];
  const limit = settings[limitField];
  return {
    [left]: limit === undefined ? undefined : limit - spent,
    [leftForOthers]: limit === undefined ? undefined : limit - reserveOf(limit, settings.reservePercent) - spent,
    [reached]: undefined,
    [freed]: undefined,
    [freedForOthers]: undefined,
  };
};

/**
 * What new settings change. A limit that moves moves its counters by as much, so that what is spent stays spent; a limit that is new begins with
 * what the period has cost. Another currency, and ceilings after there were none, begin anew.
 */
export const changeOfSettings = (
  account: StoredSpendAccount,
  settings: CeilingSettings,
  spent: Readonly<Record<CeilingPeriod, number>>,
  at: number,
): AccountChange => {
  const isAnew = settings.currency !== account.currency || !hasCeiling(account);
  const set: AccountFields = {
    ...settings,
    // an account has no field for a limit that there is not
    dayLimit: settings.dayLimit,
    monthLimit: settings.monthLimit,
    rev: account.rev + 1,
    began: account.began + Number(isAnew),
    updatedAt: at,
  };
  const add: AccountChange['add'] = {};
  for (const period of ceilingPeriods) {
    const { limit: limitField, left, leftForOthers, reached, since } = fieldsOf[period];
    const [before, after] = [account[limitField], settings[limitField]];
    if (isAnew || before === undefined || after === undefined) {
      Object.assign(set, fullCounters(settings, period, spent[period]), {
        [since]: isAnew || after === undefined ? undefined : account.day,
      });
      continue;
    }
    const reserves = reserveOf(after, settings.reservePercent) - reserveOf(before, account.reservePercent);
    if (after !== before) add[left] = after - before;
    if (after - before - reserves !== 0) add[leftForOthers] = after - before - reserves;
    // it may be reached again
    if (after !== before) set[reached] = undefined;
  }
  return { set, add };
};

/** Whether new settings add a ceiling beside one that there is: the new one has given nothing yet to any number, and has nothing back from one. */
export const addsCeiling = (account: StoredSpendAccount, settings: CeilingSettings): boolean =>
  settings.currency === account.currency &&
  hasCeiling(account) &&
  ceilingPeriods.some((period) => {
    const { limit } = fieldsOf[period];
    return account[limit] === undefined && settings[limit] !== undefined;
  });

/** An account whose settings are set for the first time. */
export const newSpendAccount = (
  companyId: number,
  settings: CeilingSettings,
  spent: Readonly<Record<CeilingPeriod, number>>,
  at: number,
): StoredSpendAccount => {
  const account: StoredSpendAccount = { companyId, rev: 1, began: 1, ...settings, ...periodsAt(at), updatedAt: at };
  for (const period of ceilingPeriods) Object.assign(account, fullCounters(settings, period, spent[period]));
  return defined(account);
};

/** The shares of a ceiling that are published when they are spent. */
export const alertPercents = [50, 80, 100] as const;

/** The share of a ceiling that is published: 100 as soon as a message was refused. What was granted to numbers counts as spent. */
export const alertOf = (account: StoredSpendAccount | undefined, period: CeilingPeriod): Alerted | undefined => {
  const counters = account && countersOf(account, period);
  if (!counters) return undefined;
  const isReached = account[fieldsOf[period].reached] === account[period];
  const spent = counters.limit - counters.left;
  const percent = isReached ? 100 : (alertPercents.findLast((each) => BigInt(spent) * 100n >= BigInt(counters.limit) * BigInt(each)) ?? 0);
  return {
    period: `${account[period]}/${account.began}/${counters.limit}`,
    percent,
    limit: counters.limit,
    left: counters.left,
    currency: account.currency,
  };
};

/** Whether an alert says more than the one that was published: another period or ceiling, or a greater share of it. */
export const isNewAlert = (published: Alerted | undefined, alert: Alerted | undefined): alert is Alerted =>
  alert !== undefined && alert.percent > (published?.period === alert.period ? published.percent : 0);
