import { dayMs } from '../../../shared/runtime/clock.ts';
import { type AnalyticsQuery, maxAnalyticsDays } from '../contract/analytics.ts';
import type { TemplateRefusal } from './refusal.ts';

/** The days that are read, and their first and last millisecond; the last is not in the future. */
export interface AnalyticsDays {
  from: string;
  to: string;
  startMs: number;
  endMs: number;
}

/** The days of a query; or which bound is wrong. A range that goes on into the future ends today. */
export const analyticsDays = ({ from, to }: AnalyticsQuery, nowMs: number): AnalyticsDays | { field: 'from' | 'to'; reason: string } => {
  const today = startOf(dateOf(nowMs));
  const earliest = today - (maxAnalyticsDays - 1) * dayMs;
  const last = to === undefined ? today : Math.min(startOf(to), today);
  const first = from === undefined ? Math.max(earliest, last - (defaultDays - 1) * dayMs) : startOf(from);
  if (last < earliest) return { field: 'to', reason: tooEarly(earliest) };
  if (first < earliest) return { field: 'from', reason: tooEarly(earliest) };
  if (first > last)
    return to === undefined || first > today
      ? { field: 'from', reason: 'Must not be in the future.' }
      : { field: 'to', reason: 'The range must not end before it begins.' };
  return { from: dateOf(first), to: dateOf(last), startMs: first, endMs: Math.min(last + dayMs - 1, nowMs) };
};

/** Why the provider has no analytics at all, where that is what a refusal means. */
export const whyUnavailable = ({ code }: TemplateRefusal): { reason: string; message: string } | undefined => reasons[code];

const reasons: Readonly<Record<number, { reason: string; message: string }>> = {
  200_005: {
    reason: 'not_offered',
    message:
      'The provider has no template analytics for this business account: it has none in the European Union, the United Kingdom and Japan.',
  },
  200_007: {
    reason: 'not_enabled',
    message: "Template analytics are not switched on for this business account. Do it in the provider's manager; it counts from then on.",
  },
};

const defaultDays = 30;

const tooEarly = (earliestMs: number): string =>
  `The provider has the last ${maxAnalyticsDays} days: ${dateOf(earliestMs)} is the first of them.`;

/** The UTC day of a time. */
export const dateOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);
