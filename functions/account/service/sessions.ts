import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { credentialProblem } from '../../../shared/access/credential.ts';
import { isInNetworks } from '../../../shared/access/networks.ts';
import { sessionIdleMs, sessionLifeMs } from '../../../shared/access/session.ts';
import { hasTokenPrefix, newToken, tokenHash } from '../../../shared/access/token.ts';
import type { Principal, Scope } from '../../../shared/contract/route.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { effectiveScopes, maxSessionsPerUser } from '../domain/credential.ts';
import type { Company } from '../store/company.ts';
import { deletePointer, getCredentials, getPointer, listPointers, nextCredentialId, type Pointer } from '../store/credential.ts';
import { getUserById, type User } from '../store/user.ts';
import { endSession } from './end-sessions.ts';
import { recordLogin } from './logins.ts';
import { getLastUses, isUsableNow, newCredential } from './credentials.ts';
import { commitForUser } from './tokens.ts';

/** Sessions of users in browsers: a credential with an end of its own, seven days at most and twelve hours after its last use. */
export interface Session {
  pointer: Pointer;
  lastUsedAt: number;
}

/** A session with its secret, which goes into a cookie and nowhere else. */
export interface StartedSession {
  session: Session;
  secret: string;
  company: Company;
  user: User;
  scopes: Scope[];
}

export interface SessionInput {
  companyId: number;
  userId: number;
  /** What the browser calls itself. */
  name: string;
  signedInBy: NonNullable<Pointer['signedInBy']>;
  tokenId?: number | undefined;
  requestedScopes?: readonly Scope[] | undefined;
  networks?: readonly string[] | undefined;
  /** Epoch milliseconds; by default seven days from now. */
  expiresAt?: number | undefined;
  /** When the user proved to be there, where that was not now. */
  provenAt?: number | undefined;
}

type Refused = Problem<'not_found' | 'validation_failed' | 'conflict'>;

type TokenRefused = Problem<'token_invalid' | 'token_expired' | 'token_revoked' | 'company_suspended' | 'ip_not_allowed'>;

/** The token that a session is exchanged for: the session gets its user, scopes, networks and, where it is sooner, its end. */
export const sessionInputOf = async (token: string, sourceIp: string): Promise<Omit<SessionInput, 'name' | 'signedInBy'> | TokenRefused> =>
  hasTokenPrefix('token', token) ? sessionInputOfHash(tokenHash(token), sourceIp) : problem('token_invalid');

/** The same by the hash of the token, which a passkey that was added with it has. */
export const sessionInputOfHash = async (
  hash: string,
  sourceIp: string,
): Promise<Omit<SessionInput, 'name' | 'signedInBy'> | TokenRefused> => {
  const [credential] = await getCredentials([hash]);
  const refused = credentialProblem(credential, now());
  if (!credential || refused) return refused ?? problem('token_invalid');
  const { companyId, userId, id: tokenId, networks, expiresAt } = credential;
  if (networks && !isInNetworks(sourceIp, networks))
    return problem('ip_not_allowed', {
      message: `The token ${tokenId} may not be used from ${sourceIp}.`,
      details: { address: sourceIp, credential_id: tokenId },
    });
  const requestedScopes = (await getPointer({ companyId, credentialKind: 'token', id: tokenId }, { consistent: true }))?.requestedScopes;
  return { companyId, userId, tokenId, networks, expiresAt, requestedScopes };
};

/** The hash of the token that a caller is bound to: its own, or that of its session; undefined of a session in which its user proved to be there. */
export const boundTokenHash = async (caller: Principal): Promise<string | undefined> => {
  const bound = await boundTokenOf(caller);
  return bound && (bound.token?.hash ?? noToken);
};

/** The token that a caller is bound to, if it exists still; undefined of a session in which its user proved to be there. */
export const boundTokenOf = async ({
  companyId,
  credentialKind,
  credentialId,
}: Principal): Promise<{ token: Pointer | undefined } | undefined> => {
  const isSession = credentialKind === 'session';
  const session = isSession ? await getPointer({ companyId, credentialKind, id: credentialId }, { consistent: true }) : undefined;
  if (session && session.signedInBy !== 'token' && session.tokenId === undefined) return undefined;
  const id = isSession ? session?.tokenId : credentialId;
  const token = id === undefined ? undefined : await getPointer({ companyId, credentialKind: 'token', id }, { consistent: true });
  return { token };
};
/** The hash of no token. */
const noToken = '-';

