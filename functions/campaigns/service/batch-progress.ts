import { getRecipientMessages, scheduleClaimChecks } from '../../messaging/service/campaign-recipients.ts';
import { messageStatuses } from '../../messaging/contract/stored.ts';
import type { StoredRecipientBatch } from '../contract/stored.ts';
import { updateRecipientBatch } from '../store/recipient-batch.ts';
import type { BatchResult, BatchWork, RemainingRecipients } from './batch-work.ts';

/** By the batch's own progress; after a crash of another worker by the messages, which alone show the claims. */
export const remainingRecipients = async ({ batch, isTakenOver }: BatchWork): Promise<RemainingRecipients> => {
  if (isTakenOver) return remainingByMessages(batch);
  return {
    unsent: batch.contactIds.slice(batch.processed),
    waiting: new Map(batch.waiting.map((contactId) => [contactId, undefined])),
  };
};

/**
 * For a batch whose worker crashed while no worker may continue it (a pause). The lease ends but stays in the item, so that the next worker
 * reads the messages: recipients beyond `processed` may have one already.
 */
export const releaseLease = async (batch: StoredRecipientBatch): Promise<void> => {
  await remainingByMessages(batch);
  if (batch.lease) await updateRecipientBatch(batch, { lease: { ...batch.lease, until: 0 } });
};

/** Claims without a result are checked two minutes after the claim. */
async function remainingByMessages(batch: StoredRecipientBatch): Promise<RemainingRecipients> {
  const { companyId, campaignId, contactIds, processed, waiting, secondMs = 0, skipped } = batch;
  const left = new Set(skipped.map(([contactId]) => contactId));
  const open = [...new Set([...waiting, ...contactIds.slice(processed)])].filter((contactId) => !left.has(contactId));
  const messages = await getRecipientMessages(companyId, { id: campaignId, batch: batch.batch }, open, secondMs);
  await scheduleClaimChecks([...messages.values()]);
  return {
    unsent: open.filter((contactId) => !messages.has(contactId)),
    waiting: new Map([...messages].filter(([, { status }]) => status === messageStatuses.scheduled)),
  };
}

/** Writes how far the batch is and gives its lease back. */
export const recordProgress = async (batch: StoredRecipientBatch, result: BatchResult): Promise<void> => {
  const isFinished = result.remaining.length === 0;
  const processed = isFinished ? batch.contactIds.length : firstRemaining(batch, new Set(result.remaining));
  const ownWaiting = [
    ...result.deferred.keys(),
    ...result.awaitingRetry,
    ...result.remaining.filter((id) => batch.contactIds.indexOf(id) < batch.processed || batch.waiting.includes(id)),
  ];
  for (let seen = batch; ; ) {
    // a retry request may have added waiting recipients since the claim
    const waiting = [...new Set([...ownWaiting, ...seen.waiting.filter((id) => !batch.waiting.includes(id))])];
    const written = await updateRecipientBatch(seen, {
      lease: undefined,
      processed,
      waiting,
      done: isFinished && waiting.length === 0,
      skipped: [...batch.skipped, ...result.skipped],
      ...(result.hasUnknownResult ? { hasUnknownResult: true } : {}),
    });
    if (written.done) return;
    if (!written.current || written.current.lease?.deliveryId !== batch.lease?.deliveryId)
      throw new Error('Another worker took the batch while its lease was held.');
    seen = written.current;
  }
};

/** Recipients are sent to in order, so those that remain are a tail, apart from waiting ones before it. */
const firstRemaining = ({ contactIds, processed }: StoredRecipientBatch, remaining: ReadonlySet<number>): number => {
  const index = contactIds.findIndex((id, place) => place >= processed && remaining.has(id));
  return index < 0 ? contactIds.length : index;
};
