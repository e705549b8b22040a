import { type Exclusion, exclusionReason, exclusions } from '../contract/eligibility.ts';
import type { Contact } from '../contract/stored.ts';
import { canonicalPhone, isStoredPhone } from '../contract/phone.ts';

export type ReadinessCounts = Record<Exclusion | 'total_contacts' | 'eligible' | 'known_on_whatsapp' | 'unknown_reachability', number>;

/** Counts contacts one by one. Of two contacts with the same canonical phone only the first is eligible. */
export class ReadinessCounter {
  readonly #phones = new Set<string>();
  readonly #now: number;
  readonly #counts = Object.fromEntries(
    [...exclusions, 'total_contacts', 'eligible', 'known_on_whatsapp', 'unknown_reachability'].map((name) => [name, 0]),
  ) as ReadinessCounts;

  /** `now` in epoch milliseconds: evidence about a phone expires. */
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
    if (contact.phone === '' && contact.userId !== undefined) return exclusionReason(contact, this.#now);
    if (!isStoredPhone(contact.phone)) return 'invalid_phone';
    const phone = canonicalPhone(contact.phone);
    if (this.#phones.has(phone)) return 'duplicate_phone';
    this.#phones.add(phone);
    return exclusionReason(contact, this.#now);
  }
}
