import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { type BusinessNumber, listActiveNumbers } from '../../account/service/numbers.ts';
import { isContactBlocked } from '../../contacts/contract/eligibility.ts';
import { getCurrentRecipient } from '../../contacts/service/contacts.ts';
import { tariffOf } from '../../templates/contract/max-price.ts';
import { getFirstTemplate, getTemplateOfAccount } from '../../templates/service/templates.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import { sendsQueue } from '../contract/queue.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import { isDue, isUnconfirmed, limitedUntil, unconfirmedFailure } from '../domain/send-state.ts';
import { getStoredMessage, updateMessage } from '../store/message.ts';
import { endWaiting, getScheduledContactId, putScheduledMessage } from '../store/scheduled-message.ts';
import { sendingAccountOf } from './select-number.ts';
import { callAndRecord, claimAttempt, updateMessageWhile, uploadMessageFile } from './send-attempt.ts';
import { type CeilingCharge, ceilingChargeOf, type UnknownCharge } from '../../spend/service/ceiling-charges.ts';
import { getSpendAccount } from '../../spend/service/spend-accounts.ts';
import { returnSpend } from './allowances.ts';
import { returnUnsent } from './charged-slot.ts';
import { type PacedNumber, reserveChargedSlot, reserveSlot, type Slot, type SpendLimit, takeTurn, waitForSlot } from './send-slots.ts';

interface MessageReference {
  companyId: number;
  contactId: number;
  messageId: number;
}

interface DueReference extends MessageReference {
  dueAtMs: number;
  /** Its turn in the line of its number, once it has found no slot. */
  turnAtMs?: number | undefined;
}

/**
 * Sends a message whose time has come, or which the provider throttled before. Too early, or without a free slot, it is queued again. While
 * the company is suspended the message stays due, and is placed again when the company is resumed.
 */
export const sendDueMessage = async (reference: DueReference): Promise<void> => {
  const { companyId, contactId, messageId, dueAtMs, turnAtMs = dueAtMs } = reference;
  const atMs = Math.max(dueAtMs, turnAtMs);
  if (atMs > now()) return requeue(reference, atMs);
  const message = await getStoredMessage(companyId, contactId, messageId, { consistent: true });
  const isStillDue = (current: StoredMessage): boolean => isDue(current, dueAtMs);
  if (!message || !isStillDue(message)) return;
  const numbers = await listActiveNumbers(companyId);
  const number = numbers.find(({ id }) => id === message.numberId) ?? numbers[0];
  if (!number) return failMessage(message, isStillDue, { code: 'number_missing', title: 'No active business number' });
  if (number.isSuspended) return;
  const { slot, template } = await reserveFor(message, number, numbers);
  const unfit = templateFailure(message, template);
  if (unfit) return failMessage(message, isStillDue, unfit);
  if ('limit' in slot) return postponeMessage(message, isStillDue, dueAtMs, slot.limit);
  if (!slot.free) return slot.isSuspended ? undefined : requeueInLine(reference, number, slot.retryAtMs);
  const uploaded = await uploadMessageFile(message, number);
  await waitForSlot(slot.atMs);
  const claimed = await claimAttempt(message, { isClaimable: isStillDue, as: 'sending', numberId: number.id });
  const refused = claimed && (await refusalOf(claimed, template, dueAtMs));
  if ((!claimed || refused) && slot.spend) await returnSpend(number, slot.spend);
  if (!claimed) return;
  if (refused) {
    await leaveList(message);
    return failMessage(claimed, isUnconfirmedAttempt(claimed), refused);
  }
  metric('SendLateness', 'Milliseconds', now() - dueAtMs);
  const [sent] = await Promise.all([callAndRecord(claimed, number, { by: 'schedule', uploaded, spend: slot.spend }), leaveList(message)]);
  await returnUnsent(number, sent.message, slot.spend);
};

type DueSlot = Slot | { limit: Pick<SpendLimit, 'resetsAtMs'> };

