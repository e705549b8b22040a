import { divideMoney, type Money } from '../../components/money.ts';
import type { Answer } from '../../data/client.ts';

type ReportLine = Answer<'getVerificationReport'>['data'][number];
type Spend = Answer<'getSpend'>['data'];
type Figures = Spend['totals'];

/** What a verified user costs, by currency, or why there is no figure. */
export type CostPerUser =
  | { amounts: Money[] }
  /** No user was verified, or none was sent a code: there is nothing to divide. */
  | 'none'
  /** A code has no known price: what the others cost is too little. */
  | 'unknown'
  /** Users of these days were verified whose country was not counted: those that were are too few. */
  | 'uncounted';

/** Codes sent by WhatsApp and the users verified over it, of a country or of all. */
export interface CountryRow {
  /** null: of all countries together. */
  country: string | null;
  requested: number;
  verified: number;
  /** Codes that were sent by WhatsApp. */
  codes: number;
  /** What they cost, by currency: those without a known price are in none. */
  amounts: Money[];
  /** How many of them have a known price, if it is 0. */
  priced: number;
  perUser: CostPerUser;
}

/** The country of phones that are of no known one: the report names it, the spend has null. */
export const unknownCountry = 'ZZ';

/**
 * What the codes cost for each user that was verified: also those of users who were not. Each currency is divided for itself, and two are never
 * added.
 */
export const costPerUser = (
  { amounts, messages, unknown }: Pick<Figures, 'amounts' | 'messages' | 'unknown'>,
  verified: number,
): CostPerUser => {
  if (verified === 0 || messages === 0) return 'none';
  if (unknown > 0) return 'unknown';
  return { amounts: amounts.map((amount) => divideMoney(amount, verified)) };
};

const noFigures: Figures = { amounts: [], messages: 0, charged: 0, free: 0, unknown: 0 };

/**
 * The countries of phones, most verified users first, and all together. Of the report's lines by country those of WhatsApp, of what was spent the
 * codes by country: an email has no price, and its user is no divisor.
 */
export const countryRows = (lines: readonly ReportLine[], spend: Spend): { rows: CountryRow[]; total: CountryRow; uncounted: number } => {
  const ofWhatsApp = lines.filter(({ channel }) => channel === 'whatsapp');
  const counts = new Map<string | null, { requested: number; verified: number }>();
  for (const { country, requested, verified } of ofWhatsApp) {
    const known = counts.get(country) ?? { requested: 0, verified: 0 };
    counts.set(country, { requested: known.requested + requested, verified: known.verified + verified });
  }
  const costs = new Map(spend.rows.map(({ key, ...figures }) => [key ?? unknownCountry, figures]));
  const uncounted = counts.get(null)?.verified ?? 0;
  const rowOf = (country: string | null, counted: { requested: number; verified: number }, figures: Figures): CountryRow => ({
    country,
    ...counted,
    codes: figures.messages,
    amounts: figures.amounts,
    priced: figures.charged + figures.free,
    perUser: costPerUser(figures, counted.verified),
  });
  const rows = [...new Set([...counts.keys(), ...costs.keys()])]
    .filter((country) => country !== null)
    .map((country) => rowOf(country, counts.get(country) ?? { requested: 0, verified: 0 }, costs.get(country) ?? noFigures))
    .map((row): CountryRow => (uncounted > 0 ? { ...row, perUser: 'uncounted' } : row))
    .toSorted((a, b) => b.verified - a.verified || b.codes - a.codes || (a.country ?? '').localeCompare(b.country ?? ''));
  const all = { requested: sumOf(ofWhatsApp, 'requested'), verified: sumOf(ofWhatsApp, 'verified') };
  return { rows, total: rowOf(null, all, spend.totals), uncounted };
};

const sumOf = (lines: readonly ReportLine[], what: 'requested' | 'verified'): number => lines.reduce((sum, line) => sum + line[what], 0);
