import { now } from '../../../shared/runtime/clock.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import { contactEntityName } from '../contract/stored.ts';
import { lineMatcher, matchesTerms, searchColumns, searchTerms, type SearchTerms } from '../domain/search.ts';
import { findIds, isUsable, smallestSnapshot } from '../domain/search-snapshot.ts';
import { searchDigests } from '../store/digest.ts';
import { getSearchSnapshot, requestSearchSnapshot } from '../store/search-snapshot.ts';
import { listContactsUpdatedFrom } from '../store/updated.ts';
import { getSearchParts } from './search-snapshots.ts';

/** Ids of the live contacts whose name or phone contains the text (A13), greatest first, for other contexts. */
export const searchContacts = async (companyId: number, typed: string): Promise<number[]> =>
  findContacts(companyId, (await getCounter(companyId, contactEntityName)).lastId, typed);

/**
 * The same when the last id is known. A small company's digests are read, 5 RRU per 1,000 contacts; a larger company's search snapshot with
 * what changed since: 10 to 60 RRU at any size. Until the first snapshot is there, and right after many contacts changed, digests are read.
 */
export const findContacts = async (companyId: number, lastId: number, typed: string): Promise<number[]> => {
  const terms = searchTerms(typed);
  const found = lastId < smallestSnapshot ? undefined : await findInSnapshot(companyId, terms);
  return found ?? searchDigests(companyId, lastId, lineMatcher(terms));
};

/** So many changes a search reads beside the snapshot, about 4 RRU per 100; it requests a newer one before. */
const maxChanges = 20_000;
const manyChanges = 500;

async function findInSnapshot(companyId: number, terms: SearchTerms): Promise<number[] | undefined> {
  // its objects may have been replaced after an eventually consistent read
  for (const consistent of [false, true]) {
    const at = now();
    const snapshot = await getSearchSnapshot(companyId, consistent);
    if (snapshot === undefined || !isUsable(snapshot, at)) {
      await requestSearchSnapshot(companyId, snapshot, at);
      return undefined;
    }
    const [changed, parts] = await Promise.all([
      listContactsUpdatedFrom(companyId, { at: snapshot.asOf, id: 0 }, maxChanges + 1, true, 'newest'),
      getSearchParts(snapshot),
    ]);
    if (changed.length > manyChanges || (consistent && parts === 'missing')) await requestSearchSnapshot(companyId, snapshot, at);
    if (changed.length > maxChanges) return undefined;
    if (parts === 'missing') continue;
    const matches = new Map(
      changed.map((contact): [number, boolean] => {
        const columns = searchColumns(contact);
        return [contact.id, columns !== undefined && matchesTerms(terms, columns)];
      }),
    );
    return findIds(parts, terms, matches);
  }
  return undefined;
}
