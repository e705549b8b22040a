import { getCounter } from '../../../shared/table/counter.ts';
import { contactEntityName } from '../contract/stored.ts';
import { lineMatcher, matchesTerms, searchColumns, searchTerms, type SearchTerms } from '../domain/search.ts';
import { findIds, smallestSnapshot } from '../domain/search-snapshot.ts';
import { searchDigests } from '../store/digest.ts';
import { findByIdentities } from './find-by-identities.ts';
import { readSearchSnapshot } from './search-snapshots.ts';

/** Ids of the live contacts whose name, user name or phone contains the text (A13), or whose user id it is, greatest first, for other contexts. */
export const searchContacts = async (companyId: number, typed: string): Promise<number[]> =>
  findContacts(companyId, (await getCounter(companyId, contactEntityName)).lastId, typed);

/**
 * The same when the last id is known. A small company's digests are read, 5 RRU per 1,000 contacts; a larger company's search snapshot with
 * what changed since: 10 to 60 RRU at any size. Until the first snapshot is there, and right after many contacts changed, digests are read.
 */
export const findContacts = async (companyId: number, lastId: number, typed: string): Promise<number[]> => {
  if (isUserId(typed.trim())) return findByUserId(companyId, typed.trim());
  const terms = searchTerms(typed);
  const found = lastId < smallestSnapshot ? undefined : await findInSnapshot(companyId, terms);
  return found ?? searchDigests(companyId, lastId, lineMatcher(terms));
};

/** The provider's id of a user: a country, a point, and at most 128 letters and digits; with ENT that of a parent company. */
const isUserId = (typed: string): boolean => /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{8,128}$/.test(typed);

/** 1 RRU. */
async function findByUserId(companyId: number, userId: string): Promise<number[]> {
  const sender = await findByIdentities(companyId, { userId });
  return sender ? [sender.contactId] : [];
}

async function findInSnapshot(companyId: number, terms: SearchTerms): Promise<number[] | undefined> {
  const snapshot = await readSearchSnapshot(companyId);
  if (snapshot === undefined) return undefined;
  const matches = new Map(
    snapshot.changed.map((contact): [number, boolean] => {
      const columns = searchColumns(contact);
      return [contact.id, columns !== undefined && matchesTerms(terms, columns)];
    }),
  );
  return findIds(snapshot.parts, terms, matches);
}
