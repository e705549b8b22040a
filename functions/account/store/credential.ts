import * as z from 'zod';
import { type Credential, credentialEntity } from '../../../shared/access/credential.ts';
import { scopes } from '../../../shared/contract/route.ts';
import { all, any, below, equals, exists, missing, type ConditionOn } from '../../../shared/table/condition.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { entity, type ItemOf, type ChangeOf } from '../../../shared/table/entity.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';

export const credentialKinds = ['token', 'session', 'erp_token', 'webhook_token', 'public_key', 'secret_key'] as const;
export type CredentialKind = (typeof credentialKinds)[number];

/**
 * The entry of a credential in its company's list. Calls find the credential's own item (shared/access/credential.ts) by the hash of the
 * secret; this entry is found by company. A rotation does not change the id: `hash` is the current secret, `previous` the valid former ones.
 */
export const pointerEntity = entity({
  name: 'credential-pointer',
  audited: true,
  purpose: "A company's list of tokens and keys, with the hashes under which calls find each",
  attributes: z.object({
    companyId: z.int(),
    credentialKind: z.enum(credentialKinds),
    id: z.int(),
    hash: z.string(),
    last4: z.string(),
    name: z.string(),
    status: z.enum(['active', 'revoked']),
    userId: z.int().default(0),
    /** Absent: all scopes of the role, also after the role changes. */
    requestedScopes: z.array(z.enum(scopes)).optional(),
    /** Addresses and networks that may use it; absent: all. */
    networks: z.array(z.string()).optional(),
    /** A receiver, or a verification profile. */
    subject: z.string().optional(),
    /** The connection of a store platform that owns the receiver: its posts are signed with the app's secrets, which are not copied. */
    connectionId: z.int().optional(),
    /** Verification keys only: public id and public key, which is no secret. */
    uuid: z.string().optional(),
    publicKey: z.string().optional(),
    /** The signing secret of a receiver, or the secret key of a key pair (an HMAC key, V5). */
    sealedSecret: z.string().optional(),
    lifeDays: z.int().optional(),
    /** Of a session: the token it was exchanged for, with which it ends. */
    tokenId: z.int().optional(),
    /** Of a token that was made with another one, or in a session of it: it ends with that. */
    madeWith: z.int().optional(),
    /** Of a session: how its user signed in. */
    signedInBy: z.enum(['token', 'email_code', 'passkey']).optional(),
    /** Of a session: epoch seconds after which the item goes. */
    until: z.int().optional(),
    createdAt: z.int(),
    /** When its secret was replaced last. */
    rotatedAt: z.int().optional(),
    expiresAt: z.int().optional(),
    previous: z
      .array(z.object({ hash: z.string(), expiresAt: z.int(), publicKey: z.string().optional(), sealedSecret: z.string().optional() }))
      .default([]),
  }),
  key: ({ companyId, credentialKind, id }: PointerId) => ({ pk: partition(companyId), sk: `${credentialKind}#${sortable(id)}` }),
  idOf: ({ companyId, credentialKind, id }) => ({ companyId, credentialKind, id }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#CREDENTIAL', sk: '<kind>#<id>' },
});
export type Pointer = ItemOf<typeof pointerEntity>;
export interface PointerId {
  companyId: number;
  credentialKind: CredentialKind;
  id: number;
}

/** An item as stored, and whose it is by its key. */
export const parsePointer = (raw: unknown): Pointer => pointerEntity.parse(raw);
export const pointerIdOf = ({ pk, sk }: { pk: string; sk: string }): PointerId => {
  const [kind = '', id = ''] = sk.split('#');
  return { companyId: Number(pk.split('#')[1]), credentialKind: z.enum(credentialKinds).parse(kind), id: Number(id) };
};

/** All kinds share one sequence, so that an id alone identifies a credential in logs. */
export const nextCredentialId = (companyId: number): Promise<number> => nextIds(companyId, 'credential', 1);

export const getPointer = pattern(
  { question: 'a credential of a company by kind and id', entity: 'credential-pointer', by: 'GetItem', units: '0.5 RRU' },
  (id: PointerId, options: { consistent?: boolean } = {}): Promise<Pointer | undefined> => pointerEntity.get(id, options),
);

export const deletePointer = pattern(
  { question: 'an ended session leaves the list', entity: 'credential-pointer', by: 'DeleteItem', units: '1 WRU' },
  async (id: PointerId): Promise<void> => {
    await pointerEntity.delete(id, equals('status', 'revoked'));
  },
);

export const updatePointerExpiry = pattern(
  { question: 'a credential ends at a time', entity: 'credential-pointer', by: 'UpdateItem', units: '1 WRU' },
  async (pointer: Pointer, expiresAt: number): Promise<void> => {
    await pointerEntity.change(pointer, { set: { expiresAt } }, equals('hash', pointer.hash));
  },
);

export const listPointers = pattern(
  {
    question: 'the credentials of a company, of one kind or all',
    entity: 'credential-pointer',
    by: 'Query',
    units: '1 RRU for about 10, read consistently',
  },
  (companyId: number, kind?: CredentialKind): Promise<Pointer[]> =>
    pointerEntity.collect({ pk: partition(companyId), ...(kind ? { begins: `${kind}#` } : {}), consistent: true }),
);

export const getCredentials = pattern(
  {
    question: 'credentials by their hashes, with the time of their last use',
    entity: 'credential',
    by: 'BatchGetItem',
    units: '0.5 RRU each',
  },
  (hashes: readonly string[]): Promise<Credential[]> => credentialEntity.getMany(hashes.map((hash) => ({ hash }))),
);

export const updateCredential = pattern(
  { question: "update a credential, for example its company's status", entity: 'credential', by: 'UpdateItem', units: '1 WRU' },
  async (hash: string, change: ChangeOf<typeof credentialEntity>): Promise<void> => {
    await credentialEntity.change({ hash }, change, exists());
  },
);

/** Copies what a call must know of its key's profile; an older revision changes nothing. */
export const updateCredentialOfProfile = pattern(
  { question: "copy a profile's status and revision to a key", entity: 'credential', by: 'UpdateItem', units: '1 WRU' },
  async (hash: string, set: { subjectStatus: 'inactive' | undefined; subjectRevision: number }): Promise<void> => {
    await credentialEntity.change(
      { hash },
      { set },
      all(exists(), any(missing('subjectRevision'), below('subjectRevision', set.subjectRevision))),
    );
  },
);

/** Creates a credential with its pointer in one transaction, so that every valid secret is listed. */
export const createCredentialParts = (pointer: Pointer, credential: Credential): TransactionPart[] => [
  pointerEntity.putting(pointer, missing()),
  credentialEntity.putting(credential, missing()),
];
export const createCredentialPart = (credential: Credential): TransactionPart => credentialEntity.putting(credential, missing());
export const updateCredentialPart = (hash: string, change: ChangeOf<typeof credentialEntity>): TransactionPart =>
  credentialEntity.changing({ hash }, change, exists());
export const updatePointerPart = (
  pointer: PointerId,
  change: ChangeOf<typeof pointerEntity>,
  condition: ConditionOn<Pointer>,
): TransactionPart<Pointer> =>
  pointerEntity.changing({ companyId: pointer.companyId, credentialKind: pointer.credentialKind, id: pointer.id }, change, condition);

function partition(companyId: number): string {
  return `${tenant(companyId)}#CREDENTIAL`;
}
