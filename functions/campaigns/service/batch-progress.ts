import { getRecipientMessages, scheduleClaimChecks } from '../../messaging/service/campaign-recipients.ts';
import { isHeldByProvider } from '../../messaging/contract/held.ts';
import { messageStatuses, type StoredMessage } from '../../messaging/contract/stored.ts';
import { log } from '../../../shared/runtime/log.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { StoredRecipientBatch } from '../contract/stored.ts';
import { getRecipientBatch, updateRecipientBatch } from '../store/recipient-batch.ts';
import type { BatchResult, BatchWork, RemainingRecipients } from './batch-work.ts';

/** By the batch's own progress; after a crash of another worker by the messages, which alone show the claims. */
export const remainingRecipients = async ({ batch, isTakenOver }: BatchWork): Promise<RemainingRecipients> => {
  if (isTakenOver) return remainingByMessages(batch);
  return {
    unsent: notBegun(batch),
    known: new Map([...batch.waiting, ...(batch.held ?? [])].map((contactId) => [contactId, undefined])),
    hasUnknownResult: false,
    hasHeldSends: false,
  };
};

/**
 * For a batch whose worker crashed while no worker may continue it (a pause, or the campaign is complete). What its messages show is
 * recorded, because a company may delete them before the pause ends; where every recipient has a result, that the batch is done. The lease that
 * has ended stays in the item, so that the next worker reads the messages of all others.
 */
export const checkClaims = async (found: StoredRecipientBatch): Promise<void> => {
  let seen = found;
  await retryOnConflict(maxConflicts, async () => {
    const { unsent, known, hasUnknownResult, hasHeldSends } = await remainingByMessages(seen);
    const statusOf = (contactId: number): number | undefined => known.get(contactId)?.status;
    const held = [...known.keys()].filter((contactId) => statusOf(contactId) === messageStatuses.processing);
    const waiting = [...known.keys()].filter((contactId) => waitingStatuses.has(statusOf(contactId)));
    const written = await updateRecipientBatch(seen, {
      ...progressTo(seen, unsent),
      waiting,
      held: held.length > 0 ? held : undefined,
      done: unsent.length + waiting.length + held.length === 0,
      ...(hasUnknownResult || held.length > 0 ? { hasUnknownResult: true } : {}),
      ...(hasHeldSends ? { hasHeldSends: true } : {}),
    });
    // a worker that has claimed the batch since reads the messages itself
    if (written.done || !written.current || !isSameLease(written.current.lease, found.lease)) return undefined;
    seen = written.current;
    return conflict;
  });
};

/** Of a recipient that waits: it has no message yet, or one that is sent later, or a failed one that a retry request is about to reset. */
const waitingStatuses: ReadonlySet<number | undefined> = new Set([undefined, messageStatuses.scheduled, messageStatuses.failed]);

/** A worker that fails ends its lease, so that the next does not wait for it. Where that fails too, the lease ends by itself. */
export const whileLeased = async <T>(batch: StoredRecipientBatch, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    await endLease(batch).catch((reason: unknown) => log.error('A lease of a batch could not be ended', reason));
    throw error;
  }
};

async function endLease({ companyId, campaignId, batch, lease }: StoredRecipientBatch): Promise<void> {
  const current = await getRecipientBatch(companyId, campaignId, batch);
  if (current?.lease && isSameLease(current.lease, lease)) await updateRecipientBatch(current, { lease: { ...current.lease, until: 0 } });
}

type Lease = StoredRecipientBatch['lease'];
const isSameLease = (one: Lease, other: Lease): boolean =>
  one !== undefined && one.deliveryId === other?.deliveryId && one.workerId === other.workerId;

/** Claims without a result are checked two minutes after the claim. */
async function remainingByMessages(batch: StoredRecipientBatch): Promise<RemainingRecipients> {
  const { companyId, campaignId, waiting, held = [], secondMs = 0, skipped } = batch;
  const left = new Set(skipped.map(([contactId]) => contactId));
  const open = [...new Set([...waiting, ...held, ...notBegun(batch)])].filter((contactId) => !left.has(contactId));
  const messages = await getRecipientMessages(companyId, { id: campaignId, batch: batch.batch }, open, secondMs);
  await scheduleClaimChecks([...messages.values()]);
  const isOpen = ({ contactId, status }: StoredMessage): boolean =>
    status === messageStatuses.scheduled || status === messageStatuses.processing || waiting.includes(contactId);
  const had = new Set([...waiting, ...held]);
  return {
    unsent: open.filter((contactId) => !messages.has(contactId) && !had.has(contactId)),
    known: new Map([
      ...[...had]
        .filter((contactId) => !messages.has(contactId) && !left.has(contactId))
        .map((contactId) => [contactId, undefined] as const),
      ...[...messages].filter(([, message]) => isOpen(message)),
    ]),
    hasUnknownResult: [...messages.values()].some(({ ambiguous }) => ambiguous === true),
    hasHeldSends: [...messages.values()].some(isHeldByProvider),
  };
}

/** Writes how far the batch is and gives its lease back. */
export const recordProgress = async (batch: StoredRecipientBatch, result: BatchResult): Promise<void> => {
  const isFinished = result.remaining.length === 0;
  const had = new Set([...batch.waiting, ...(batch.held ?? [])]);
  const ownWaiting = [
    ...result.deferred.keys(),
    ...result.awaitingRetry,
    ...result.remaining.filter((id) => batch.contactIds.indexOf(id) < batch.processed || had.has(id)),
  ];
  const held = [...result.claimedElsewhere.keys()];
  let seen = batch;
  await retryOnConflict(maxConflicts, async () => {
    // a retry request may have added waiting recipients since the claim
    const waiting = [...new Set([...ownWaiting, ...seen.waiting.filter((id) => !batch.waiting.includes(id))])];
    const written = await updateRecipientBatch(seen, {
      lease: undefined,
      ...progressTo(batch, result.remaining),
      waiting,
      held: held.length > 0 ? held : undefined,
      done: isFinished && waiting.length === 0 && held.length === 0,
      skipped: [...batch.skipped, ...result.skipped],
      // a claim that ends without a result may have been received: its late `sent` counts
      ...(result.hasUnknownResult || held.length > 0 ? { hasUnknownResult: true } : {}),
      ...(result.hasHeldSends ? { hasHeldSends: true } : {}),
    });
    if (written.done) return undefined;
    if (!written.current || !isSameLease(written.current.lease, batch.lease))
      throw new Error('Another worker took the batch while its lease was held.');
    seen = written.current;
    return conflict;
  });
};

/** Recipients are sent to in order, so those that remain are a tail; behind a worker that crashed there may be others between them. */
function progressTo({ contactIds, processed }: StoredRecipientBatch, remaining: readonly number[]) {
  const left = new Set(remaining);
  const index = contactIds.findIndex((id, place) => place >= processed && left.has(id));
  const next = index < 0 ? contactIds.length : index;
  const begun = contactIds.slice(next).filter((id) => !left.has(id));
  return { processed: next, begun: begun.length > 0 ? begun : undefined };
}

/** Their turn has not come yet. */
function notBegun({ contactIds, processed, begun = [], waiting, held = [] }: StoredRecipientBatch): number[] {
  const others = new Set([...begun, ...waiting, ...held]);
  return contactIds.slice(processed).filter((contactId) => !others.has(contactId));
}
