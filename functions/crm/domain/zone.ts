import { dayMs } from '../../../shared/runtime/clock.ts';
import { instantAt, wallOf } from '../../../shared/runtime/zone.ts';

/** Days of a time zone, right across daylight-saving changes. */

/** A date as days since 1970; dates have no zone. */
export type Day = number;

export const dayOf = (zone: string, instant: number): Day => Math.floor(wallOf(zone, instant) / dayMs);
export const startOfDay = (zone: string, day: Day): number => instantAt(zone, day * dayMs);
export const dateText = (day: Day): string => new Date(day * dayMs).toISOString().slice(0, 10);

/** `2026-W05`: ISO weeks begin on Monday, the first has the year's first Thursday. */
export const weekText = (day: Day): string => {
  const thursday = day - weekday(day) + 3;
  const year = new Date(thursday * dayMs).getUTCFullYear();
  const firstDay = Date.UTC(year, 0, 1) / dayMs;
  const week = Math.floor((thursday - firstDay) / 7) + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
};

/** 0 for Monday. */
export const weekday = (day: Day): number => (((day + 3) % 7) + 7) % 7;

/** The same date a year before; the 29th of February becomes the 28th. */
export const yearBefore = (day: Day): Day => {
  const date = new Date(day * dayMs);
  const before = Date.UTC(date.getUTCFullYear() - 1, date.getUTCMonth(), date.getUTCDate());
  const isSameMonth = new Date(before).getUTCMonth() === date.getUTCMonth();
  return (isSameMonth ? before : before - dayMs) / dayMs;
};
