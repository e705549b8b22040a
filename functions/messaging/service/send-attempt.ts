import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { SendingNumber } from '../../../shared/provider/call.ts';
import { providerErrorEntry } from '../../../shared/provider/errors.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { limited } from '../../../shared/runtime/parallel.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { readFile, uploadFile } from '../../media/service/files.ts';
import type { ProviderPayload } from '../contract/content.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import { type SlotSpend, takenBy } from '../domain/allowance.ts';
import { withMediaId } from '../domain/content.ts';
import type { ProviderResult } from '../domain/provider-result.ts';
import { formatReference } from '../contract/reference.ts';
import { type AttemptResult, stateAfterAttempt } from '../domain/send-state.ts';
import { messageRequest, postMessage, textPayload } from '../gateway/messages.ts';
import { updateMessage, updateMessageTogether } from '../store/message.ts';
import { putRecipientHold } from '../store/pace.ts';
import { putScheduledMessage } from '../store/scheduled-message.ts';
import { type Slot, waitForSlot } from './send-slots.ts';

/**
 * One attempt to send a message: claim its row, call the provider, record the result. The provider has no idempotency key, so a worker that
 * finds a claim does not call; see docs/decisions/ambiguous-sends.md.
 */

export type SendAttempt =
  /** A request of the API, in its slot; with the file, if the request carried one. */
  | { by: 'request'; slot: Slot; bytes: Buffer | undefined; spend?: SlotSpend | undefined }
  /** A worker at the message's time, with what uploadMessageFile returned before the claim. */
  | { by: 'schedule'; uploaded: UploadedContent | undefined; spend?: SlotSpend | undefined }
  /** A campaign, which makes the content from its template: the row has none. Results of a moment are written together. */
  | { by: 'campaign'; payload: ProviderPayload | undefined; spend?: SlotSpend | undefined };

/** A payload that the provider can be called with, or why its file could not be uploaded. */
export type UploadedContent = { payload: ProviderPayload } | ProviderResult;

/** Claims a waiting message for one more attempt. Undefined: it no longer waits, so another worker has it or it was cancelled. 1 WRU. */
export const claimAttempt = (
  message: StoredMessage,
  claim: { isClaimable: (current: StoredMessage) => boolean; as: 'sending' | 'processing'; numberId: number; value?: string },
): Promise<StoredMessage | undefined> =>
  updateMessageWhile(message, claim.isClaimable, (current, at) => ({
    status: messageStatuses[claim.as],
    attempt: current.attempt + 1,
    claimedAt: at,
    dueAt: undefined,
    numberId: claim.numberId,
    ...(claim.value === undefined ? {} : { value: claim.value }),
  }));

/** Calls the provider for a claimed message and records the result. Without a free slot the message waits again, uncalled. */
export const callAndRecord = async (
  claimed: StoredMessage,
  number: SendingNumber,
  attempt: SendAttempt,
): Promise<{ message: StoredMessage; isRecorded: boolean }> => {
  const result = await call(claimed, number, attempt);
  metric('Sends', 'Count', 1, { outcome: result.outcome });
  try {
    const update = attempt.by === 'campaign' ? updateMessageTogether : updateMessage;
    const taken = isCharged(result) && attempt.spend ? takenBy(attempt.spend) : undefined;
    return { message: await recordSendResult(claimed, result, { taken, update }), isRecorded: true };
  } catch (error) {
    // the call was made: an error would make the caller send again; the status webhook brings the row up to date
    log.error('The result of a send could not be written', error, { message_id: claimed.id });
    const accepted = result.outcome === 'accepted' ? { status: messageStatuses.sent, wamid: result.wamid } : {};
    return { message: { ...claimed, ...accepted }, isRecorded: false };
  }
};

/** Updates a message as long as `holds` is true of it, after other writes too. Undefined: it was no longer true. */
export function updateMessageWhile(
  message: StoredMessage | undefined,
  holds: (current: StoredMessage) => boolean,
  change: (current: StoredMessage, at: number) => Partial<StoredMessage>,
): Promise<StoredMessage | undefined> {
  let current = message;
  return retryOnConflict<StoredMessage | undefined>(maxConflicts, async () => {
    if (!current || !holds(current)) return undefined;
    const at = now();
    const written = await updateMessage(current, change(current, at), at);
    if (written.done) return written.item;
    current = written.current;
    return conflict;
  });
}

/** The Problem of a message that the provider rejected, with what the caller can do about it. */
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

