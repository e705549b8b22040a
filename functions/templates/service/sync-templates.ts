import { isProblem } from '../../../shared/contract/problems.ts';
import { send } from '../../../shared/queue/send.ts';
import { templateSyncsQueue } from '../contract/queue.ts';
import { syncTimeLimits, type SyncCounts, syncAccount } from './sync-account.ts';

/** Syncs as much as a caller can wait for. What is left is done by a worker; `isWhole` is false then. */
export const syncTemplates = async (companyId: number): ReturnType<typeof syncAccount> => {
  const synced = await syncAccount(companyId, syncTimeLimits);
  if (isProblem(synced) || synced.isWhole) return synced;
  await send(templateSyncsQueue, [{ companyId, message: { company_id: companyId } }]);
  return synced;
};

/** The rest of a sync, from the beginning: what is synced already costs a read. An unreachable provider is tried again by the queue. */
export const completeSync = async (companyId: number): Promise<SyncCounts | undefined> => {
  const synced = await syncAccount(companyId);
  if (!isProblem(synced)) {
    if (!synced.isWhole) throw new Error('The templates of an account could not be synced in one run.');
    return synced;
  }
  if (synced.problem === 'temporarily_unavailable') throw new Error('The templates cannot be read from the provider now.');
  return undefined;
};
