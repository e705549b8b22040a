import { pricedCountry } from '../contract/recipient.ts';
import type { EstimateItem } from '../domain/estimate.ts';

/** Counts recipients by country, one look-up for each. */
export class RecipientCount {
  readonly #byCountry = new Map<string | undefined, number>();

  /** `userId`: of a contact that shows no phone. */
  add(recipient: { phone: string; userId?: string | undefined }): void {
    const country = pricedCountry(recipient);
    this.#byCountry.set(country, (this.#byCountry.get(country) ?? 0) + 1);
  }

  /** By country. */
  items(): EstimateItem[] {
    return [...this.#byCountry].map(([country, recipients]) => ({ country, recipients }));
  }
}
