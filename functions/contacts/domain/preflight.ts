import type { Contact } from './contact.ts';
import { isKnownNotOnWhatsapp } from './reachability.ts';
import { canonicalPhone, normalizePhone } from '../contract/phone.ts';

/** Why a contact is left out, in the order in which it is asked (A20). */
export const exclusions = [
  'invalid_phone',
  'duplicate_phone',
  'opted_out',
  'unsubscribed',
  'marketing_blocked',
  'known_not_on_whatsapp',
] as const;
export type Exclusion = (typeof exclusions)[number];

export type ReadinessCounts = Record<Exclusion | 'total_contacts' | 'eligible' | 'known_on_whatsapp' | 'unknown_reachability', number>;

/** Counts contacts, one after another. Of two with the same phone the first one counts, whatever form each number has. */
export class ReadinessCounter {
  readonly #phones = new Set<string>();
  readonly #now: number;
  readonly #counts = Object.fromEntries(
    [...exclusions, 'total_contacts', 'eligible', 'known_on_whatsapp', 'unknown_reachability'].map((name) => [name, 0]),
  ) as ReadinessCounts;

  /** Epoch milliseconds: what is known of a phone has a life. */
  constructor(now: number) {
    this.#now = now;
  }

  add(contact: Contact): void {
    const counts = this.#counts;
    counts.total_contacts++;
    const reason = this.#exclusion(contact);
    counts[reason ?? 'eligible']++;
    if (reason === undefined) counts[contact.isOnWhatsapp ? 'known_on_whatsapp' : 'unknown_reachability']++;
  }

  counts(): ReadinessCounts {
    return { ...this.#counts };
  }

  #exclusion(contact: Contact): Exclusion | undefined {
    if (!normalizePhone(contact.phone).ok) return 'invalid_phone';
    const phone = canonicalPhone(contact.phone);
    if (this.#phones.has(phone)) return 'duplicate_phone';
    this.#phones.add(phone);
    return exclusionReason(contact, this.#now);
  }
}

/** Why a contact with a phone of its own gets no marketing. */
export const exclusionReason = (contact: Contact, now: number): Exclude<Exclusion, 'invalid_phone' | 'duplicate_phone'> | undefined => {
  if (!contact.subscribed) return hasOptedOut(contact) ? 'opted_out' : 'unsubscribed';
  if (contact.marketingBlocked) return 'marketing_blocked';
  return isKnownNotOnWhatsapp(contact, now) ? 'known_not_on_whatsapp' : undefined;
};

/** The company's own doing is the API's and an import's; any other source is the person. */
const hasOptedOut = ({ consent }: Contact): boolean => consent !== undefined && !companySources.has(consent.source);

const companySources: ReadonlySet<string> = new Set(['api', 'import']);