/**
 * Uploads the file of a message that is not claimed yet, which a worker may do any number of times: should it run out of memory or time, no
 * message is left behind that was claimed and never sent. Undefined: the message has no file.
 */
export const uploadMessageFile = async (message: StoredMessage, number: SendingNumber): Promise<UploadedContent | undefined> =>
  message.media?.key === undefined ? undefined : withinBudget(() => withUploadedFile(message, storedPayload(message), number, undefined));

/** Files are up to 100 MB, and each is in memory about twice: two at once leave half of a worker's memory. */
const withinBudget = limited(2);

async function call(claimed: StoredMessage, number: SendingNumber, attempt: SendAttempt): Promise<AttemptResult> {
  const slot = attempt.by === 'request' ? attempt.slot : undefined;
  if (slot && !slot.free) return { outcome: 'waits', untilMs: slot.retryAtMs };
  const content = await contentOf(claimed, number, attempt);
  if ('outcome' in content) return content;
  if (slot) await waitForSlot(slot.atMs);
  const reference = formatReference(claimed.companyId, claimed.contactId, claimed.id, claimed.campaign);
  return postMessage(number, messageRequest(claimed, content.payload, reference));
}

async function contentOf(claimed: StoredMessage, number: SendingNumber, attempt: SendAttempt): Promise<UploadedContent> {
  if (attempt.by === 'schedule' && attempt.uploaded) return attempt.uploaded;
  const payload = attempt.by === 'campaign' ? attempt.payload : undefined;
  const bytes = attempt.by === 'request' ? attempt.bytes : undefined;
  return withUploadedFile(claimed, payload ?? storedPayload(claimed), number, bytes);
}

/** The payload with the provider's id of the message's file, which is uploaded first; otherwise why it could not be uploaded. */
async function withUploadedFile(
  { media }: StoredMessage,
  payload: ProviderPayload,
  number: SendingNumber,
  bytes: Buffer | undefined,
): Promise<UploadedContent> {
  if (media?.key === undefined) return { payload };
  const file = bytes ?? (await readFile(media).catch((error: unknown) => log.error('A file cannot be read', error)));
  if (!file) return { outcome: 'unsent' };
  const uploaded = await uploadFile(number, media, file);
  return uploaded.outcome === 'uploaded' ? { payload: withMediaId(payload, media.kind, uploaded.id) } : uploaded;
}

const storedPayload = (message: StoredMessage): ProviderPayload =>
  message.payload === undefined ? textPayload(message.value) : (JSON.parse(message.payload) as ProviderPayload);

/** Whether the provider may charge for an attempt: then its row remembers what ceilings took. Any other gives that back at once. */
const isCharged = ({ outcome }: AttemptResult): boolean => outcome === 'accepted' || outcome === 'ambiguous';

interface ResultWrite {
  taken: string | undefined;
  update: typeof updateMessage;
}

/** Writes the result of an attempt. A status webhook may have been faster: then only what is still missing is added. */
function recordSendResult(claimed: StoredMessage, result: AttemptResult, { taken, update }: ResultWrite): Promise<StoredMessage> {
  let current = claimed;
  return retryOnConflict(maxConflicts, async () => {
    const at = now();
    const isOwnAttempt = current.attempt === claimed.attempt && current.taken === undefined;
    const change = { ...stateAfterAttempt(current, result, at), ...(taken && isOwnAttempt ? { taken } : {}) };
    if (Object.keys(change).length === 0) return current;
    if (result.outcome === 'refused') log.info('The provider refused a message', { provider_code: result.code, message_id: current.id });
    if (change.status === messageStatuses.scheduled && change.dueAt !== undefined) await prepareRetry(current, result, change.dueAt);
    const written = await update(current, change, at);
    if (written.done) return written.item;
    if (!written.current) return current;
    current = written.current;
    return conflict;
  });
}

/** Before a message waits again: it can be found for a cancel, and other messages to a rate-limited recipient are held as well. */
async function prepareRetry(message: StoredMessage, result: AttemptResult, dueAt: number): Promise<void> {
  const { companyId, contactId, id, phone } = message;
  if (!message.campaign) await putScheduledMessage({ companyId, id, contactId, dueAt });
  const isPairLimited = result.outcome === 'refused' && result.code === pairRateLimit;
  if (isPairLimited && phone !== undefined) await putRecipientHold(companyId, phone, dueAt);
}

/** The provider's code for too many messages to one recipient. */
const pairRateLimit = 131056;
