import * as z from 'zod';
import { protectedPartitions } from '../../../shared/contract/resource.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { above, all, equals, missing } from '../../../shared/table/condition.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';

export interface PasskeyId {
  companyId: number;
  userId: number;
  /** Of the device's credential, base64url. */
  credentialId: string;
}

export const passkeyEntity = entity({
  name: 'passkey',
  audited: true,
  purpose: "A user's passkey: its public key and how often it has signed",
  attributes: z.object({
    companyId: z.int(),
    userId: z.int(),
    credentialId: z.string(),
    id: z.int(),
    name: z.string(),
    /** COSE, base64url. */
    publicKey: z.string(),
    /** The device's own count of signatures; 0 for ever where it has none. */
    counter: z.int(),
    /** The name that browsers bind it to. Absent: added before it was stored. */
    rpId: z.string().optional(),
    /** Of the token with which it was added: it ends with that. */
    tokenHash: z.string().optional(),
    status: z.enum(['active', 'revoked']),
    createdAt: z.int(),
    lastUsedAt: z.int().optional(),
    /** Of a revoked one: epoch seconds after which the item goes. */
    until: z.int().optional(),
  }),
  key: ({ companyId, userId, credentialId }: PasskeyId) => ({
    pk: partition(companyId),
    sk: `${sortable(userId)}#${sha256(credentialId)}`,
  }),
  idOf: ({ companyId, userId, credentialId }) => ({ companyId, userId, credentialId }),
  expiresAt: ({ until }) => until,
  example: { pk: 'PASSKEY#C#<company>', sk: '<user, 16 digits>#<sha256 of the credential id>' },
});
export type Passkey = ItemOf<typeof passkeyEntity>;

/** What a challenge is for: for a user to add a passkey, or without one to sign in. */
export interface ChallengeUse {
  companyId: number;
  userId: number;
}

const challengeEntity = entity({
  name: 'passkey-challenge',
  purpose: 'A challenge that a device has not answered yet; answered once, within five minutes',
  attributes: z.object({
    hash: z.string(),
    companyId: z.int(),
    userId: z.int(),
    /** Epoch milliseconds. */
    untilMs: z.int(),
  }),
  key: ({ hash }: { hash: string }) => ({ pk: `PASSKEY_CHALLENGE#${hash}`, sk: 'CHALLENGE' }),
  idOf: ({ hash }) => ({ hash }),
  expiresAt: ({ untilMs }) => Math.ceil(untilMs / 1_000),
  example: { pk: 'PASSKEY_CHALLENGE#<sha256 of the challenge>', sk: 'CHALLENGE' },
});

export const putChallenge = pattern(
  { question: 'a challenge for a device', entity: 'passkey-challenge', by: 'PutItem', units: '1 WRU' },
  async (challenge: string, use: ChallengeUse, untilMs: number): Promise<void> => {
    await challengeEntity.put({ hash: sha256(challenge), ...use, untilMs });
  },
);

export const claimChallenge = pattern(
  { question: 'is this challenge open, for this use; it is no more', entity: 'passkey-challenge', by: 'DeleteItem', units: '1 WRU' },
  async (challenge: string, { companyId, userId }: ChallengeUse, at: number): Promise<boolean> => {
    const isOpen = all(equals('companyId', companyId), equals('userId', userId), above('untilMs', at));
    return (await challengeEntity.delete({ hash: sha256(challenge) }, isOpen)).done;
  },
);

export const nextPasskeyId = (companyId: number): Promise<number> => nextIds(companyId, 'passkey', 1);

export const listPasskeysOfUser = pattern(
  { question: 'the passkeys of a user', entity: 'passkey', by: 'Query', units: '1 RRU for about 10, read consistently' },
  (companyId: number, userId: number): Promise<Passkey[]> =>
    passkeyEntity.collect({ pk: partition(companyId), begins: `${sortable(userId)}#`, consistent: true }),
);

export const getPasskey = pattern(
  { question: 'the passkey that signed', entity: 'passkey', by: 'GetItem', units: '1 RRU' },
  (id: PasskeyId): Promise<Passkey | undefined> => passkeyEntity.get(id, { consistent: true }),
);

/** Refused where the credential is known already. */
export const createPasskeyItem = pattern(
  { question: 'a new passkey', entity: 'passkey', by: 'PutItem', units: '1 WRU' },
  async (passkey: Passkey): Promise<boolean> => (await passkeyEntity.put(passkey, missing())).done,
);

/** Refused where it was used or revoked meanwhile. */
export const updateCounter = pattern(
  { question: 'a passkey has signed', entity: 'passkey', by: 'UpdateItem', units: '1 WRU' },
  async (passkey: Passkey, counter: number, at: number): Promise<boolean> => {
    const isUnchanged = all(equals('status', 'active'), equals('counter', passkey.counter));
    return (await passkeyEntity.change(passkey, { set: { counter, lastUsedAt: at } }, isUnchanged)).done;
  },
);

export const revokePasskeyItem = pattern(
  { question: 'a passkey signs in no more', entity: 'passkey', by: 'PutItem', units: '1 WRU' },
  async (passkey: Passkey, until: number): Promise<boolean> =>
    (await passkeyEntity.put({ ...passkey, status: 'revoked', until }, equals('status', 'active'))).done,
);

function partition(companyId: number): string {
  return `${protectedPartitions.passkey}${tenant(companyId)}`;
}
