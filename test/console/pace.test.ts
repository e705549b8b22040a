import './fake-browser.ts';
import { describe, expect, test } from 'vitest';
import { retryMs } from '../../console/data/doorbell.ts';
import { Pace } from '../../console/data/pace.ts';
import { Rings } from '../../console/data/rings.ts';
import { seeded } from '../support/random.ts';

const minute = 60_000;
/** The looks of some time, each made when its pause is over; `happens` says whether a look finds something. */
const looksWithin = (ms: number, happens: (now: number) => boolean, isVisible = true): number[] => {
  const pace = new Pace(0);
  const looks: number[] = [];
  for (let now = 0; now < ms; now += pace.pause(now, isVisible)) {
    looks.push(now);
    pace.looked(now);
    if (happens(now)) pace.happened(now);
  }
  return looks;
};

describe('a page looks', () => {
  test('every two seconds after something happened, every five after a minute, every ten after three', () => {
    const looks = looksWithin(10 * minute, () => false);
    const pauses = looks.slice(1).map((now, nth) => now - (looks[nth] ?? 0));
    expect(pauses.slice(0, 15)).toEqual(Array.from({ length: 15 }, () => 2_000));
    expect(new Set(pauses.filter((_, nth) => (looks[nth] ?? 0) >= minute && (looks[nth] ?? 0) < 3 * minute))).toEqual(new Set([5_000]));
    expect(new Set(pauses.filter((_, nth) => (looks[nth] ?? 0) >= 3 * minute))).toEqual(new Set([10_000]));
  });

  test('less than 15 % as often as before in a quiet hour, and less than 25 % where something happens all the time', () => {
    expect(looksWithin(60 * minute, () => false).length).toBeLessThan(0.15 * 3_900);
    const busy = looksWithin(60 * minute, () => true);
    expect(busy.length).toBeLessThan(0.25 * 3_900);
    const pauses = busy.slice(1).map((now, nth) => now - (busy[nth] ?? 0));
    expect(Math.max(...pauses)).toBeLessThan(4_000);
  });

  test('every half minute while it is hidden, whatever happens', () => {
    expect(looksWithin(10 * minute, () => true, false)).toHaveLength(20);
  });

  test('soon again after what it did itself, which it pays for with later looks', () => {
    const pace = new Pace(0);
    for (let now = 0; now < 15_000; now += 1_000) pace.looked(now);
    expect(pace.pause(15_000, true)).toBeGreaterThan(2_000);
    pace.happened(15 * minute);
    expect(pace.pause(15 * minute, true)).toBe(2_000);
  });
});

const second = 1_000;
/** When the looks of a page begin of which each takes a fifth of a second, and that its user touches every five seconds from `from` to `to`. */
const looksInUse = (ms: number, from: number, to: number): number[] => {
  const pace = new Pace(0);
  const looks: number[] = [];
  let nextUse = from;
  for (let now = 0; now < ms; ) {
    looks.push(now);
    pace.looked(now);
    let next = now + answerMs + pace.pause(now + answerMs, true);
    for (; nextUse < Math.min(next, to); nextUse += 5 * second) if (pace.used(nextUse)) next = nextUse + pace.pause(nextUse, true);
    now = next;
  }
  return looks;
};
const answerMs = 200;

describe('a page that is used, without a doorbell,', () => {
  test('shows 99 of 100 messages within four seconds from the first touch on, after however long a quiet time', () => {
    const [from, to] = [30 * minute + 3 * second, 60 * minute];
    const looks = looksInUse(61 * minute, from, to);
    const random = seeded(46);
    const waits = Array.from({ length: 10_000 }, () => {
      const at = from + random() * (to - from);
      return (looks.find((look) => look >= at) ?? Infinity) + answerMs - at;
    }).toSorted((a, b) => a - b);
    expect(waits[9_899]).toBeLessThanOrEqual(4_000);
    expect(looks.filter((look) => look >= from && look < to).length).toBeLessThan(0.25 * (3_900 / 2));
    // and what came in the quiet time before
    expect(looks.find((look) => look >= from)).toBeLessThanOrEqual(from + 2 * second);
  });

  test('looks as seldom as ever three minutes after the last touch', () => {
    const looks = looksInUse(20 * minute, 5 * minute, 6 * minute);
    expect(looks.filter((look) => look >= 10 * minute).length).toBeLessThanOrEqual(60);
  });
});

