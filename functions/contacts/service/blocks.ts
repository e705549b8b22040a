import { currentActor } from '../../../shared/runtime/actor.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { ulid } from '../../../shared/runtime/ids.ts';
import { conflict, Conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { BlockClaim, BlockPlace, Contact } from '../contract/stored.ts';
import { claimBlock, confirmBlock, releaseBlock } from '../domain/block.ts';
import { changed, isLive } from '../domain/contact.ts';
import { followMerges } from './followed-contacts.ts';
import { writeChange } from './upsert-by-identity.ts';

export type ClaimedBlock =
  | { outcome: 'missing' }
  | { outcome: 'unchanged'; contact: Contact }
  | { outcome: 'busy'; untilMs: number }
  | { outcome: 'claimed'; contact: Contact; claimId: string; isRepeated: boolean };

/**
 * Claims to block or unblock a contact, before the provider is called. While it is claimed to be blocked nothing is sent to it, and until it is
 * confirmed to be unblocked neither. 1 RRU; 6-8 WRU, as each of its identities says so too.
 */
export const claimContactBlock = (
  companyId: number,
  id: number,
  to: BlockClaim['to'],
  places: readonly BlockPlace[] = [],
): Promise<ClaimedBlock> =>
  retryOnConflict<ClaimedBlock>(
    maxAttempts,
    async () => {
      const seen = await followMerges(companyId, id, { consistent: true });
      if (!isLive(seen)) return { outcome: 'missing' };
      const at = now();
      const claim = { id: ulid(at), to, at, by: blockActor() };
      const step = claimBlock(seen, claim, places);
      if (step.outcome === 'unchanged') return { outcome: 'unchanged', contact: seen };
      if (step.outcome === 'busy') return step;
      const contact = changed(seen, step.contact, at) ?? seen;
      if ((await writeChange(seen, contact)) !== 'done') return conflict;
      return { outcome: 'claimed', contact, claimId: claim.id, isRepeated: step.isRepeated };
    },
    tooBusy,
  );

/** The provider has done what was claimed: at these places, where it blocked. Returns the contact as it is then; undefined: it was deleted. */
export const confirmContactBlock = (
  contact: Pick<Contact, 'companyId' | 'id'>,
  claimId: string,
  places: readonly BlockPlace[] = [],
): Promise<Contact | undefined> => changeBlock(contact, (seen) => confirmBlock(seen, claimId, places));

/** The provider refused what was claimed. */
export const releaseContactBlock = (contact: Pick<Contact, 'companyId' | 'id'>, claimId: string): Promise<Contact | undefined> =>
  changeBlock(contact, (seen) => releaseBlock(seen, claimId));

/** The contact may have been merged into another one since. */
const changeBlock = (
  { companyId, id }: Pick<Contact, 'companyId' | 'id'>,
  change: (contact: Contact) => Contact,
): Promise<Contact | undefined> =>
  retryOnConflict<Contact | undefined>(
    maxAttempts,
    async () => {
      const seen = await followMerges(companyId, id, { consistent: true });
      if (!isLive(seen)) return undefined;
      const next = changed(seen, change(seen), now());
      if (!next) return seen;
      return (await writeChange(seen, next)) === 'done' ? next : conflict;
    },
    tooBusy,
  );

const maxAttempts = 12;

function tooBusy(): never {
  throw new Conflict(`The block of a contact was not written in ${maxAttempts} attempts.`);
}

function blockActor(): BlockClaim['by'] {
  const { via, userId, credentialId, credentialKind, requestId } = currentActor();
  return { via, ...defined({ userId, credentialId, credentialKind, requestId }) };
}
