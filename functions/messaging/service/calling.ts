import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { wholeObject } from '../../../shared/objects/bucket.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { mediaBucket } from '../contract/bucket.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import type { Sent } from '../domain/answer.ts';
import { type Payload, withMediaId } from '../domain/payload.ts';
import { referenceOf } from '../domain/reference.ts';
import { type Outcome, settlement } from '../domain/settlement.ts';
import { uploadToProvider } from '../gateway/media.ts';
import { messageRequest, type SendingNumber, sendToProvider, textPayload } from '../gateway/messages.ts';
import { providerErrorEntry } from '../provider-errors.ts';
import { changeMessage } from '../store/message.ts';
import { holdRecipient } from '../store/pace.ts';
import { pointTo } from '../store/pointer.ts';
import { type Slot, untilSlot } from './pacing.ts';

/**
 * The second and third step of a send (architecture 5): with the row claimed, wait for the slot, call, settle. `bytes` is the file of
 * the message where it is in hand; else it is read from the bucket. `payload` stands in for the row's own: a campaign's rows have none.
 */
export const callAndSettle = async (
  claimed: StoredMessage,
  number: SendingNumber,
  options: { slot?: Slot; bytes?: Buffer | undefined; payload?: Payload | undefined } = {},
): Promise<StoredMessage> => {
  const { slot } = options;
  const sent: Outcome = slot && !slot.free ? { outcome: 'waits', untilMs: slot.retryAtMs } : await call(claimed, number, options);
  metric('Sends', 'Count', 1, { outcome: sent.outcome });
  return settle(claimed, sent).catch((error: unknown) => {
    // the call was made: a failure told to the caller now would make them send again; the status webhook settles the row
    log.error('What came of a call could not be written', error, { message_id: claimed.id });
    return sent.outcome === 'accepted' ? { ...claimed, status: messageStatuses.sent, wamid: sent.wamid } : claimed;
  });
};

/** Changes a message as long as it is as it must be, whoever else writes it meanwhile; undefined: it is so no longer. */
export async function changeWhile(
  message: StoredMessage | undefined,
  holds: (seen: StoredMessage) => boolean,
  change: (seen: StoredMessage, at: number) => Partial<StoredMessage>,
): Promise<StoredMessage | undefined> {
  for (let seen = message; seen && holds(seen); ) {
    const at = now();
    const written = await changeMessage(seen, change(seen, at), at);
    if (written.done) return written.item;
    seen = written.current;
  }
  return undefined;
}

export function rejected(message: StoredMessage): Problem<'provider_rejected'> {
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
  { slot, bytes, payload: given }: { slot?: Slot; bytes?: Buffer | undefined; payload?: Payload | undefined },
): Promise<Sent> {
  let payload = given ?? payloadOf(claimed);
  const { media } = claimed;
  if (media?.key !== undefined) {
    const file = bytes ?? (await wholeObject(mediaBucket, media.key).catch((error: unknown) => log.error('A file cannot be read', error)));
    if (!file) return { outcome: 'unsent' };
    const uploaded = await uploadToProvider(number, {
      bytes: file,
      mime: media.mime ?? 'application/octet-stream',
      filename: media.filename ?? 'file',
    });
    if (uploaded.outcome !== 'uploaded') return uploaded;
    payload = withMediaId(payload, media.kind, uploaded.id);
  }
  if (slot?.free) await untilSlot(slot.atMs);
  return sendToProvider(
    number,
    messageRequest(claimed, payload, referenceOf(claimed.companyId, claimed.contactId, claimed.id, claimed.campaign)),
  );
}

const payloadOf = (message: StoredMessage): Payload =>
  message.payload === undefined ? textPayload(message.value) : (JSON.parse(message.payload) as Payload);

/** Writes what came of the call. Evidence from a webhook may have been faster: then only what is still missing is added. */
async function settle(claimed: StoredMessage, sent: Outcome): Promise<StoredMessage> {
  for (let seen = claimed; ; ) {
    const at = now();
    const change = settlement(seen, sent, at);
    if (!change) return seen;
    if (sent.outcome === 'refused') log.info('The provider refused a message', { provider_code: sent.code, message_id: seen.id });
    if (change.status === messageStatuses.scheduled && change.dueAt !== undefined) await prepareWait(seen, sent, change.dueAt);
    const written = await changeMessage(seen, change, at);
    if (written.done) return written.item;
    if (!written.current) return seen;
    seen = written.current;
  }
}

/** It goes on waiting: it can be found to be cancelled, and a person whom the provider protects is left in peace by other messages too. */
async function prepareWait(message: StoredMessage, sent: Outcome, dueAt: number): Promise<void> {
  const { companyId, contactId, id, phone } = message;
  if (!message.campaign) await pointTo({ companyId, id, contactId, dueAt });
  if (sent.outcome === 'refused' && sent.code === pairLimit && phone !== undefined) await holdRecipient(companyId, phone, dueAt);
}

/** Too many messages to one person. */
const pairLimit = 131056;
