import type { StoredCampaign } from '../contract/stored.ts';

/** Recipients in a batch: few enough for an item of 1 KB, so that each write of it is one unit. */
export const recipientsPerBatch = 100;

/** The number of chains that run side by side: each can send 50 a second, also when responses are slow. */
export const chainCountFor = (ratePerSecond: number, batches: number): number =>
  Math.max(1, Math.min(20, Math.ceil(ratePerSecond / 50), Math.max(1, batches)));

/** Ids in batches, in order. */
export const splitIntoBatches = (ids: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(ids.length / recipientsPerBatch) }, (_, index) =>
    ids.slice(index * recipientsPerBatch, (index + 1) * recipientsPerBatch),
  );

/**
 * A recipient that is sent to by its own call (sendToContact) has a batch of its own, numbered by the id of its message. Message ids are
 * greater than this, and no campaign has as many constructed batches: so the number shows the kind of a batch.
 */
export const firstSingleRecipientBatch = 1e12;
export const isSingleRecipientBatch = (batch: number): boolean => batch >= firstSingleRecipientBatch;

/** A batch of a single recipient is sent in any state but paused and deleted; others only in the run that enqueued them. */
export const mayContinue = (
  { status, runNumber }: Pick<StoredCampaign, 'status' | 'runNumber'>,
  command: { batch: number; runNumber: number },
): boolean =>
  isSingleRecipientBatch(command.batch) ? !['paused', 'deleted'].includes(status) : status === 'sending' && runNumber === command.runNumber;
