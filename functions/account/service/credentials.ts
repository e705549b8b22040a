import type { Credential } from '../../../shared/access/credential.ts';
import { hasTokenPrefix, newToken, type TokenKind, tokenHash } from '../../../shared/access/token.ts';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { all, equals } from '../../../shared/table/condition.ts';
import { commit, type TransactionPart } from '../../../shared/table/transaction.ts';
import type { CredentialRecord, Receiver } from '../contract.ts';
import { expiryOf, isUsable, splitPrevious, credentialStatus, time } from '../domain.ts';
import { type Company, checkCompanyPart } from '../store/company.ts';
import {
  updateCredentialPart,
  updatePointerPart,
  type CredentialKind,
  getCredentials,
  getPointer,
  createCredentialParts,
  type Pointer,
  createCredentialPart,
} from '../store/credential.ts';

/** What all kinds of credentials have in common: making, rotating, revoking, showing. Each kind's rules are in the file beside this one. */

/** What a new credential is, but for its secret. */
export type CredentialSpec = Omit<Pointer, 'hash' | 'last4' | 'status' | 'createdAt' | 'expiresAt' | 'previous'>;
export type CredentialPermissions = Pick<Credential, 'role' | 'scopes'> & { subjectStatus?: 'inactive' | undefined };
export interface NewSecret {
  pointer: Pointer;
  secret: string;
  parts: TransactionPart[];
}

/** The items of a new credential, not yet written. `secret`: one made beforehand, by who must know it before it is stored. */
export const newCredential = (company: Company, spec: CredentialSpec, powers: CredentialPermissions, secret: string): NewSecret => {
  const at = now();
  const pointer: Pointer = {
    ...spec,
    hash: tokenHash(secret),
    last4: secret.slice(-4),
    status: 'active',
    createdAt: at,
    expiresAt: expiryOf(at, spec.lifeDays),
    previous: [],
  };
  return { pointer, secret, parts: createCredentialParts(pointer, credentialOf(company, pointer, powers)) };
};

/** A new secret of a kind, or the one given, if it is of the kind. */
export const secretFor = (kind: TokenKind, given: string | undefined): string => {
  if (given === undefined) return newToken(kind);
  if (!hasTokenPrefix(kind, given)) throw new Error(`The given secret is not a ${kind}.`);
  return given;
};

/**
 * Replaces a credential's secret, the old one living on for `overlapMs` (0: dead at once). The new one gets a whole life of the
 * credential's length. `also` are conditions of the kind; when one of them or the pointer moved meanwhile, the answer is undefined
 * and the caller reads anew.
 */
export const rotateCredential = (
  company: Company,
  pointer: Pointer,
  powers: CredentialPermissions,
  secret: string,
  overlapMs: number,
  renewed: Partial<Pick<Pointer, 'publicKey' | 'sealedSecret'>> = {},
): NewSecret => {
  const at = now();
  const replaced = {
    hash: pointer.hash,
    expiresAt: Math.min(at + overlapMs, pointer.expiresAt ?? Infinity),
    publicKey: pointer.publicKey,
    sealedSecret: renewed.sealedSecret === undefined ? undefined : pointer.sealedSecret,
  };
  const { kept, dropped } = splitPrevious(replaced, pointer.previous, at);
  const next: Pointer = {
    ...pointer,
    ...renewed,
    hash: tokenHash(secret),
    last4: secret.slice(-4),
    expiresAt: expiryOf(at, pointer.lifeDays),
    previous: kept,
  };
  return {
    pointer: next,
    secret,
    parts: [
      updatePointerPart(
        pointer,
        {
          set: {
            hash: next.hash,
            last4: next.last4,
            expiresAt: next.expiresAt,
            previous: next.previous,
            ...(renewed.publicKey === undefined ? {} : { publicKey: renewed.publicKey }),
            ...(renewed.sealedSecret === undefined ? {} : { sealedSecret: renewed.sealedSecret }),
          },
        },
        all(equals('hash', pointer.hash), equals('status', 'active')),
      ),
      createCredentialPart(credentialOf(company, next, powers)),
      updateCredentialPart(replaced.hash, { set: { expiresAt: replaced.expiresAt } }),
      ...dropped.filter(({ hash }) => hash !== replaced.hash).map(({ hash }) => updateCredentialPart(hash, { set: { status: 'revoked' } })),
    ],
  };
};

/** Whether a secret made beforehand is in the table already: a seed that was interrupted asks before it repeats a step. */
export const isStored = async (secret: string): Promise<boolean> => (await getCredentials([tokenHash(secret)])).length > 0;

