import { describe, expect, test } from 'vitest';
import { Pace } from '../../console/data/pace.ts';

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
