import { all, any, atLeast, differs, equals, missing, unchanged } from '../../../shared/table/condition.ts';
import { entity, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import {
  type CeilingPeriod,
  spendAccountEntityName,
  spendAlertsEntityName,
  storedSpendAccount,
  type StoredSpendAccount,
  storedSpendAlerts,
} from '../contract/spend-account.ts';
import {
  type AccountChange,
  type ChargeKind,
  counterFields,
  counterFieldsOf,
  freedFields,
  grantedField,
  returnedTo,
  takenFrom,
} from '../domain/spend-account.ts';

const partition = (companyId: number): string => `${tenant(companyId)}#SPEND`;

export const spendAccountEntity = entity({
  name: spendAccountEntityName,
  audited: true,
  purpose: 'The ceilings of a company, and what of them is left to be granted to its numbers',
  attributes: storedSpendAccount,
  key: ({ companyId }: { companyId: number }) => ({ pk: partition(companyId), sk: 'COMPANY' }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'C#<company>#SPEND', sk: 'COMPANY' },
});

export const spendAlertsEntity = entity({
  name: spendAlertsEntityName,
  purpose: 'Which shares of a ceiling were published, each once a period',
  attributes: storedSpendAlerts,
  key: ({ companyId }: { companyId: number }) => ({ pk: partition(companyId), sk: 'ALERTS' }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'C#<company>#SPEND', sk: 'ALERTS' },
});

export const getStoredSpendAccount = pattern(
  {
    question: 'the ceilings of a company and what is left of them',
    entity: spendAccountEntityName,
    by: 'GetItem',
    units: '0.5 RRU, 1 consistent',
  },
  (companyId: number, options: { consistent?: boolean } = {}): Promise<StoredSpendAccount | undefined> =>
    spendAccountEntity.get({ companyId }, options),
);

export const createSpendAccount = pattern(
  { question: 'the first ceilings of a company', entity: spendAccountEntityName, by: 'PutItem', units: '1 WRU' },
  (account: StoredSpendAccount): Promise<Written<StoredSpendAccount>> => spendAccountEntity.put(account, missing()),
);

/** Numbers that others move too. */
type MovingField = (typeof counterFields)[number] | (typeof freedFields)[number];

const asSeen = (seen: StoredSpendAccount, fields: readonly MovingField[] = []) =>
  all(equals('rev', seen.rev), equals('day', seen.day), ...fields.map((field) => unchanged(field, seen[field])));

/** Counters move by what others grant at the same time too: a change adds to them, while the settings, the day and these fields are as they were read. */
const changeAsSeen = (
  seen: StoredSpendAccount,
  { set, add }: AccountChange,
  fields: readonly MovingField[] = [],
): Promise<Written<StoredSpendAccount>> => spendAccountEntity.change({ companyId: seen.companyId }, { set, add }, asSeen(seen, fields));

export const changeSpendAccount = pattern(
  {
    question: 'other ceilings, or a new day, if the settings are unchanged since they were read',
    entity: spendAccountEntityName,
    by: 'UpdateItem',
    units: '1 WRU',
  },
  (seen: StoredSpendAccount, change: AccountChange) => changeAsSeen(seen, change),
);

/** A ceiling beside another one, if no number was granted money since the account was read, which would go back to a ceiling that never gave it. */
export const addCeilingToAccount = pattern(
  {
    question: 'a ceiling beside another, if nothing was granted since the account was read',
    entity: spendAccountEntityName,
    by: 'UpdateItem',
    units: '1 WRU',
  },
  (seen: StoredSpendAccount, change: AccountChange) => changeAsSeen(seen, change, counterFields),
);

/** A new day, or what goes back to the counters: once, under what had been given back when it was computed. */
export const giveBackToAccount = pattern(
  {
    question: 'give back what messages were proven not to cost, once',
    entity: spendAccountEntityName,
    by: 'UpdateItem',
    units: '1 WRU',
  },
  (seen: StoredSpendAccount, change: AccountChange) => changeAsSeen(seen, change, freedFields),
);

/** Remembers once a period that a message was refused: the event follows from it. */
export const updateReached = pattern(
  { question: 'remember that a ceiling was reached', entity: spendAccountEntityName, by: 'UpdateItem', units: '1 WRU' },
  async (seen: StoredSpendAccount, period: CeilingPeriod): Promise<void> => {
    const id = { companyId: seen.companyId };
    const { day, month } = seen;
    if (period === 'day')
      await spendAccountEntity.change(
        id,
        { set: { dayReached: day } },
        all(asSeen(seen), any(missing('dayReached'), differs('dayReached', day))),
      );
    else
      await spendAccountEntity.change(
        id,
        { set: { monthReached: month } },
        all(asSeen(seen), any(missing('monthReached'), differs('monthReached', month))),
      );
  },
);

export interface Allowance {
  numberId: number;
  kind: ChargeKind;
  micros: number;
}

/** The part of a grant: takes from the account what an allowance gets. */
export const takingFromAccount = (seen: StoredSpendAccount, { numberId, kind, micros }: Allowance): TransactionPart<StoredSpendAccount> =>
  spendAccountEntity.changing(
    { companyId: seen.companyId },
    { add: { ...takenFrom(seen, micros, kind), [grantedField(numberId)]: micros } },
    all(asSeen(seen), ...counterFieldsOf(seen, kind).map((field) => atLeast(field, micros))),
  );

/** The part of a return: gives what is left of a number's allowances back, as far as they are of this time. */
export const returningToAccount = (
  seen: StoredSpendAccount,
  numberId: number,
  { period, allowance, codeAllowance }: { period: string | undefined; allowance: number; codeAllowance: number },
): TransactionPart<StoredSpendAccount> => {
  const periods = returnedTo(seen, period);
  const [others, codes] = [takenFrom(seen, -allowance, 'other', periods), takenFrom(seen, -codeAllowance, 'code', periods)];
  const fields = new Set([...Object.keys(others), ...Object.keys(codes)]) as Set<keyof AccountChange['add']>;
  const add = Object.fromEntries([...fields].map((field) => [field, (others[field] ?? 0) + (codes[field] ?? 0)]));
  return spendAccountEntity.changing({ companyId: seen.companyId }, { add, remove: [grantedField(numberId)] }, asSeen(seen));
};
