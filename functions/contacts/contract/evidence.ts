import { type Consequence, message, project } from '../../../shared/events/react.ts';
import { dayMs } from '../../../shared/runtime/clock.ts';
import { missesApartMs, noEvidence, withEvidence } from '../domain/reachability.ts';
import { canonicalPhone } from './phone.ts';
import { reachabilityQueue, reachabilityTarget } from './phone-check.ts';

/**
 * Evidence whether phones are on WhatsApp (A16), for the reactions of the contexts that see it. Evidence that is already known costs no
 * request unit.
 */

/** A message was delivered: one read, and a write only for new evidence. */
export const phoneSeen = (companyId: number, phone: string, at: number): Consequence => {
  const canonical = canonicalPhone(phone);
  return project(reachabilityTarget, { companyId, phone: canonical }, (row) => {
    const seen = row ?? noEvidence(companyId, canonical);
    const next = withEvidence(seen, { kind: 'seen', at });
    return next === seen ? row : next;
  });
};

/** A message was undeliverable: rare, and to be compared with what the contact last wrote. */
export const phoneMissed = (companyId: number, contactId: number, phone: string, at: number): Consequence =>
  message(reachabilityQueue, companyId, { about: 'miss', company_id: companyId, contact_id: contactId, phone, at });

/**
 * A contact wrote: evidence are only the first message after a day without any, and one a week of an active conversation. Two undeliverable
 * messages that decide are a day or more apart, and each reads when the contact last wrote first, so no message between them is missed.
 */
export const contactWrote = (companyId: number, contactId: number, at: number, lastAt: number): Consequence[] =>
  at - lastAt < missesApartMs && weekOf(at) === weekOf(lastAt)
    ? []
    : [message(reachabilityQueue, companyId, { about: 'inbound', company_id: companyId, contact_id: contactId, at })];

const weekOf = (at: number): number => Math.floor(at / (7 * dayMs));
