import { dayMs } from './clock.ts';

/**
 * Time zones by the runtime's own data. A wall time is what a zone's clock shows, written as the epoch milliseconds of the same digits in
 * UTC.
 */

/** The wall time of a zone at an instant. */
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
  // in a gap the clock jumps over the wall time between the two candidates: the first instant that shows more
  let [low = 0, high = 0] = candidates;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (wallOf(zone, middle) >= wall) high = middle;
    else low = middle;
  }
  return high;
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
