import { randomBytes } from 'node:crypto';
import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal, Scope } from '../../../shared/contract/route.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import type { CredentialRecord } from '../contract/record.ts';
import type { MachineTokenInput } from '../contract/machine-token.ts';
import { receiverPath, shopReceivers } from '../contract/receiver.ts';
import { widerProblem } from './minting.ts';
import { requirePointer } from './credentials.ts';
import * as machineTokens from './machine-tokens.ts';
import type { IssuedToken } from './tokens.ts';

/** ERP and webhook tokens as the admins of a company manage them: both kinds under one sequence of ids, with whole addresses. */
export type MachineTokenWithSecret = CredentialRecord & { secret: string; url: string; shared_secret: string | null };

type Refused = Problem<'not_found' | 'validation_failed' | 'conflict' | 'insufficient_scope' | 'ip_not_allowed'>;

type Maker = Pick<Principal, 'companyId' | 'scopes' | 'networks'>;
/** What machines write with a token, from everywhere: orders, contacts and messages reach the company by receivers. */
const writtenBy: Readonly<Record<machineTokens.MachineKind, readonly Scope[]>> = {
  erp_token: ['shop:write'],
  webhook_token: ['shop:write', 'contacts:write'],
};
const widerMachine = (caller: Maker, kind: machineTokens.MachineKind) => widerProblem(caller, writtenBy[kind], undefined);

export const listMachineTokens = async (companyId: number): Promise<CredentialRecord[] | Problem<'not_found'>> => {
  const [erp, webhook] = await Promise.all([
    machineTokens.listMachineCredentials(companyId, 'erp_token'),
    machineTokens.listMachineCredentials(companyId, 'webhook_token'),
  ]);
  if (isProblem(erp)) return erp;
  return isProblem(webhook) ? webhook : [...erp, ...webhook].toSorted((a, b) => a.id - b.id);
};

/** `baseUrl`: where this deployment is reached, when its receivers have no addresses of their own. */
export const createMachineToken = async (
  caller: Maker,
  { kind, receiver, name, shared_secret, make_shared_secret }: MachineTokenInput,
  baseUrl: string,
): Promise<MachineTokenWithSecret | Refused> => {
  const { companyId } = caller;
  const wider = widerMachine(caller, kind);
  if (wider) return wider;
  const isSigned = make_shared_secret ?? (shared_secret === undefined && receiver !== undefined && shopReceivers.includes(receiver));
  const generated = isSigned ? randomBytes(24).toString('hex') : undefined;
  const input = defined({ name, shared_secret: generated ?? shared_secret });
  const issued =
    kind === 'webhook_token' && receiver !== undefined
      ? await machineTokens.issueWebhookToken(companyId, { ...input, receiver })
      : await machineTokens.issueErpToken(companyId, input);
  return isProblem(issued) ? issued : shownOnce(issued, baseUrl, generated);
};

export const updateMachineToken = async (
  caller: Maker,
  id: number,
  { shared_secret }: { shared_secret: string | null },
): Promise<CredentialRecord | Refused> => {
  const { companyId } = caller;
  const kind = await requireKind(companyId, id);
  if (isProblem(kind)) return kind;
  return widerMachine(caller, kind) ?? machineTokens.setSharedSecret(companyId, kind, id, shared_secret ?? undefined);
};

export const rotateMachineToken = async (
  caller: Maker,
  id: number,
  overlapHours: number | undefined,
  baseUrl: string,
): Promise<MachineTokenWithSecret | Refused> => {
  const { companyId } = caller;
  const kind = await requireKind(companyId, id);
  if (isProblem(kind)) return kind;
  const wider = widerMachine(caller, kind);
  if (wider) return wider;
  const issued = await machineTokens.rotateMachineCredential(companyId, kind, id, overlapHours);
  return isProblem(issued) ? issued : shownOnce(issued, baseUrl);
};

export const revokeMachineToken = async (companyId: number, id: number): Promise<CredentialRecord | Problem<'not_found' | 'conflict'>> => {
  const kind = await requireKind(companyId, id);
  return isProblem(kind) ? kind : machineTokens.revokeMachineCredential(companyId, kind, id);
};

async function requireKind(companyId: number, id: number): Promise<machineTokens.MachineKind | Problem<'not_found'>> {
  const erp = await requirePointer(companyId, 'erp_token', id);
  if (!isProblem(erp)) return 'erp_token';
  const webhook = await requirePointer(companyId, 'webhook_token', id);
  return isProblem(webhook) ? webhook : 'webhook_token';
}

function shownOnce({ token, secret }: IssuedToken, baseUrl: string, sharedSecret?: string): MachineTokenWithSecret {
  return { ...token, secret, url: receiverUrl(token.receiver, secret, baseUrl), shared_secret: sharedSecret ?? null };
}

/** The address that a sender posts to. `baseUrl`: where the API is, when the receivers have no addresses of their own. */
export function receiverUrl(receiver: CredentialRecord['receiver'], secret: string, baseUrl: string): string {
  const own = receiver === null ? 'CUSTOM' : receiver === 'messaging' ? 'MESSAGING' : 'SHOP';
  return `${optionalSetting(`${own}_RECEIVER_BASE_URL`) ?? baseUrl}${receiverPath(receiver ?? 'custom', secret)}`;
}
