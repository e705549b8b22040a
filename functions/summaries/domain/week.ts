import { dayMs, hourMs, minuteMs } from '../../../shared/runtime/clock.ts';
import { instantAt } from '../../../shared/runtime/zone.ts';

/** Weeks of seven UTC days, as the reports have them; each is named by its Monday. */

/** From this hour of the Monday after the week, in the zone of the company. */
const hourOfDay = 8;

/** East of UTC+8 that hour comes before the week has ended, and its last counts follow within seconds. */
const afterEndMs = 10 * minuteMs;

/** For how long a summary that was missed is still sent. */
export const lateMs = 2 * dayMs;

/** When an email that did not leave is tried again. */
export const retryMs = hourMs;

const startOf = (week: string): number => Date.parse(`${week}T00:00:00Z`);
const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

/** The day that is so many days after the Monday. */
export const dayOfWeek = (week: string, nth: number): string => dayOf(startOf(week) + nth * dayMs);

/** The first instant of the week, and the first after it. */
export const boundsOf = (week: string): { fromMs: number; toMs: number } => ({ fromMs: startOf(week), toMs: startOf(week) + 7 * dayMs });

/** When the summary of a week is due in a zone. */
export const dueTimeOfWeek = (week: string, zone: string): number => {
  const end = startOf(week) + 7 * dayMs;
  return Math.max(instantAt(zone, end + hourOfDay * hourMs), end + afterEndMs);
};

export interface DueWeek {
  week: string;
  dueAt: number;
}

/** The first week whose summary is due later than `nowMs`, and later than the week that was claimed last. */
export const nextWeek = (zone: string, nowMs: number, claimedWeek?: string): DueWeek => {
  // 1 January 1970 was a Thursday
  const daysSinceMonday = (Math.floor(nowMs / dayMs) + 3) % 7;
  let start = Math.floor(nowMs / dayMs) * dayMs - (daysSinceMonday + 7) * dayMs;
  while (dueTimeOfWeek(dayOf(start), zone) <= nowMs || dayOf(start) <= (claimedWeek ?? '')) start += 7 * dayMs;
  return { week: dayOf(start), dueAt: dueTimeOfWeek(dayOf(start), zone) };
};
