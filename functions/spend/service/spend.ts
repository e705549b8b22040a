import { invalid, isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { csvLine } from '../../../shared/runtime/csv-line.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { chargesOf } from '../../usage/contract/charges.ts';
import { utcDayOf } from '../../usage/contract/count.ts';
import type { UsageQuery } from '../../usage/contract/range.ts';
import { listUsageOfMonths } from '../../usage/service.ts';
import type { SendCost } from '../contract/cost.ts';
import type { Tariff } from '../contract/price-cap.ts';
import type { CeilingPeriod } from '../contract/spend-account.ts';
import type { SpendFigures, SpendQuery, SpendRecord } from '../contract/spend.ts';
import { closedUntil } from '../domain/closed-month.ts';
import { estimate, type EstimateItem } from '../domain/estimate.ts';
import { priceOf } from '../domain/price.ts';
import { cappedSendCost, toSendCost } from '../domain/send-cost.ts';
import {
  breakdown,
  chargesWithin,
  type DayOfCharges,
  figuresOf,
  type PricedCharge,
  priceCharges,
  spendColumns,
  spendLine,
  type SpendPrices,
} from '../domain/spend.ts';
import { listChargeCurrencies, loadPrices } from './spend-prices.ts';

/** What messages cost, broken down. 0.5 RRU per 4 KB of the days since the first of the month, and 5 to 10 RRU for the cards of a currency. */
export const getSpend = async (
  companyId: number,
  { by, only, profile_id, ...range }: SpendQuery,
): Promise<SpendRecord | Problem<'validation_failed'>> => {
  const priced = await priceRange(companyId, range);
  if (isProblem(priced)) return priced;
  const { from, to, dates, charges } = priced;
  return {
    from,
    to,
    timezone: 'UTC',
    closed_until: closedUntil(now()),
    by,
    ...breakdown(chargesWithin(charges, { only, profile_id }), by, dates),
  };
};

/**
 * What the present day and its month have cost in a currency, in micro-units, as `getSpend` has it. Messages that the provider has not reported yet,
 * and those without a known price, are not in it. As dear as `getSpend`.
 */
export const spentSoFar = async (companyId: number, currency: string): Promise<Readonly<Record<CeilingPeriod, number>>> => {
  const today = utcDayOf(now());
  const priced = await priceRange(companyId, { from: `${today.slice(0, 8)}01`, to: today });
  if (isProblem(priced)) throw new Error('The present month is no range.');
  const spent = { day: 0n, month: 0n };
  for (const { date, amount } of priced.charges) {
    if (amount?.currency !== currency) continue;
    spent.month += amount.micros;
    if (date === today) spent.day += amount.micros;
  }
  return { day: Number(spent.day), month: Number(spent.month) };
};

/** Characters of an export; an answer of a Lambda function has 6 MB. */
const maxExportChars = 4_000_000;

/** The same as lines, without sums: one for each cell. */
export const exportSpend = async (
  companyId: number,
  range: UsageQuery,
): Promise<{ csv: string; name: string } | Problem<'validation_failed'>> => {
  const priced = await priceRange(companyId, range);
  if (isProblem(priced)) return priced;
  const csv = [csvLine(spendColumns), ...priced.charges.map((charge) => csvLine(spendLine(charge)))].join('');
  if (csv.length > maxExportChars) return invalid('from', 'The lines of these days do not fit into one answer: send fewer days.');
  return { csv, name: `spend-${priced.from}-${priced.to}.csv` };
};

/** One template to many recipients, from one number. */
export interface SendToPrice extends Tariff {
  numberId: number | undefined;
  /** The recipients, by country. */
  items: readonly EstimateItem[];
  /** Whose prices the estimate has. */
  day: string;
  /** What was charged so far, by day, in order. */
  charged: readonly DayOfCharges[];
}

/** What such a send was to cost, and what it has cost so far, at list prices. The prices are read once a minute in a process: 4 RRU or more. */
export const priceSend = async (
  companyId: number,
  { numberId, category, cap, items, day, charged }: SendToPrice,
): Promise<{ estimate: SendCost; actual: SpendFigures }> => {
  const prices = await getRecentPrices(companyId, { from: day, to: charged.at(-1)?.date ?? day });
  const currency = prices.currencyOf(numberId);
  const sources = 'currency' in currency ? prices.sourcesOf(currency.currency, day) : [];
  const priced = estimate(items, {
    priceOf: (country) => ('unknown' in currency ? currency : priceOf(sources, { country, category })),
    isFree: category.toLowerCase() === 'service',
  });
  return {
    estimate: cap
      ? cappedSendCost(items, category, cap)
      : toSendCost(priced, category, 'currency' in currency ? currency.currency : undefined),
    actual: figuresOf(priceCharges(charged, { ...prices, currencyOf: () => currency })),
  };
};

const recentMs = 60_000;
const recentPrices = processMap<string, { readAt: number; prices: Promise<SpendPrices> }>();

/** A page that shows a running campaign reads it every second. */
function getRecentPrices(companyId: number, range: { from: string; to: string }): Promise<SpendPrices> {
  const key = [companyId, range.from, range.to].join('|');
  const recent = recentPrices.get(key);
  if (recent && now() - recent.readAt < recentMs) return recent.prices;
  if (recentPrices.size >= 1_000) recentPrices.clear();
  const prices = listChargeCurrencies(companyId).then((currencies) => loadPrices(companyId, currencies, range));
  recentPrices.set(key, { readAt: now(), prices });
  // what could not be read is read again
  prices.catch(() => recentPrices.delete(key));
  return prices;
}

/** What the days of a range were charged, with what it costs, in the order of days. */
export async function priceRange(
  companyId: number,
  range: UsageQuery,
): Promise<{ from: string; to: string; dates: string[]; charges: PricedCharge[] } | Problem<'validation_failed'>> {
  const [used, currencies] = await Promise.all([listUsageOfMonths(companyId, range), listChargeCurrencies(companyId)]);
  if (isProblem(used)) return used;
  const { from, to, days } = used;
  const prices = await loadPrices(companyId, currencies, { from: days[0]?.date ?? from, to });
  const charges = priceCharges(
    days.map(({ date, cells }) => ({ date, charges: chargesOf(cells) })),
    prices,
  );
  // the days before count for the tiers of their month alone
  return {
    from,
    to,
    dates: days.flatMap(({ date }) => (date >= from ? [date] : [])),
    charges: charges.filter(({ date }) => date >= from),
  };
}
