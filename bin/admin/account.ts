import type { CompanyRecord, CredentialRecord, NumberRecord, UserRecord } from '../../functions/account/contract/record.ts';
import type { NumberChanges, NumberInput, NumberSecrets } from '../../functions/account/contract/number.ts';
import type { Receiver } from '../../functions/account/contract/receiver.ts';
import type { AuditEntry } from '../../functions/account/contract/audit.ts';
import type { CompanyChanges } from '../../functions/account/contract/company.ts';
import type { TokenInput } from '../../functions/account/contract/token.ts';
import type { UsageRecord } from '../../functions/administration/contract/usage.ts';
import type { UsageQuery } from '../../functions/usage/contract/range.ts';
import type { UserChanges, UserInput } from '../../functions/account/contract/user.ts';
import type { ConnectedNumber } from '../../functions/administration/service/connect-number.ts';
import type { MachineKind } from '../../functions/account/service/machine-tokens.ts';
import type { Finding } from '../../functions/messaging/contract/finding.ts';
import type { Problem } from '../../shared/contract/problems.ts';

export type Secret = CredentialRecord & { secret: string };
export type MachineSecret = Secret & { url: string };
export interface MachineInput {
  kind: MachineKind;
  receiver?: Receiver;
  name?: string;
  shared_secret?: string;
}
export interface UserOptions {
  /** Of the operator alone: the last owner may go. */
  mayLeaveNoOwner: boolean;
}
export type Outcome<T> = Promise<T | Problem>;

/** The account of one company as the commands see it: through the API with a token, or, for the operator, through the services on the table. */
export interface AccountAccess {
  getCompany: () => Outcome<CompanyRecord>;
  /** A plan is the operator's. */
  updateCompany: (changes: CompanyChanges) => Outcome<CompanyRecord>;
  listUsers: () => Outcome<UserRecord[]>;
  createUser: (input: UserInput) => Outcome<UserRecord>;
  updateUser: (id: number, changes: UserChanges, options: UserOptions) => Outcome<UserRecord>;
  listTokens: (userId?: number) => Outcome<CredentialRecord[]>;
  createToken: (input: TokenInput) => Outcome<Secret>;
  rotateToken: (id: number, overlapHours?: number) => Outcome<Secret>;
  revokeToken: (id: number) => Outcome<CredentialRecord>;
  listMachineTokens: (kind: MachineKind) => Outcome<CredentialRecord[]>;
  createMachineToken: (input: MachineInput) => Outcome<MachineSecret>;
  rotateMachineToken: (kind: MachineKind, id: number, overlapHours?: number) => Outcome<MachineSecret>;
  setSharedSecret: (kind: MachineKind, id: number, secret: string | undefined) => Outcome<CredentialRecord>;
  revokeMachineToken: (kind: MachineKind, id: number) => Outcome<CredentialRecord>;
  listNumbers: () => Outcome<NumberRecord[]>;
  /** With `base_url` on the table alone: where the provider is, the operator decides. */
  addNumber: (input: NumberInput) => Outcome<{ number: NumberRecord; verify_token: string }>;
  updateNumber: (id: number, changes: NumberChanges) => Outcome<NumberRecord>;
  rotateNumberSecrets: (id: number, secrets: NumberSecrets) => Outcome<NumberRecord>;
  checkNumber: (id: number) => Outcome<Finding[]>;
  connectNumber: (id: number, pin: string | undefined) => Outcome<ConnectedNumber>;
  getUsage: (range: UsageQuery) => Outcome<UsageRecord>;
  /** The newest entries, newest first. */
  listAuditEntries: (count: number) => Outcome<AuditEntry[]>;
}
