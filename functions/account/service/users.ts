import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Role } from '../../../shared/contract/route.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { all, below, equals, exists } from '../../../shared/table/condition.ts';
import { commit } from '../../../shared/table/transaction.ts';
import type { UserInput, UserRecord } from '../contract.ts';
import { userInput } from '../contract/user.ts';
import { effectiveScopes } from '../domain.ts';
import { toUserRecord } from './records.ts';
import { updateCompanyPart } from '../store/company.ts';
import { updateCredentialPart, listPointers, type Pointer } from '../store/credential.ts';
import { updateUserPart, getUserById, listAllUsers, deleteEmailPart, createUserParts, nextUserId, type User } from '../store/user.ts';
import { requireCompany } from './companies.ts';
import { revokeCredential } from './credentials.ts';
import { parseInput } from './input.ts';
import { planLimitProblem } from './plan.ts';

/** A user of a company, active or not. One GetItem, 0.5 RRU. */
export const getUser = (companyId: number, userId: number): Promise<User | undefined> => getUserById(companyId, userId);

/** The active users of a company (A61). One Query, 0.5 RRU for about 15. */
export const listActiveUsers = async (companyId: number): Promise<User[]> =>
  (await listAllUsers(companyId)).filter(({ status }) => status === 'active');
export type { User };

/** Creates a user. The email address is unique in the company, and parallel calls do not exceed the limit of the plan. */
export const createUser = async (
  companyId: number,
  input: UserInput,
): Promise<UserRecord | Problem<'not_found' | 'validation_failed' | 'plan_limit_reached'>> => {
  const fields = parseInput(userInput, input);
  if (isProblem(fields)) return fields;
  const company = await requireCompany(companyId);
  if (isProblem(company)) return company;
  const at = now();
  const user: User = {
    companyId,
    id: await nextUserId(companyId),
    ...fields,
    status: 'active',
    tokensRev: 0,
    createdAt: at,
    updatedAt: at,
  };
  const limit = company.plan.limits.users;
  const committed = await commit({
    user: createUserParts(user),
    company: updateCompanyPart(companyId, { add: { userCount: 1 } }, limit === null ? exists() : all(exists(), below('userCount', limit))),
  });
  if (committed.done) return toUserRecord(user);
  return committed.refused.user
    ? invalid('email', 'Another user of this company has this email address.')
    : planLimitProblem('users', limit, company.userCount);
};

export const listUsers = async (companyId: number): Promise<UserRecord[] | Problem<'not_found'>> => {
  const company = await requireCompany(companyId);
  return isProblem(company) ? company : (await listAllUsers(companyId)).map(toUserRecord);
};

/**
 * Changes the role of a user and the scopes of all tokens in one transaction, so that no call has the new role with the former scopes.
 * Beyond 90 valid secrets (50 tokens, several just rotated) further transactions follow; repeating the call finishes the work of a crashed one.
 */
export const setRole = async (companyId: number, userId: number, role: Role): Promise<UserRecord | Problem<'not_found' | 'conflict'>> => {
  for (let attempt = 0; attempt < 3; attempt++) {
    const user = await requireUser(companyId, userId);
    if (isProblem(user)) return user;
    const changes = (await listUserTokens(companyId, userId)).flatMap((pointer) => {
      const set = { role, scopes: effectiveScopes(role, pointer.requestedScopes) };
      return [pointer, ...pointer.previous].map(({ hash }) => updateCredentialPart(hash, { set }));
    });
    const updatedAt = now();
    const turned = updateUserPart(user, { set: { role, updatedAt }, add: { tokensRev: 1 } }, equals('tokensRev', user.tokensRev));
    const committed = await commit({ turned, credentials: changes.slice(0, 90) });
    if (!committed.done) continue;
    for (let start = 90; start < changes.length; start += 100) await commit(changes.slice(start, start + 100));
    return toUserRecord({ ...user, role, updatedAt });
  }
  return problem('conflict');
};

/**
 * Ends the access of a user: first no new tokens, then all tokens are revoked. The email address becomes free. Repeating the call finishes
 * the work of a crashed one.
 */
export const deactivateUser = async (companyId: number, userId: number): Promise<UserRecord | Problem<'not_found' | 'conflict'>> => {
  const user = await deactivateAndFreeEmail(companyId, userId);
  if (isProblem(user)) return user;
  for (const pointer of await listUserTokens(companyId, userId)) {
    const revoked = await revokeCredential(companyId, 'token', pointer.id);
    if (isProblem(revoked)) return revoked;
  }
  return toUserRecord(user);
};

export const requireUser = async (companyId: number, userId: number): Promise<User | Problem<'not_found'>> =>
  (await getUserById(companyId, userId, { consistent: true })) ??
  problem('not_found', { message: `There is no user ${userId} in company ${companyId}.` });

/** The tokens of a user that are not revoked. Includes expired ones, because the items of former secrets must change too. */
export const listUserTokens = async (companyId: number, userId: number): Promise<Pointer[]> =>
  (await listPointers(companyId, 'token')).filter((pointer) => pointer.userId === userId && pointer.status === 'active');

async function deactivateAndFreeEmail(companyId: number, userId: number): Promise<User | Problem<'not_found' | 'conflict'>> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const user = await requireUser(companyId, userId);
    if (isProblem(user) || user.status === 'inactive') return user;
    const updatedAt = now();
    const committed = await commit({
      user: updateUserPart(user, { set: { status: 'inactive', updatedAt }, add: { tokensRev: 1 } }, equals('tokensRev', user.tokensRev)),
      email: deleteEmailPart(user),
      company: updateCompanyPart(companyId, { add: { userCount: -1 } }, exists()),
    });
    if (committed.done) return { ...user, status: 'inactive', updatedAt };
  }
  return problem('conflict');
}
