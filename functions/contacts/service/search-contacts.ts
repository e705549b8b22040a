import { getCounter } from '../../../shared/table/counter.ts';
import { contactEntityName } from '../contract/stored.ts';
import { lineMatcher } from '../domain/search.ts';
import { searchDigests } from '../store/digest.ts';

/** Ids of the live contacts whose name or phone contains the text (A13), for other contexts. About 5 RRU per 1,000 contacts. */
export const searchContacts = async (companyId: number, typed: string): Promise<number[]> => {
  const { lastId } = await getCounter(companyId, contactEntityName);
  return searchDigests(companyId, lastId, lineMatcher(typed));
};
