import type { JournaledChange } from '../../../shared/contract/journal.ts';
import { restoreItems } from '../../../shared/table/restored-item.ts';
import { raiseContactIds } from '../../contacts/service/contact-ids.ts';
import { type StoredErasure, storedErasure } from '../contract/erasure.ts';
import { listStoredErasures, updateStoredErasure } from '../store.ts';

/** Erasures that were requested since the backup, from their start: their walk runs once the table is readable (continueErasures). */
export const restoreErasures = async (changes: readonly JournaledChange[]): Promise<number> => {
  const erasures = changes.flatMap(({ image }) => (image ? [storedErasure.parse(image)] : []));
  for (const [companyId, own] of Map.groupBy(erasures, (erasure) => erasure.companyId))
    await raiseContactIds(companyId, Math.max(...own.map(({ contactId }) => contactId)));
  return restoreItems(changes);
};

/** The erasures of a company whose first pass is not done. */
export const listUnfinishedErasures = async (companyId: number): Promise<StoredErasure[]> =>
  (await listStoredErasures(companyId)).filter(({ finishedAt }) => finishedAt === undefined);

/** Starts each of them anew: the message that was to start it may have gone with the time that was restored. Returns how many. */
export const continueErasures = async (companyId: number): Promise<number> => {
  const unfinished = await listUnfinishedErasures(companyId);
  for (const job of unfinished) await updateStoredErasure(job, { ...job, turn: job.turn + 1 });
  return unfinished.length;
};
