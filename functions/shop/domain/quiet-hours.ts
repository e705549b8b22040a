import { dayMs, minuteMs } from '../../../shared/runtime/clock.ts';
import { wallOf } from '../../../shared/runtime/zone.ts';

/** Hours of the day, `HH:MM` in a time zone, in which nobody is reminded; over midnight where the start is the later one. */
export interface QuietHours {
  start: string;
  end: string;
  timezone: string;
}

/** When the quiet hours that an instant lies in are over; undefined: it lies in none. Epoch milliseconds. */
export const quietHoursEnd = (hours: QuietHours | null, instant: number): number | undefined => {
  if (hours === null || hours.start === hours.end) return undefined;
  const isQuiet = (at: number): boolean => {
    const time = timeOfDay(hours.timezone, at);
    return hours.start < hours.end ? time >= hours.start && time < hours.end : time >= hours.start || time < hours.end;
  };
  if (!isQuiet(instant)) return undefined;
  // minute by minute, since clocks are put forward and back at night; a day and a bit at most
  let at = Math.floor(instant / minuteMs) * minuteMs;
  for (let minute = 0; minute < 1_500 && isQuiet(at); minute++) at += minuteMs;
  return at;
};

/** `HH:MM` of the zone's clock. */
function timeOfDay(timezone: string, instant: number): string {
  return new Date(wallOf(timezone, instant) % dayMs).toISOString().slice(11, 16);
}
