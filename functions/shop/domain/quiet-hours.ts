import { dayMs, minuteMs } from '../../../shared/runtime/clock.ts';
import { instantAt, wallOf } from '../../../shared/runtime/zone.ts';

/** Hours of the day, `HH:MM` in a time zone, without cart reminders. They span midnight when the start is later than the end. */
export interface QuietHours {
  start: string;
  end: string;
  timezone: string;
}

/** When the quiet hours around an instant end, in epoch milliseconds; undefined outside quiet hours. */
export const quietHoursEnd = (hours: QuietHours | null, instant: number): number | undefined => {
  if (hours === null || hours.start === hours.end) return undefined;
  const wall = wallOf(hours.timezone, instant);
  const time = wall % dayMs;
  const [start, end] = [timeOfDay(hours.start), timeOfDay(hours.end)];
  const isQuiet = start < end ? time >= start && time < end : time >= start || time < end;
  if (!isQuiet) return undefined;
  const wallEnd = wall - time + end + (time < end ? 0 : dayMs);
  const ends = instantAt(hours.timezone, wallEnd);
  // While the clock repeats an hour, the first of the two ends may be over.
  return ends > instant ? ends : instant + wallEnd - wall;
};

/** Milliseconds after midnight. */
function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * minuteMs;
}
