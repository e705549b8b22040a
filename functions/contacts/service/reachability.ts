import { now } from '../../../shared/runtime/clock.ts';
import { lastInboundAt } from '../../conversations/service/conversations.ts';
import { changed, isLive } from '../domain/contact.ts';
import { type Evidence, noEvidence, verdictOf, withEvidence } from '../domain/reachability.ts';
import { canonicalPhone } from '../contract/phone.ts';
import { getContactById, getPhoneIdentity, updateContact } from '../store/contact.ts';
import { getReachability, updateReachability } from '../store/reachability.ts';

/** Somebody wrote after a silence: the contact's phone is on WhatsApp. */
export const recordInbound = async (companyId: number, contactId: number, at: number): Promise<void> => {
  const contact = await getContactById(companyId, contactId, false);
  // a person known by user id alone has no phone that could be known
  if (contact?.phone) await recordEvidence(companyId, contact.phone, [{ kind: 'seen', at }]);
};

/**
 * A message was undeliverable. Messages that came in since the last note count first: of a conversation that goes on, only its first
 * message a day is noted, so that an inbound message costs nothing here.
 */
export const recordUndeliverable = async (companyId: number, contactId: number, phone: string, at: number): Promise<void> => {
  const inboundAt = await lastInboundAt(companyId, contactId);
  await recordEvidence(companyId, phone, [
    ...(inboundAt === undefined ? [] : [{ kind: 'seen' as const, at: inboundAt }]),
    { kind: 'missed', at },
  ]);
};

/** `is_on_whatsapp` of the phone's contact follows what is known of the phone. */
export const applyVerdict = async (companyId: number, phone: string): Promise<void> => {
  const [row, identity] = await Promise.all([getReachability(companyId, phone, true), getPhoneIdentity(companyId, phone, false)]);
  const verdict = row && verdictOf(row);
  if (!verdict || !identity) return;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const contact = await getContactById(companyId, identity.contactId, attempt > 1);
    if (!isLive(contact) || canonicalPhone(contact.phone) !== canonicalPhone(phone)) return;
    const { notOnWhatsappAt: _before, ...rest } = contact;
    const wanted = { ...rest, isOnWhatsapp: verdict.exists, ...(verdict.exists ? {} : { notOnWhatsappAt: verdict.at }) };
    const after = changed(contact, wanted, now());
    if (after === undefined || (await updateContact(after)) === 'done') return;
  }
  throw new Error('A contact changed too often to take what is known of its phone.');
};

const maxAttempts = 12;

async function recordEvidence(companyId: number, phone: string, evidence: readonly Evidence[]): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const row = await getReachability(companyId, phone, attempt > 1);
    const before = row ?? noEvidence(companyId, canonicalPhone(phone));
    const after = evidence.reduce(withEvidence, before);
    if (after === before || (await updateReachability(row, after)) === 'done') return;
  }
  throw new Error('What is known of a phone changed too often to add to it.');
}
