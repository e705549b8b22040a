import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { wholeObject } from '../../../shared/objects/bucket.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { mediaBucket } from '../contract/bucket.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import type { ProviderResult } from '../domain/provider-result.ts';
import { type ProviderPayload, withMediaId } from '../domain/content.ts';
import { formatReference } from '../domain/reference.ts';
import { type AttemptResult, stateAfterAttempt } from '../domain/send-state.ts';
import { uploadMedia } from '../gateway/media.ts';
import { messageRequest, type SendingNumber, postMessage, textPayload } from '../gateway/messages.ts';
import { providerErrorEntry } from '../../../shared/provider/errors.ts';
import { updateMessage } from '../store/message.ts';
import { putRecipientHold } from '../store/pace.ts';
import { putScheduledMessage } from '../store/scheduled-message.ts';
import { type Slot, waitForSlot } from './send-slots.ts';

/**
 * The second and third step of a send (architecture 5): with the row claimed, wait for the slot, call, settle. `bytes` is the file of
 * the message where it is in hand; else it is read from the bucket. `payload` stands in for the row's own: a campaign's rows have none.
 */
export const callAndRecord = async (
  claimed: StoredMessage,
  number: SendingNumber,
  options: { slot?: Slot; bytes?: Buffer | undefined; payload?: ProviderPayload | undefined } = {},
): Promise<StoredMessage> => {
  const { slot } = options;
  const sent: AttemptResult = slot && !slot.free ? { outcome: 'waits', untilMs: slot.retryAtMs } : await call(claimed, number, options);
  metric('Sends', 'Count', 1, { outcome: sent.outcome });
  return recordSendResult(claimed, sent).catch((error: unknown) => {
    // the call was made: a failure told to the caller now would make them send again; the status webhook settles the row
    log.error('What came of a call could not be written', error, { message_id: claimed.id });
    return sent.outcome === 'accepted' ? { ...claimed, status: messageStatuses.sent, wamid: sent.wamid } : claimed;
  });
};

/** Changes a message as long as it is as it must be, whoever else writes it meanwhile; undefined: it is so no longer. */
export async function updateMessageWhile(
  message: StoredMessage | undefined,
  holds: (seen: StoredMessage) => boolean,
  change: (seen: StoredMessage, at: number) => Partial<StoredMessage>,
): Promise<StoredMessage | undefined> {
  for (let seen = message; seen && holds(seen); ) {
    const at = now();
    const written = await updateMessage(seen, change(seen, at), at);
    if (written.done) return written.item;
    seen = written.current;
  }
  return undefined;
}

export function rejectionProblem(message: StoredMessage): Problem<'provider_rejected'> {
  const { code, title, details } = message.error ?? { code: 0, title: 'Refused' };
  const entry = typeof code === 'number' ? providerErrorEntry(code) : { retryable: true, fix: 'Try again later.' };
  return problem('provider_rejected', {
    message: `The messaging provider refused the message: ${title}.`,
    details: {
      message_id: message.id,
      provider_code: code,
      title,
      details: details ?? null,
      retryable: entry.retryable,
      fix: entry.fix,
    },
  });
}

async function call(
  claimed: StoredMessage,
  number: SendingNumber,
  { slot, bytes, payload: given }: { slot?: Slot; bytes?: Buffer | undefined; payload?: ProviderPayload | undefined },
): Promise<ProviderResult> {
  let payload = given ?? storedPayload(claimed);
  const { media } = claimed;
  if (media?.key !== undefined) {
    const file = bytes ?? (await wholeObject(mediaBucket, media.key).catch((error: unknown) => log.error('A file cannot be read', error)));
    if (!file) return { outcome: 'unsent' };
    const uploaded = await uploadMedia(number, {
      bytes: file,
      mime: media.mime ?? 'application/octet-stream',
      filename: media.filename ?? 'file',
    });
    if (uploaded.outcome !== 'uploaded') return uploaded;
    payload = withMediaId(payload, media.kind, uploaded.id);
  }
  if (slot?.free) await waitForSlot(slot.atMs);
  return postMessage(
    number,
    messageRequest(claimed, payload, formatReference(claimed.companyId, claimed.contactId, claimed.id, claimed.campaign)),
  );
}

const storedPayload = (message: StoredMessage): ProviderPayload =>
  message.payload === undefined ? textPayload(message.value) : (JSON.parse(message.payload) as ProviderPayload);

/** Writes what came of the call. Evidence from a webhook may have been faster: then only what is still missing is added. */
async function recordSendResult(claimed: StoredMessage, sent: AttemptResult): Promise<StoredMessage> {
  for (let seen = claimed; ; ) {
    const at = now();
    const change = stateAfterAttempt(seen, sent, at);
    if (!change) return seen;
    if (sent.outcome === 'refused') log.info('The provider refused a message', { provider_code: sent.code, message_id: seen.id });
    if (change.status === messageStatuses.scheduled && change.dueAt !== undefined) await prepareRetry(seen, sent, change.dueAt);
    const written = await updateMessage(seen, change, at);
    if (written.done) return written.item;
    if (!written.current) return seen;
    seen = written.current;
  }
}

/** It goes on waiting: it can be found to be cancelled, and a person whom the provider protects is left in peace by other messages too. */
async function prepareRetry(message: StoredMessage, sent: AttemptResult, dueAt: number): Promise<void> {
  const { companyId, contactId, id, phone } = message;
  if (!message.campaign) await putScheduledMessage({ companyId, id, contactId, dueAt });
  if (sent.outcome === 'refused' && sent.code === pairRateLimit && phone !== undefined) await putRecipientHold(companyId, phone, dueAt);
}

/** Too many messages to one person. */
const pairRateLimit = 131056;
