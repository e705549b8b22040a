import type { JournaledChange } from '../../../shared/contract/journal.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { conflict, Conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { type Contact, contactKind } from '../contract/stored.ts';
import { stated } from '../domain/contact.ts';
import { getContactById, getContactByPhoneTogether } from '../store/contact.ts';
import { putErasedIdentity } from '../store/erased-identity.ts';
import { raiseContactIds } from './contact-ids.ts';
import { writeChange } from './upsert-by-identity.ts';
import { anyErased, hashIdentities } from './erased-identities.ts';

/**
 * Recipients who opted out, were unsubscribed or blocked since the backup, unless they have subscribed again. Of one who was no contact yet a keyed hash
 * stays, as of an erased one: a contact of the same phone begins unsubscribed.
 */
export const restoreStops = async (changes: readonly JournaledChange[]): Promise<number> => {
  let count = 0;
  for (const { image } of changes) {
    const stopped = image && contactKind.parse(image);
    if (!stopped) continue;
    await raiseContactIds(stopped.companyId, stopped.id);
    if ((!stopped.subscribed || stopped.marketingBlocked || stopped.block) && (await stop(stopped))) count++;
  }
  return count;
};

async function stop(stopped: Contact): Promise<boolean> {
  const { companyId, id } = stopped;
  return retryOnConflict(
    5,
    async () => {
      const contact = (await getContactById(companyId, id, { consistent: true })) ?? (await contactOfPhone(stopped));
      if (!contact) return rememberStop(stopped);
      const subscribed = contact.subscribed && stopped.subscribed;
      const marketingBlocked = contact.marketingBlocked || stopped.marketingBlocked;
      const block = contact.block ?? stopped.block;
      if (contact.subscribed === subscribed && contact.marketingBlocked === marketingBlocked && contact.block === block) return false;
      const own = stated(stopped.consent);
      const consent = subscribed || !own ? {} : { consent: own };
      const blocked = block === undefined ? {} : { isBlocked: true as const, block };
      const next = { ...contact, subscribed, marketingBlocked, ...blocked, ...consent, rev: contact.rev + 1, updatedAt: now() };
      return (await writeChange(contact, next)) === 'done' ? true : conflict;
    },
    () => {
      throw new Conflict();
    },
  );
}

/** The phone was another contact's at the time of the backup. */
const contactOfPhone = async ({ companyId, phone }: Contact): Promise<Contact | undefined> =>
  phone === '' ? undefined : getContactByPhoneTogether(companyId, phone);

async function rememberStop({ companyId, subscribed, block, phone, userId }: Contact): Promise<boolean> {
  if (subscribed && !block) return false;
  const hashes = await hashIdentities(companyId, { phone, userId });
  for (const hash of [anyErased, ...hashes]) await putErasedIdentity({ companyId, hash, erasedAt: now() });
  return true;
}
