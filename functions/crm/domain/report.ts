import type { LeadFacts } from './lead-page.ts';
import { dayMs } from '../../../shared/runtime/clock.ts';
import { instantAt, wallOf } from '../../../shared/runtime/zone.ts';
import { type Day, dateText, dayOf, startOfDay, weekText, yearBefore } from './zone.ts';

/** A half-open range of epoch milliseconds, with its first and last day in its time zone. */
export interface Range {
  from: number;
  to: number;
  firstDay: Day;
  lastDay: Day;
}

export const defaultDays = 30;
export const maxDays = 366;

/** The start or end of a range: a date, or an instant. */
export type RangeEdge = { kind: 'date'; day: Day } | { kind: 'instant'; at: number };

export const parseEdge = (zone: string, given: string): RangeEdge | undefined => {
  const date = /^\d{4}-\d{2}-\d{2}/.exec(given)?.[0] ?? '';
  const midnight = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight) || dateText(midnight / dayMs) !== date) return undefined;
  if (given === date) return { kind: 'date', day: midnight / dayMs };
  const iso = given.replace(' ', 'T').replace(',', '.').toUpperCase();
  const isPlaced = /(Z|[+-]\d{2}:?\d{2})$/.test(iso.slice(11));
  const at = Date.parse(isPlaced ? iso.replace(/([+-]\d{2})(\d{2})$/, '$1:$2') : `${iso}Z`);
  if (Number.isNaN(at)) return undefined;
  return { kind: 'instant', at: isPlaced ? at : instantAt(zone, at) };
};

/** The range of a report; a date as its end includes that day. Default: the last 30 days. */
export const resolveRange = (
  zone: string,
  from: RangeEdge | undefined,
  to: RangeEdge | undefined,
  now: number,
): Range | 'reversed' | 'too long' => {
  const end = to === undefined ? startOfDay(zone, dayOf(zone, now) + 1) : to.kind === 'date' ? startOfDay(zone, to.day + 1) : to.at;
  const begin =
    from === undefined
      ? startOfDay(zone, dayOf(zone, end - 1) - (defaultDays - 1))
      : from.kind === 'date'
        ? startOfDay(zone, from.day)
        : from.at;
  if (begin >= end) return 'reversed';
  // in local time, so that a day of 25 hours counts as one day
  if (wallOf(zone, end) - wallOf(zone, begin) > maxDays * dayMs) return 'too long';
  return toRange(zone, begin, end);
};

/** The range to compare with: as many days immediately before, or the same dates of the previous year. */
export const comparisonRange = (zone: string, range: Range, compare: 'previous_period' | 'previous_year'): Range => {
  if (compare === 'previous_year') return toRange(zone, shifted(zone, range.from, yearBefore), shifted(zone, range.to, yearBefore));
  const days = Math.max(1, Math.ceil((wallOf(zone, range.to) - wallOf(zone, range.from)) / dayMs));
  return toRange(
    zone,
    shifted(zone, range.from, (day) => day - days),
    range.from,
  );
};

export interface ReportFilter {
  pipelineId: number | undefined;
  ownerId: number | undefined;
  source: string | undefined;
}

export const matchesReportFilter = (facts: LeadFacts, { pipelineId, ownerId, source }: ReportFilter): boolean =>
  (pipelineId === undefined || facts.pipelineId === pipelineId) &&
  (ownerId === undefined || facts.ownerId === ownerId) &&
  (source === undefined || facts.source === source);

export interface Totals {
  created: number;
  won: number;
  lost: number;
  open: number;
  won_value: number;
  conversion_rate: number | null;
}

/** The leads created in the range, by their current outcome. */
export const totalsOf = (facts: readonly LeadFacts[], range: Range): Totals => {
  const created = createdIn(facts, range);
  const won = created.filter(({ outcome }) => outcome === 'won');
  const lost = created.filter(({ outcome }) => outcome === 'lost').length;
  return {
    created: created.length,
    won: won.length,
    lost,
    open: created.length - won.length - lost,
    won_value: amount(won),
    conversion_rate: rate(won.length, created.length),
  };
};

export const deltaOf = (now: Totals, before: Totals): Totals => ({
  created: now.created - before.created,
  won: now.won - before.won,
  lost: now.lost - before.lost,
  open: now.open - before.open,
  won_value: (Math.round(now.won_value * 100) - Math.round(before.won_value * 100)) / 100,
  conversion_rate:
    now.conversion_rate === null || before.conversion_rate === null ? null : rounded(now.conversion_rate - before.conversion_rate, 6),
});