/** The slot of a message that is due and its template as it is now. Under a ceiling the category of the template comes first, by which it is priced. */
async function reserveFor(
  message: StoredMessage,
  number: BusinessNumber,
  numbers: readonly BusinessNumber[],
): Promise<{ slot: DueSlot; template: StoredTemplate | undefined }> {
  const priority = message.priority ?? 'direct';
  if (!(await getSpendAccount(message.companyId))) {
    const [slot, template] = await Promise.all([reserveSlot(number, priority), currentTemplate(message, number, numbers)]);
    return { slot, template };
  }
  const template = await currentTemplate(message, number, numbers);
  // it fails, and takes nothing
  if (templateFailure(message, template)) return { slot: { free: false, retryAtMs: now() }, template };
  const charge = await ceilingChargeOf(message.companyId, template ? tariffOf(template) : { category: 'service' }, message);
  if (isUnknown(charge)) return { slot: { limit: { resetsAtMs: undefined } }, template };
  return { slot: await reserveChargedSlot(number, priority, charge), template };
}

const isUnknown = (charge: CeilingCharge | UnknownCharge | undefined): charge is UnknownCharge =>
  charge !== undefined && 'unknown' in charge;

/** It stays due: tried again when the ceiling begins anew. After a day it fails. */
async function postponeMessage(
  message: StoredMessage,
  isStillDue: (current: StoredMessage) => boolean,
  dueAtMs: number,
  { resetsAtMs }: Pick<SpendLimit, 'resetsAtMs'>,
): Promise<void> {
  const { companyId, id, contactId, limitedSince } = message;
  const dueAt = limitedUntil({ limitedSince, dueAtMs }, resetsAtMs, now());
  if (dueAt === undefined)
    return failMessage(message, isStillDue, { code: 'spend_limit_reached', title: 'A spend ceiling did not allow the message for a day' });
  // found by a list and by who cancels it, before its row names the time
  await putScheduledMessage({ companyId, id, contactId, dueAt });
  await updateMessageWhile(message, isStillDue, () => ({ dueAt, limitedSince: limitedSince ?? dueAtMs }));
}

/** Two minutes after a claim: a send without any evidence becomes a failure flagged `ambiguous`. It is never sent again. */
export const failUnconfirmedSend = async (reference: MessageReference & { attempt: number }): Promise<void> => {
  const message = await getStoredMessage(reference.companyId, reference.contactId, reference.messageId, { consistent: true });
  const flagged = await updateMessageWhile(message, isUnconfirmedAttempt(reference), (_, at) => unconfirmedFailure(at));
  if (flagged) metric('AmbiguousSends', 'Count', 1);
};

/** Cancels a message that still waits: one conditional write. Its row stays, as a failure with the code `cancelled`. */
export const cancelMessage = async (
  companyId: number,
  id: number,
  ofContactId?: number,
): Promise<{ id: number } | Problem<'not_found' | 'message_not_scheduled'>> => {
  const contactId = ofContactId ?? (await getScheduledContactId(companyId, id));
  let current = contactId === undefined ? undefined : await getStoredMessage(companyId, contactId, id, { consistent: true });
  return retryOnConflict<{ id: number } | Problem<'not_found' | 'message_not_scheduled'>>(maxConflicts, async () => {
    if (!current || current.error?.code === cancelled.code) return problem('not_found');
    if (current.status !== messageStatuses.scheduled || current.campaign)
      return problem('message_not_scheduled', { details: { status: current.status } });
    const at = now();
    const written = await updateMessage(current, { status: messageStatuses.failed, dueAt: undefined, failedAt: at, error: cancelled }, at);
    if (written.done) {
      await leaveList(current);
      return { id };
    }
    current = written.current;
    return conflict;
  });
};

const cancelled = { code: 'cancelled', title: 'Cancelled before it was sent' };

/** A message that a call scheduled, or that the provider sent back, is in the list of those that wait. An entry that stays is not shown. */
async function leaveList({ companyId, id, dueAt, attempt, sentBy }: StoredMessage): Promise<void> {
  if (dueAt === undefined || (attempt === 0 && sentBy?.via !== 'api')) return;
  await endWaiting({ companyId, id, dueAt }).catch((error: unknown) => log.error('A message could not leave the list', error));
}

