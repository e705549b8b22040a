import { hourMs } from '../../../shared/runtime/clock.ts';
import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { tokenHash } from '../../../shared/access/token.ts';
import type { Scope } from '../../../shared/contract/route.ts';
import { seal, sealIfNew } from '../../../shared/runtime/seal.ts';
import { exists } from '../../../shared/table/condition.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { commit } from '../../../shared/table/transaction.ts';
import type { CredentialRecord } from '../contract/record.ts';
import type { ErpTokenInput, WebhookTokenInput } from '../contract/machine-token.ts';
import type { Receiver } from '../contract/receiver.ts';
import { erpTokenInput, webhookTokenInput } from '../contract/machine-token.ts';
import { overlapHours } from '../contract/token.ts';
import { defaultOverlapHours } from '../domain/credential.ts';
import { getCredentials, updatePointerPart, listPointers, type Pointer, nextCredentialId } from '../store/credential.ts';
import { requireCompany } from './companies.ts';
import {
  commitIfCompanyUnchanged,
  getLastUses,
  newCredential,
  type NewSecret,
  type CredentialPermissions,
  requirePointer,
  revokeCredential,
  rotateCredential,
  secretFor,
  toCredentialRecord,
} from './credentials.ts';
import { parseServiceInput } from './input.ts';
import { credentialSealContext } from './signing-secrets.ts';
import type { IssuedToken } from './tokens.ts';

/**
 * Machine tokens: ERP tokens, which the custom webhook also uses, and webhook tokens for one receiver each. They never expire (S16) and may
 * have the sealed secret with which the sender signs its requests (S18).
 */
export type MachineKind = 'erp_token' | 'webhook_token';

type Refused = Problem<'not_found' | 'validation_failed' | 'conflict'>;

/** `secret`: created before with newToken, as in issueToken. */
export const issueErpToken = async (companyId: number, input: ErpTokenInput, secret?: string): Promise<IssuedToken | Refused> => {
  const fields = parseServiceInput(erpTokenInput, input);
  return isProblem(fields) ? fields : issueMachineToken(companyId, 'erp_token', { ...fields, receiver: undefined }, secret);
};

export const issueWebhookToken = async (companyId: number, input: WebhookTokenInput, secret?: string): Promise<IssuedToken | Refused> => {
  const fields = parseServiceInput(webhookTokenInput, input);
  return isProblem(fields) ? fields : issueMachineToken(companyId, 'webhook_token', fields, secret);
};

/** The receiver of a connected store: its posts are signed with the app's secrets, so that a rotation of those reaches it at once. */
export const issueConnectionReceiver = (
  companyId: number,
  connection: { id: number; shop: string },
  secret: string,
): Promise<IssuedToken | Refused> =>
  issueMachineToken(companyId, 'webhook_token', { receiver: 'storeplatform', name: connection.shop, connectionId: connection.id }, secret);

/** Whether a webhook token is valid, by its secret; undefined: it was never issued. */
export const webhookTokenStatus = async (secret: string): Promise<'active' | 'revoked' | undefined> =>
  (await getCredentials([tokenHash(secret)]))[0]?.status;

/** The company of a webhook token that is valid, by its secret; undefined: there is none. */
export const webhookTokenOwner = async (secret: string): Promise<number | undefined> => {
  const [credential] = await getCredentials([tokenHash(secret)]);
  return credential?.credentialKind === 'webhook_token' && credential.status === 'active' ? credential.companyId : undefined;
};

/** Ends the webhook token with this secret. Repeating it is no error, and neither is an unknown one. */
export const revokeWebhookToken = async (companyId: number, secret: string): Promise<void> => {
  const [credential] = await getCredentials([tokenHash(secret)]);
  if (credential?.companyId !== companyId || credential.credentialKind !== 'webhook_token') return;
  const revoked = await revokeCredential(companyId, 'webhook_token', credential.id);
  if (isProblem(revoked)) throw new Error('The receiver could not be revoked.');
};

/** Replaces the secret; the former one stays valid for `hours`. */
export const rotateMachineCredential = async (
  companyId: number,
  kind: MachineKind,
  id: number,
  hours: number = defaultOverlapHours,
): Promise<IssuedToken | Refused> => {
  const overlap = overlapHours.safeParse(hours);
  if (!overlap.success) return invalid('overlap_hours', ...overlap.error.issues.map(({ message }) => message));
  const attempt = async () => {
    const [company, pointer] = await Promise.all([requireCompany(companyId), requirePointer(companyId, kind, id)]);
    if (isProblem(company)) return company;
    if (isProblem(pointer)) return pointer;
    if (pointer.status === 'revoked') return problem('conflict', { message: `Token ${id} was revoked; create a new one.` });
    const minted = rotateCredential(company, pointer, permissions[kind], secretFor(kind, undefined), overlap.data * hourMs);
    return (await commitIfCompanyUnchanged(company, minted.parts)) ? toIssuedToken(kind, minted) : conflict;
  };
  return retryOnConflict<IssuedToken | Refused>(5, attempt, () => problem('conflict'));
};

