import { dayMs, hourMs, now } from '../../../shared/runtime/clock.ts';
import { invalid, isProblem, problem, type Problem, type ProblemCode } from '../../../shared/contract/problems.ts';
import { equals } from '../../../shared/table/condition.ts';
import { Conflict, conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { CredentialRecord } from '../contract/record.ts';
import type { TokenInput } from '../contract/token.ts';
import { overlapHours, tokenInput } from '../contract/token.ts';
import { defaultLifeDays, defaultOverlapHours, effectiveScopes, maxTokensPerUser } from '../domain/credential.ts';
import type { Company } from '../store/company.ts';
import { listPointers, type Pointer, nextCredentialId } from '../store/credential.ts';
import { updateUserPart, listAllUsers, type User } from '../store/user.ts';
import { requireCompany } from './companies.ts';
import {
  commitIfCompanyUnchanged,
  getLastUses,
  isUsableNow,
  newCredential,
  type NewSecret,
  requirePointer,
  revokeCredential,
  rotateCredential,
  secretFor,
  toCredentialRecord,
} from './credentials.ts';
import { parseServiceInput } from './input.ts';
import { endSessionsOfToken, limitSessionsOfToken } from './end-sessions.ts';
import { listUserCredentials, requireUser } from './users.ts';

/** A token with its secret, which is shown once. */
export interface IssuedToken {
  token: CredentialRecord;
  secret: string;
}

type Refused = Problem<'not_found' | 'validation_failed' | 'plan_limit_reached' | 'conflict'>;

/**
 * Creates a personal access token (G14, G15, G16). `secret`: created before with newToken('token'), by a caller that had to store it first.
 * `maker`: the token that it is made with.
 */
export const issueToken = async (
  companyId: number,
  input: TokenInput,
  secret?: string,
  maker?: { id: number; expiresAt?: number | undefined },
): Promise<IssuedToken | Refused> => {
  const fields = parseServiceInput(tokenInput, input);
  if (isProblem(fields)) return fields;
  const id = await nextCredentialId(companyId);
  return commitToken(companyId, fields.user_id, async (company, user) => {
    const excess = (fields.scopes ?? []).filter((scope) => !effectiveScopes(user.role, undefined).includes(scope));
    if (excess.length > 0) return invalid('scopes', `The role ${user.role} does not have ${excess.join(', ')}.`);
    const full = await tokenLimitProblem(companyId, user);
    if (full) return full;
    return newCredential(
      company,
      {
        companyId,
        credentialKind: 'token',
        id,
        name: fields.name ?? '',
        userId: user.id,
        requestedScopes: fields.scopes,
        networks: fields.networks,
        ...lifeOf(fields.life_days, maker?.expiresAt),
        ...(maker ? { madeWith: maker.id } : {}),
      },
      { role: user.role, scopes: effectiveScopes(user.role, fields.scopes) },
      secretFor('token', secret),
    );
  });
};

/** The requested lifetime, no longer than that of the token it is made with. */
const lifeOf = (lifeDays: number | null | undefined, endsBy: number | undefined): Pick<Pointer, 'lifeDays' | 'expiresAt'> => {
  const days = lifeDays === undefined ? defaultLifeDays : (lifeDays ?? undefined);
  const left = endsBy === undefined ? undefined : (endsBy - now()) / dayMs;
  return left === undefined || (days !== undefined && days <= left)
    ? { lifeDays: days }
    : { lifeDays: Math.max(1, Math.floor(left)), expiresAt: endsBy };
};

/** Replaces the secret of a token; the former one stays valid for `hours` (0 to 168). An expired token becomes valid again. */
export const rotateCompanyToken = async (
  companyId: number,
  tokenId: number,
  hours: number = defaultOverlapHours,
): Promise<IssuedToken | Refused> => {
  const overlap = overlapHours.safeParse(hours);
  if (!overlap.success) return invalid('overlap_hours', ...overlap.error.issues.map(({ message }) => message));
  const first = await requirePointer(companyId, 'token', tokenId);
  if (isProblem(first)) return first;
  const rotated = await commitToken(companyId, first.userId, async (company, user) => {
    const pointer = await requirePointer(companyId, 'token', tokenId);
    if (isProblem(pointer)) return pointer;
    if (pointer.status === 'revoked') return problem('conflict', { message: `Token ${tokenId} was revoked; create a new one.` });
    const full = isUsableNow(pointer) ? undefined : await tokenLimitProblem(companyId, user);
    if (full) return full;
    const powers = { role: user.role, scopes: effectiveScopes(user.role, pointer.requestedScopes) };
    return rotateCredential(company, pointer, powers, secretFor('token', undefined), overlap.data * hourMs);
  });
  if (isProblem(rotated)) return rotated;
  // the former secret is to be worth nothing, at once or after the overlap: a session of it is no longer good than it
  if (overlap.data === 0) await endSessionsOfToken(first);
  else await limitSessionsOfToken(first, Math.min(now() + overlap.data * hourMs, first.expiresAt ?? Infinity));
  return rotated;
};

/** Ends the token with all its secrets from the next call on. */
export const revokeCompanyToken = async (
  companyId: number,
  tokenId: number,
): Promise<CredentialRecord | Problem<'not_found' | 'conflict'>> => {
  const pointer = await revokeCredential(companyId, 'token', tokenId);
  if (!isProblem(pointer)) await endSessionsOfToken(pointer);
  return isProblem(pointer) ? pointer : toTokenRecord(pointer, undefined, undefined);
};

/** Ends the tokens of a user that were made, or got a new secret, since a time (epoch milliseconds), with all that was made with them. */
export const revokeTokensSince = async (companyId: number, userId: number, since: number): Promise<number> => {
  const made = (await listPointers(companyId, 'token')).filter(
    (pointer) => pointer.userId === userId && pointer.status === 'active' && Math.max(pointer.createdAt, pointer.rotatedAt ?? 0) >= since,
  );
  for (const { id } of made) if (isProblem(await revokeCompanyToken(companyId, id))) throw new Conflict();
  return made.length;
};

/** The tokens of a company or of one user, oldest first, including expired and revoked ones. */
export const listCompanyTokens = async (companyId: number, userId?: number): Promise<CredentialRecord[] | Problem<'not_found'>> => {
  const company = await requireCompany(companyId);
  if (isProblem(company)) return company;
  const [all, users] = await Promise.all([listPointers(companyId, 'token'), listAllUsers(companyId)]);
  const pointers = all.filter((pointer) => userId === undefined || pointer.userId === userId);
  const uses = await getLastUses(pointers);
  return pointers.map((pointer) =>
    toTokenRecord(
      pointer,
      users.find(({ id }) => id === pointer.userId),
      uses.get(pointer.hash),
    ),
  );
};

/**
 * Commits the credential that `decide` creates for the current company and user. A concurrent change of either (role, deactivation, another
 * token, suspension) fails the commit, and `decide` runs again: no user exceeds 50 tokens, and no token has a role that was revoked.
 */
async function commitToken(
  companyId: number,
  userId: number,
  decide: (company: Company, user: User) => Promise<NewSecret | Refused>,
): Promise<IssuedToken | Refused> {
  const committed = await commitForUser(companyId, userId, decide);
  if (isProblem(committed)) return committed;
  return { token: toTokenRecord(committed.minted.pointer, committed.user, undefined), secret: committed.minted.secret };
}

/** The same for any credential of a user. */
export async function commitForUser<Code extends ProblemCode = never>(
  companyId: number,
  userId: number,
  decide: (company: Company, user: User) => Promise<NewSecret | Problem<Code>>,
): Promise<CommittedSecret | Problem<Code | 'not_found' | 'validation_failed' | 'conflict'>> {
  const attempt = async () => {
    const [company, user] = await Promise.all([requireCompany(companyId), requireUser(companyId, userId)]);
    if (isProblem(company)) return company;
    if (isProblem(user)) return user;
    if (user.status === 'inactive') return invalid('user_id', `User ${userId} is deactivated.`);
    const minted = await decide(company, user);
    if (!('parts' in minted)) return minted;
    const userUnchanged = updateUserPart(user, { add: { tokensRev: 1 } }, equals('tokensRev', user.tokensRev));
    return (await commitIfCompanyUnchanged(company, [...minted.parts, userUnchanged])) ? { minted, company, user } : conflict;
  };
  return retryOnConflict<CommittedSecret | Problem<Code | 'not_found' | 'validation_failed' | 'conflict'>>(5, attempt, () =>
    problem('conflict'),
  );
}

interface CommittedSecret {
  minted: NewSecret;
  company: Company;
  user: User;
}

async function tokenLimitProblem(companyId: number, user: User): Promise<Problem<'plan_limit_reached'> | undefined> {
  const used = (await listUserCredentials(companyId, user.id)).filter(
    (pointer) => pointer.credentialKind === 'token' && isUsableNow(pointer),
  ).length;
  if (used < maxTokensPerUser) return undefined;
  return problem('plan_limit_reached', {
    message: `A user can have ${maxTokensPerUser} active tokens; revoke one first.`,
    details: { resource: 'tokens', limit: maxTokensPerUser, used },
  });
}

function toTokenRecord(pointer: Pointer, user: User | undefined, lastUsedAt: number | undefined): CredentialRecord {
  const scopes = user ? effectiveScopes(user.role, pointer.requestedScopes) : (pointer.requestedScopes ?? []);
  return toCredentialRecord({ ...pointer, credentialKind: 'token' }, scopes, lastUsedAt);
}
