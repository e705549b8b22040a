import { messageBody, send, sendTogether } from '../../../shared/queue/send.ts';
import { providerStatusesQueue, providerUpdatesQueue, sentStatusDelaySeconds } from '../contract/queue.ts';
import type { ProviderUpdate, StatusUpdate } from '../contract/provider-update.ts';
import { parseReference } from '../contract/reference.ts';
import { archiveUpdate } from './archive-update.ts';

/** Puts the updates of a post on the queues of those who apply them; one that is too large for a queue is archived. */
export const queueUpdates = async (updates: readonly ProviderUpdate[]): Promise<void> => {
  const fits = (update: ProviderUpdate): boolean => Buffer.byteLength(messageBody(update)) <= maxQueuedBytes;
  const fitting = updates.filter(fits);
  const statuses = fitting.flatMap(({ company_id, received_at, is_unsigned, update }) =>
    update.kind === 'status' && !is_unsigned ? [{ company_id, received_at, status: update.status }] : [],
  );
  await Promise.all([
    send(
      providerUpdatesQueue,
      fitting
        .filter(({ update, is_unsigned }) => update.kind !== 'status' || is_unsigned)
        .map((message) => ({ companyId: message.company_id, message })),
    ),
    // each of the three statuses of a message mostly has a post of its own
    sendTogether(
      providerStatusesQueue,
      statuses.map((message) => ({
        companyId: message.company_id,
        message,
        delaySeconds: canBeDelayed(message.status) ? sentStatusDelaySeconds : 0,
      })),
    ),
  ]);
  for (const update of updates.filter((each) => !fits(each))) await archiveUpdate(update, 'oversized', update.update);
};

/**
 * The `sent` status of a campaign's message repeats the response to the send, and matters only where that was lost. It is applied
 * after the message's batch is done; see docs/decisions/campaign-status-writes.md.
 */
const canBeDelayed = ({ status, biz_opaque_callback_data }: StatusUpdate): boolean =>
  status === 'sent' && parseReference(biz_opaque_callback_data)?.campaign !== undefined;

/** A little under the queue's limit. Messages and statuses never come near it; larger updates, such as histories, are archived at once. */
const maxQueuedBytes = 900_000;
