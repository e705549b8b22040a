import type { ContactsInput } from '../contract/send-contacts.ts';
import { messageTypes } from '../contract/stored.ts';
import type { Composition } from './compose-text.ts';

/** The content of a send of contact cards: its text is their names, as of cards that come in. */
export const composeContacts = ({ contacts }: Pick<ContactsInput, 'contacts'>): Composition => ({
  ok: true,
  message: {
    type: messageTypes.text,
    subtype: 'contacts',
    value: contacts
      .map(({ name }) => name.formatted_name)
      .join(', ')
      .slice(0, 4_096),
    payload: { type: 'contacts', contacts },
    media: undefined,
  },
});
