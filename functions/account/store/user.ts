import * as z from 'zod';
import { roles } from '../../../shared/contract/route.ts';
import { all, any, differs, equals, missing, type ConditionOn } from '../../../shared/table/condition.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { entity, type ItemOf, type ChangeOf } from '../../../shared/table/entity.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';

export const userEntity = entity({
  name: 'user',
  audited: true,
  purpose: 'A user of a company',
  attributes: z.object({
    companyId: z.int(),
    id: z.int(),
    name: z.string(),
    email: z.string(),
    role: z.enum(roles),
    status: z.enum(['active', 'inactive']),
    /** Increased by each issued token and change of role or status; the condition under which these are written. */
    tokensRev: z.int().default(0),
    /** The user who added this one. Absent: the operator, or one of before it was stored. */
    addedBy: z.int().optional(),
    /** When the user was deactivated, or taken back, last: passkeys of before sign in no more. */
    deactivatedAt: z.int().optional(),
    createdAt: z.int(),
    updatedAt: z.int(),
  }),
  key: ({ companyId, id }: UserId) => ({ pk: partition(companyId), sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  personalData: 'name and email of a user',
  endsBy: 'nothing: users are deactivated',
  example: { pk: 'C#<company>#USER', sk: '<user>' },
});
export type User = ItemOf<typeof userEntity>;
/** An item as stored. */
export const parseUser = (raw: unknown): User => userEntity.parse(raw);
export interface UserId {
  companyId: number;
  id: number;
}

const userEmailEntity = entity({
  name: 'user-email',
  purpose: 'Makes an email address unique among the active users of a company',
  attributes: z.object({ companyId: z.int(), email: z.string(), userId: z.int() }),
  key: ({ companyId, email }: { companyId: number; email: string }) => ({ pk: `${tenant(companyId)}#USER_EMAIL`, sk: email }),
  idOf: ({ companyId, email }) => ({ companyId, email }),
  personalData: 'email of a user',
  endsBy: 'deactivating the user',
  example: { pk: 'C#<company>#USER_EMAIL', sk: '<email>' },
});

/**
 * In which companies an email address may be one of a user's. A place to look only: who signs in is decided by the user's own item. Users of
 * before 2026-11-23 get it when they first exchange a token.
 */
const loginEntity = entity({
  name: 'login',
  purpose: 'The companies in which an email address is one of a user, to sign in with',
  attributes: z.object({
    emailHash: z.string(),
    companyId: z.int(),
    userId: z.int(),
    /** When the user last signed in there by a code. Absent: the user has not accepted yet to be one of the company. */
    signedInAt: z.int().optional(),
  }),
  key: ({ emailHash, companyId }: { emailHash: string; companyId: number }) => ({ pk: `LOGIN#${emailHash}`, sk: sortable(companyId) }),
  idOf: ({ emailHash, companyId }) => ({ emailHash, companyId }),
  personalData: 'hash of the email of a user',
  endsBy: 'deactivating the user',
  example: { pk: 'LOGIN#<sha256 of the email>', sk: '<company>' },
});
export type StoredLogin = ItemOf<typeof loginEntity>;

export const listLogins = pattern(
  { question: 'the companies in which an email address may be one of a user', entity: 'login', by: 'Query', units: '0.5 RRU for about 40' },
  (email: string): Promise<StoredLogin[]> => loginEntity.collect({ pk: `LOGIN#${sha256(email)}` }),
);

export const putLogin = pattern(
  { question: 'the email address of a user who signs in', entity: 'login', by: 'PutItem', units: '1 WRU' },
  async (user: User): Promise<void> => {
    await loginEntity.put(loginOf(user), any(missing(), differs('userId', user.id)));
  },
);
export const updateLogin = pattern(
  { question: 'a user has signed in to a company by a code', entity: 'login', by: 'UpdateItem', units: '1 WRU' },
  async (user: User, signedInAt: number): Promise<void> => {
    await loginEntity.change(loginOf(user), { set: { signedInAt } }, equals('userId', user.id));
  },
);
export const putLoginPart = (user: User): TransactionPart => loginEntity.putting(loginOf(user));
export const deleteLoginPart = (user: User): TransactionPart => loginEntity.deleting(loginOf(user));

function loginOf({ email, companyId, id }: User): StoredLogin {
  return { emailHash: sha256(email), companyId, userId: id };
}

export const nextUserId = (companyId: number): Promise<number> => nextIds(companyId, 'user', 1);

export const getUserById = pattern(
  { question: 'a user by id', entity: 'user', by: 'GetItem', units: '0.5 RRU' },
  (companyId: number, id: number, options: { consistent?: boolean } = {}): Promise<User | undefined> =>
    userEntity.get({ companyId, id }, options),
);

export const listAllUsers = pattern(
  { question: 'the users of a company', entity: 'user', by: 'Query', units: '0.5 RRU for about 15' },
  (companyId: number): Promise<User[]> => userEntity.collect({ pk: partition(companyId) }),
);

/** Creates a user and claims the email address, both or neither. */
export const createUserParts = (user: User): TransactionPart[] => [
  userEntity.putting(user, missing()),
  claimEmailPart(user),
  putLoginPart(user),
];
export const updateUserPart = (user: UserId, change: ChangeOf<typeof userEntity>, condition: ConditionOn<User>): TransactionPart =>
  userEntity.changing({ companyId: user.companyId, id: user.id }, change, condition);
export const claimEmailPart = (user: User): TransactionPart =>
  userEmailEntity.putting({ companyId: user.companyId, email: user.email, userId: user.id }, missing());
/** Part of a transaction: the user must still be an active owner. */
export const checkOwnerPart = ({ companyId, id }: UserId): TransactionPart =>
  userEntity.checking({ companyId, id }, all(equals('role', 'owner'), equals('status', 'active')));
export const deleteEmailPart = (user: User): TransactionPart => userEmailEntity.deleting({ companyId: user.companyId, email: user.email });

function partition(companyId: number): string {
  return `${tenant(companyId)}#USER`;
}
