import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { currentActor } from '../../../shared/runtime/actor.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { ContactRecord } from '../contract/contact.ts';
import type { Contact, FormerPhone } from '../contract/stored.ts';
import { isLive, maxMerged, mergedInto, withTwin } from '../domain/contact.ts';
import { getContactById } from '../store/contact.ts';
import { mergeStoredContacts } from '../store/merge.ts';
import { getContactRecord } from './contact-records.ts';
import { followMerges } from './followed-contacts.ts';

/**
 * Makes a contact part of another one, in one transaction: labels, fields and identities move; messages, notes, leads and orders stay where
 * they are and are read with those of the other. Repeating it changes nothing. `moved`: a phone of the one that goes that is another customer's
 * after that time. See docs/decisions/contact-merge.md. 2 RRU, 12-20 WRU.
 */
export const joinContacts = (companyId: number, id: number, twinId: number, moved?: FormerPhone): Promise<Contact | 'missing' | 'full'> =>
  retryOnConflict<Contact | 'missing' | 'full'>(maxAttempts, async () => {
    const [contact, twin] = await Promise.all([
      followMerges(companyId, id, { consistent: true }),
      getContactById(companyId, twinId, { consistent: true }),
    ]);
    if (!isLive(contact)) return 'missing';
    if (contact.id === twinId || contact.mergedIds?.includes(twinId)) return contact;
    if (!isLive(twin)) return 'missing';
    if ((contact.mergedIds?.length ?? 0) + (twin.mergedIds?.length ?? 0) >= maxMerged) return 'full';
    const at = Math.max(now(), contact.updatedAt);
    const after = withTwin(contact, twin, at, moved);
    return (await mergeStoredContacts([contact, twin], [after, mergedInto(twin, contact.id, mergedBy(), at)])) ? after : conflict;
  });

const maxAttempts = 12;

/** What the provider reports comes through a worker. */
function mergedBy(): Contact['mergedBy'] {
  const { via, userId, credentialId } = currentActor();
  return via === 'system' ? undefined : { via, ...defined({ userId, credentialId }) };
}

/** POST /contacts/{id}/merge. */
export const mergeContacts = async (
  companyId: number,
  id: number,
  { contact_id: twinId }: { contact_id: number },
): Promise<ContactRecord | Problem<'validation_failed' | 'not_found'>> => {
  if (twinId === id) return invalid('contact_id', 'Must be another contact.');
  if (!isLive(await getContactById(companyId, id, { consistent: true }))) return problem('not_found');
  const merged = await joinContacts(companyId, id, twinId);
  if (merged === 'missing') return problem('not_found');
  if (merged === 'full') return invalid('contact_id', `A contact takes in at most ${maxMerged} others.`);
  return getContactRecord(companyId, merged);
};
