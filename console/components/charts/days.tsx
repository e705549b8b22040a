import type { JSX } from 'react';
import { useFilter } from '../../data/search.ts';
import { chartsText } from '../../text/charts.ts';
import { useLocale, useText } from '../../text/text.ts';
import { FilterSelect } from '../fields.tsx';
import { formatTime, productNow } from '../time.tsx';
import { dayIn } from './day-in.ts';

const dayMs = 86_400_000;
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export interface Days {
  count: number;
  /** The first and the last of them. */
  range: { from: string; to: string };
  /** As many days before those. */
  before: { from: string; to: string };
  /** Each of them. */
  dates: string[];
  /** The choice of how many. */
  filter: JSX.Element;
}

/**
 * The last days, which a report is about; how many is in the address.
 * @param zone the time zone of its days: most reports count in UTC
 */
export const useDays = (choices: readonly number[], byDefault = 30, zone = 'UTC'): Days => {
  const text = useText(chartsText);
  const [chosen, setChosen] = useFilter('days');
  const count = choices.find((each) => String(each) === chosen) ?? byDefault;
  const first = Date.parse(dayIn(zone, productNow())) - (count - 1) * dayMs;
  const rangeFrom = (from: number) => ({ from: dateOf(from), to: dateOf(from + (count - 1) * dayMs) });
  return {
    count,
    range: rangeFrom(first),
    before: rangeFrom(first - count * dayMs),
    dates: Array.from({ length: count }, (_, nth) => dateOf(first + nth * dayMs)),
    filter: (
      <FilterSelect
        label={text.range}
        value={String(count)}
        choices={choices.map((each) => [String(each), text.lastDays(each)] as const)}
        onText={(value) => setChosen(value === String(byDefault) ? '' : value)}
      />
    ),
  };
};

/** A day such as 2026-11-30 in the reader's form. What is no day stays as it is. */
export const dayName = (tag: string, day: string, form: Intl.DateTimeFormatOptions): string =>
  /^\d{4}-\d\d-\d\d$/.test(day) ? formatTime(tag, day, { ...form, timeZone: 'UTC' }) : day;

/** A day as the axis of a chart names it: `5 Jan`. */
export const useDayName = (): ((date: string) => string) => {
  const { tag } = useLocale();
  return (date) => dayName(tag, date, { day: 'numeric', month: 'short' });
};
