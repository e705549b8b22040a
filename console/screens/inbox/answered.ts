import type { Message } from '../../../client/client.ts';

/** The newest answer of a colleague that came after a message: what this user writes was begun without it. A campaign or a program is no colleague. */
export const answeredSince = (messages: readonly Message[], fromId: number, me: number): Message | undefined =>
  messages.findLast(
    ({ id, is_message_by_contact: isByContact, sent_by: by }) =>
      id > fromId && isByContact === 0 && by?.via !== 'campaign' && typeof by?.user_id === 'number' && by.user_id !== me,
  );
