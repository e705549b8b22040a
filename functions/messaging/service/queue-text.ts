import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { getActiveNumber } from '../../account/service/numbers.ts';
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
export const queueText = async (
  companyId: number,
  { contactId, phone, userId, numberId, text }: QueuedText,
  { operationId, startedAt }: { operationId: string; startedAt: number },
): Promise<boolean> => {
  const named = await selectNumber(companyId, { numberId, contactId });
  // the number that was written to may be inactive by now
  const number = isProblem(named) ? await getActiveNumber(companyId) : named;
  if (!number) return false;
  await createOutbound({
    companyId,
    contactId,
    phone,
    userId,
    numberId: number.id,
    content: { type: messageTypes.text, subtype: 'text', value: text, payload: undefined, media: undefined },
    owner: { operationId },
    idTimeMs: startedAt,
    createdAt: startedAt,
    state: { dueAt: now() },
  });
  return true;
};
