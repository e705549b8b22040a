import type { BlockClaim, BlockPlace, Contact, ContactBlock } from '../contract/stored.ts';
import { minuteMs } from '../../../shared/runtime/clock.ts';

/**
 * A contact that the company has blocked. The state is claimed before the provider is called and confirmed after it, so that a call that is
 * repeated, or was interrupted, leads to what was wanted. See docs/decisions/blocked-contacts.md.
 */

/** So long a call of the provider may be under way: one in the other direction would race with it. */
export const blockClaimMs = minuteMs;

/** More numbers than a contact writes to in a day. */
export const maxBlockPlaces = 100;

export type BlockStep =
  /** It is as wanted, and no call is under way. */
  | { outcome: 'unchanged' }
  /** A call in the other direction may be under way. */
  | { outcome: 'busy'; untilMs: number }
  /** `isRepeated`: an earlier call may have reached the provider already. */
  | { outcome: 'claimed'; contact: Contact; isRepeated: boolean };

/** The contact with a claim to block it at these places, or to unblock it where it was blocked. From a claim to block on nothing is sent to it. */
export const claimBlock = (contact: Contact, claim: BlockClaim, places: readonly BlockPlace[]): BlockStep => {
  const { block } = contact;
  if (block?.claim === undefined && (block !== undefined) === (claim.to === 'blocked')) return { outcome: 'unchanged' };
  const running = block?.claim;
  if (running !== undefined && running.to !== claim.to && claim.at < running.at + blockClaimMs)
    return { outcome: 'busy', untilMs: running.at + blockClaimMs };
  return {
    outcome: 'claimed',
    isRepeated: claim.to === 'blocked' ? block !== undefined : running !== undefined,
    contact: {
      ...contact,
      isBlocked: true,
      block: { ...block, places: claim.to === 'blocked' ? mergePlaces(block?.places ?? [], places) : (block?.places ?? []), claim },
    },
  };
};

/** The provider has done what was claimed. A claim that another call took over is that one's to confirm. */
export const confirmBlock = (contact: Contact, claimId: string, places: readonly BlockPlace[]): Contact => {
  const claim = ownClaim(contact, claimId);
  if (!claim) return contact;
  return claim.to === 'blocked' ? { ...contact, isBlocked: true, block: { places, by: claim.by } } : withoutBlock(contact);
};

/** The provider refused what was claimed: the contact is as it was before the claim. */
export const releaseBlock = (contact: Contact, claimId: string): Contact => {
  const claim = ownClaim(contact, claimId);
  if (!claim || !contact.block) return contact;
  const { claim: _refused, ...block } = contact.block;
  return claim.to === 'blocked' ? withoutBlock(contact) : { ...contact, block };
};

/** Whether the contact is blocked at the provider, as far as it is known: not while the first call is under way. */
export const hasBlock = ({ block }: Pick<Contact, 'block'>): boolean => block !== undefined && block.claim?.to !== 'blocked';

/** The block of a contact and of another record of the same customer: where either is blocked, both are. */
export const joinBlocks = (one: ContactBlock | undefined, other: ContactBlock | undefined): ContactBlock | undefined => {
  if (!one || !other) return one ?? other;
  const by = one.by ?? other.by ?? one.claim?.by;
  return { places: mergePlaces(one.places, other.places), ...(by === undefined ? {} : { by }) };
};

const ownClaim = ({ block }: Contact, claimId: string): BlockClaim | undefined => (block?.claim?.id === claimId ? block.claim : undefined);

const withoutBlock = ({ isBlocked: _flag, block: _block, ...rest }: Contact): Contact => rest;

const mergePlaces = (before: readonly BlockPlace[], added: readonly BlockPlace[]): BlockPlace[] => {
  const places = new Map([...before, ...added].map((place) => [`${place.numberId} ${place.user}`, place]));
  return [...places.values()].slice(-maxBlockPlaces);
};
