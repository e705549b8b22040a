import { setTimeout as pause } from 'node:timers/promises';
import { send } from '../../../shared/queue/send.ts';
import { log } from '../../../shared/runtime/log.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { codesQueue } from '../contract/work.ts';
import { sendCodeCommandFor } from '../domain/send-code-command.ts';

/** The answer waits no longer for the queue than this. */
const maxWaitMs = 1_000;

/**
 * Hands the message that a stored request asks for straight to its worker: a person waits for it, and the change stream may have a
 * campaign's records before it. What is not handed on, by a crash or by the queue, the stream hands on a little later.
 */
export const enqueueCode = async (before: StoredRequest | undefined, stored: StoredRequest): Promise<void> => {
  const message = sendCodeCommandFor(before, stored);
  if (!message) return;
  const handed = send(codesQueue, [{ companyId: stored.companyId, message }]).catch((error: unknown) =>
    log.error('A code was not handed on; the change stream will', error),
  );
  await Promise.race([handed, pause(maxWaitMs, undefined, { ref: false })]);
};
