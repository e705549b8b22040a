import { formatTime } from '../../components/time.tsx';
import { inDays, morning } from '../../data/field-time.ts';

/** A time that is offered, in the zone of the browser; epoch milliseconds. */
export interface SnoozeTime {
  name: 'hour' | 'evening' | 'tomorrow' | 'monday';
  at: number;
}

const hourMs = 3_600_000;
const evening = 18;

/** When a conversation that is put away can come back. The evening is offered until an hour before it, Monday unless it is tomorrow. */
export const snoozeTimes = (now: number): readonly SnoozeTime[] => {
  const today = new Date(now);
  const untilMonday = (8 - today.getDay()) % 7 || 7;
  const tonight = inDays(now, 0, evening);
  return [
    { name: 'hour', at: Math.ceil((now + hourMs) / 60_000) * 60_000 },
    ...(tonight - now >= hourMs ? [{ name: 'evening', at: tonight } as const] : []),
    { name: 'tomorrow', at: inDays(now, 1, morning) },
    ...(untilMonday === 1 ? [] : [{ name: 'monday', at: inDays(now, untilMonday, morning) } as const]),
  ];
};

const yearMs = 365 * 24 * hourMs;

/** Why a time that was typed cannot be: it is over, or more than a year away. */
export const ownTimeProblem = (typed: string, now: number): 'early' | 'late' | undefined => {
  const at = Date.parse(typed);
  if (Number.isNaN(at) || at <= now) return 'early';
  return at > now + yearMs ? 'late' : undefined;
};

/** Today the time, within a week the weekday too, else the date. */
export const untilInWords = (tag: string, at: number | string, now: number): string => {
  const [then, today] = [new Date(at), new Date(now)];
  const time = { hour: '2-digit', minute: '2-digit' } as const;
  if (then.toDateString() === today.toDateString()) return formatTime(tag, then, time);
  const isNear = Math.abs(then.getTime() - now) < 6 * 24 * hourMs;
  return formatTime(tag, then, isNear ? { weekday: 'short', ...time } : { day: 'numeric', month: 'short', ...time });
};
