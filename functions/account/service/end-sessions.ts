import { isProblem } from '../../../shared/contract/problems.ts';
import { Conflict } from '../../../shared/table/conflict.ts';
import { listPointers, type Pointer } from '../store/credential.ts';
import { revokeCredential } from './credentials.ts';

/** Ends the sessions that a token was exchanged for: who stole the token may have a session of it. */
export const endSessionsOfToken = async ({ companyId, id }: Pointer): Promise<void> => {
  const sessions = (await listPointers(companyId, 'session')).filter(({ tokenId, status }) => tokenId === id && status === 'active');
  for (const session of sessions) if (isProblem(await revokeCredential(companyId, 'session', session.id))) throw new Conflict();
};
