import { notRecounted, recount } from '../../shared/events/recount.ts';
import { idsOf } from './domain/members.ts';
import { consentChangeEntity } from './store/consent.ts';
import { countsEntity, digestEntity } from './store/digest.ts';
import { groupEntity } from './store/group.ts';
import { membersEntity } from './store/members.ts';
import { reachabilityEntity } from './store/reachability.ts';

export const recounts = [
  recount(consentChangeEntity, {
    facts: ({ wanted, source, at }) => [wanted, source, at],
    fields: ['wanted', 'source', 'at'],
    isPartial: true,
  }),
  recount(digestEntity, { facts: ({ lines }) => lines, fields: ['lines'] }),
  recount(countsEntity, {
    facts: ({ counts }) => counts.flatMap((count, place) => (count === 0 ? [] : [[place, count]])),
    fields: ['counts'],
  }),
  recount(membersEntity, { facts: ({ span, bits }) => idsOf(span, bits), fields: ['bits'] }),
  recount(groupEntity, { facts: ({ contactsCount }) => contactsCount, fields: ['contactsCount'], start: { contactsCount: 0 } }),
  // evidence of messages is stored as times, half of which are left out to save writes, and ends after 90 days
  notRecounted(reachabilityEntity),
];
