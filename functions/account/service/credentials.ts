import type { Credential } from '../../../shared/access/credential.ts';
import { hasTokenPrefix, newToken, type TokenKind, tokenHash } from '../../../shared/access/token.ts';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { all, equals } from '../../../shared/table/condition.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { commit, type TransactionPart } from '../../../shared/table/transaction.ts';
import type { CredentialRecord } from '../contract/record.ts';
import type { Receiver } from '../contract/receiver.ts';
import { expiryOf, isUsableCredential, splitPrevious, credentialStatus } from '../domain/credential.ts';
import { settingsOfCredential } from './credentials-of-company.ts';
import { time } from './records.ts';
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

/** Creating, rotating, revoking and rendering credentials of all kinds. The rules of each kind are in tokens.ts, machine-tokens.ts and verification-keys.ts. */

/** A new credential without its secret. */
export type CredentialSpec = Omit<Pointer, 'hash' | 'last4' | 'status' | 'createdAt' | 'previous'>;
export type CredentialPermissions = Pick<Credential, 'role' | 'scopes' | 'subjectRevision' | 'provenAt'> & {
  subjectStatus?: 'inactive' | undefined;
};
export interface NewSecret {
  pointer: Pointer;
  secret: string;
  parts: TransactionPart[];
}

/** The items of a new credential, not yet written. `secret` may come from a caller that had to store it before. */
export const newCredential = (company: Company, spec: CredentialSpec, powers: CredentialPermissions, secret: string): NewSecret => {
  const at = now();
  const pointer: Pointer = {
    ...spec,
    hash: tokenHash(secret),
    last4: secret.slice(-4),
    status: 'active',
    createdAt: at,
    expiresAt: spec.expiresAt ?? expiryOf(at, spec.lifeDays),
    previous: [],
  };
  return { pointer, secret, parts: createCredentialParts(pointer, credentialOf(company, pointer, powers)) };
};

/** The given secret, if it is of the kind; otherwise a new one. */
export const secretFor = (kind: TokenKind, given: string | undefined): string => {
  if (given === undefined) return newToken(kind);
  if (!hasTokenPrefix(kind, given)) throw new Error(`The secret does not have the format of a ${kind}.`);
  return given;
};

/**
 * The items that replace the secret of a credential. Former secrets stay valid for at most `overlapMs` (0: they end at once), the new one for the
 * full lifetime of the credential. The transaction fails if the pointer changed meanwhile; then the caller reads again.
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
  // no former secret outlives the overlap of this rotation
  const capped = pointer.previous.map((old) => ({ ...old, expiresAt: Math.min(old.expiresAt, at + overlapMs) }));
  const { valid } = splitPrevious(replaced, capped, at);
  const former = pointer.previous.filter(({ expiresAt }) => expiresAt > at);
  const ended = former.filter(({ hash }) => !valid.some((each) => each.hash === hash));
  const shortened = valid.filter(({ hash, expiresAt }) => former.some((old) => old.hash === hash && old.expiresAt > expiresAt));
  const next: Pointer = {
    ...pointer,
    ...renewed,
    hash: tokenHash(secret),
    last4: secret.slice(-4),
    expiresAt: expiryOf(at, pointer.lifeDays),
    previous: valid,
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
            rotatedAt: at,
            ...(renewed.publicKey === undefined ? {} : { publicKey: renewed.publicKey }),
            ...(renewed.sealedSecret === undefined ? {} : { sealedSecret: renewed.sealedSecret }),
          },
        },
        all(equals('hash', pointer.hash), equals('status', 'active')),
      ),
      createCredentialPart(credentialOf(company, next, powers)),
      updateCredentialPart(replaced.hash, { set: { expiresAt: replaced.expiresAt, isReplaced: true } }),
      ...shortened.map(({ hash, expiresAt }) => updateCredentialPart(hash, { set: { expiresAt } })),
      ...ended.map(({ hash }) => updateCredentialPart(hash, { set: { status: 'revoked' } })),
    ],
  };
};

/** Whether a secret is in the table already, so that an interrupted seed repeats no step. */
export const isStored = async (secret: string): Promise<boolean> => (await getCredentials([tokenHash(secret)])).length > 0;

