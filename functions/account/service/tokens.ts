import { invalid, isProblem, problem, type Problem, type ProblemCode } from '../../../shared/contract/problems.ts';
import { equals } from '../../../shared/table/condition.ts';
import type { CredentialRecord, TokenInput } from '../contract.ts';
import { overlapHours, tokenInput } from '../contract/token.ts';
import { defaultLifeDays, defaultOverlapHours, effectiveScopes, maxTokensPerUser } from '../domain.ts';
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
import { parseInput } from './input.ts';
import { endSessionsOfToken } from './end-sessions.ts';
import { listUserCredentials, requireUser } from './users.ts';

/** A token with its secret, which is shown once. */
export interface IssuedToken {
  token: CredentialRecord;
  secret: string;
}

type Refused = Problem<'not_found' | 'validation_failed' | 'plan_limit_reached' | 'conflict'>;

/**
 * Creates a personal access token (G14, G15, G16). `secret`: created before with newToken('token'), by a caller that had to store it first.
 */
export const issueToken = async (companyId: number, input: TokenInput, secret?: string): Promise<IssuedToken | Refused> => {
  const fields = parseInput(tokenInput, input);
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
        lifeDays: fields.life_days === undefined ? defaultLifeDays : (fields.life_days ?? undefined),
      },
      { role: user.role, scopes: effectiveScopes(user.role, fields.scopes) },
      secretFor('token', secret),
    );
  });
};

/** Replaces the secret of a token; the former one stays valid for `hours` (0 to 168). An expired token becomes valid again. */
export const rotateToken = async (
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
    return rotateCredential(company, pointer, powers, secretFor('token', undefined), overlap.data * 3_600_000);
  });
  // the former secret is to be worth nothing at once
  if (!isProblem(rotated) && overlap.data === 0) await endSessionsOfToken(first);
  return rotated;
};

/** Ends the token with all its secrets from the next call on. */
export const revokeToken = async (companyId: number, tokenId: number): Promise<CredentialRecord | Problem<'not_found' | 'conflict'>> => {
  const pointer = await revokeCredential(companyId, 'token', tokenId);
  if (!isProblem(pointer)) await endSessionsOfToken(pointer);
  return isProblem(pointer) ? pointer : toTokenRecord(pointer, undefined, undefined);
};

/** The tokens of a company or of one user, oldest first, including expired and revoked ones. */
export const listTokens = async (companyId: number, userId?: number): Promise<CredentialRecord[] | Problem<'not_found'>> => {
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
): Promise<{ minted: NewSecret; company: Company; user: User } | Problem<Code | 'not_found' | 'validation_failed' | 'conflict'>> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const [company, user] = await Promise.all([requireCompany(companyId), requireUser(companyId, userId)]);
    if (isProblem(company)) return company;
    if (isProblem(user)) return user;
    if (user.status === 'inactive') return invalid('user_id', `User ${userId} is deactivated.`);
    const minted = await decide(company, user);
    if (!('parts' in minted)) return minted;
    const userUnchanged = updateUserPart(user, { add: { tokensRev: 1 } }, equals('tokensRev', user.tokensRev));
    if (await commitIfCompanyUnchanged(company, [...minted.parts, userUnchanged])) return { minted, company, user };
  }
  return problem('conflict');
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