/** One entry for every day of the range, including days without a lead. */
export const intakeOf = (zone: string, facts: readonly LeadFacts[], range: Range): { date: string; count: number; value: number }[] => {
  const byDay = Map.groupBy(createdIn(facts, range), dayFinder(zone, range));
  return days(range).map((day) => {
    const created = byDay.get(day) ?? [];
    return { date: dateText(day), count: created.length, value: amount(created) };
  });
};

export interface Cohort {
  period: string;
  created: number;
  won: number;
  lost: number;
  open: number;
  conversion_rate: number | null;
  median_days_to_close: number | null;
}

/** The leads by the ISO week of their creation; one entry for every week of the range, oldest first. */
export const cohortsOf = (zone: string, facts: readonly LeadFacts[], range: Range): Cohort[] => {
  const find = dayFinder(zone, range);
  const byWeek = Map.groupBy(createdIn(facts, range), (each) => weekText(find(each)));
  return [...new Set(days(range).map(weekText))].map((period) => {
    const created = byWeek.get(period) ?? [];
    const won = created.filter(({ outcome }) => outcome === 'won').length;
    const lost = created.filter(({ outcome }) => outcome === 'lost').length;
    const lives = created.flatMap(({ createdAt, closedAt }) => (closedAt === undefined ? [] : [(closedAt - createdAt) / 86_400]));
    const median = quantile(lives, 0.5);
    return {
      period,
      created: created.length,
      won,
      lost,
      open: created.length - won - lost,
      conversion_rate: rate(won, created.length),
      median_days_to_close: median === null ? null : rounded(median, 2),
    };
  });
};

export interface StageDuration {
  stageId: number;
  entries: number;
  median_seconds: number | null;
  p90_seconds: number | null;
}

/** Stage visits that began in the range, of leads of any age. Only visits that have ended have a duration. */
export const stageDurationsOf = (facts: readonly LeadFacts[], range: Range): StageDuration[] => {
  const entries = new Map<number, { count: number; ended: number[] }>();
  for (const { stageHistory: stays } of facts) {
    for (const [index, [stageId, enteredAt]] of stays.entries()) {
      if (enteredAt * 1_000 < floorSecond(range.from) || enteredAt * 1_000 >= range.to) continue;
      const stage = entries.get(stageId) ?? { count: 0, ended: [] };
      stage.count++;
      const next = stays[index + 1];
      if (next) stage.ended.push(next[1] - enteredAt);
      entries.set(stageId, stage);
    }
  }
  return [...entries].map(([stageId, { count, ended }]) => ({
    stageId,
    entries: count,
    median_seconds: quantile(ended, 0.5),
    p90_seconds: quantile(ended, 0.9),
  }));
};

/** The median for 0.5 (the mean of two middle values), else the nearest rank; null without values. */
export const quantile = (values: readonly number[], share: number): number | null => {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.ceil(share * sorted.length) - 1;
  const low = sorted[Math.max(0, rank)] ?? 0;
  const isBetween = share === 0.5 && sorted.length % 2 === 0;
  return isBetween ? (low + (sorted[rank + 1] ?? low)) / 2 : low;
};

function toRange(zone: string, from: number, to: number): Range {
  return { from, to, firstDay: dayOf(zone, from), lastDay: dayOf(zone, to - 1) };
}

/** The same local time on another day. */
function shifted(zone: string, instant: number, move: (day: Day) => Day): number {
  const wall = wallOf(zone, instant);
  const day = Math.floor(wall / dayMs);
  return instantAt(zone, move(day) * dayMs + (wall - day * dayMs));
}

const createdIn = (facts: readonly LeadFacts[], { from, to }: Range): LeadFacts[] =>
  facts.filter(({ createdAt }) => createdAt * 1_000 >= floorSecond(from) && createdAt * 1_000 < to);

/** Facts are stored in whole seconds. */
const floorSecond = (ms: number): number => Math.floor(ms / 1_000) * 1_000;

const days = ({ firstDay, lastDay }: Range): Day[] => Array.from({ length: lastDay - firstDay + 1 }, (_, index) => firstDay + index);

/** Finds the day of the range on which a lead was created, by binary search: it runs once for each of up to 50,000 leads. */
function dayFinder(zone: string, range: Range): (facts: LeadFacts) => Day {
  const starts = days(range).map((day) => startOfDay(zone, day));
  return ({ createdAt }) => {
    const at = createdAt * 1_000;
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return range.firstDay + low;
  };
}

const amount = (facts: readonly LeadFacts[]): number => Number(facts.reduce((sum, { valueCents }) => sum + BigInt(valueCents), 0n)) / 100;

const rate = (part: number, whole: number): number | null => (whole === 0 ? null : rounded(part / whole, 6));

const rounded = (value: number, decimals: number): number => Math.round(value * 10 ** decimals) / 10 ** decimals;