/** The items that revoke a credential with all its valid secrets. */
export const revokeParts = (pointer: Pointer): TransactionPart[] => [
  updatePointerPart(pointer, { set: { status: 'revoked', previous: [] } }, equals('hash', pointer.hash)),
  ...[pointer, ...pointer.previous].map(({ hash }) => updateCredentialPart(hash, { set: { status: 'revoked' }, remove: ['isReplaced'] })),
];

/** Revokes a credential from the next call on. Repeating it is no error. */
export const revokeCredential = async (
  companyId: number,
  kind: CredentialKind,
  id: number,
): Promise<Pointer | Problem<'not_found' | 'conflict'>> => {
  const attempt = async () => {
    const pointer = await requirePointer(companyId, kind, id);
    if ('problem' in pointer || pointer.status === 'revoked') return pointer;
    const committed = await commit(revokeParts(pointer));
    return committed.done ? { ...pointer, status: 'revoked' as const, previous: [] } : conflict;
  };
  return retryOnConflict<Pointer | Problem<'not_found' | 'conflict'>>(3, attempt, () => problem('conflict'));
};

/** Lets the newest secret of a credential end earlier. False: the credential changed meanwhile. */
export const limitCredential = async (pointer: Pointer, expiresAt: number): Promise<boolean> =>
  (
    await commit({
      pointer: updatePointerPart(pointer, { set: { expiresAt } }, equals('hash', pointer.hash)),
      credential: updateCredentialPart(pointer.hash, { set: { expiresAt } }),
    })
  ).done;

/** Commits only if the company is unchanged, so that a credential created while a suspension or a setting begins does not escape it. */
export const commitIfCompanyUnchanged = async (company: Company, parts: readonly TransactionPart[]): Promise<boolean> =>
  (
    await commit([
      ...parts,
      checkCompanyPart(company.companyId, all(equals('status', company.status), equals('updatedAt', company.updatedAt))),
    ])
  ).done;

export const requirePointer = async (companyId: number, kind: CredentialKind, id: number): Promise<Pointer | Problem<'not_found'>> =>
  (await getPointer({ companyId, credentialKind: kind, id }, { consistent: true })) ??
  problem('not_found', { message: `There is no ${names[kind]} ${id} in company ${companyId}.` });

const names: Record<CredentialKind, string> = {
  token: 'token',
  session: 'session',
  erp_token: 'ERP token',
  webhook_token: 'webhook token',
  public_key: 'key',
  secret_key: 'key',
};

/** Epoch milliseconds of the last use of any secret of each credential, by the pointer's hash. */
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

/** When the last valid former secret expires; undefined if none is valid. */
export const previousExpiry = (pointer: Pointer, nowMs: number): number | undefined => {
  const valid = pointer.status === 'active' ? pointer.previous.filter(({ expiresAt }) => expiresAt > nowMs) : [];
  return valid.length > 0 ? Math.max(...valid.map(({ expiresAt }) => expiresAt)) : undefined;
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
    networks: pointer.networks ?? null,
    receiver: pointer.credentialKind === 'webhook_token' ? (pointer.subject as Receiver) : null,
    has_shared_secret: pointer.sealedSecret !== undefined,
    created_at: time(pointer.createdAt) ?? '',
    expires_at: time(pointer.expiresAt),
    last_used_at: time(lastUsedAt),
    previous_expires_at: time(previousExpiry(pointer, at)),
  };
};

export const isUsableNow = (pointer: Pointer): boolean => isUsableCredential(pointer, now());

function credentialOf(
  company: Company,
  pointer: Pointer,
  { role, scopes, subjectStatus, subjectRevision, provenAt }: CredentialPermissions,
): Credential {
  return {
    hash: pointer.hash,
    credentialKind: pointer.credentialKind,
    companyId: pointer.companyId,
    id: pointer.id,
    userId: pointer.userId,
    role,
    scopes,
    subject: pointer.subject,
    networks: pointer.networks,
    ...(subjectStatus ? { subjectStatus } : {}),
    ...(subjectRevision === undefined ? {} : { subjectRevision }),
    ...(provenAt === undefined ? {} : { provenAt }),
    status: 'active',
    companyStatus: company.status,
    ...settingsOfCredential(company),
    expiresAt: pointer.expiresAt,
    // the idle time of a session begins with it
    ...(pointer.credentialKind === 'session' ? { lastUsedAt: pointer.createdAt, until: pointer.until } : {}),
  };
}
