import { type JSX, useSyncExternalStore } from 'react';
import { useLocale } from '../text/text.ts';

let now = Date.now();
let offset = 0;
const observers = new Set<() => void>();
setInterval(() => {
  now = Date.now() + offset;
  for (const observer of observers) observer();
}, 15_000);

/** On the laptop the product's clock can be moved: the pages follow it. Milliseconds. */
export const setClockOffset = (milliseconds: number): void => {
  offset = milliseconds;
  now = Date.now() + offset;
  for (const observer of observers) observer();
};

/** The product's time now, epoch milliseconds. */
export const productNow = (): number => Date.now() + offset;

const subscribe = (observer: () => void): (() => void) => {
  observers.add(observer);
  return () => observers.delete(observer);
};

/** The time, to a quarter of a minute: what shows it is drawn again by itself. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

const formats = new Map<string, Intl.DateTimeFormat>();
export const formatTime = (tag: string, at: number | string | Date, options: Intl.DateTimeFormatOptions): string => {
  const key = tag + JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(tag, options);
  formats.set(key, format);
  return format.format(new Date(at));
};

const numberFormats = new Map<string, Intl.NumberFormat>();
/** A count as the reader's language writes it. A format costs more to make than to use. */
export const formatCount = (tag: string, count: number): string => {
  const format = numberFormats.get(tag) ?? new Intl.NumberFormat(tag);
  numberFormats.set(tag, format);
  return format.format(count);
};

/** Today the time, this week the weekday, else the date; `long` both, `exact` to the second, as logs need it. The whole of it as a hint. */
export const Time = ({ at, long = false, exact = false }: { at: string; long?: boolean; exact?: boolean }): JSX.Element => {
  const { tag } = useLocale();
  const today = useNow();
  const whole = formatTime(tag, at, { dateStyle: 'medium', timeStyle: 'medium' });
  return (
    <time dateTime={at} title={whole} className="numbers">
      {exact
        ? exactTime(tag, at, today)
        : long
          ? formatTime(tag, at, { dateStyle: 'medium', timeStyle: 'short' })
          : shortTime(tag, at, today)}
    </time>
  );
};

/** To the second; with the day where it is another one. */
export const exactTime = (tag: string, at: string, today: number): string =>
  new Date(at).toDateString() === new Date(today).toDateString()
    ? formatTime(tag, at, { timeStyle: 'medium' })
    : formatTime(tag, at, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** In how long a time comes, to the unit that says it best: "in 20 minutes". What is over is now. */
export const timeUntil = (tag: string, at: string, now: number): string => {
  const seconds = Math.max(0, (Date.parse(at) - now) / 1_000);
  const [unit, size] = seconds < 90 ? (['second', 1] as const) : seconds < 5_400 ? (['minute', 60] as const) : (['hour', 3_600] as const);
  return new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }).format(Math.round(seconds / size), unit);
};

export const shortTime = (tag: string, at: string, today: number): string => {
  const age = today - Date.parse(at);
  if (new Date(at).toDateString() === new Date(today).toDateString()) return formatTime(tag, at, { hour: '2-digit', minute: '2-digit' });
  if (age > 0 && age < 6 * 86_400_000) return formatTime(tag, at, { weekday: 'short' });
  return formatTime(tag, at, { day: 'numeric', month: 'short' });
};
