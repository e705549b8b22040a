/**
 * Days of a time zone, right across daylight-saving changes. The runtime's own zone data tells what the clock shows at an instant; what
 * instant a clock's time is follows from it. Wall times are written as epoch milliseconds of the same digits in UTC.
 */

/** What the zone's clock shows at an instant. */
export const wallOf = (zone: string, instant: number): number => {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const second = Date.UTC(
    parts['year'] ?? 0,
    (parts['month'] ?? 1) - 1,
    parts['day'] ?? 1,
    parts['hour'] ?? 0,
    parts['minute'] ?? 0,
    parts['second'] ?? 0,
  );
  return second + (((instant % 1_000) + 1_000) % 1_000);
};

/**
 * The instant at which the zone's clock shows a wall time: the first one when it does so twice, the end of the gap when it never does.
 */
export const instantAt = (zone: string, wall: number): number => {
  const offsets = [wallOf(zone, wall - dayMs) - (wall - dayMs), wallOf(zone, wall + dayMs) - (wall + dayMs)];
  const candidates = offsets.map((offset) => wall - offset).sort((a, b) => a - b);
  const exact = candidates.find((instant) => wallOf(zone, instant) === wall);
  if (exact !== undefined) return exact;
  // in a gap the clock jumps over the wall time between the two candidates: to the minute, the first instant that shows more
  let [low = 0, high = 0] = candidates;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (wallOf(zone, middle) >= wall) high = middle;
    else low = middle;
  }
  return high;
};

export const dayMs = 86_400_000;

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

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}
