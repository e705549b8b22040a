import { isProblem } from '../../../shared/contract/problems.ts';
import { Conflict } from '../../../shared/table/conflict.ts';
import { listPointers, type Pointer } from '../store/credential.ts';
import { revokeCredential } from './credentials.ts';

/** Ends the sessions that a token was exchanged for: who stole the token may have a session of it. */
export const endSessionsOfToken = async ({ companyId, id }: Pointer): Promise<void> => {
  const sessions = (await listPointers(companyId, 'session')).filter(({ tokenId, status }) => tokenId === id && status === 'active');
  for (const session of sessions) await endSession(companyId, session.id);
};

/** Ends a session from the next call on. One that has lapsed meanwhile is gone already. */
export const endSession = async (companyId: number, id: number): Promise<void> => {
  const ended = await revokeCredential(companyId, 'session', id);
  if (isProblem(ended) && ended.problem === 'conflict') throw new Conflict();
};
