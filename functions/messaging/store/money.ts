import { commit, type Committed, type Parts } from '../../../shared/table/transaction.ts';

/**
 * Money moves between the account of a company and the allowances of its numbers in one transaction, so that no lost answer doubles it. One that clashed with
 * others again and again was not written. 2 WRU for each item.
 */
export async function moveMoney<const P extends Parts>(parts: P): Promise<Pick<Committed<P>, 'done'>> {
  try {
    return await commit(parts);
  } catch (error) {
    if (error instanceof Error && error.name === 'TransactionCanceledException') return { done: false };
    throw error;
  }
}
