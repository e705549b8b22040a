import { emitEvent, reaction, reactionList } from '../../../shared/events/react.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { contactCreated, contactDeleted, contactUpdated } from '../contract/event.ts';
import { type Contact, contactEntityName, storedContact } from '../contract/stored.ts';
import { changedPartsOf, isLive } from '../domain/contact.ts';

/** Publishes what happened to contacts; ids alone, as all events. */
export const eventReactions = reactionList({ sendsTo: [] }, [
  reaction<Contact>({ name: contactEntityName, parse: (raw) => storedContact.parse(raw) }, ({ before, after, writtenAt }) => {
    const contact = after ?? before;
    if (contact === undefined) return [];
    const { companyId, id } = contact;
    const data = { contact_id: id, at: isoTime(after?.updatedAt ?? writtenAt) };
    if (!isLive(after)) return isLive(before) ? [emitEvent(contactDeleted, companyId, data)] : [];
    if (!isLive(before)) return [emitEvent(contactCreated, companyId, data)];
    const changed = changedPartsOf(before, after);
    return changed.length > 0 ? [emitEvent(contactUpdated, companyId, { ...data, changed })] : [];
  }),
]);
