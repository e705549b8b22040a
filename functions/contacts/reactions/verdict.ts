import { message, reaction, reactionList } from '../../../shared/events/react.ts';
import { reachabilityEntityName, reachabilityQueue, storedReachability } from '../contract/phone-check.ts';
import type { Reachability } from '../contract/phone-check.ts';
import { verdictOf } from '../domain/reachability.ts';

/** Another verdict about a phone is applied to its contact. */
export const verdictReactions = reactionList({ sendsTo: [reachabilityQueue] }, [
  reaction<Reachability>({ name: reachabilityEntityName, parse: (raw) => storedReachability.parse(raw) }, ({ before, after }) => {
    if (after === undefined || shownVerdict(before) === shownVerdict(after)) return [];
    const { companyId, phone } = after;
    return [message(reachabilityQueue, companyId, { about: 'verdict', company_id: companyId, phone })];
  }),
]);

/** The verdict as a contact shows it: on WhatsApp, or not since a time. */
function shownVerdict(row: Reachability | undefined): string | number | undefined {
  const verdict = row && verdictOf(row);
  return verdict?.exists ? 'there' : verdict?.at;
}
