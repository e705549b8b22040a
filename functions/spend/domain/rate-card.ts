import { isoTime } from '../../../shared/runtime/clock.ts';
import { type CardInput, type CardMarket, maxCardChars, priceCategories } from '../contract/card.ts';
import type { RateCardRecord, RateChange } from '../contract/rates.ts';
import { operatorOwner, type StoredRateCard } from '../contract/stored.ts';
import { adjustedSource, cardProblem, listPrice, type RateSource, sourceOfCard } from './card.ts';
import { isKnown, priceOf } from './price.ts';

/** What is wrong with a card that is to be imported, by its field; undefined: nothing. */
export const inputProblem = ({ markets, adjustment, currency }: CardInput): { field: string; reason: string } | undefined => {
  if ((markets === undefined) === (adjustment === undefined)) return { field: 'markets', reason: 'Send either markets, or an adjustment.' };
  if (adjustment) {
    const isOther = adjustment.from_currency !== undefined && adjustment.from_currency !== currency;
    if (isOther && adjustment.factor === undefined)
      return { field: 'adjustment.factor', reason: 'A card of another currency needs a factor.' };
    return undefined;
  }
  const reason = cardProblem(markets ?? []);
  if (reason !== undefined) return { field: 'markets', reason };
  const isLong = JSON.stringify(markets).length > maxCardChars;
  return isLong ? { field: 'markets', reason: `The prices must have at most ${maxCardChars} characters.` } : undefined;
};

/** A stored card as the API shows it on a day. The name of the operator's account is the operator's alone to see. */
export const toRateCardRecord = (card: StoredRateCard, day: string, withPrices: boolean): RateCardRecord => ({
  id: card.id,
  owner: ownerOf(card),
  currency: card.currency,
  effective_from: card.effectiveFrom,
  revision: card.rev,
  state: card.effectiveFrom <= day ? 'in_force' : 'coming',
  age_days: daysBetween(card.effectiveFrom, day),
  source: card.source ?? null,
  imported_by: ownerOf(card) === 'operator' ? 'operator' : card.importedBy,
  imported_at: isoTime(card.importedAt),
  markets_count: card.markets?.length ?? 0,
  markets: withPrices ? (card.markets ?? null) : null,
  adjustment: card.adjustment ?? null,
});

const ownerOf = ({ companyId }: StoredRateCard): RateSource['owner'] => (companyId === operatorOwner ? 'operator' : 'company');

/** Whole days from one date to another; negative: it lies before. */
export const daysBetween = (from: string, to: string): number =>
  (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000;

/** The currency of the operator's card that an adjustment changes; undefined: the card has prices of its own. */
export const baseCurrencyOf = ({ adjustment, currency }: StoredRateCard): string | undefined =>
  adjustment && (adjustment.from_currency ?? currency);

/**
 * Where prices of a currency come from on a day, in order: the company's own card or adjustment, then the operator's card. `base`: the operator's
 * card that an adjustment changes; without one it prices nothing.
 */
export const rateSources = (cards: {
  own: StoredRateCard | undefined;
  base: StoredRateCard | undefined;
  operator: StoredRateCard | undefined;
}): RateSource[] => [...sourcesOf(cards.own, cards.base), ...sourcesOf(cards.operator)];

function sourcesOf(card: StoredRateCard | undefined, base?: StoredRateCard): RateSource[] {
  if (!card) return [];
  const of = { card: card.id, owner: ownerOf(card), currency: card.currency };
  if (card.markets) return [sourceOfCard(of, card.markets)];
  const [changed] = sourcesOf(base);
  return card.adjustment && changed ? [adjustedSource(of, card.adjustment, changed)] : [];
}

/** The list prices that differ between two ways to price, by market: its first country stands for it, ZZ for the countries of no market. */
export const changedPrices = (
  markets: readonly CardMarket[],
  before: readonly RateSource[],
  after: readonly RateSource[],
): RateChange['changes'] =>
  markets.flatMap(({ market, countries: [country = noCountry] }) =>
    priceCategories.flatMap((category) => {
      const [was, is] = [before, after].map((sources) => {
        const price = priceOf(sources, { country, category });
        return isKnown(price) ? listPrice(price.steps) : null;
      });
      return was === is ? [] : [{ market, category, before: was ?? null, after: is ?? null }];
    }),
  );

/** User-assigned in ISO 3166-1: no number is of it. */
const noCountry = 'ZZ';
