import type { BusinessNumber } from '../../account/service/numbers.ts';
import type { SpendLimit } from '../../messaging/service/send-slots.ts';
import type { StoredMessage } from '../../messaging/contract/stored.ts';
import type { TemplateParameters } from '../../templates/contract/parameters.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import type { StoredCampaign, StoredRecipientBatch } from '../contract/stored.ts';
import type { SendBatchCommand } from './chain.ts';

/** A batch under this worker's lease, with what sending it takes. */
export interface BatchWork {
  command: SendBatchCommand;
  campaign: StoredCampaign;
  batch: StoredRecipientBatch;
  number: BusinessNumber;
  template: StoredTemplate;
  parameters: TemplateParameters;
  /** Another worker held the batch before and never finished it. */
  isTakenOver: boolean;
}

export interface BatchResult {
  /** Recipients that were not started, in order. */
  remaining: number[];
  /** Recipients that the provider deferred, with the time of the next attempt, epoch milliseconds. */
  deferred: Map<number, number>;
  /** Recipients that another worker has claimed, with the time at which that claim has a result, epoch milliseconds. */
  claimedElsewhere: Map<number, number>;
  /** Recipients whose failed message a retry request is about to reset. */
  awaitingRetry: number[];
  /** Recipients left out at the moment of sending, with the reason. */
  skipped: [contactId: number, reason: string][];
  /** The provider's answer to a call is not known. */
  hasUnknownResult: boolean;
  /** The provider holds a message back that it accepted. */
  hasHeldSends: boolean;
  stoppedBy: 'pause' | 'suspension' | 'time' | 'failure' | SpendLimit | undefined;
}

/** The recipients a worker has to send to: contacts without a message, and those that had one (undefined: not read yet). */
export interface RemainingRecipients {
  unsent: number[];
  known: Map<number, StoredMessage | undefined>;
  /** Of a send of a worker that crashed, the provider's answer is not known. */
  hasUnknownResult: boolean;
  /** A worker that crashed had a message accepted that the provider holds back. */
  hasHeldSends: boolean;
}
