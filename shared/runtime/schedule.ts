import { dayMs, hourMs, minuteMs } from './clock.ts';
import { instantAt } from './zone.ts';

/**
 * When a message or campaign is sent. A time without an offset is local in a time zone, where an hour can be missing (then: the next instant
 * that exists) or come twice (then: the first).
 */
export type Schedule = { when: 'now' } | { when: 'later'; atMs: number } | { when: 'never'; reason: string };

const graceMs = minuteMs;
const maxAheadMs = 365 * dayMs;

export const parseSchedule = (value: string | undefined, timezone: string, nowMs: number): Schedule => {
  if (value === undefined) return { when: 'now' };
  const atMs = parseInstant(value, timezone);
  if (atMs === undefined) return { when: 'never', reason: 'Must be an ISO 8601 date and time, such as 2026-12-24T18:00:00+01:00.' };
  if (atMs < nowMs - graceMs) return { when: 'never', reason: 'Must not be in the past.' };
  if (atMs > nowMs + maxAheadMs) return { when: 'never', reason: 'Must be within 365 days.' };
  return atMs <= nowMs ? { when: 'now' } : { when: 'later', atMs };
};

const form = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** Epoch milliseconds of an ISO 8601 date and time; undefined: not such a text. */
export const parseInstant = (value: string, timezone: string): number | undefined => {
  // in a query string the plus of an offset arrives as a space
  const found = form.exec(value.trim().replace(/ (\d{2}:?\d{2})$/, '+$1')) ?? form.exec(value.trim());
  if (!found) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', offset] = found;
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number);
  if (y === undefined || mo === undefined || d === undefined || h === undefined || mi === undefined || s === undefined) return undefined;
  const localMs = Date.UTC(y, mo - 1, d, h, mi, s, Number(`0.${fraction}`) * 1_000);
  const read = new Date(localMs);
  const isReal = read.getUTCFullYear() === y && read.getUTCMonth() === mo - 1 && read.getUTCDate() === d && h < 24 && mi < 60 && s < 60;
  if (!isReal) return undefined;
  if (offset === undefined) return instantAt(timezone, localMs);
  const offsetMs = offsetOf(offset);
  return offsetMs === undefined ? undefined : localMs - offsetMs;
};

function offsetOf(offset: string): number | undefined {
  if (/^z$/i.test(offset)) return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(':', '') || 0);
  return hours > 15 || minutes > 59 ? undefined : (offset.startsWith('-') ? -1 : 1) * (hours * hourMs + minutes * minuteMs);
}