/** Starts a session. A concurrent change of role, status or company fails the commit and is read again; beyond 20, the oldest one ends. */
export const startSession = async (input: SessionInput): Promise<StartedSession | Refused> => {
  const { companyId, userId } = input;
  const id = await nextCredentialId(companyId);
  const at = now();
  const expiresAt = Math.min(input.expiresAt ?? Infinity, at + sessionLifeMs);
  const committed = await commitForUser(companyId, userId, async (company, user) =>
    newCredential(
      company,
      {
        companyId,
        credentialKind: 'session',
        id,
        name: input.name,
        userId,
        signedInBy: input.signedInBy,
        tokenId: input.tokenId,
        requestedScopes: input.requestedScopes?.slice(),
        networks: input.networks?.slice(),
        expiresAt,
        until: Math.ceil(expiresAt / 1_000),
      },
      { role: user.role, scopes: effectiveScopes(user.role, input.requestedScopes), provenAt: input.provenAt ?? at },
      newToken('session'),
    ),
  );
  if (isProblem(committed)) return committed;
  const { minted, company, user } = committed;
  if (input.signedInBy === 'token') await recordLogin(user);
  const others = (await listPointers(companyId, 'session')).filter((pointer) => pointer.userId === userId && pointer.id !== id);
  // the list has no more than a user's present sessions, however often one signs in
  for (const ended of others.filter(({ status }) => status === 'revoked')) await deletePointer(ended);
  const present = others.filter(isUsableNow);
  for (const { id: oldest } of present.slice(0, Math.max(0, present.length + 1 - maxSessionsPerUser))) await endSession(companyId, oldest);
  return {
    session: { pointer: minted.pointer, lastUsedAt: at },
    secret: minted.secret,
    company,
    user,
    scopes: effectiveScopes(user.role, input.requestedScopes),
  };
};

/** The sessions of a user that calls accept, oldest first. */
export const listSessionsOf = async (companyId: number, userId: number): Promise<Session[]> => {
  const pointers = await listOwn(companyId, userId);
  const uses = await getLastUses(pointers);
  return pointers
    .map((pointer) => ({ pointer, lastUsedAt: uses.get(pointer.hash) ?? pointer.createdAt }))
    .filter(({ lastUsedAt }) => lastUsedAt > now() - sessionIdleMs);
};

/** Ends a session of the user from the next call on. */
export const endSessionOf = async (companyId: number, userId: number, id: number): Promise<boolean> => {
  const pointer = await getPointer({ companyId, credentialKind: 'session', id }, { consistent: true });
  if (pointer?.userId !== userId) return false;
  await endSession(companyId, id);
  return true;
};

/** Ends all sessions of the user from the next call on. */
export const endSessionsOf = async (companyId: number, userId: number): Promise<number> => {
  const own = await listOwn(companyId, userId);
  for (const { id } of own) await endSession(companyId, id);
  return own.length;
};

/** The email address with which a valid session began, and its end; undefined of a session that began with a token, which proves one company. */
export const emailOfSession = async (
  secret: string,
): Promise<{ email: string; expiresAt: number | undefined; provenAt: number } | undefined> => {
  if (!hasTokenPrefix('session', secret)) return undefined;
  const [credential] = await getCredentials([tokenHash(secret)]);
  if (!credential || credentialProblem(credential, now())) return undefined;
  const { companyId, id, userId, expiresAt, provenAt = 0 } = credential;
  const [pointer, user] = await Promise.all([
    getPointer({ companyId, credentialKind: 'session', id }, { consistent: true }),
    getUserById(companyId, userId, { consistent: true }),
  ]);
  return pointer?.signedInBy === 'email_code' && user?.status === 'active' ? { email: user.email, expiresAt, provenAt } : undefined;
};

/** Ends the session with this secret, if there is one: a browser that signs in anew has no use for the former one. */
export const endSessionWith = async (secret: string): Promise<void> => {
  if (!hasTokenPrefix('session', secret)) return;
  const [credential] = await getCredentials([tokenHash(secret)]);
  if (credential?.credentialKind === 'session' && credential.status === 'active') await endSession(credential.companyId, credential.id);
};

const listOwn = async (companyId: number, userId: number): Promise<Pointer[]> =>
  (await listPointers(companyId, 'session')).filter((pointer) => pointer.userId === userId && isUsableNow(pointer));
