import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal, Role } from '../../../shared/contract/route.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { all, below, equals, exists } from '../../../shared/table/condition.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import { Conflict, conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { commit, type TransactionPart } from '../../../shared/table/transaction.ts';
import type { UserInput } from '../contract/user.ts';
import type { UserRecord } from '../contract/record.ts';
import { type UserChanges, userInput } from '../contract/user.ts';
import { effectiveScopes, isOwnersAlone } from '../domain/credential.ts';
import { widerThanRole } from './minting.ts';
import { toUserRecord } from './records.ts';
import { type Company, updateCompanyPart } from '../store/company.ts';
import { updateCredentialPart, listPointers, type Pointer } from '../store/credential.ts';
import {
  checkOwnerPart,
  claimEmailPart,
  updateUserPart,
  getUserById,
  listAllUsers,
  deleteEmailPart,
  deleteLoginPart,
  createUserParts,
  putLoginPart,
  nextUserId,
  type User,
} from '../store/user.ts';
import { requireCompany } from './companies.ts';
import { revokeCredential } from './credentials.ts';
import { parseServiceInput } from './input.ts';
import { planLimitProblem } from './plan.ts';

/** A user of a company, active or not. One GetItem, 0.5 RRU. */
export const getUser = (companyId: number, userId: number): Promise<User | undefined> => getUserById(companyId, userId);

/** The active users of a company (A61). One Query, 0.5 RRU for about 15. */
export const listActiveUsers = async (companyId: number): Promise<User[]> =>
  (await listAllUsers(companyId)).filter(({ status }) => status === 'active');
export type { User };

/**
 * Creates a user. The email address is unique in the company, and parallel calls do not exceed the limit of the plan. `id`: belongs to this
 * operation, so that a repetition finds what the first try created. `by`: the calling credential, which makes no user who may more than it may;
 * none for the operator.
 */
export const createUser = async (
  companyId: number,
  input: UserInput,
  { id, by }: { id?: number; by?: Maker } = {},
): Promise<UserRecord | Problem<'not_found' | 'validation_failed' | 'plan_limit_reached' | MakerCode>> => {
  const fields = parseServiceInput(userInput, input);
  if (isProblem(fields)) return fields;
  const refused = makerProblem(by, fields.role);
  if (refused) return refused;
  const company = await requireCompany(companyId);
  if (isProblem(company)) return company;
  const at = now();
  const user: User = {
    companyId,
    id: id ?? (await nextUserId(companyId)),
    ...fields,
    status: 'active',
    tokensRev: 0,
    ...(by ? { addedBy: by.userId } : {}),
    createdAt: at,
    updatedAt: at,
  };
  const committed = await commit({ user: createUserParts(user), company: countUserPart(company) });
  if (committed.done) return toUserRecord(user);
  if (!committed.refused.user) return planLimitProblem('users', company.plan.limits.users, company.userCount);
  const existing = id === undefined ? undefined : await getUserById(companyId, id, { consistent: true });
  return existing ? toUserRecord(existing) : emailTaken();
};

/** For the id of a user under an Idempotency-Key. */
export { nextUserId };

type Maker = Pick<Principal, 'role' | 'scopes' | 'networks' | 'userId'>;
type MakerCode = 'role_required' | 'insufficient_scope' | 'ip_not_allowed';

/** A user signs in by email with all that the role may, from everywhere: who makes one, or raises one, must have as much. */
const makerProblem = (by: Maker | undefined, role: Role): Problem<MakerCode> | undefined =>
  by && (isOwnersAlone(by.role, role) ? ownerRequired() : widerThanRole(by, role));

/** All users, or those with a status, oldest first. */
export const listUsers = async (companyId: number, status?: User['status']): Promise<UserRecord[] | Problem<'not_found'>> => {
  const company = await requireCompany(companyId);
  if (isProblem(company)) return company;
  return (await listAllUsers(companyId)).filter((user) => status === undefined || user.status === status).map(toUserRecord);
};

export interface UserChangeOptions {
  /** The calling credential; none for the operator. */
  by?: Maker;
  /** The operator may leave a company without an owner. */
  mayLeaveNoOwner?: boolean;
}
type UpdateRefused = Problem<'not_found' | 'validation_failed' | 'plan_limit_reached' | 'last_owner' | 'conflict' | MakerCode>;

/**
 * Renames a user, changes the role, deactivates or reactivates, in one transaction with the scopes of all tokens, so that no call has the
 * new role with the former scopes. Beyond 90 valid secrets (50 tokens, several just rotated) further transactions follow. Who is deactivated
 * gets no new tokens from then on, and all tokens are revoked. Repeating the call finishes the work of a crashed one.
 */
export const updateUser = async (
  companyId: number,
  userId: number,
  changes: UserChanges,
  options: UserChangeOptions = {},
): Promise<UserRecord | UpdateRefused> => {
  const attempt = async () => {
    const user = await requireUser(companyId, userId);
    return isProblem(user) ? user : changeUser(user, changes, options);
  };
  return retryOnConflict<UserRecord | UpdateRefused>(5, attempt, () => problem('conflict'));
};

async function changeUser(
  user: User,
  changes: UserChanges,
  { by, mayLeaveNoOwner }: UserChangeOptions,
): Promise<UserRecord | UpdateRefused | typeof conflict> {
  const { companyId } = user;
  const next: User = { ...user, name: changes.name ?? user.name, role: changes.role ?? user.role, status: changes.status ?? user.status };
  const isMade = next.status === 'active' && (user.status !== 'active' || next.role !== user.role);
  const refused = isOwnersAlone(by?.role, user.role, next.role) ? ownerRequired() : isMade ? makerProblem(by, next.role) : undefined;
  if (refused) return refused;
  if (next.status === 'inactive' && next.role !== user.role) return invalid('role', 'The user is inactive: send status active as well.');
  const company = await requireCompany(companyId);
  if (isProblem(company)) return company;
  const otherOwner = endsOwner(user, next) ? await getOtherOwner(user) : undefined;
  if (endsOwner(user, next) && !otherOwner && !mayLeaveNoOwner) return problem('last_owner');
  const tokens = await listUserCredentials(companyId, user.id);
  const isReactivated = user.status === 'inactive' && next.status === 'active';
  // of an interrupted deactivation: what is valid still must not come back
  if (isReactivated || (next.status === 'inactive' && user.status === 'inactive')) await revokeTokens(companyId, tokens);
  if (canonical(next) === canonical(user)) return toUserRecord(user);
  const credentials =
    next.role === user.role || next.status === 'inactive' ? [] : tokens.flatMap((pointer) => roleParts(pointer, next.role));
  const { name, role, status } = next;
  const updatedAt = now();
  const committed = await commit({
    user: updateUserPart(
      user,
      { set: { name, role, status, updatedAt, ...(status === user.status ? {} : { deactivatedAt: updatedAt }) }, add: { tokensRev: 1 } },
      equals('tokensRev', user.tokensRev),
    ),
    ...(otherOwner ? { owner: checkOwnerPart(otherOwner) } : {}),
    ...(isReactivated ? { email: claimEmailPart(user), login: putLoginPart(user), company: countUserPart(company) } : {}),
    ...(user.status === 'active' && status === 'inactive'
      ? {
          email: deleteEmailPart(user),
          login: deleteLoginPart(user),
          company: updateCompanyPart(companyId, { add: { userCount: -1 } }, exists()),
        }
      : {}),
    credentials: credentials.slice(0, 90),
  });
  if (!committed.done) {
    const { refused } = committed;
    if (isReactivated && !refused.user && refused.email) return emailTaken();
    if (isReactivated && !refused.user && refused.company) return planLimitProblem('users', company.plan.limits.users, company.userCount);
    return conflict;
  }
  for (let start = 90; start < credentials.length; start += 100) await commit(credentials.slice(start, start + 100));
  if (status === 'inactive') await revokeTokens(companyId, tokens);
  return toUserRecord({ ...next, updatedAt });
}

/** For the operator, who may also leave a company without an owner. */
export const setRole = (companyId: number, userId: number, role: Role): Promise<UserRecord | UpdateRefused> =>
  updateUser(companyId, userId, { role }, { mayLeaveNoOwner: true });
export const deactivateUser = (companyId: number, userId: number): Promise<UserRecord | UpdateRefused> =>
  updateUser(companyId, userId, { status: 'inactive' }, { mayLeaveNoOwner: true });

export const requireUser = async (companyId: number, userId: number): Promise<User | Problem<'not_found'>> =>
  (await getUserById(companyId, userId, { consistent: true })) ??
  problem('not_found', { message: `There is no user ${userId} in company ${companyId}.` });

/** The tokens and sessions of a user that are not revoked. Includes expired ones, because the items of former secrets must change too. */
export const listUserCredentials = async (companyId: number, userId: number): Promise<Pointer[]> =>
  (await Promise.all([listPointers(companyId, 'token'), listPointers(companyId, 'session')]))
    .flat()
    .filter((pointer) => pointer.userId === userId && pointer.status === 'active');

const roleParts = (pointer: Pointer, role: Role): TransactionPart[] =>
  [pointer, ...pointer.previous].map(({ hash }) =>
    updateCredentialPart(hash, { set: { role, scopes: effectiveScopes(role, pointer.requestedScopes) } }),
  );

async function revokeTokens(companyId: number, tokens: readonly Pointer[]): Promise<void> {
  for (const { credentialKind, id } of tokens) {
    const revoked = await revokeCredential(companyId, credentialKind, id);
    // a session that ended meanwhile is gone
    if (isProblem(revoked) && revoked.problem !== 'not_found') throw new Conflict();
  }
}

const endsOwner = (user: User, next: User): boolean =>
  user.role === 'owner' && user.status === 'active' && (next.role !== 'owner' || next.status === 'inactive');

const getOtherOwner = async ({ companyId, id }: User): Promise<User | undefined> =>
  (await listActiveUsers(companyId)).find((other) => other.role === 'owner' && other.id !== id);

const countUserPart = ({ companyId, plan: { limits } }: Company): TransactionPart =>
  updateCompanyPart(
    companyId,
    { add: { userCount: 1 } },
    limits.users === null ? exists() : all(exists(), below('userCount', limits.users)),
  );

const emailTaken = (): Problem<'validation_failed'> => invalid('email', 'Another user of this company has this email address.');

const ownerRequired = (): Problem<'role_required'> => problem('role_required', { details: { role: 'owner' } });
