import type * as z from 'zod';
import type { ChargeCount } from '../../usage/contract/charges.ts';
import {
  maxSpendRows,
  type noAmountReason,
  type SpendBreakdown,
  type SpendFigures,
  type SpendQuery,
  type SpendRecord,
  type SpendRow,
} from '../contract/spend.ts';
import { toMoney } from '../contract/money.ts';
import type { RateSource } from './card.ts';
import type { Micros } from './money.ts';
import { costOf, isKnown, priceOf, tierOf } from './price.ts';

/** What cells of a day count. */
export interface DayOfCharges {
  date: string;
  charges: readonly ChargeCount[];
}

/** Charges with what they cost. */
export interface PricedCharge extends ChargeCount {
  date: string;
  state: 'charged' | 'free' | 'unknown';
  /** None of messages whose amount is in a charge of its own, which the provider posted. */
  amount?: { micros: Micros; currency: string };
  reason?: z.output<typeof noAmountReason>;
  /** The id of the card. */
  card?: string;
}

export interface SpendPrices {
  /** In which the number's messages are charged; undefined: not known, or there is no card. */
  currencyOf: (numberId: number | undefined) => { currency: string } | { unknown: 'no_currency' | 'no_card' };
  sourcesOf: (currency: string, date: string) => readonly RateSource[];
}

/**
 * Prices charges in the order of days, and of a day in theirs: the order decides which messages a tier counts first, so every breakdown of the
 * result has the same amounts. Tiers count the charged messages of a calendar month, from the first day that is given.
 */
export const priceCharges = (days: readonly DayOfCharges[], prices: SpendPrices): PricedCharge[] => {
  const volumes = new Map<string, number>();
  return days.flatMap(({ date, charges }) =>
    charges.map((charge) => ({ ...charge, date, ...outcomeOf(charge, date, { prices, volumes }) })),
  );
};

type Outcome = Pick<PricedCharge, 'state' | 'amount' | 'reason' | 'card'>;

function outcomeOf(
  { kind, category, type, country, count, currency: posted, numberId }: ChargeCount,
  date: string,
  { prices, volumes }: { prices: SpendPrices; volumes: Map<string, number> },
): Outcome {
  if (kind === 'amount')
    return { state: 'charged', ...(posted === undefined ? {} : { amount: { micros: BigInt(count), currency: posted } }) };
  if (type === 'posted') return { state: 'charged' };
  if (type === 'unknown') return { state: 'unknown', reason: 'no_type' };
  const of = prices.currencyOf(numberId);
  if (type === 'free') return { state: 'free', ...('currency' in of ? { amount: { micros: 0n, currency: of.currency } } : {}) };
  if ('unknown' in of) return { state: 'unknown', reason: of.unknown };
  const price = priceOf(prices.sourcesOf(of.currency, date), { country, category });
  if (!isKnown(price)) return { state: 'unknown', reason: price.unknown };
  const tier = [of.currency, tierOf(price), category, date.slice(0, 7)].join('|');
  const sent = volumes.get(tier) ?? 0;
  volumes.set(tier, sent + count);
  // a count that is less than none takes away what another part counted
  const micros = count < 0 ? -costOf(price.steps, sent + count, -count) : costOf(price.steps, sent, count);
  return { state: 'charged', amount: { micros, currency: of.currency }, card: price.card };
}

/** Charged messages of a category in a currency, by `tierOf` their price: what the tiers of the month count whose days are given. */
export const chargedByTier = (
  days: readonly DayOfCharges[],
  { currency, category }: { currency: string; category: string },
  { currencyOf, sourcesOf }: SpendPrices,
): ReadonlyMap<string, number> => {
  const volumes = new Map<string, number>();
  for (const { date, charges } of days)
    for (const { kind, type, category: of, country, count, numberId } of charges) {
      const charged = currencyOf(numberId);
      if (kind === 'amount' || type !== 'regular' || of !== category || !('currency' in charged) || charged.currency !== currency) continue;
      const price = priceOf(sourcesOf(currency, date), { country, category });
      if (isKnown(price)) volumes.set(tierOf(price), (volumes.get(tierOf(price)) ?? 0) + count);
    }
  return volumes;
};

class Sum {
  messages = 0;
  charged = 0;
  free = 0;
  unknown = 0;
  readonly amounts = new Map<string, Micros>();

  add({ kind, state, amount, count }: PricedCharge): void {
    if (kind !== 'amount') {
      this.messages += count;
      this[state] += count;
    }
    if (amount) this.amounts.set(amount.currency, (this.amounts.get(amount.currency) ?? 0n) + amount.micros);
  }

  figures(): SpendFigures {
    const { messages, charged, free, unknown } = this;
    const amounts = [...this.amounts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([currency, micros]) => toMoney(micros, currency));
    return { amounts, messages, charged, free, unknown };
  }
}

/** What charges cost together. */
export const figuresOf = (charges: readonly PricedCharge[]): SpendFigures => {
  const sum = new Sum();
  for (const charge of charges) sum.add(charge);
  return sum.figures();
};

class Row {
  readonly sum = new Sum();
  readonly categories = new Map<string, Sum>();

  add(charge: PricedCharge): void {
    this.sum.add(charge);
    const category = this.categories.get(charge.category) ?? new Sum();
    category.add(charge);
    this.categories.set(charge.category, category);
  }

