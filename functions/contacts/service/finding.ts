import { readHead } from '../../../shared/table/head.ts';
import { contactEntityName } from '../contract/stored.ts';
import { matcher } from '../domain/search.ts';
import { searchContacts } from '../store/digest.ts';

/** Ids of the live contacts whose name or phone has what was typed (A13), for other contexts. About 5 RRU per 1,000 contacts. */
export const findContacts = async (companyId: number, typed: string): Promise<number[]> => {
  const { lastId } = await readHead(companyId, contactEntityName);
  return searchContacts(companyId, lastId, matcher(typed));
};
