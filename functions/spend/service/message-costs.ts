import type { MessageCost } from '../contract/message-cost.ts';
import { toMoney } from '../contract/money.ts';
import type { PriceCap, Tariff } from '../contract/price-cap.ts';
import { pricedCountry } from '../contract/recipient.ts';
import { isKnown, priceCategoryOf, priceOf } from '../domain/price.ts';
import { getRecentCurrencies, getRecentSources } from './recent-sources.ts';

export interface MessageToPrice extends Tariff {
  phone?: string | undefined;
  userId?: string | undefined;
  /** The currency of the business account; undefined: not known yet. */
  currency: string | undefined;
}

/** A company without cards is looked up again after this time, not with each of its messages. */
const noneAgeMs = 60_000;

/** What one message costs today: at most its max price, where its template has one, else the list price. Read every ten minutes in a process: 1 to 1.5 RRU for each card. */
export const getMessageCost = async (
  companyId: number,
  { category, cap, currency: given, ...recipient }: MessageToPrice,
): Promise<MessageCost> => {
  if (cap) return cappedCost(cap, { category, ...recipient });
  const known = given === undefined ? await getRecentCurrencies(companyId, { noneAgeMs }) : [given];
  const [currency] = known;
  const country = pricedCountry(recipient);
  const about = { category: priceCategoryOf(category) ?? null, country: country ?? null };
  const unknown = { ...about, estimate: null, at_most: null, card: null };
  if (known.length > 1) return { ...unknown, reason: 'no_currency' };
  const sources = currency === undefined ? [] : await getRecentSources(companyId, currency, { noneAgeMs });
  const price = priceOf(sources, { country, category });
  if (!isKnown(price) || currency === undefined) return { ...unknown, reason: isKnown(price) ? 'no_card' : price.unknown };
  const mayBeFree = about.category === 'service';
  return {
    ...about,
    estimate: toMoney(mayBeFree ? 0n : price.micros, currency),
    at_most: toMoney(price.micros, currency),
    reason: null,
    card: price.card,
  };
};

/** The provider names no price before it delivers: what is known is the most that it charges. No card is read. */
function cappedCost(cap: PriceCap, { category, ...recipient }: Omit<MessageToPrice, 'cap' | 'currency'>): MessageCost {
  const atMost = 'unknown' in cap ? null : toMoney(BigInt(cap.micros), cap.currency);
  return {
    category: priceCategoryOf(category) ?? null,
    country: pricedCountry(recipient) ?? null,
    estimate: atMost,
    at_most: atMost,
    reason: 'unknown' in cap ? cap.unknown : null,
    card: null,
  };
}
