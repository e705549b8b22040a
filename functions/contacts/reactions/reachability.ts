import { type Consequence, project, message, reaction, reactionList } from '../../../shared/events/react.ts';
import { dayMs } from '../../../shared/runtime/clock.ts';
import { conversationEntityName, storedConversation, type StoredConversation } from '../../conversations/contract/stored.ts';
import { messageEntityName, messageStatuses, storedMessage, type StoredMessage } from '../../messaging/contract/stored.ts';
import { reachabilityEntityName, reachabilityQueue, reachabilityTarget, storedReachability } from '../contract/phone-check.ts';
import { missesApartMs, noEvidence, type Reachability, undeliverableCode, verdictOf, withEvidence } from '../domain/reachability.ts';
import { canonicalPhone } from '../contract/phone.ts';

/**
 * What messages show of phones (A16). Exact without a table unit for evidence that is known already:
 *
 * - A delivery folds into the phone's row: one read for the first sign of a message's delivery, a write only where it says something new.
 * - An inbound message speaks through its conversation's head, which is folded anyway: only the first one after a day of silence, and
 *   one a week of a conversation that goes on. Two misses that settle a phone are a day or more apart, so no message between them passes
 *   unheard: a miss looks at the head first, and after a settled miss the next message follows a silence.
 * - A miss is rare and needs that look: it goes to the queue.
 */
export const reachabilityReactions = reactionList({ sendsTo: [reachabilityQueue] }, [
  reaction<StoredMessage>({ name: messageEntityName, parse: (raw) => storedMessage.parse(raw) }, ({ before, after }) => {
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

  reaction<StoredConversation>({ name: conversationEntityName, parse: (raw) => storedConversation.parse(raw) }, ({ before, after }) => {
    const at = after?.lastInboundAt;
    if (after === undefined || at === undefined || at === before?.lastInboundAt) return [];
    const last = before?.lastInboundAt ?? 0;
    const isHeard = at - last < missesApartMs && weekOf(at) === weekOf(last);
    const { companyId, contactId } = after;
    return isHeard ? [] : [message(reachabilityQueue, companyId, { about: 'inbound', company_id: companyId, contact_id: contactId, at })];
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

/** What a contact shows of it: that the phone is there, or since when it is known not to be. */
function shownVerdict(row: Reachability | undefined): string | number | undefined {
  const verdict = row && verdictOf(row);
  return verdict?.exists ? 'there' : verdict?.at;
}
