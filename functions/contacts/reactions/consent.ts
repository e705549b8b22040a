import { type Consequence, emitEvent, project, reaction, reactionList } from '../../../shared/events/react.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { consentChangeTarget, contactOptedOut } from '../contract/consent.ts';
import { contactKind } from '../contract/stored.ts';
import type { Contact } from '../contract/stored.ts';
import { consentChangeKey } from '../domain/consent.ts';

/**
 * Publishes one event per opt-out, whatever caused it, and records changes that came with a write of the contact. A recipient's own changes
 * are recorded with their evidence by setConsent.
 */
export const consentReactions = reactionList({ sendsTo: [] }, [
  reaction<Contact>(contactKind, ({ before, after }) => {
    if (!after || after.deletedAt !== undefined) return [];
    const recorded = ownChange(before, after);
    if (!before) return recorded;
    const optedOut = (scope: 'all' | 'marketing', source: string): Consequence =>
      emitEvent(contactOptedOut, after.companyId, { contact_id: after.id, scope, source, at: isoTime(after.updatedAt) });
    return [
      ...recorded,
      ...(before.subscribed && !after.subscribed ? [optedOut('all', after.consent?.source ?? 'api')] : []),
      ...(!before.marketingBlocked && after.marketingBlocked ? [optedOut('marketing', 'provider')] : []),
    ];
  }),
]);

/** What `before` had and, unless setConsent records it with its evidence, what `after` has. A creation alone writes nothing. */
function ownChange(before: Contact | undefined, after: Contact): Consequence[] {
  if (before === undefined || after.consent === undefined) return [];
  if (before.consent?.at === after.consent.at && before.subscribed === after.subscribed) return [];
  const isOwn = after.consent.source === 'api' || after.consent.source === 'import';
  return [before, ...(isOwn ? [after] : [])].flatMap(({ companyId, id, subscribed, consent }) => {
    if (consent === undefined) return [];
    const { source, at } = consent;
    const key = { companyId, contactId: id, k: consentChangeKey(at, subscribed) };
    return [project(consentChangeTarget, key, (row) => row ?? { ...key, wanted: subscribed, source, at, rev: 0, checkpoints: {} })];
  });
}
