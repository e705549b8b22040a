import { now } from '../../../shared/runtime/clock.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { lastInboundAt } from '../../service-window/service.ts';
import { changed, isLive } from '../domain/contact.ts';
import { type Evidence, noEvidence, verdictOf, withEvidence } from '../domain/reachability.ts';
import { canonicalPhone } from '../contract/phone.ts';
import { getContactById, getContactByPhoneTogether, updateContactTogether } from '../store/contact.ts';
import { getReachability, getReachabilityTogether, updateReachability } from '../store/reachability.ts';

/** Records an inbound message after a pause: the phone of the contact is on WhatsApp. */
export const recordInbound = async (companyId: number, contactId: number, at: number): Promise<void> => {
  const contact = await getContactById(companyId, contactId);
  // a contact known only by user id has no phone
  if (contact?.phone) await recordEvidence(companyId, contact.phone, [{ kind: 'seen', at }]);
};

/**
 * Records an undeliverable message, after the last inbound message of the conversation: of an active conversation only the first message a day
 * is recorded when it arrives, so that inbound messages cost nothing here.
 */
export const recordUndeliverable = async (companyId: number, contactId: number, phone: string, at: number): Promise<void> => {
  const inboundAt = await lastInboundAt(companyId, contactId);
  await recordEvidence(companyId, phone, [
    ...(inboundAt === undefined ? [] : [{ kind: 'seen' as const, at: inboundAt }]),
    { kind: 'missed', at },
  ]);
};

/** Updates `is_on_whatsapp` of the contact to the verdict about its phone. A campaign brings many at once: they share their requests. */
export const applyVerdict = async (companyId: number, phone: string): Promise<void> => {
  const [row, found] = await Promise.all([getReachabilityTogether(companyId, phone), getContactByPhoneTogether(companyId, phone)]);
  const verdict = row && verdictOf(row);
  if (!verdict || !found) return;
  await retryOnConflict(maxAttempts, async (attempt) => {
    const contact = attempt > 1 ? await getContactById(companyId, found.id, { consistent: true }) : found;
    if (!isLive(contact) || canonicalPhone(contact.phone) !== canonicalPhone(phone)) return undefined;
    const { notOnWhatsappAt: _before, ...rest } = contact;
    const wanted = { ...rest, isOnWhatsapp: verdict.exists, ...(verdict.exists ? {} : { notOnWhatsappAt: verdict.at }) };
    const after = changed(contact, wanted, now());
    return after === undefined || (await updateContactTogether(contact, after)) === 'done' ? undefined : conflict;
  });
};

const maxAttempts = 12;

async function recordEvidence(companyId: number, phone: string, evidence: readonly Evidence[]): Promise<void> {
  await retryOnConflict(maxAttempts, async (attempt) => {
    const row = await getReachability(companyId, phone, { consistent: attempt > 1 });
    const before = row ?? noEvidence(companyId, canonicalPhone(phone));
    const after = evidence.reduce(withEvidence, before);
    return after === before || (await updateReachability(row, after)) === 'done' ? undefined : conflict;
  });
}
