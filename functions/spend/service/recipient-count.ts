import type { EstimateItem } from '../domain/estimate.ts';
import { recipientCountry, userIdCountry } from '../domain/recipient-country.ts';

/** Counts recipients by country, one look-up for each. */
export class RecipientCount {
  readonly #byCountry = new Map<string | undefined, number>();

  /** `userId`: of a contact that shows no phone. */
  add({ phone, userId }: { phone: string; userId?: string | undefined }): void {
    const country = phone === '' ? userId && userIdCountry(userId) : recipientCountry(phone);
    this.#byCountry.set(country || undefined, (this.#byCountry.get(country || undefined) ?? 0) + 1);
  }

  /** By country. */
  items(): EstimateItem[] {
    return [...this.#byCountry].map(([country, recipients]) => ({ country, recipients }));
  }
}
