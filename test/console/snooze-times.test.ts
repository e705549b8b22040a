import { describe, expect, test } from 'vitest';
import './fake-browser.ts';

const { ownTimeProblem, snoozeTimes, untilInWords } = await import('../../console/screens/inbox/snooze-times.ts');

/** Times of the zone that this process runs in, as a page's are those of its browser. */
const at = (day: number, hour: number, minute = 0): number => new Date(2026, 10, day, hour, minute).getTime();
const offered = (now: number): unknown[] =>
  snoozeTimes(now).map(({ name, at: time }) => [name, new Date(time).getDate(), new Date(time).getHours(), new Date(time).getMinutes()]);

describe('times until which a conversation can be put away', () => {
  test.each([
    [
      'in the morning',
      at(26, 10, 20),
      [
        ['hour', 26, 11, 20],
        ['evening', 26, 18, 0],
        ['tomorrow', 27, 9, 0],
        ['monday', 30, 9, 0],
      ],
    ],
    [
      'an hour before the evening',
      at(26, 17),
      [
        ['hour', 26, 18, 0],
        ['evening', 26, 18, 0],
        ['tomorrow', 27, 9, 0],
        ['monday', 30, 9, 0],
      ],
    ],
    [
      'later, when the evening is no choice',
      at(26, 17, 1),
      [
        ['hour', 26, 18, 1],
        ['tomorrow', 27, 9, 0],
        ['monday', 30, 9, 0],
      ],
    ],
    [
      'on a Sunday, when Monday is tomorrow',
      at(29, 20),
      [
        ['hour', 29, 21, 0],
        ['tomorrow', 30, 9, 0],
      ],
    ],
    [
      'on a Monday, when the next one is in a week',
      at(23, 8),
      [
        ['hour', 23, 9, 0],
        ['evening', 23, 18, 0],
        ['tomorrow', 24, 9, 0],
        ['monday', 30, 9, 0],
      ],
    ],
  ])('%s', (_, now, expected) => expect(offered(now)).toEqual(expected));

  test('are all to come, in their order, at any minute of a week', () => {
    for (let now = at(23, 0); now < at(30, 0); now += 7 * 60_000) {
      const times = snoozeTimes(now).map((each) => each.at);
      expect(times[0]).toBeGreaterThan(now);
      expect(times.slice(1).every((each) => each > now)).toBe(true);
      expect(times.slice(1)).toEqual(times.slice(1).toSorted((a, b) => a - b));
    }
  });

  test('of a user are neither over nor more than a year away', () => {
    const now = at(26, 10);
    expect(
      ['', '2026-11-26T09:59', '2026-11-26T10:00', '2026-11-26T10:01', '2027-11-25T10:00', '2027-12-01T10:00'].map((each) =>
        ownTimeProblem(each, now),
      ),
    ).toEqual(['early', 'early', 'early', undefined, undefined, 'late']);
  });

  test('are said by the hour today, by the weekday within a week, by the date beyond', () => {
    const now = at(26, 10);
    expect([at(26, 18), at(27, 9), at(30, 9)].map((each) => untilInWords('en-GB', each, now))).toEqual(['18:00', 'Fri 09:00', 'Mon 09:00']);
    expect(untilInWords('en-GB', at(26, 18) + 10 * 86_400_000, now)).toMatch(/^6 Dec/);
  });
});
