import { now } from '../../../shared/runtime/clock.ts';
import { messageId } from '../../../shared/runtime/ids.ts';
import { getActiveNumber } from '../../account/service/numbers.ts';
import type { MessageRecipient } from '../gateway/messages.ts';
import { messageStatuses, messageTypes, type StoredMessage } from '../contract/stored.ts';
import { createMessage } from '../store/message.ts';

/**
 * A text that the product itself sends, to a contact that is known: its row is written as due now, the change stream wakes the sends
 * worker, which claims it and calls the provider. Once for each operation: a repetition meets the first one's row. False when the
 * company has no active number.
 */
export const queueText = async (
  companyId: number,
  { contactId, phone, userId, text }: { contactId: number; text: string } & MessageRecipient,
  { operationId, startedAt }: { operationId: string; startedAt: number },
): Promise<boolean> => {
  const number = await getActiveNumber(companyId);
  if (!number) return false;
  for (let salt = 0; ; salt++) {
    const at = now();
    const message: StoredMessage = {
      companyId,
      contactId,
      id: messageId(startedAt, `${operationId}:${salt}`),
      inbound: false,
      type: messageTypes.text,
      subtype: 'text',
      value: text,
      status: messageStatuses.scheduled,
      rev: 0,
      ...(phone === undefined ? { userId } : { phone }),
      numberId: number.id,
      operationId,
      attempt: 0,
      dueAt: at,
      createdAt: startedAt,
      updatedAt: at,
    };
    const written = await createMessage(message);
    if (written.done || written.current?.operationId === operationId) return true;
  }
};
