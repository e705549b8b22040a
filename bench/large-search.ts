import { randomInt } from 'node:crypto';
import { searchBucket } from '../functions/contacts/contract/search-snapshot.ts';
import type { SearchedContact } from '../functions/contacts/contract/stored.ts';
import { noLines, packLines, partSize, snapshotLine, withChange } from '../functions/contacts/domain/search-snapshot.ts';
import { searchSnapshotEntity } from '../functions/contacts/store/search-snapshot.ts';
import { writeObject } from '../shared/objects/bucket.ts';

/**
 * The search snapshot of a company as a worker that brought it up to date leaves it.
 *
 * @param contactOf called once for each id, in their order
 * @param at epoch milliseconds; the snapshot knows all changes up to a minute before
 */
export async function writeSearchSnapshot(
  companyId: number,
  size: number,
  at: number,
  contactOf: (id: number) => SearchedContact,
): Promise<void> {
  const generation = randomInt(2 ** 31);
  const parts: number[] = [];
  for (let id = 1, lines = noLines(); id <= size; id++) {
    withChange(lines, id, snapshotLine(contactOf(id)));
    if ((id + 1) % partSize !== 0 && id !== size) continue;
    const part = Math.floor(id / partSize);
    await writeObject(searchBucket, `${companyId}/${part}/${generation}`, packLines(lines), 'application/zstd');
    parts[part] = generation;
    lines = noLines();
  }
  const asOf = at - 60_000;
  await searchSnapshotEntity.put({ companyId, generation, leaseUntil: 0, startedAt: at, asOf, parts, leftovers: [], requestedAt: 0 });
}
