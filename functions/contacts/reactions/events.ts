import { actorOf } from '../../../shared/contract/logged-event.ts';
import { type Consequence, emitEvent, logEvent, reaction, reactionList } from '../../../shared/events/react.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { contactCreated, contactDeleted, contactUpdated } from '../contract/event.ts';
import { type Contact, contactKind } from '../contract/stored.ts';
import { changedPartsOf, isLive } from '../domain/contact.ts';

/** Publishes what happened to contacts; ids alone, as all events. */
export const eventReactions = reactionList({ sendsTo: [] }, [
  reaction<Contact>(contactKind, ({ before, after, writtenAt }) => {
    const contact = after ?? before;
    if (contact === undefined) return [];
    const { companyId, id } = contact;
    const data = { contact_id: id, at: isoTime(after?.updatedAt ?? writtenAt) };
    if (!isLive(after)) return isLive(before) ? [emitEvent(contactDeleted, companyId, data), ...mergeLog(after)] : [];
    if (!isLive(before)) return [emitEvent(contactCreated, companyId, data)];
    const changed = changedPartsOf(before, after);
    return changed.length > 0 ? [emitEvent(contactUpdated, companyId, { ...data, changed })] : [];
  }),
]);

/** Who made a contact part of another one; a user, or what the provider reported of its identities. */
function mergeLog(after: Contact | undefined): Consequence[] {
  if (after?.mergedInto === undefined) return [];
  const { companyId, id, mergedInto, mergedBy } = after;
  const data = { contact_id: mergedInto, merged_contact_id: id };
  const by = mergedBy ? actorOf(mergedBy) : ({ kind: 'provider' } as const);
  return [logEvent(companyId, { type: 'contact.merged', subject: `contact:${mergedInto}`, data, by })];
}