  toRow(key: string | null): SpendRow {
    const categories = [...this.categories]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([category, sum]) => ({ category, ...sum.figures() }));
    return { key, ...this.sum.figures(), categories };
  }

  /** Rows of several currencies are in the order of their largest amount, whatever it is worth. */
  size(): Micros {
    return [...this.sum.amounts.values()].reduce((most, micros) => (micros > most ? micros : most), 0n);
  }
}

const otherKey = 'other';

const keyOf: Readonly<Record<SpendBreakdown, (charge: PricedCharge) => string | null>> = {
  day: ({ date }) => date,
  country: ({ country }) => country ?? null,
  category: ({ category }) => category,
  number: ({ numberId, origin }) => (numberId ? String(numberId) : origin === otherKey ? otherKey : null),
  campaign: ({ origin }) => idOf(origin, (each) => ('campaignId' in each ? each.campaignId : undefined)),
  credential: ({ origin }) => idOf(origin, (each) => ('tokenId' in each ? each.tokenId : undefined)),
  profile: ({ profile }) => profile ?? null,
};

function idOf(
  origin: ChargeCount['origin'],
  id: (origin: Exclude<ChargeCount['origin'], 'other' | undefined>) => number | undefined,
): string | null {
  if (origin === undefined) return null;
  return origin === otherKey ? otherKey : (id(origin)?.toString() ?? null);
}

/** What was spent, broken down. Each charge is in one row, so the rows add up to the totals. `dates`: the days of the range. */
export const breakdown = (
  charges: readonly PricedCharge[],
  by: SpendBreakdown,
  dates: readonly string[],
): Pick<SpendRecord, 'totals' | 'rows' | 'without_price' | 'cards'> => {
  const rows = new Map<string | null, Row>(by === 'day' ? dates.map((date) => [date, new Row()]) : []);
  for (const charge of charges) {
    const key = keyOf[by](charge);
    const row = rows.get(key) ?? new Row();
    row.add(charge);
    rows.set(key, row);
  }
  return {
    totals: figuresOf(charges),
    rows: by === 'day' ? [...rows].map(([key, row]) => row.toRow(key)) : largestFirst(rows, charges, by),
    without_price: withoutPrice(charges),
    cards: [...new Set(charges.flatMap(({ card }) => (card === undefined ? [] : [card])))].toSorted(),
  };
};

function largestFirst(rows: ReadonlyMap<string | null, Row>, charges: readonly PricedCharge[], by: SpendBreakdown): SpendRow[] {
  const inOrder = [...rows].toSorted(([a, one], [b, other]) => {
    const [larger, smaller] = [one.size(), other.size()];
    if (larger !== smaller) return larger > smaller ? -1 : 1;
    return other.sum.messages - one.sum.messages || ((a ?? '') < (b ?? '') ? -1 : 1);
  });
  const named = inOrder.filter(([key]) => key !== otherKey).slice(0, maxSpendRows);
  const shown = new Set(named.map(([key]) => key));
  const rest = new Row();
  for (const charge of charges) if (!shown.has(keyOf[by](charge))) rest.add(charge);
  const hasRest = rows.size > named.length;
  return [...named.map(([key, row]) => row.toRow(key)), ...(hasRest ? [rest.toRow(otherKey)] : [])];
}

function withoutPrice(charges: readonly PricedCharge[]): SpendRecord['without_price'] {
  const found = new Map<string, SpendRecord['without_price'][number]>();
  for (const { country = null, category, reason, count } of charges) {
    if (reason === undefined) continue;
    const key = [country, category, reason].join('|');
    const known = found.get(key) ?? { country, category, reason, messages: 0 };
    known.messages += count;
    found.set(key, known);
  }
  return [...found].toSorted(([one, a], [other, b]) => b.messages - a.messages || (one < other ? -1 : 1)).map(([, each]) => each);
}

/** The charges that a reader wants: all, or codes alone, of one profile. They have the prices that they have among all. */
export const chargesWithin = (
  charges: readonly PricedCharge[],
  { only, profile_id: profileId }: Pick<SpendQuery, 'only' | 'profile_id'>,
): readonly PricedCharge[] => {
  if (only === undefined && profileId === undefined) return charges;
  // what a cell says of a profile is the beginning of its id
  const isOfProfile = ({ profile }: PricedCharge): boolean =>
    profileId === undefined || (profile !== undefined && profileId.startsWith(profile));
  return charges.filter((charge) => charge.kind === 'codes' && isOfProfile(charge));
};

/** The columns of the export. */
export const spendColumns = [
  'date',
  'number_id',
  'campaign_id',
  'token_id',
  'profile',
  'category',
  'type',
  'country',
  'messages',
  'amount',
  'currency',
  'card',
  'reason',
] as const;

/** A line of the export. An amount that the provider posted has a line of its own, without messages: those are in the line before. */
export const spendLine = (charge: PricedCharge): string[] => {
  const { date, category, type, country = '', count, kind, amount, card = '', reason = '', numberId, profile = '' } = charge;
  const money = amount && toMoney(amount.micros, amount.currency);
  return [
    date,
    numberId ? String(numberId) : '',
    keyOf.campaign(charge) ?? '',
    keyOf.credential(charge) ?? '',
    profile,
    category,
    kind === 'codes' ? 'code' : type,
    country,
    String(kind === 'amount' ? 0 : count),
    money?.amount ?? '',
    money?.currency ?? '',
    card,
    reason,
  ];
};
