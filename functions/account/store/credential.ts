import * as z from 'zod';
import { type Credential, credentialEntity } from '../../../shared/access/credential.ts';
import { scopes } from '../../../shared/contract/route.ts';
import { exists, missing, type ConditionOn } from '../../../shared/table/condition.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { entity, type ItemOf, type ChangeOf } from '../../../shared/table/entity.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';

export const credentialKinds = ['token', 'erp_token', 'webhook_token', 'public_key', 'secret_key'] as const;
export type CredentialKind = (typeof credentialKinds)[number];

/**
 * A credential's place in its company's list. The item that a call meets (shared/access/credential.ts) is found by the secret's hash;
 * this one by the company. A rotated credential keeps its id: `hash` is the secret of now, `previous` those still alive beside it.
 */
export const pointerEntity = entity({
  name: 'credential-pointer',
  purpose: "A company's list of tokens and keys: what is shown of each, and the hashes under which calls find it",
  attributes: z.object({
    companyId: z.int(),
    credentialKind: z.enum(credentialKinds),
    id: z.int(),
    hash: z.string(),
    last4: z.string(),
    name: z.string(),
    status: z.enum(['active', 'revoked']),
    userId: z.int().default(0),
    /** What was asked for; absent: all that the role has, also after the role changes. */
    requestedScopes: z.array(z.enum(scopes)).optional(),
    /** A receiver, or a verification profile. */
    subject: z.string().optional(),
    /** Of a verification key: its public id, and the public half, which is no secret. */
    uuid: z.string().optional(),
    publicKey: z.string().optional(),
    /** A receiver's signing secret, or the secret half of a verification key (it is an HMAC key, V5). */
    sealedSecret: z.string().optional(),
    lifeDays: z.int().optional(),
    createdAt: z.int(),
    expiresAt: z.int().optional(),
    previous: z
      .array(z.object({ hash: z.string(), expiresAt: z.int(), publicKey: z.string().optional(), sealedSecret: z.string().optional() }))
      .default([]),
  }),
  key: ({ companyId, credentialKind, id }: PointerId) => ({ pk: partition(companyId), sk: `${credentialKind}#${sortable(id)}` }),
  idOf: ({ companyId, credentialKind, id }) => ({ companyId, credentialKind, id }),
  example: { pk: 'C#<company>#CREDENTIAL', sk: '<kind>#<id>' },
});
export type Pointer = ItemOf<typeof pointerEntity>;
export interface PointerId {
  companyId: number;
  credentialKind: CredentialKind;
  id: number;
}

/** One sequence for all kinds, so that a credential's id alone names it in logs. */
export const nextCredentialId = (companyId: number): Promise<number> => nextIds(companyId, 'credential', 1);

export const getPointer = pattern(
  { question: 'a credential of a company by kind and id', entity: 'credential-pointer', by: 'GetItem', units: '0.5 RRU' },
  (id: PointerId, options: { consistent?: boolean } = {}): Promise<Pointer | undefined> => pointerEntity.get(id, options),
);

export const listPointers = pattern(
  {
    question: 'the credentials of a company, of one kind or all',
    entity: 'credential-pointer',
    by: 'Query',
    units: '1 RRU for about 10, read consistently',
  },
  async (companyId: number, kind?: CredentialKind): Promise<Pointer[]> => {
    const pointers: Pointer[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await pointerEntity.query({
        pk: partition(companyId),
        ...(kind ? { begins: `${kind}#` } : {}),
        consistent: true,
        after,
      });
      pointers.push(...page.items);
      after = page.last;
    } while (after);
    return pointers;
  },
);

export const getCredentials = pattern(
  { question: 'credentials by their hashes, for when each was last used', entity: 'credential', by: 'BatchGetItem', units: '0.5 RRU each' },
  (hashes: readonly string[]): Promise<Credential[]> => credentialEntity.getMany(hashes.map((hash) => ({ hash }))),
);

export const updateCredential = pattern(
  { question: "a change of what a credential may do (its company's status)", entity: 'credential', by: 'UpdateItem', units: '1 WRU' },
  async (hash: string, change: ChangeOf<typeof credentialEntity>): Promise<void> => {
    await credentialEntity.change({ hash }, change, exists());
  },
);

/** A credential and its pointer: both or none, so that no secret lives unlisted. */
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
