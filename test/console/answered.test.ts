import { expect, test } from 'vitest';
import type { Message } from '../../client/client.ts';
import { answeredSince } from '../../console/screens/inbox/answered.ts';

const me = 5;
const by = (user: number | null, via = 'api') => ({ via, user_id: user, token_id: null });
const message = (id: number, sent_by: unknown, isByContact = 0): Message =>
  ({ id, sent_by, is_message_by_contact: isByContact }) as Message;

test.each([
  ['an answer of a colleague', [message(3, by(6))], 3],
  ['the newest of several', [message(3, by(6)), message(4, by(7)), message(5, by(me))], 4],
  ['one that was there when the writing began', [message(2, by(6))], undefined],
  ['an own answer', [message(3, by(me))], undefined],
  ['a message of the contact', [message(3, null, 1)], undefined],
  ['a campaign that a colleague started', [message(3, by(6, 'campaign'))], undefined],
  ['a program', [message(3, by(null))], undefined],
] as const)('since a message, of %s', (_, messages, answered) => {
  expect(answeredSince(messages, 2, me)?.id).toBe(answered);
});
