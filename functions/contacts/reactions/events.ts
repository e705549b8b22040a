import { actorOf } from '../../../shared/contract/logged-event.ts';
import { type Consequence, emitEvent, logEvent, project, reaction, reactionList } from '../../../shared/events/react.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { auditPlace, auditTarget } from '../../account/contract/audit.ts';
import { contactBlockChanged, contactCreated, contactDeleted, contactMerged, contactUpdated } from '../contract/event.ts';
import { type Contact, contactKind } from '../contract/stored.ts';
import { hasBlock } from '../domain/block.ts';
import { changedPartsOf, editorOf, isLive } from '../domain/contact.ts';

/** Publishes what happened to contacts; ids alone, as all events. */
export const eventReactions = reactionList({ sendsTo: [] }, [
  reaction<Contact>(contactKind, ({ before, after, writtenAt, changeId }) => {
    const contact = after ?? before;
    if (contact === undefined) return [];
    const { companyId, id } = contact;
    const editor = after && editorOf(after);
    const data = { contact_id: id, by: editor?.userId ?? null, at: isoTime(after?.updatedAt ?? writtenAt) };
    if (!isLive(after)) return isLive(before) ? [emitEvent(contactDeleted, companyId, data), ...mergeLog(after)] : [];
    if (!isLive(before)) return [emitEvent(contactCreated, companyId, data)];
    const changed = changedPartsOf(before, after);
    return changed.length > 0
      ? [
          emitEvent(contactUpdated, companyId, { ...data, changed }),
          ...(changed.includes('blocked') ? blockLog(before, after, auditPlace(writtenAt, changeId, 0), writtenAt) : []),
        ]
      : [];
  }),
]);

/** Who blocked a contact, or took the block back, in the audit log and among the events. */
function blockLog(before: Contact, after: Contact, place: string, at: number): Consequence[] {
  const { companyId, id } = after;
  const is = hasBlock(after);
  const by = (is ? after.block?.by : before.block?.claim?.by) ?? { via: 'system' };
  const action = is ? 'contact.blocked' : 'contact.unblocked';
  const entry = { companyId, place, at, action, targetKind: 'contact', id: String(id), by, changes: { blocked: { from: !is, to: is } } };
  return [
    project(auditTarget, { companyId, place }, (row) => row ?? entry),
    logEvent(contactBlockChanged, companyId, { type: action, subject: `contact:${id}`, data: { contact_id: id }, by: actorOf(by) }),
  ];
}

/** Who made a contact part of another one; a user, or what the provider reported of its identities. */
function mergeLog(after: Contact | undefined): Consequence[] {
  if (after?.mergedInto === undefined) return [];
  const { companyId, id, mergedInto, mergedBy } = after;
  const data = { contact_id: mergedInto, merged_contact_id: id };
  const by = mergedBy ? actorOf(mergedBy) : ({ kind: 'provider' } as const);
  return [logEvent(contactMerged, companyId, { subject: `contact:${mergedInto}`, data, by })];
}