/** The looks of a page whose doorbell rings at these times; `isShown` says whether colleagues see that it looks at a conversation. Connected after its first look. */
const looksByRings = (ms: number, rings: readonly number[], { isVisible = true, isShown = false } = {}): number[] => {
  const pace = new Pace(0);
  const bell = new Rings(() => isShown);
  const looks: number[] = [];
  const left = [...rings];
  for (let now = 0; now < ms; ) {
    const next = now + pace.pause(now, isVisible);
    const ring = left[0] ?? Number.POSITIVE_INFINITY;
    if (looks.length > 0 && ring < next) {
      now = ring;
      bell.rung(now);
      left.shift();
      continue;
    }
    now = looks.length === 0 ? 0 : next;
    if (now >= ms) break;
    looks.push(now);
    pace.looked(now);
    pace.happened(now);
    pace.rings = bell;
  }
  return looks;
};

describe('where the doorbell rings, a page looks', () => {
  test('by itself once a minute, and three times while colleagues see it in a conversation, whatever happened before', () => {
    expect(looksByRings(10 * minute, [])).toEqual(Array.from({ length: 10 }, (_, nth) => nth * minute));
    expect(looksByRings(10 * minute, [], { isShown: true })).toHaveLength(30);
  });

  test('at once when it is rung, and once more when the second is over in which the bell does not ring again', () => {
    const looks = looksByRings(3 * minute, [90 * second]);
    expect(looks).toEqual([0, minute, 90 * second, 91_100, 151_100]);
    const twice = looksByRings(2 * minute, [30 * second, 31 * second]);
    expect(twice).toEqual([0, 30 * second, 31 * second, 32_100, 92_100]);
  });

  test('in an hour at most as often as without it, however often it is rung', () => {
    const rings = Array.from({ length: 3_600 }, (_, nth) => (nth + 1) * second);
    const looks = looksByRings(60 * minute, rings);
    expect(looks.length).toBeLessThanOrEqual(looksWithin(60 * minute, () => true).length + 1);
    const pauses = looks.slice(1).map((now, nth) => now - (looks[nth] ?? 0));
    expect(Math.max(...pauses)).toBeLessThan(4_500);
  });

  test('the moment it is rung, for a hundred messages of a busy stretch three to five seconds apart, and for ever at six a minute', () => {
    const random = seeded(46);
    const waitsOf = (rings: readonly number[]): number[] => {
      const looks = looksByRings((rings.at(-1) ?? 0) + minute, rings);
      return rings.map((ring) => (looks.find((look) => look >= ring) ?? Infinity) - ring).toSorted((a, b) => a - b);
    };
    let at = 10 * second;
    const busy = Array.from({ length: 100 }, () => (at += (3 + 2 * random()) * second));
    expect(waitsOf(busy)[98]).toBeLessThan(100);
    at = 10 * second;
    const steady = Array.from({ length: 600 }, () => (at += (8 + 4 * random()) * second));
    expect(waitsOf(steady)[593]).toBeLessThan(100);
  });

  test('while it is hidden at most every half minute, and once a minute where nothing rings', () => {
    const rings = Array.from({ length: 600 }, (_, nth) => (nth + 1) * second);
    expect(looksByRings(10 * minute, rings, { isVisible: false })).toHaveLength(20);
    expect(looksByRings(10 * minute, [], { isVisible: false })).toHaveLength(10);
  });

  test('by its pace from the moment that it is not connected', () => {
    const pace = new Pace(0);
    pace.looked(0);
    pace.rings = new Rings(() => false);
    expect(pace.pause(second, true)).toBe(59 * second);
    delete pace.rings;
    expect(pace.pause(second, true)).toBe(2 * second);
  });
});

test('a page tries to connect again after a second, each time after twice as long, five minutes at most, and not with all others', () => {
  const waits = Array.from({ length: 12 }, (_, tries) => [retryMs(tries, 0), retryMs(tries, 1)]);
  expect(waits.slice(0, 3)).toEqual([
    [500, 1_000],
    [1_000, 2_000],
    [2_000, 4_000],
  ]);
  expect(waits.at(-1)).toEqual([150_000, 300_000]);
});
