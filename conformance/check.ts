import type { Deployment } from './deployment.ts';
import type { TestContacts } from './test-contacts.ts';
import type { WebhookReceiver } from './receiver.ts';

export const checkGroups = ['envelopes', 'errors', 'idempotency', 'limits', 'time', 'webhooks', 'messages', 'request ids'] as const;
export type CheckGroup = (typeof checkGroups)[number];

/** What checks share. */
export interface CheckRun {
  deployment: Deployment;
  contacts: TestContacts;
  /** Where the deployment's webhooks arrive, if it can reach this computer. */
  receiver: WebhookReceiver | undefined;
  /** The only phone that may get a message. */
  sendTo: string | undefined;
  reachLimit: boolean;
  /** How long to wait for a webhook. */
  timeoutMs: number;
}

/** One guarantee of the API. It throws Nonconformity where it does not hold, NotChecked where that could not be found out. */
export interface Check {
  id: string;
  group: CheckGroup;
  title: string;
  run: (run: CheckRun) => Promise<void>;
}
