import { isoTime } from '../../../shared/runtime/clock.ts';
import type { Finding } from '../../messaging/contract/finding.ts';
import { toNumberFinding } from './number-finding.ts';
import { type SignupFailure, signupFailures, type SignupStatus } from './signup.ts';

interface StoredSignup {
  id: number;
  status: SignupStatus;
  failure?: SignupFailure | undefined;
  numberId?: number | undefined;
  phone?: string | undefined;
  createdAt: number;
}

/** A signup as the API shows it: without its state, its token and its PIN. */
export const toSignup = ({ id, status, failure, numberId, phone, createdAt }: StoredSignup) => ({
  id,
  status,
  failure: failure === undefined ? null : { reason: failure, message: signupFailures[failure] },
  number_id: numberId ?? null,
  phone: phone ?? null,
  created_at: isoTime(createdAt),
});

export interface CompletedSignup {
  signup: StoredSignup;
  /** With which the number was registered; undefined: none was made. */
  pin: string | undefined;
  findings: readonly Finding[];
}

export const toCompletedSignup = ({ signup, pin, findings }: CompletedSignup) => ({
  ...toSignup(signup),
  pin: pin ?? null,
  findings: findings.map(toNumberFinding),
});

/** What a page needs to open the provider's dialog. */
export interface NewSignup {
  signup: StoredSignup;
  state: string;
  appId: string;
  configurationId: string;
  version: string;
  scriptUrl: string;
  dialogOrigins: string[];
  hostedUrl: string | undefined;
  expiresAt: number;
}

export const toNewSignup = ({ signup, ...created }: NewSignup) => ({
  ...toSignup(signup),
  state: created.state,
  app_id: created.appId,
  configuration_id: created.configurationId,
  version: created.version,
  script_url: created.scriptUrl,
  dialog_origins: created.dialogOrigins,
  hosted_url: created.hostedUrl ?? null,
  expires_at: isoTime(created.expiresAt),
});
