import { isProblem } from '../../../shared/contract/problems.ts';
import { send } from '../../../shared/queue/send.ts';
import { templateSyncsQueue } from '../contract/template-queue.ts';
import { impatient, type SyncCounts, syncTemplates } from './template-sync.ts';

/** POST /templates/sync: as much as a caller can wait for; what is left is done by a worker (`isWhole` is false then). */
export const syncOrBegin = async (companyId: number): ReturnType<typeof syncTemplates> => {
  const synced = await syncTemplates(companyId, impatient);
  if (isProblem(synced) || synced.isWhole) return synced;
  await send(templateSyncsQueue, [{ companyId, message: { company_id: companyId } }]);
  return synced;
};

/** The rest of a sync, from the beginning: what is synced already costs a look. A provider that does not answer is asked again. */
export const finishSync = async (companyId: number): Promise<SyncCounts | undefined> => {
  const synced = await syncTemplates(companyId);
  if (!isProblem(synced)) {
    if (!synced.isWhole) throw new Error('The templates of an account could not be synced in one go.');
    return synced;
  }
  if (synced.problem === 'temporarily_unavailable') throw new Error('The provider cannot be asked for its templates now.');
  return undefined;
};
