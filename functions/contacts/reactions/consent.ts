import { type Consequence, emitEvent, reaction, reactionList } from '../../../shared/events/react.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { contactOptedOut } from '../contract/consent.ts';
import { contactEntityName, storedContact } from '../contract/stored.ts';
import type { Contact } from '../contract/stored.ts';

/** Publishes one event per opt-out, whatever caused it. */
export const consentReactions = reactionList({ sendsTo: [] }, [
  reaction<Contact>({ name: contactEntityName, parse: (raw) => storedContact.parse(raw) }, ({ before, after }) => {
    if (!before || !after || after.deletedAt !== undefined) return [];
    const optedOut = (scope: 'all' | 'marketing', source: string): Consequence =>
      emitEvent(contactOptedOut, after.companyId, { contact_id: after.id, scope, source, at: isoTime(after.updatedAt) });
    return [
      ...(before.subscribed && !after.subscribed ? [optedOut('all', after.consent?.source ?? 'api')] : []),
      ...(!before.marketingBlocked && after.marketingBlocked ? [optedOut('marketing', 'provider')] : []),
    ];
  }),
]);
