import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { sendingNumber } from '../../account/service/numbers.ts';
import { sendsQueue } from '../contract/queue.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import { isDue, isUnknown } from '../domain/settlement.ts';
import { changeMessage, getMessage } from '../store/message.ts';
import { findWaiting } from '../store/pointer.ts';
import { findTemplate } from '../store/template.ts';
import { callAndSettle, changeWhile } from './calling.ts';
import { takeSlot, untilSlot } from './pacing.ts';

interface DueReference {
  companyId: number;
  contactId: number;
  messageId: number;
  dueAtMs: number;
}

/**
 * A message whose time has come, or that the provider would not take before: waits for its slot, claims it and sends it. Early, or with no
 * slot near, it goes back to the queue.
 */
export const sendDue = async (reference: DueReference): Promise<void> => {
  const { companyId, contactId } = reference;
  if (reference.dueAtMs > now()) return comeBack(reference, reference.dueAtMs);
  const message = await getMessage(companyId, contactId, reference.messageId, { consistent: true });
  const isMine = (seen: StoredMessage): boolean => isDue(seen, reference.dueAtMs);
  if (!message || !isMine(message)) return;
  const number = await sendingNumber(companyId, message.numberId);
  const [slot, error] = await Promise.all([
    number && takeSlot(number, message.lane ?? 'direct'),
    number ? templateError(message) : { code: 'number_missing', title: 'No active business number' },
  ]);
  if (slot && !slot.free && !error) return comeBack(reference, slot.retryAtMs);
  if (slot?.free && !error) await untilSlot(slot.atMs);
  const claimed = await changeWhile(message, isMine, (seen, at) =>
    error
      ? { status: messageStatuses.failed, dueAt: undefined, failedAt: at, error }
      : { status: messageStatuses.sending, attempt: seen.attempt + 1, claimedAt: at, dueAt: undefined, numberId: number?.id },
  );
  if (!claimed || !number || error) return;
  metric('SendLateness', 'Milliseconds', now() - reference.dueAtMs);
  await callAndSettle(claimed, number);
};

/** Two minutes after a claim: what has no evidence by now becomes a flagged failure, and is never sent again by us. */
export const settleUnknown = async (reference: {
  companyId: number;
  contactId: number;
  messageId: number;
  attempt: number;
}): Promise<void> => {
  const message = await getMessage(reference.companyId, reference.contactId, reference.messageId, { consistent: true });
  const isStill = (seen: StoredMessage): boolean => isUnknown(seen, reference.attempt);
  const flagged = await changeWhile(message, isStill, (_, at) => ({
    status: messageStatuses.failed,
    ambiguous: true,
    failedAt: at,
    error: { code: 'ambiguous_send', title: 'The provider never said whether it took the message' },
  }));
  if (flagged) metric('AmbiguousSends', 'Count', 1);
};

/** DELETE /messages/{id} (A30): one conditional write while it waits; the row stays, as a failure with the code `cancelled`. */
export const cancelMessage = async (
  companyId: number,
  id: number,
): Promise<{ id: number } | Problem<'not_found' | 'message_not_scheduled'>> => {
  const contactId = await findWaiting(companyId, id);
  const message = contactId === undefined ? undefined : await getMessage(companyId, contactId, id, { consistent: true });
  for (let seen = message; seen && seen.error?.code !== cancelled.code; ) {
    if (seen.status !== messageStatuses.scheduled) return problem('message_not_scheduled', { details: { status: seen.status } });
    const at = now();
    const written = await changeMessage(seen, { status: messageStatuses.failed, dueAt: undefined, failedAt: at, error: cancelled }, at);
    if (written.done) return { id };
    seen = written.current;
  }
  return problem('not_found');
};

const cancelled = { code: 'cancelled', title: 'Cancelled before it was sent' };

const comeBack = (reference: DueReference, atMs: number): Promise<void> => {
  const { companyId, contactId, messageId, dueAtMs } = reference;
  const message = { company_id: companyId, contact_id: contactId, message_id: messageId, due_at_ms: dueAtMs };
  return send(sendsQueue, [{ companyId, message, delaySeconds: Math.max(1, (atMs - now()) / 1_000) }]);
};

/** A template is looked at again when its message is sent (A30): meanwhile it may have been paused or deleted. */
async function templateError({ companyId, template }: StoredMessage): Promise<StoredMessage['error']> {
  if (!template) return undefined;
  const stored = await findTemplate(companyId, template.name, template.language);
  if (stored?.status === 'APPROVED') return undefined;
  return stored
    ? { code: 'template_not_approved', title: `The template was ${stored.status} when its message was due` }
    : { code: 'template_not_found', title: 'The template was gone when its message was due' };
}
