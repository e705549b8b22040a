import type { Principal } from '../../../shared/contract/route.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { getPointer } from '../store/credential.ts';

/** A credential as a call names it. */
export type CallCredential = Pick<Principal, 'companyId' | 'credentialKind' | 'credentialId'>;

/** The token of each session that this process has seen: it never changes. */
const tokens = processMap<string, number | undefined>();
const maxSeen = 10_000;

/**
 * The personal token that a call is made with: its own, or the one that its session was exchanged for. Undefined: a user signed in by a code or a
 * passkey, or the call is that of a machine or a key. 1 RRU for the first call of a session.
 */
export const getTokenOfCall = async ({ companyId, credentialKind, credentialId }: CallCredential): Promise<number | undefined> => {
  if (credentialKind === 'token') return credentialId;
  if (credentialKind !== 'session') return undefined;
  const key = `${companyId}:${credentialId}`;
  if (tokens.has(key)) return tokens.get(key);
  const session = await getPointer({ companyId, credentialKind, id: credentialId }, { consistent: true });
  if (tokens.size >= maxSeen) tokens.clear();
  tokens.set(key, session?.tokenId);
  return session?.tokenId;
};
