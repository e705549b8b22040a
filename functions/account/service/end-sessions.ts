import { isProblem } from '../../../shared/contract/problems.ts';
import { Conflict } from '../../../shared/table/conflict.ts';
import { listPointers, type Pointer } from '../store/credential.ts';
import { limitCredential, revokeCredential } from './credentials.ts';

/** Ends what a token was exchanged for, and the tokens made with it: who stole the token may have a session or a token of it. */
export const endSessionsOfToken = async ({ companyId, id }: Pointer): Promise<void> => {
  const sessions = (await listPointers(companyId, 'session')).filter(({ tokenId, status }) => tokenId === id && status === 'active');
  for (const session of sessions) await endSession(companyId, session.id);
  const made = (await listPointers(companyId, 'token')).filter(({ madeWith, status }) => madeWith === id && status === 'active');
  for (const token of made) {
    const ended = await revokeCredential(companyId, 'token', token.id);
    if (isProblem(ended) && ended.problem === 'conflict') throw new Conflict();
    await endSessionsOfToken(token);
  }
};

/** Sessions of the former secret of a token end when it does. */
export const limitSessionsOfToken = async ({ companyId, id }: Pointer, untilMs: number): Promise<void> => {
  const sessions = (await listPointers(companyId, 'session')).filter(
    ({ tokenId, status, expiresAt }) => tokenId === id && status === 'active' && (expiresAt ?? Infinity) > untilMs,
  );
  for (const session of sessions) {
    const isLimited = await limitCredential(session, untilMs);
    // one that has lapsed meanwhile is gone
    if (!isLimited) await endSession(companyId, session.id);
  }
};

/** Ends a session from the next call on. One that has lapsed meanwhile is gone already. */
export const endSession = async (companyId: number, id: number): Promise<void> => {
  const ended = await revokeCredential(companyId, 'session', id);
  if (isProblem(ended) && ended.problem === 'conflict') throw new Conflict();
};
