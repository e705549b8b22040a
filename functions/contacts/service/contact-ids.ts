import { getCounter, raiseLastId } from '../../../shared/table/counter.ts';
import { contactEntityName } from '../contract/stored.ts';
import { getContactsByIds } from '../store/contact.ts';
import { listContactsBelow } from '../store/contact-list.ts';

/** The greatest id that a contact of the company has or had. 0.5 RRU. */
export const getLastContactId = async (companyId: number): Promise<number> => (await getCounter(companyId, contactEntityName)).lastId;

/** Ids of live contacts below an id, greatest first, `count` at most, each after those that were merged into it. 0.5 RRU per 4 KB of contacts. */
export const listContactIdsBelow = async (companyId: number, belowId: number, count: number): Promise<number[]> =>
  (await listContactsBelow(companyId, belowId, count)).flatMap(({ id, mergedIds = [] }) => [...mergedIds, id]);

/** Which of some ids contacts of the company have, deleted ones included. 1 RRU each. */
export const listKnownContactIds = async (companyId: number, ids: readonly number[]): Promise<Set<number>> =>
  new Set((await getContactsByIds(companyId, ids, { consistent: true })).map(({ id }) => id));

/** After a restore: no new contact gets an id that a contact had whom the restored table does not know. */
export const raiseContactIds = (companyId: number, lastId: number): Promise<void> => raiseLastId(companyId, contactEntityName, lastId);
