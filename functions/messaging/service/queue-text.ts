import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { type BusinessNumber, getActiveNumber } from '../../account/service/numbers.ts';
import { lastInboundAt, serviceWindowOf } from '../../service-window/service.ts';
import { messageTypes } from '../contract/stored.ts';
import { createOutbound } from './create-outbound.ts';
import { selectNumber } from './select-number.ts';

/** A text to a known contact, by phone or by the provider's user id. */
export interface QueuedText {
  contactId: number;
  phone?: string | undefined;
  userId?: string | undefined;
  /** Undefined: as for every message to the contact. */
  numberId?: number | undefined;
  text: string;
}

/**
 * Queues a text that the product itself sends: its row is due now, and the change stream wakes the sends worker. Once for each operation:
 * a repetition meets the first row. False when the company has no active number.
 */
export const queueText = async (companyId: number, text: QueuedText, operation: QueueOperation): Promise<boolean> => {
  const number = await numberOf(companyId, text);
  if (number) await createText(companyId, number, text, operation);
  return number !== undefined;
};

/** The same while the customer service window of the contact is open at the number; otherwise, why nothing is sent. */
export const queueTextInWindow = async (
  companyId: number,
  text: QueuedText,
  operation: QueueOperation,
): Promise<'queued' | 'window_closed' | 'number_missing'> => {
  const number = await numberOf(companyId, text);
  if (!number) return 'number_missing';
  if (!serviceWindowOf(await lastInboundAt(companyId, text.contactId, number.id), now()).open) return 'window_closed';
  await createText(companyId, number, text, operation);
  return 'queued';
};

interface QueueOperation {
  operationId: string;
  startedAt: number;
}

async function numberOf(companyId: number, { numberId, contactId }: QueuedText): Promise<BusinessNumber | undefined> {
  const named = await selectNumber(companyId, { numberId, contactId });
  // the number that was written to may be inactive by now
  return isProblem(named) ? getActiveNumber(companyId) : named;
}

async function createText(
  companyId: number,
  number: BusinessNumber,
  { contactId, phone, userId, text }: QueuedText,
  { operationId, startedAt }: QueueOperation,
): Promise<void> {
  await createOutbound({
    companyId,
    contactId,
    phone,
    userId,
    numberId: number.id,
    content: { type: messageTypes.text, subtype: 'text', value: text, payload: undefined, media: undefined },
    sentBy: { via: 'system' },
    owner: { operationId },
    idTimeMs: startedAt,
    createdAt: startedAt,
    state: { dueAt: now() },
  });
}