async function failMessage(
  message: StoredMessage,
  holds: (current: StoredMessage) => boolean,
  error: NonNullable<StoredMessage['error']>,
): Promise<void> {
  await updateMessageWhile(message, holds, (_, at) => ({ status: messageStatuses.failed, dueAt: undefined, failedAt: at, error }));
  await leaveList(message);
}

/** At its turn. Had it one already, it only misses a slot narrowly, and tries again within seconds; after that it takes another turn. */
async function requeueInLine(reference: DueReference, number: PacedNumber, retryAtMs: number): Promise<void> {
  if (reference.turnAtMs !== undefined) return requeue({ ...reference, turnAtMs: undefined }, retryAtMs);
  const turnAtMs = await takeTurn(number, retryAtMs);
  return requeue({ ...reference, turnAtMs }, turnAtMs);
}

function requeue({ companyId, contactId, messageId, dueAtMs, turnAtMs }: DueReference, atMs: number): Promise<void> {
  const message = { company_id: companyId, contact_id: contactId, message_id: messageId, due_at_ms: dueAtMs, turn_at_ms: turnAtMs };
  return send(sendsQueue, [{ companyId, message, delaySeconds: Math.max(1, (atMs - now()) / 1_000) }]);
}

async function currentTemplate(
  { companyId, template }: StoredMessage,
  number: BusinessNumber,
  numbers: readonly BusinessNumber[],
): Promise<StoredTemplate | undefined> {
  if (!template) return undefined;
  const first = await getFirstTemplate(companyId, template);
  return getTemplateOfAccount(companyId, template, sendingAccountOf(number, numbers), first);
}

/** Why a scheduled template cannot be sent any more: it may have been paused or deleted since it was accepted. */
function templateFailure({ template }: StoredMessage, current: StoredTemplate | undefined): StoredMessage['error'] {
  if (!template || current?.status === 'APPROVED') return undefined;
  return current === undefined
    ? { code: 'template_not_found', title: 'The template was gone when its message was due' }
    : { code: 'template_not_approved', title: `The template was ${current.status} when its message was due` };
}

/**
 * Read after the claim, with nothing but the call of the provider behind it: a recipient who stopped before the claim gets nothing. A read
 * that fails gives the claim back, since the provider was not called. See docs/decisions/consent-at-the-send.md.
 */
async function refusalOf(claimed: StoredMessage, template: StoredTemplate | undefined, dueAtMs: number): Promise<StoredMessage['error']> {
  try {
    return await recipientFailure(claimed, template);
  } catch (error) {
    await updateMessageWhile(claimed, isUnconfirmedAttempt(claimed), () => ({ status: messageStatuses.scheduled, dueAt: dueAtMs }));
    throw error;
  }
}

const isUnconfirmedAttempt =
  ({ attempt }: Pick<StoredMessage, 'attempt'>) =>
  (current: StoredMessage): boolean =>
    isUnconfirmed(current, attempt);

/** Why its recipient gets nothing any more (A27): deleted or blocked since the message was accepted, or opted out of marketing. 1 RRU. */
async function recipientFailure(
  { companyId, contactId, requiresConsent }: StoredMessage,
  template: StoredTemplate | undefined,
): Promise<StoredMessage['error']> {
  const recipient = await getCurrentRecipient(companyId, contactId);
  if (!recipient) return { code: 'recipient_deleted', title: 'The contact was deleted before its message was due' };
  if (isContactBlocked(recipient)) return { code: 'recipient_blocked', title: 'The contact was blocked before its message was due' };
  const needsConsent = requiresConsent === true || template?.category === 'MARKETING';
  if (!needsConsent || (recipient.subscribed && !recipient.marketingBlocked)) return undefined;
  return { code: 'recipient_opted_out', title: 'The recipient opted out before the message was due' };
}
