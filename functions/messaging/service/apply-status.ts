import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { linkUserId } from '../../contacts/service/ensure-sender.ts';
import { findByIdentities } from '../../contacts/service/find-by-identities.ts';
import type { StoredMessage } from '../contract/stored.ts';
import type { StatusUpdate } from '../contract/provider-update.ts';
import { type MessageReference, parseReference } from '../contract/reference.ts';
import { phoneOfWaId, isMarketingOptOut } from '../domain/wa-id.ts';
import { applyStatus, nextParkedRetryAt, providerTime, expectedStep, type StatusEvidence } from '../domain/status.ts';
import { updateDelivery, updateDeliveryTogether, updateMessage, getStoredMessage } from '../store/message.ts';
import { deleteParkedStatus, getParkedStatus, putParkedStatus } from '../store/parked-status.ts';
import { statuses } from '../registry.generated.ts';
import { blockMarketing } from './marketing-preferences.ts';
import { findByWamid } from './messages.ts';

/** Applies a status to its message, unless the context that owns the send needs nothing more done. */
export const applyStatusUpdate = (companyId: number, status: StatusUpdate, receivedAt: number): Promise<void> =>
  applyOrPark(companyId, status, { receivedAt, tries: 0, deliver: updateDeliveryTogether });

/** Applies a parked status whose next try is due. */
export const retryParkedStatus = async (companyId: number, wamid: string, status: string): Promise<void> => {
  const parked = await getParkedStatus(companyId, wamid, status);
  if (!parked) return;
  if (parked.dueAt > now() + 1_000) return;
  // it has no others with it
  await applyOrPark(companyId, parked.update, { receivedAt: parked.parkedAt, tries: parked.tries + 1, deliver: updateDelivery });
};

interface Application {
  /** When the status came first. */
  receivedAt: number;
  tries: number;
  deliver: typeof updateDelivery | typeof updateDeliveryTogether;
}

async function applyOrPark(companyId: number, status: StatusUpdate, { receivedAt, tries, deliver }: Application): Promise<void> {
  const evidence = {
    status: status.status,
    atMs: providerTime(status.timestamp, receivedAt),
    wamid: status.id,
    errors: status.errors,
    pricing: status.pricing,
  };
  const reference = parseReference(status.biz_opaque_callback_data);
  const own = reference?.companyId === companyId ? reference : undefined;
  await learnUserId(companyId, status, { at: evidence.atMs, sentTo: own?.contactId });
  if ((await passToOwner(companyId, status)) === 'done') return;
  const step = own && expectedStep(evidence);
  const stepped = step && (await deliver(own, step, now()));
  if (stepped?.done) return tries > 0 ? deleteParkedStatus(companyId, status.id, status.status) : undefined;
  const message = stepped ? stepped.current : await findMessage(companyId, status, own, receivedAt);
  if (!message) return parkStatus(companyId, own ? withoutRecipient(status) : status, tries, receivedAt);
  if (isMarketingOptOut(status)) await blockMarketing(companyId, message.contactId, evidence.atMs);
  // also where the message was erased meanwhile: nothing waits for it any more
  await applyEvidence(message, evidence);
  if (tries > 0) await deleteParkedStatus(companyId, status.id, status.status);
}

/** A status that names phone and user id joins them, so that an answer by user id alone finds the conversation. Only where a message arrived. */
async function learnUserId(
  companyId: number,
  { status, recipient_id, recipient_user_id: userId }: StatusUpdate,
  of: { at: number; sentTo: number | undefined },
): Promise<void> {
  const phone = phoneOfWaId(recipient_id);
  if (status === 'delivered' && phone !== undefined && userId !== undefined) await linkUserId(companyId, { phone, userId }, of);
}

/** Applies a status to the message as it is now. */
function applyEvidence(message: StoredMessage, evidence: StatusEvidence): Promise<undefined> {
  let seen = message;
  return retryOnConflict<undefined>(maxConflicts, async () => {
    const change = applyStatus(seen, evidence);
    if (!change) return undefined;
    const written = await updateMessage(seen, change, now());
    if (written.done || !written.current) return undefined;
    seen = written.current;
    return conflict;
  });
}

/** The context that owns a send handles its statuses first: see statuses.ts of campaigns and verification. */
const passToOwner = async (
  companyId: number,
  { biz_opaque_callback_data: reference, status, pricing }: StatusUpdate,
): Promise<'done' | 'apply'> => {
  const owner = statuses.find(({ prefix }) => reference?.startsWith(`${prefix}:`));
  return owner && reference !== undefined ? owner.receive({ companyId, reference, status, pricing }) : 'apply';
};

/** The message by our reference; for statuses without one, by wamid in the recipient's conversation. */
async function findMessage(
  companyId: number,
  status: StatusUpdate,
  own: MessageReference | undefined,
  receivedAt: number,
): Promise<StoredMessage | undefined> {
  if (own) return getStoredMessage(companyId, own.contactId, own.messageId);
  const identities = {
    phone: phoneOfWaId(status.recipient_participant_id) ?? phoneOfWaId(status.recipient_id),
    userId: status.recipient_participant_user_id ?? status.recipient_user_id,
  };
  const recipient = await findByIdentities(companyId, identities, { at: providerTime(status.timestamp, receivedAt) });
  return recipient && findByWamid(companyId, [recipient.contactId, ...recipient.mergedIds], status.id);
}

/**
 * Our reference names the message, and it may be one of an erased contact: a status that waits for it has no recipient. What it says of the
 * recipient's identities was applied before.
 */
const withoutRecipient = ({ id, status, timestamp, errors, pricing, biz_opaque_callback_data }: StatusUpdate): StatusUpdate => ({
  id,
  status,
  timestamp,
  errors,
  pricing,
  biz_opaque_callback_data,
});

async function parkStatus(companyId: number, status: StatusUpdate, tries: number, parkedAt: number): Promise<void> {
  const dueAt = nextParkedRetryAt(tries, parkedAt, now());
  if (dueAt === undefined) {
    log.info('A status found no message in seven days', { company_id: companyId, event: status.status });
    metric('StatusesWithoutMessage', 'Count', 1);
    return deleteParkedStatus(companyId, status.id, status.status);
  }
  await putParkedStatus({ companyId, wamid: status.id, status: status.status, update: status, parkedAt, tries, dueAt });
}
