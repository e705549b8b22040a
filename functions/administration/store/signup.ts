import * as z from 'zod';
import { all, any, below, equals, missing } from '../../../shared/table/condition.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { type ChangeOf, entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { signupFailureNames, signupStatuses } from '../domain/signup.ts';

export interface SignupId {
  companyId: number;
  id: number;
}

const signupEntity = entity({
  name: 'signup',
  purpose: 'A number that is being connected by the dialog of the provider: how far it is, and its sealed token until the number has it',
  attributes: z.object({
    companyId: z.int(),
    id: z.int(),
    /** Only this user completes it. */
    userId: z.int(),
    stateHash: z.string(),
    appId: z.string(),
    status: z.enum(signupStatuses),
    failure: z.enum(signupFailureNames).optional(),
    /** Of the one code that it takes, and when a request last began to exchange it. */
    codeHash: z.string().optional(),
    exchangedAt: z.int().optional(),
    /** Until the number has it. */
    sealedToken: z.string().optional(),
    wabaId: z.string().optional(),
    phoneNumberId: z.string().optional(),
    phone: z.string().optional(),
    numberId: z.int().optional(),
    /** Of two-step verification, where the number had to be registered. Shown to its user alone. */
    sealedPin: z.string().optional(),
    createdAt: z.int(),
    /** Epoch milliseconds: then it is gone. */
    endsAt: z.int(),
  }),
  key: ({ companyId, id }: SignupId) => ({ pk: `${tenant(companyId)}#SIGNUP`, sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ endsAt }) => Math.ceil(endsAt / 1_000),
  example: { pk: 'C#<company>#SIGNUP', sk: '<signup, 16 digits>' },
});
export type Signup = ItemOf<typeof signupEntity>;
export type SignupChange = ChangeOf<typeof signupEntity>;

export const nextSignupId = (companyId: number): Promise<number> => nextIds(companyId, 'signup', 1);

export const getSignupItem = pattern(
  { question: 'how far a signup is', entity: 'signup', by: 'GetItem', units: '1 RRU, read consistently' },
  (id: SignupId): Promise<Signup | undefined> => signupEntity.get(id, { consistent: true }),
);

/** A repetition of the request that creates it gets another state, as long as no code came. */
export const putSignup = pattern(
  { question: 'a number is to be connected by the dialog of the provider', entity: 'signup', by: 'PutItem', units: '1 WRU' },
  async (signup: Signup): Promise<boolean> =>
    (await signupEntity.put(signup, any(missing(), all(equals('status', 'started'), missing('codeHash'))))).done,
);

/** Claims the one code of a signup for the request that exchanges it. False: another request does, or another code was claimed. */
export const claimCode = pattern(
  { question: 'a code is exchanged, by one request at a time', entity: 'signup', by: 'UpdateItem', units: '1 WRU' },
  async (signup: Signup, codeHash: string, at: number, leaseMs: number): Promise<boolean> => {
    const isFree = any(missing('codeHash'), all(equals('codeHash', codeHash), below('exchangedAt', at - leaseMs)));
    return (await signupEntity.change(signup, { set: { codeHash, exchangedAt: at } }, all(equals('status', 'started'), isFree))).done;
  },
);

/** Goes on to the next step. False: another request did. */
export const updateSignup = pattern(
  { question: 'a signup is a step further', entity: 'signup', by: 'UpdateItem', units: '1 WRU' },
  async (signup: Signup, change: SignupChange): Promise<boolean> =>
    (await signupEntity.change(signup, change, equals('status', signup.status))).done,
);
