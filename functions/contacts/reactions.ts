import { count, reaction } from '../../shared/events/react.ts';
import { type Contact, isLive } from './domain/contact.ts';
import { contactEntityName, storedContact } from './contract/stored.ts';

/** The company's total follows from its contacts: made or restored +1, deleted −1; the purge of a deleted one changes nothing. */
export const contactReactions = [
  reaction<Contact>({ name: contactEntityName, parse: (raw) => storedContact.parse(raw) }, ({ before, after }) => {
    const by = Number(isLive(after)) - Number(isLive(before));
    const companyId = (after ?? before)?.companyId;
    return by === 0 || companyId === undefined ? [] : [count(companyId, contactEntityName, by)];
  }),
];
