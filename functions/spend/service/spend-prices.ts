import { listBusinessNumbers } from '../../account/service/numbers.ts';
import type { StoredRateCard } from '../contract/stored.ts';
import { operatorOwner } from '../contract/stored.ts';
import type { RateSource } from '../domain/card.ts';
import { pricesDay } from '../domain/closed-month.ts';
import { baseCurrencyOf, rateSources } from '../domain/rate-card.ts';
import type { SpendPrices } from '../domain/spend.ts';
import { listRateCardsAfter, listRateCardsBackFrom } from '../store/rate-card.ts';
import { listRateCurrencies } from './currencies.ts';

/** The currencies that a company's messages are charged in. */
export interface ChargeCurrencies {
  /** Of the business accounts of its numbers, as far as the daily check has read them. */
  byNumber: ReadonlyMap<number, string>;
  /** Of what is of no such number: the only one of its numbers, else the only one that has a card. */
  usual: { currency: string } | { unknown: 'no_currency' | 'no_card' };
}

/** 0.5 RRU, and where no number's currency is known, 1 to 1.5 RRU for each that has a card. */
export const listChargeCurrencies = async (companyId: number): Promise<ChargeCurrencies> => {
  const numbers = await listBusinessNumbers(companyId);
  const byNumber = new Map(numbers.flatMap(({ id, currency }) => (currency === undefined ? [] : [[id, currency] as const])));
  const ofNumbers = [...new Set(byNumber.values())];
  const known = ofNumbers.length > 0 ? ofNumbers : await listRateCurrencies(companyId);
  const [currency] = known;
  if (currency === undefined) return { byNumber, usual: { unknown: 'no_card' } };
  return { byNumber, usual: known.length === 1 ? { currency } : { unknown: 'no_currency' } };
};

/** The prices of a range of days, whose cards are read once. 3 RRU or more for each currency. */
export const loadPrices = async (
  companyId: number,
  { byNumber, usual }: ChargeCurrencies,
  range: { from: string; to: string },
): Promise<SpendPrices> => {
  const currencies = new Set([...byNumber.values(), ...('currency' in usual ? [usual.currency] : [])]);
  const tables = new Map(
    await Promise.all([...currencies].map(async (currency) => [currency, await sourcesByDay(companyId, currency, range)] as const)),
  );
  return {
    currencyOf: (numberId) => {
      const currency = numberId === undefined ? undefined : byNumber.get(numberId);
      return currency === undefined ? usual : { currency };
    },
    sourcesOf: (currency, date) => tables.get(currency)?.(date) ?? [],
  };
};

async function sourcesByDay(companyId: number, currency: string, range: { from: string; to: string }) {
  const [own, operator] = await Promise.all([
    listCardsOfRange(companyId, currency, range),
    listCardsOfRange(operatorOwner, currency, range),
  ]);
  const others = [...new Set(own.map(baseCurrencyOf))].filter((base) => base !== undefined && base !== currency);
  const bases = new Map(
    await Promise.all(others.map(async (base) => [base, await listCardsOfRange(operatorOwner, base ?? '', range)] as const)),
  );
  const known = new Map<string, RateSource[]>();
  return (date: string): readonly RateSource[] => {
    const ownCard = inForce(own, date);
    const operatorCard = inForce(operator, date);
    const base = ownCard && baseCurrencyOf(ownCard);
    const baseCard = base === undefined || base === currency ? operatorCard : inForce(bases.get(base) ?? [], date);
    const cards = [ownCard, baseCard, operatorCard].map((card) => card?.id ?? '').join('|');
    const sources = known.get(cards) ?? rateSources({ own: ownCard, base: baseCard, operator: operatorCard });
    known.set(cards, sources);
    return sources;
  };
}

/** The cards that may price the first day, and all that begin within the range, in the order of their first day and revision. */
async function listCardsOfRange(owner: number, currency: string, { from, to }: { from: string; to: string }): Promise<StoredRateCard[]> {
  const [first, later] = await Promise.all([listRateCardsBackFrom(owner, currency, from), listRateCardsAfter(owner, currency, from)]);
  return [...first, ...later.filter(({ effectiveFrom }) => effectiveFrom <= to)];
}

const inForce = (cards: readonly StoredRateCard[], date: string): StoredRateCard | undefined =>
  cards.findLast((card) => card.effectiveFrom <= date && pricesDay(card, date));
