import { setTimeout as pause } from 'node:timers/promises';
import { send } from '../../../shared/queue/send.ts';
import { log } from '../../../shared/runtime/log.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { codesQueue } from '../contract/work.ts';
import { sendCodeCommandFor } from '../domain/send-code-command.ts';

/** The HTTP response waits for the queue no longer than this. */
const maxWaitMs = 1_000;

/**
 * Enqueues the code that a stored request needs, so that it does not wait for the change stream behind a campaign's records. A code that
 * a crash or the queue loses here, the change stream enqueues seconds later; see docs/decisions/verification-code-dispatch.md.
 */
export const enqueueCode = async (before: Pick<StoredRequest, 'sends'> | undefined, stored: StoredRequest): Promise<void> => {
  const message = sendCodeCommandFor(before, stored);
  if (!message) return;
  const sent = send(codesQueue, [{ companyId: stored.companyId, message }]).catch((error: unknown) =>
    log.error('A code could not be enqueued; the change stream will enqueue it', error),
  );
  await Promise.race([sent, pause(maxWaitMs, undefined, { ref: false })]);
};
