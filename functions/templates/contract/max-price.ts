import { microsText } from '../../spend/contract/micros-text.ts';
import type { Money } from '../../spend/contract/money.ts';
import { multipliedCap, type PriceCap, type Tariff } from '../../spend/contract/price-cap.ts';
import { microsOfBid } from '../domain/bid.ts';
import type { StoredTemplate } from './stored.ts';

/** The max price of a template; undefined: it has none. */
export const priceCapOf = ({ bid }: Pick<StoredTemplate, 'bid'>): PriceCap | undefined => {
  if (!bid) return undefined;
  const { currency } = bid;
  const micros = microsOfBid(bid);
  return currency === undefined || micros === undefined ? { unknown: 'no_currency' } : { micros, currency };
};

/** The same as the API shows it; null where there is none, or the currency of its account is not known. */
export const maxPriceOf = (template: Pick<StoredTemplate, 'bid'>): Money | null => {
  const cap = priceCapOf(template);
  return !cap || 'unknown' in cap ? null : { amount: microsText(cap.micros), currency: cap.currency };
};

/** By what the messages of a template are priced. `percent`: of its max price, at which they are sent. */
export const tariffOf = (template: Pick<StoredTemplate, 'category' | 'bid'>, percent = 100): Tariff => {
  const cap = priceCapOf(template);
  return { category: template.category, cap: cap && multipliedCap(cap, percent) };
};
