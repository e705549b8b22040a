import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { getSendingNumber } from '../../account/service/numbers.ts';
import { sendsQueue } from '../contract/queue.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import { isDue, isUnconfirmed } from '../domain/send-state.ts';
import { updateMessage, getMessage } from '../store/message.ts';
import { getScheduledContactId } from '../store/scheduled-message.ts';
import { getTemplateByName } from '../../templates/store/template.ts';
import { callAndRecord, updateMessageWhile } from './send-attempt.ts';
import { reserveSlot, waitForSlot } from './send-slots.ts';

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
export const sendDueMessage = async (reference: DueReference): Promise<void> => {
  const { companyId, contactId } = reference;
  if (reference.dueAtMs > now()) return requeue(reference, reference.dueAtMs);
  const message = await getMessage(companyId, contactId, reference.messageId, { consistent: true });
  const isStillDue = (seen: StoredMessage): boolean => isDue(seen, reference.dueAtMs);
  if (!message || !isStillDue(message)) return;
  const number = await getSendingNumber(companyId, message.numberId);
  const [slot, error] = await Promise.all([
    number && reserveSlot(number, message.lane ?? 'direct'),
    number ? templateFailure(message) : { code: 'number_missing', title: 'No active business number' },
  ]);
  if (slot && !slot.free && !error) return requeue(reference, slot.retryAtMs);
  if (slot?.free && !error) await waitForSlot(slot.atMs);
  const claimed = await updateMessageWhile(message, isStillDue, (seen, at) =>
    error
      ? { status: messageStatuses.failed, dueAt: undefined, failedAt: at, error }
      : { status: messageStatuses.sending, attempt: seen.attempt + 1, claimedAt: at, dueAt: undefined, numberId: number?.id },
  );
  if (!claimed || !number || error) return;
  metric('SendLateness', 'Milliseconds', now() - reference.dueAtMs);
  await callAndRecord(claimed, number);
};

/** Two minutes after a claim: what has no evidence by now becomes a flagged failure, and is never sent again by us. */
export const failUnconfirmedSend = async (reference: {
  companyId: number;
  contactId: number;
  messageId: number;
  attempt: number;
}): Promise<void> => {
  const message = await getMessage(reference.companyId, reference.contactId, reference.messageId, { consistent: true });
  const isStillUnconfirmed = (seen: StoredMessage): boolean => isUnconfirmed(seen, reference.attempt);
  const flagged = await updateMessageWhile(message, isStillUnconfirmed, (_, at) => ({
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
  const contactId = await getScheduledContactId(companyId, id);
  const message = contactId === undefined ? undefined : await getMessage(companyId, contactId, id, { consistent: true });
  for (let seen = message; seen && seen.error?.code !== cancelled.code; ) {
    if (seen.status !== messageStatuses.scheduled) return problem('message_not_scheduled', { details: { status: seen.status } });
    const at = now();
    const written = await updateMessage(seen, { status: messageStatuses.failed, dueAt: undefined, failedAt: at, error: cancelled }, at);
    if (written.done) return { id };
    seen = written.current;
  }
  return problem('not_found');
};

const cancelled = { code: 'cancelled', title: 'Cancelled before it was sent' };

const requeue = (reference: DueReference, atMs: number): Promise<void> => {
  const { companyId, contactId, messageId, dueAtMs } = reference;
  const message = { company_id: companyId, contact_id: contactId, message_id: messageId, due_at_ms: dueAtMs };
  return send(sendsQueue, [{ companyId, message, delaySeconds: Math.max(1, (atMs - now()) / 1_000) }]);
};

/** A template is looked at again when its message is sent (A30): meanwhile it may have been paused or deleted. */
async function templateFailure({ companyId, template }: StoredMessage): Promise<StoredMessage['error']> {
  if (!template) return undefined;
  const stored = await getTemplateByName(companyId, template.name, template.language);
  if (stored?.status === 'APPROVED') return undefined;
  return stored
    ? { code: 'template_not_approved', title: `The template was ${stored.status} when its message was due` }
    : { code: 'template_not_found', title: 'The template was gone when its message was due' };
}
