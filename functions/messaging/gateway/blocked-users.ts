import { callProvider, type SendingNumber } from '../../../shared/provider/call.ts';
import { type BlockAnswer, readBlockAnswer } from '../domain/block.ts';

/** Blocks a user at a number, or takes it back. `user`: a phone with its plus, or the provider's user id. Repeating it changes nothing. */
export const changeBlockedUsers = async (number: SendingNumber, method: 'POST' | 'DELETE', user: string): Promise<BlockAnswer> => {
  const reply = await callProvider(number, {
    method,
    path: [number.phoneNumberId, 'block_users'],
    body: { messaging_product: 'whatsapp', block_users: [user.startsWith('+') ? { user } : { user_id: user }] },
    timeoutMs: 10_000,
  });
  return reply.outcome === 'answered'
    ? readBlockAnswer(reply.status, reply.body)
    : { outcome: 'later', isUndone: reply.outcome === 'unsent' };
};
