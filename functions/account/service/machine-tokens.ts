import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Scope } from '../../../shared/contract/route.ts';
import { seal } from '../../../shared/runtime/seal.ts';
import { exists } from '../../../shared/table/condition.ts';
import { commit } from '../../../shared/table/transaction.ts';
import type { CredentialRecord, ErpTokenInput, WebhookTokenInput } from '../contract.ts';
import { erpTokenInput, webhookTokenInput } from '../contract/machine-token.ts';
import { overlapHours } from '../contract/token.ts';
import { defaultOverlapHours } from '../domain.ts';
import { changingPointer, findPointers, type Pointer, takeCredentialId } from '../store/credential.ts';
import { requireCompany } from './companies.ts';
import {
  commitFor,
  lastUses,
  mint,
  type Minted,
  type Powers,
  requirePointer,
  revoke,
  rotating,
  secretFor,
  showCredential,
} from './credentials.ts';
import { parsed } from './input.ts';
import { aboutCredential } from './signing.ts';
import type { Issued } from './tokens.ts';

/**
 * Tokens of machines: the ERP token (it is the custom webhook's token too, 2§5) and the webhook tokens, one receiver each. They do not
 * expire (S16), and may carry the secret that the other side signs with (S18), sealed.
 */
export type MachineKind = 'erp_token' | 'webhook_token';

type Refused = Problem<'not_found' | 'validation_failed' | 'conflict'>;

/** `secret`: one made beforehand with newToken, as in issueToken. */
export const issueErpToken = async (companyId: number, input: ErpTokenInput, secret?: string): Promise<Issued | Refused> => {
  const fields = parsed(erpTokenInput, input);
  return isProblem(fields) ? fields : issue(companyId, 'erp_token', { ...fields, receiver: undefined }, secret);
};

export const issueWebhookToken = async (companyId: number, input: WebhookTokenInput, secret?: string): Promise<Issued | Refused> => {
  const fields = parsed(webhookTokenInput, input);
  return isProblem(fields) ? fields : issue(companyId, 'webhook_token', fields, secret);
};

/** A new secret; the old one lives on for `hours` (24 unless told). */
export const rotateMachineToken = async (
  companyId: number,
  kind: MachineKind,
  id: number,
  hours: number = defaultOverlapHours,
): Promise<Issued | Refused> => {
  const overlap = overlapHours.safeParse(hours);
  if (!overlap.success) return invalid('overlap_hours', ...overlap.error.issues.map(({ message }) => message));
  for (let attempt = 0; attempt < 5; attempt++) {
    const [company, pointer] = await Promise.all([requireCompany(companyId), requirePointer(companyId, kind, id)]);
    if (isProblem(company)) return company;
    if (isProblem(pointer)) return pointer;
    if (pointer.status === 'revoked') return problem('conflict', { message: `Token ${id} was revoked; create a new one.` });
    const minted = rotating(company, pointer, powers[kind], secretFor(kind, undefined), overlap.data * 3_600_000);
    if (await commitFor(company, minted.parts)) return issued(kind, minted);
  }
  return problem('conflict');
};

/** Dead from the next call on. */
export const revokeMachineToken = async (
  companyId: number,
  kind: MachineKind,
  id: number,
): Promise<CredentialRecord | Problem<'not_found' | 'conflict'>> => {
  const pointer = await revoke(companyId, kind, id);
  return isProblem(pointer) ? pointer : shown(kind, pointer, undefined);
};

export const listMachineTokens = async (companyId: number, kind: MachineKind): Promise<CredentialRecord[] | Problem<'not_found'>> => {
  const company = await requireCompany(companyId);
  if (isProblem(company)) return company;
  const pointers = await findPointers(companyId, kind);
  const uses = await lastUses(pointers);
  return pointers.map((pointer) => shown(kind, pointer, uses.get(pointer.hash)));
};

/** Sets, replaces or (undefined) takes away the secret that the other side signs with. */
export const setSharedSecret = async (
  companyId: number,
  kind: MachineKind,
  id: number,
  secret: string | undefined,
): Promise<CredentialRecord | Problem<'not_found' | 'validation_failed'>> => {
  const fields = parsed(erpTokenInput, secret === undefined ? {} : { shared_secret: secret });
  if (isProblem(fields)) return fields;
  const pointer = await requirePointer(companyId, kind, id);
  if (isProblem(pointer)) return pointer;
  const sealedSecret =
    fields.shared_secret === undefined ? undefined : await seal(fields.shared_secret, aboutCredential(companyId, kind, id));
  await commit([changingPointer(pointer, { set: { sealedSecret } }, exists())]);
  return shown(kind, { ...pointer, sealedSecret }, undefined);
};

const erpScopes: Scope[] = ['shop:write'];
const powers: Record<MachineKind, Powers> = {
  erp_token: { role: 'member', scopes: erpScopes },
  webhook_token: { role: 'viewer', scopes: [] },
};

async function issue(
  companyId: number,
  kind: MachineKind,
  fields: { name?: string | undefined; shared_secret?: string | undefined; receiver?: string | undefined },
  secret: string | undefined,
): Promise<Issued | Refused> {
  const id = await takeCredentialId(companyId);
  const sealedSecret =
    fields.shared_secret === undefined ? undefined : await seal(fields.shared_secret, aboutCredential(companyId, kind, id));
  for (let attempt = 0; attempt < 5; attempt++) {
    const company = await requireCompany(companyId);
    if (isProblem(company)) return company;
    const minted = mint(
      company,
      { companyId, credentialKind: kind, id, name: fields.name ?? '', userId: 0, subject: fields.receiver, sealedSecret },
      powers[kind],
      secretFor(kind, secret),
    );
    if (await commitFor(company, minted.parts)) return issued(kind, minted);
  }
  return problem('conflict');
}

function issued(kind: MachineKind, { pointer, secret }: Minted): Issued {
  return { token: shown(kind, pointer, undefined), secret };
}

function shown(kind: MachineKind, pointer: Pointer, lastUsedAt: number | undefined): CredentialRecord {
  return showCredential({ ...pointer, credentialKind: kind }, powers[kind].scopes.slice(), lastUsedAt);
}
