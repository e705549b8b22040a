import { type Consequence, project, message, reaction, reactionList } from '../../../shared/events/react.ts';
import { dayMs } from '../../../shared/runtime/clock.ts';
import { conversationKind, type StoredConversation } from '../../conversations/contract/stored.ts';
import { messageStatuses, messageKind, type StoredMessage } from '../../messaging/contract/stored.ts';
import { reachabilityEntityName, reachabilityQueue, reachabilityTarget, storedReachability } from '../contract/phone-check.ts';
import type { Reachability } from '../contract/phone-check.ts';
import { missesApartMs, noEvidence, undeliverableCode, verdictOf, withEvidence } from '../domain/reachability.ts';
import { canonicalPhone } from '../contract/phone.ts';

/**
 * Evidence from messages whether phones are on WhatsApp (A16), exact without a request unit for evidence that is already known:
 *
 * - A delivery updates the phone's row: one read at the first sign of delivery, a write only for new evidence.
 * - An inbound message is seen through its conversation summary, which exists anyway: only the first one after a day without messages, and
 *   one a week of an active conversation. Two undeliverable messages that decide are a day or more apart, and each reads the conversation
 *   summary first, so no inbound message between them is missed.
 * - An undeliverable message is rare and needs that read, so it goes to the queue.
 */
export const reachabilityReactions = reactionList({ sendsTo: [reachabilityQueue] }, [
  reaction<StoredMessage>(messageKind, ({ before, after }) => {
    if (after?.phone === undefined || after.inbound) return [];
    const { companyId, contactId, phone } = after;
    const canonical = canonicalPhone(phone);
    const at = after.deliveredAt ?? after.readAt;
    if (at !== undefined && before?.deliveredAt === undefined && before?.readAt === undefined)
      return [
        project(reachabilityTarget, { companyId, phone: canonical }, (row) => {
          const seen = row ?? noEvidence(companyId, canonical);
          const next = withEvidence(seen, { kind: 'seen', at });
          return next === seen ? row : next;
        }),
      ];
    if (!isUndeliverable(after) || isUndeliverable(before)) return [];
    return [
      message(reachabilityQueue, companyId, {
        about: 'miss',
        company_id: companyId,
        contact_id: contactId,
        phone,
        at: undeliverableAt(after),
      }),
    ];
  }),

  reaction<StoredConversation>(conversationKind, ({ before, after }) => {
    const at = after?.lastInboundAt;
    if (after === undefined || at === undefined || at === before?.lastInboundAt) return [];
    const last = before?.lastInboundAt ?? 0;
    const isKnown = at - last < missesApartMs && weekOf(at) === weekOf(last);
    const { companyId, contactId } = after;
    return isKnown ? [] : [message(reachabilityQueue, companyId, { about: 'inbound', company_id: companyId, contact_id: contactId, at })];
  }),

  reaction<Reachability>(
    { name: reachabilityEntityName, parse: (raw) => storedReachability.parse(raw) },
    ({ before, after }): Consequence[] => {
      if (after === undefined || shownVerdict(before) === shownVerdict(after)) return [];
      const { companyId, phone } = after;
      return [message(reachabilityQueue, companyId, { about: 'verdict', company_id: companyId, phone })];
    },
  ),
]);

const isUndeliverable = (seen: StoredMessage | undefined): boolean =>
  seen?.status === messageStatuses.failed && Number(seen.error?.code) === undeliverableCode;

const undeliverableAt = ({ failedAt, updatedAt }: StoredMessage): number => failedAt ?? updatedAt;

const weekOf = (at: number): number => Math.floor(at / (7 * dayMs));

/** The verdict as a contact shows it: on WhatsApp, or not since a time. */
function shownVerdict(row: Reachability | undefined): string | number | undefined {
  const verdict = row && verdictOf(row);
  return verdict?.exists ? 'there' : verdict?.at;
}
