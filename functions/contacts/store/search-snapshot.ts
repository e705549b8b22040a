import { randomInt } from 'node:crypto';
import { equals, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { minuteMs } from '../../../shared/runtime/clock.ts';
import { searchSnapshotEntityName, storedSearchSnapshot, type StoredSearchSnapshot } from '../contract/search-snapshot.ts';

export const searchSnapshotEntity = entity({
  name: searchSnapshotEntityName,
  purpose: 'Which objects hold the search snapshot of a company, and up to which change',
  attributes: storedSearchSnapshot,
  key: ({ companyId }: { companyId: number }) => ({ pk: `${tenant(companyId)}#SEARCH`, sk: 'SNAPSHOT' }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'C#<company>#SEARCH', sk: 'SNAPSHOT' },
});

export const getSearchSnapshot = pattern(
  { question: 'the search snapshot of a company', entity: 'search-snapshot', by: 'GetItem', units: '0.5 RRU, 1 consistently' },
  (companyId: number, options: { consistent?: boolean } = {}): Promise<StoredSearchSnapshot | undefined> =>
    searchSnapshotEntity.get({ companyId }, options),
);

/** Requests to bring it up to date; a reaction queues that. At most once a minute. */
export const requestSearchSnapshot = pattern(
  { question: 'request a newer search snapshot, once a minute', entity: 'search-snapshot', by: 'UpdateItem', units: '1 WRU' },
  async (companyId: number, seen: StoredSearchSnapshot | undefined, at: number): Promise<void> => {
    // a clock that was set back would else wait for the time of the last request
    if (seen && seen.requestedAt > at - minuteMs && seen.requestedAt <= at) return;
    if (seen === undefined) await searchSnapshotEntity.put({ ...newSnapshot(companyId), requestedAt: at }, missing());
    else await searchSnapshotEntity.change({ companyId }, { set: { requestedAt: at } }, equals('requestedAt', seen.requestedAt));
  },
);

/** Claims the snapshot for one worker. `busy`: another worker has it. */
export const claimSearchSnapshot = pattern(
  { question: 'claim the search snapshot', entity: 'search-snapshot', by: 'UpdateItem', units: '1 RRU, 1 WRU' },
  async (companyId: number, at: number, leaseMs: number): Promise<StoredSearchSnapshot | 'busy'> => {
    const seen = await getSearchSnapshot(companyId, { consistent: true });
    if (seen === undefined) {
      const first = { ...newSnapshot(companyId), leaseUntil: at + leaseMs };
      return (await searchSnapshotEntity.put(first, missing())).done ? first : 'busy';
    }
    if (seen.leaseUntil > at && seen.leaseUntil <= at + leaseMs) return 'busy';
    const written = await searchSnapshotEntity.change(
      { companyId },
      { add: { generation: 1 }, set: { leaseUntil: at + leaseMs } },
      equals('generation', seen.generation),
    );
    return written.done ? written.item : 'busy';
  },
);

/** Ends the lease of a worker that failed: the next one removes what it wrote. */
export const abandonSearchSnapshot = pattern(
  { question: 'give up the claim of a search snapshot', entity: 'search-snapshot', by: 'UpdateItem', units: '1 WRU' },
  async ({ companyId, generation }: Pick<StoredSearchSnapshot, 'companyId' | 'generation'>): Promise<void> => {
    await searchSnapshotEntity.change({ companyId }, { set: { leaseUntil: 1 } }, equals('generation', generation));
  },
);

/** Says which objects are about to be written or replaced. False: the lease was lost. */
export const putSearchLeftovers = pattern(
  { question: 'objects of a search snapshot are about to change', entity: 'search-snapshot', by: 'UpdateItem', units: '1 WRU' },
  async (
    { companyId, generation }: Pick<StoredSearchSnapshot, 'companyId' | 'generation'>,
    leftovers: StoredSearchSnapshot['leftovers'],
  ): Promise<boolean> => (await searchSnapshotEntity.change({ companyId }, { set: { leftovers } }, equals('generation', generation))).done,
);

/** Publishes what the holder of the lease wrote; `isLast`: nothing is left to delete, and the lease ends. False: the lease was lost. */
export const publishSearchSnapshot = pattern(
  { question: 'publish a search snapshot', entity: 'search-snapshot', by: 'UpdateItem', units: '1 WRU' },
  async (
    { companyId, generation }: Pick<StoredSearchSnapshot, 'companyId' | 'generation'>,
    set: Partial<Pick<StoredSearchSnapshot, 'startedAt' | 'asOf' | 'parts' | 'requestedAt'>>,
    isLast: boolean,
  ): Promise<boolean> => {
    const end = isLast ? { leaseUntil: 0, leftovers: [] } : {};
    return (await searchSnapshotEntity.change({ companyId }, { set: { ...set, ...end } }, equals('generation', generation))).done;
  },
);

export const releaseSearchSnapshot = pattern(
  { question: 'a search snapshot has no leftovers any more', entity: 'search-snapshot', by: 'UpdateItem', units: '1 WRU' },
  async ({ companyId, generation }: Pick<StoredSearchSnapshot, 'companyId' | 'generation'>): Promise<void> => {
    await searchSnapshotEntity.change({ companyId }, { set: { leaseUntil: 0, leftovers: [] } }, equals('generation', generation));
  },
);

/** An object of an earlier snapshot, whose row is lost, never has the name of a new one. */
const newSnapshot = (companyId: number): StoredSearchSnapshot => ({
  ...storedSearchSnapshot.parse({ companyId }),
  generation: randomInt(2 ** 31),
});
