import { sessionLifeMs } from '../../../shared/access/session.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { dayMs, now } from '../../../shared/runtime/clock.ts';
import { endSessionsOf } from '../../account/service/sessions.ts';
import { revokeTokensSince } from '../../account/service/tokens.ts';
import type { SignedOutEverywhere, SignOutEverywhereInput } from '../contract/session.ts';
import { listPasskeysOfUser, revokePasskeyItem } from '../store/passkey.ts';

/**
 * Ends all sessions of the caller, and what a stolen one may have made: tokens and passkeys of the time that a session lasts, or since
 * `made_since`. What is made while the sessions end is ended as well, since no session is left after that.
 */
export const signOutEverywhere = async (caller: Principal, { made_since }: SignOutEverywhereInput): Promise<SignedOutEverywhere> => {
  const since = made_since === undefined ? now() - sessionLifeMs : Date.parse(made_since);
  const before = await endMade(caller, since);
  const sessions = await endSessionsOf(caller.companyId, caller.userId);
  const after = await endMade(caller, since);
  return { sessions, tokens: before.tokens + after.tokens, passkeys: before.passkeys + after.passkeys };
};

/** A credential that may not manage tokens ends none. */
async function endMade({ companyId, userId, scopes }: Principal, since: number): Promise<{ tokens: number; passkeys: number }> {
  const added = (await listPasskeysOfUser(companyId, userId)).filter(({ status, createdAt }) => status === 'active' && createdAt >= since);
  for (const passkey of added) await revokePasskeyItem(passkey, Math.ceil((now() + dayMs) / 1_000));
  const tokens = scopes.includes('tokens:manage') ? await revokeTokensSince(companyId, userId, since) : 0;
  return { tokens, passkeys: added.length };
}
