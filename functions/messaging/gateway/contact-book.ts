import { callProvider, type SendingNumber } from '../../../shared/provider/call.ts';
import { type ContactBookAnswer, readContactBookAnswer } from '../domain/contact-book.ts';

/** Removes a user from the contact book of the number's portfolio. Repeating it changes nothing. */
export const removeFromContactBook = async (number: SendingNumber, userId: string): Promise<ContactBookAnswer> => {
  const reply = await callProvider(number, {
    method: 'DELETE',
    path: [number.phoneNumberId, 'contact_book'],
    query: { messaging_product: 'whatsapp', bsuid: userId },
    timeoutMs: 10_000,
  });
  return reply.outcome === 'answered' ? readContactBookAnswer(reply.status, reply.body) : { outcome: 'later' };
};