/** Ends the token from the next call on. */
export const revokeMachineCredential = async (
  companyId: number,
  kind: MachineKind,
  id: number,
): Promise<CredentialRecord | Problem<'not_found' | 'conflict'>> => {
  const pointer = await revokeCredential(companyId, kind, id);
  return isProblem(pointer) ? pointer : toMachineTokenRecord(kind, pointer, undefined);
};

export const listMachineCredentials = async (companyId: number, kind: MachineKind): Promise<CredentialRecord[] | Problem<'not_found'>> => {
  const company = await requireCompany(companyId);
  if (isProblem(company)) return company;
  const pointers = await listPointers(companyId, kind);
  const uses = await getLastUses(pointers);
  return pointers.map((pointer) => toMachineTokenRecord(kind, pointer, uses.get(pointer.hash)));
};

/** The ids of the active webhook tokens of these receivers whose senders sign nothing. The posts to a connection's receiver are signed by the app. */
export const listUnsignedReceivers = async (companyId: number, receivers: readonly Receiver[]): Promise<number[]> =>
  (await listPointers(companyId, 'webhook_token'))
    .filter(({ subject, status }) => status === 'active' && receivers.some((receiver) => receiver === subject))
    .filter(({ sealedSecret, connectionId }) => sealedSecret === undefined && connectionId === undefined)
    .map(({ id }) => id);

/** Sets, replaces or (undefined) removes the secret with which the sender signs its requests. */
export const setSharedSecret = async (
  companyId: number,
  kind: MachineKind,
  id: number,
  secret: string | undefined,
): Promise<CredentialRecord | Problem<'not_found' | 'validation_failed'>> => {
  const fields = parseServiceInput(erpTokenInput, secret === undefined ? {} : { shared_secret: secret });
  if (isProblem(fields)) return fields;
  const pointer = await requirePointer(companyId, kind, id);
  if (isProblem(pointer)) return pointer;
  const sealedSecret =
    fields.shared_secret === undefined
      ? undefined
      : await sealIfNew(fields.shared_secret, pointer.sealedSecret, credentialSealContext(companyId, kind, id));
  await commit({ pointer: updatePointerPart(pointer, { set: { sealedSecret } }, exists()) });
  return toMachineTokenRecord(kind, { ...pointer, sealedSecret }, undefined);
};

const erpScopes: Scope[] = ['shop:write'];
const permissions: Record<MachineKind, CredentialPermissions> = {
  erp_token: { role: 'member', scopes: erpScopes },
  webhook_token: { role: 'viewer', scopes: [] },
};

async function issueMachineToken(
  companyId: number,
  kind: MachineKind,
  fields: { name?: string | undefined; shared_secret?: string | undefined; receiver?: string | undefined; connectionId?: number },
  secret: string | undefined,
): Promise<IssuedToken | Refused> {
  const id = await nextCredentialId(companyId);
  const sealedSecret =
    fields.shared_secret === undefined ? undefined : await seal(fields.shared_secret, credentialSealContext(companyId, kind, id));
  const attempt = async () => {
    const company = await requireCompany(companyId);
    if (isProblem(company)) return company;
    const minted = newCredential(
      company,
      {
        companyId,
        credentialKind: kind,
        id,
        name: fields.name ?? '',
        userId: 0,
        subject: fields.receiver,
        sealedSecret,
        ...(fields.connectionId === undefined ? {} : { connectionId: fields.connectionId }),
      },
      permissions[kind],
      secretFor(kind, secret),
    );
    return (await commitIfCompanyUnchanged(company, minted.parts)) ? toIssuedToken(kind, minted) : conflict;
  };
  return retryOnConflict<IssuedToken | Refused>(5, attempt, () => problem('conflict'));
}

function toIssuedToken(kind: MachineKind, { pointer, secret }: NewSecret): IssuedToken {
  return { token: toMachineTokenRecord(kind, pointer, undefined), secret };
}

function toMachineTokenRecord(kind: MachineKind, pointer: Pointer, lastUsedAt: number | undefined): CredentialRecord {
  return toCredentialRecord({ ...pointer, credentialKind: kind }, permissions[kind].scopes.slice(), lastUsedAt);
}
