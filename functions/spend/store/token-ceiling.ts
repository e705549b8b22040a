import { all, atLeast, type ConditionOn, equals, missing } from '../../../shared/table/condition.ts';
import { entity, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { rawItems } from '../../../shared/table/query.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { commit, type TransactionPart } from '../../../shared/table/transaction.ts';
import { spendAccountEntityName, type StoredSpendAccount } from '../contract/spend-account.ts';
import { storedTokenCeiling, type StoredTokenCeiling, type TokenAmount, tokenCeilingEntityName } from '../contract/token-ceiling.ts';
import { changeOfTaking, type TokenCeilingChange } from '../domain/token-ceiling.ts';
import { spendAccountEntity } from './spend-account.ts';

const partition = (companyId: number): string => `${tenant(companyId)}#SPEND`;
const prefix = 'CREDENTIAL#';

const tokenCeilingEntity = entity({
  name: tokenCeilingEntityName,
  audited: true,
  purpose: 'The most that is sent with a personal token on a day, and what is left of it',
  attributes: storedTokenCeiling,
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: partition(companyId), sk: `${prefix}${sortable(id)}` }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  example: { pk: 'C#<company>#SPEND', sk: 'CREDENTIAL#<id of the token>' },
});

/** What a company has set: its account, and the ceilings of its tokens. */
export interface StoredCeilings {
  account: StoredSpendAccount | undefined;
  tokens: StoredTokenCeiling[];
}

export const readStoredCeilings = pattern(
  {
    question: 'all ceilings of a company: its own, and those of its tokens',
    entity: spendAccountEntityName,
    by: 'Query',
    units: '0.5 RRU for about 16 tokens',
  },
  async (companyId: number): Promise<StoredCeilings> => {
    const found: StoredCeilings = { account: undefined, tokens: [] };
    for await (const raw of rawItems({ pk: partition(companyId), between: ['COMPANY', `${prefix}~`] })) {
      if (raw['kind'] === spendAccountEntityName) found.account = spendAccountEntity.parse(raw);
      else found.tokens.push(tokenCeilingEntity.parse(raw));
    }
    return found;
  },
);

export const listStoredTokenCeilings = pattern(
  { question: 'the ceilings of the tokens of a company', entity: tokenCeilingEntityName, by: 'Query', units: '1 RRU for about 16 tokens' },
  (companyId: number): Promise<StoredTokenCeiling[]> =>
    tokenCeilingEntity.collect({ pk: partition(companyId), begins: prefix, consistent: true }),
);

export const getStoredTokenCeiling = pattern(
  { question: 'the ceiling of a token', entity: tokenCeilingEntityName, by: 'GetItem', units: '1 RRU' },
  (companyId: number, id: number): Promise<StoredTokenCeiling | undefined> =>
    tokenCeilingEntity.get({ companyId, id }, { consistent: true }),
);

export const createTokenCeiling = pattern(
  { question: 'the first ceiling of a token', entity: tokenCeilingEntityName, by: 'PutItem', units: '1 WRU' },
  (ceiling: StoredTokenCeiling): Promise<Written<StoredTokenCeiling>> => tokenCeilingEntity.put(ceiling, missing()),
);

/** Counters move by what is sent at the same time: a change adds to them, under the limits and the day that were read. */
export const changeTokenCeiling = pattern(
  {
    question: 'other limits of a token, if they are unchanged since they were read',
    entity: tokenCeilingEntityName,
    by: 'UpdateItem',
    units: '1 WRU',
  },
  (seen: StoredTokenCeiling, { set, add }: TokenCeilingChange): Promise<Written<StoredTokenCeiling>> =>
    tokenCeilingEntity.change(seen, { set, add }, asSeen(seen)),
);

export const deleteEmptyCeiling = pattern(
  { question: 'the ceiling of a token is gone, once it has no limit', entity: tokenCeilingEntityName, by: 'DeleteItem', units: '1 WRU' },
  async (seen: StoredTokenCeiling): Promise<void> => {
    await tokenCeilingEntity.delete(seen, asSeen(seen));
  },
);

/** What one call may take: all of the amount or nothing, on the day that it names. */
export const takeFromTokenCeiling = pattern(
  {
    question: 'take a message and its cost from the ceiling of a token',
    entity: tokenCeilingEntityName,
    by: 'UpdateItem',
    units: '1 WRU',
  },
  (seen: StoredTokenCeiling, amount: TokenAmount, day: string): Promise<Written<StoredTokenCeiling>> =>
    tokenCeilingEntity.change(seen, changeOfTaking(seen, amount, day), mayTake(seen, amount, day)),
);

/** The same as the part of a transaction, with what is paid by it. */
export const takingFromTokenCeiling = (seen: StoredTokenCeiling, amount: TokenAmount, day: string): TransactionPart<StoredTokenCeiling> =>
  tokenCeilingEntity.changing(seen, changeOfTaking(seen, amount, day), mayTake(seen, amount, day));

/** Gives an amount back to the day and the limits that it was taken from. A transaction: its repetition by the SDK adds nothing twice. */
export const returnToTokenCeiling = pattern(
  { question: 'give back what was not sent', entity: tokenCeilingEntityName, by: 'TransactWriteItems', units: '2 WRU' },
  async (taken: StoredTokenCeiling, { messages = 0, micros = 0 }: TokenAmount): Promise<void> => {
    const negative = { messages: -messages, micros: -micros };
    await commit({ ceiling: tokenCeilingEntity.changing(taken, changeOfTaking(taken, negative, taken.day), asSeen(taken)) });
  },
);

const asSeen = ({ rev, day }: Pick<StoredTokenCeiling, 'rev' | 'day'>) => all(equals('rev', rev), equals('day', day));

/** On a day that begins the limits themselves are what is left. */
function mayTake(seen: StoredTokenCeiling, { messages, micros }: TokenAmount, day: string): ConditionOn<StoredTokenCeiling> {
  const isBegun = day === seen.day;
  return all(
    asSeen(seen),
    ...(messages === undefined ? [] : [isBegun ? atLeast('messagesLeft', messages) : atLeast('messages', messages)]),
    ...(micros === undefined ? [] : [isBegun ? atLeast('microsLeft', micros) : atLeast('micros', micros)]),
  );
}
