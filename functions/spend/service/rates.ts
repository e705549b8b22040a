import { invalid, isProblem, type Problem } from '../../../shared/contract/problems.ts';
import type { LookupQuery, RateCardRecord, RateChange, RateLookup, RatesBody, RatesQuery } from '../contract/rates.ts';
import { operatorOwner, type StoredRateCard } from '../contract/stored.ts';
import { decimalText } from '../domain/money.ts';
import { isKnown, priceOf } from '../domain/price.ts';
import { changedPrices, inputProblem, rateSources, toRateCardRecord } from '../domain/rate-card.ts';
import { recipientCountry } from '../domain/recipient-country.ts';
import { getRateCardInForce, listRateCardsAfter } from '../store/rate-card.ts';
import { listCurrenciesOf, listRateCurrencies } from './currencies.ts';
import { addRateCard, draftRateCard, getCardsOfDay, listRateSources } from './rate-cards.ts';
import { rateDayOf } from './rate-day.ts';

/** The cards in force on a day and those to come: of the company, then of the operator. */
export const listRates = async (companyId: number, { at, currency }: RatesQuery): Promise<RateCardRecord[]> => {
  const day = at ?? (await rateDayOf(companyId));
  const cards = await Promise.all(
    [companyId, operatorOwner].map(async (owner) => {
      const currencies = currency === undefined ? await listCurrenciesOf(owner) : [currency];
      return Promise.all(
        currencies.map(async (each) => {
          const [inForce, coming] = await Promise.all([getRateCardInForce(owner, each, day), listRateCardsAfter(owner, each, day)]);
          return [...(inForce ? [inForce] : []), ...latestOfEachDay(coming)];
        }),
      );
    }),
  );
  return cards.flat(2).map((card) => toRateCardRecord(card, day, currency !== undefined));
};

/** What a message costs to a phone or a country on a day. */
export const getRate = async (companyId: number, query: LookupQuery): Promise<RateLookup | Problem<'validation_failed'>> => {
  const { phone, category } = query;
  if ((phone === undefined) === (query.country === undefined)) return invalid('phone', 'Send either phone or country.');
  const digits = phone?.replaceAll(/\D/g, '').replace(/^00/, '');
  if (digits !== undefined && !/^\d{5,15}$/.test(digits)) return invalid('phone', 'Must be a phone number with country code.');
  const [day, currency] = await Promise.all([query.at ?? rateDayOf(companyId), currencyOf(companyId, query.currency)]);
  if (isProblem(currency)) return currency;
  const country = digits === undefined ? query.country : recipientCountry(digits);
  const sources = currency.code === undefined ? [] : await listRateSources(companyId, currency.code, day);
  const price = priceOf(sources, { country, category });
  const found = { at: day, country: country ?? null, category };
  if (!isKnown(price) || currency.code === undefined) {
    const reason = isKnown(price) ? 'no_card' : price.unknown;
    return { ...found, price: null, reason, market: null, tiers: null, card: null, owner: null };
  }
  const { steps, market, card, owner } = price;
  return {
    ...found,
    price: { amount: decimalText(price.micros), currency: currency.code },
    reason: null,
    market,
    tiers: steps.length === 1 ? null : steps.map(({ from, micros }) => ({ from, price: decimalText(micros) })),
    card,
    owner,
  };
};

/** Adds a card or an adjustment of the company, or shows what it would change. */
export const setRates = async (
  companyId: number,
  { dry_run: isDryRun = false, ...input }: RatesBody,
): Promise<RateChange | Problem<'validation_failed'>> => {
  const wrong = inputProblem(input);
  if (wrong) return invalid(wrong.field, wrong.reason);
  const { currency, effective_from: day } = input;
  const { card: draft } = await draftRateCard(companyId, input);
  const [before, after] = await Promise.all([getCardsOfDay(companyId, currency, day), getCardsOfDay(companyId, currency, day, draft)]);
  const markets = draft.markets ?? after.base?.markets ?? [];
  const changes = changedPrices(markets, rateSources(before), rateSources(after));
  const { card, isNew } = isDryRun ? { card: draft, isNew: false } : await addRateCard(companyId, input);
  return { stored: isNew, card: toRateCardRecord(card, await rateDayOf(companyId), false), changes };
};

/** The currency that was requested, else the only one of the company's own cards, else the only one of the operator's; none: there is no card. */
async function currencyOf(
  companyId: number,
  requested: string | undefined,
): Promise<{ code: string | undefined } | Problem<'validation_failed'>> {
  if (requested !== undefined) return { code: requested };
  const known = await listRateCurrencies(companyId);
  return known.length > 1 ? invalid('currency', `Send one of the currencies that have a card: ${known.join(', ')}.`) : { code: known[0] };
}

/** Of several revisions of a day the latest holds. */
const latestOfEachDay = (cards: readonly StoredRateCard[]): StoredRateCard[] => [
  ...new Map(cards.map((card) => [card.effectiveFrom, card])).values(),
];