/** The items that end a credential with all its living secrets. */
export const revokeParts = (pointer: Pointer): TransactionPart[] => [
  updatePointerPart(pointer, { set: { status: 'revoked', previous: [] } }, equals('hash', pointer.hash)),
  ...[pointer, ...pointer.previous].map(({ hash }) => updateCredentialPart(hash, { set: { status: 'revoked' } })),
];

/** Revokes by id: from the next call on. Repeating it is no error. */
export const revokeCredential = async (
  companyId: number,
  kind: CredentialKind,
  id: number,
): Promise<Pointer | Problem<'not_found' | 'conflict'>> => {
  for (let attempt = 0; attempt < 3; attempt++) {
    const pointer = await requirePointer(companyId, kind, id);
    if ('problem' in pointer || pointer.status === 'revoked') return pointer;
    const committed = await commit(revokeParts(pointer));
    if (committed.done) return { ...pointer, status: 'revoked', previous: [] };
  }
  return problem('conflict');
};

/** Commits if the company stands as it was read: a credential made beside a suspension must not escape it. */
export const commitIfCompanyUnchanged = async (company: Company, parts: readonly TransactionPart[]): Promise<boolean> =>
  (await commit([...parts, checkCompanyPart(company.companyId, equals('status', company.status))])).done;

export const requirePointer = async (companyId: number, kind: CredentialKind, id: number): Promise<Pointer | Problem<'not_found'>> =>
  (await getPointer({ companyId, credentialKind: kind, id }, { consistent: true })) ??
  problem('not_found', { message: `There is no ${names[kind]} ${id} in company ${companyId}.` });

const names: Record<CredentialKind, string> = {
  token: 'token',
  erp_token: 'ERP token',
  webhook_token: 'webhook token',
  public_key: 'key',
  secret_key: 'key',
};

/** Epoch milliseconds of the last use of each credential, the newest of its secrets; by the pointer's hash. */
export const getLastUses = async (pointers: readonly Pointer[]): Promise<Map<string, number>> => {
  const credentials = await getCredentials(pointers.flatMap(({ hash, previous }) => [hash, ...previous.map((old) => old.hash)]));
  const used = new Map(credentials.map(({ hash, lastUsedAt }) => [hash, lastUsedAt ?? 0]));
  return new Map(
    pointers.flatMap(({ hash, previous }) => {
      const last = Math.max(...[hash, ...previous.map((old) => old.hash)].map((each) => used.get(each) ?? 0));
      return last > 0 ? [[hash, last] as const] : [];
    }),
  );
};

/** When the longest-living old secret dies; undefined when none lives. */
export const previousExpiry = (pointer: Pointer, nowMs: number): number | undefined => {
  const alive = pointer.status === 'active' ? pointer.previous.filter(({ expiresAt }) => expiresAt > nowMs) : [];
  return alive.length > 0 ? Math.max(...alive.map(({ expiresAt }) => expiresAt)) : undefined;
};

export const toCredentialRecord = (
  pointer: Pointer & { credentialKind: 'token' | 'erp_token' | 'webhook_token' },
  scopes: CredentialRecord['scopes'],
  lastUsedAt: number | undefined,
): CredentialRecord => {
  const at = now();
  return {
    id: pointer.id,
    kind: pointer.credentialKind,
    name: pointer.name,
    last4: pointer.last4,
    status: credentialStatus(pointer, at),
    user_id: pointer.userId || null,
    scopes,
    receiver: pointer.credentialKind === 'webhook_token' ? (pointer.subject as Receiver) : null,
    has_shared_secret: pointer.sealedSecret !== undefined,
    created_at: time(pointer.createdAt) ?? '',
    expires_at: time(pointer.expiresAt),
    last_used_at: time(lastUsedAt),
    previous_expires_at: time(previousExpiry(pointer, at)),
  };
};

export const isUsableNow = (pointer: Pointer): boolean => isUsable(pointer, now());

function credentialOf(company: Company, pointer: Pointer, { role, scopes, subjectStatus }: CredentialPermissions): Credential {
  return {
    hash: pointer.hash,
    credentialKind: pointer.credentialKind,
    companyId: pointer.companyId,
    id: pointer.id,
    userId: pointer.userId,
    role,
    scopes,
    subject: pointer.subject,
    ...(subjectStatus ? { subjectStatus } : {}),
    status: 'active',
    companyStatus: company.status,
    expiresAt: pointer.expiresAt,
  };
}
