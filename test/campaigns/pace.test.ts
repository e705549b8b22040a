import { describe, expect, test } from 'vitest';
import { expectedEndMs, recentPace } from '../../functions/campaigns/domain/pace.ts';
import { addPartChange, emptyStats, workedRecipientCount } from '../../functions/campaigns/domain/stats.ts';
import type { StoredStats, StoredStatsPart } from '../../functions/campaigns/contract/stored.ts';
import { seeded } from '../support/random.ts';

const startMs = 1_700_000_000_000;
const seeds = Array.from({ length: 25 }, (_, index) => index + 1);
const partCount = 4;

interface Course {
  total: number;
  /** Of the number, a second. */
  ratePerSecond: number;
  /** Recipients a second at a second since the start; 0: the provider takes nothing. */
  paceAt: (second: number) => number;
  /** The campaign is paused in these seconds. */
  pause?: readonly [from: number, to: number];
  /** How many seconds the counters follow the sends, at most: each part by its own. */
  lagSeconds?: number;
  /** The clock of the machine shows so many milliseconds more or less. */
  clockErrorAt?: (second: number) => number;
  /** After so many seconds, of those who were sent to, so many failed and are tried again. */
  retry?: { at: number; count: number };
}

interface Look {
  second: number;
  /** Milliseconds that the campaign is expected to take from now, and does. */
  expected: number;
  left: number;
  stats: StoredStats;
  pace: number | undefined;
}

/** A campaign as its counters show it, looked at each second while it sends: sends reach the sum by parts, some of them late. */
function run(seed: number, course: Course): Look[] {
  const { total, ratePerSecond, paceAt, pause, lagSeconds = 0, clockErrorAt = () => 0, retry } = course;
  const random = seeded(seed);
  const parts = Array.from({ length: partCount }, (_, part): StoredStatsPart => ({ ...emptyStats(1, 1), part }));
  const lags = parts.map(() => Math.round(random() * lagSeconds));
  const late: { due: number; part: number; change: (row: StoredStatsPart) => StoredStatsPart }[] = [];
  const looks: Omit<Look, 'left'>[] = [];
  let stats: StoredStats = { ...emptyStats(1, 1), audience: total };
  let sending: { sendingSince: number; sendingMs: number } = { sendingSince: startMs, sendingMs: 0 };
  let [open, owed, second] = [total, 0, 0];
  for (; open > 0; second++) {
    if (second > 100_000) throw new Error('The course does not end.');
    const nowMs = startMs + second * 1_000 + clockErrorAt(second);
    const isPaused = pause !== undefined && second >= pause[0] && second < pause[1];
    if (second === pause?.[0]) sending = { ...sending, sendingMs: nowMs - sending.sendingSince };
    if (second === pause?.[1]) sending = { ...sending, sendingSince: nowMs };
    if (retry?.at === second) {
      open += retry.count;
      late.push({ due: second, part: 0, change: (row) => ({ ...row, sent: row.sent - retry.count, retried: row.retried + retry.count }) });
    }
    owed = isPaused ? 0 : owed + paceAt(second);
    const sent = Math.min(open, Math.floor(owed));
    owed -= sent;
    open -= sent;
    let counted = 0;
    for (const part of parts.keys()) {
      // a shard has more of a moment than another
      const count = part === parts.length - 1 ? sent - counted : Math.floor(random() * (sent - counted + 1));
      counted += count;
      if (count === 0) continue;
      const change = (row: StoredStatsPart): StoredStatsPart => ({
        ...row,
        sent: row.sent + count,
        firstSentAt: Math.min(nowMs, row.firstSentAt ?? nowMs),
        lastSentAt: Math.max(nowMs + 900, row.lastSentAt ?? 0),
      });
      late.push({ due: second + (lags[part] ?? 0), part, change });
    }
    for (const { part, change } of late.filter(({ due }) => due === second)) {
      const before = parts[part];
      if (!before) throw new Error('There is no such part.');
      const after = change(before);
      parts[part] = after;
      stats = addPartChange(stats, before, after);
    }
    late.splice(0, late.length, ...late.filter(({ due }) => due > second));
    const waiting = stats.audience - workedRecipientCount(stats);
    if (isPaused || waiting <= 0) continue;
    const lookedAt = nowMs + 1_000;
    const expected = expectedEndMs(sending, stats, { waiting, ratePerSecond, nowMs: lookedAt }) - lookedAt;
    looks.push({ second, expected, stats, pace: recentPace(sending, stats) });
  }
  return looks.map((look) => ({ ...look, left: (second - look.second - 1) * 1_000 }));
}

/** Within a quarter of the time left, and three seconds for what is on its way at either end. */
const expectTrue = ({ expected, left, second }: Look, seed: number): void =>
  expect(Math.abs(expected - left), `seed ${seed}, second ${second}: ${expected} of ${left} ms`).toBeLessThanOrEqual(0.25 * left + 3_000);

/** From so many seconds after a change on, the change is known. */
const followedAfter = 32;

describe('the expected end of a running campaign', () => {
  test.each([
    ['halves', 0.5],
    ['doubles', 2],
    ['falls to a fifth', 0.2],
    ['stays', 1],
  ])('comes true within a quarter, half a minute after the pace %s midway, with counters that follow late', (_, factor) => {
    for (const seed of seeds) {
      const random = seeded(seed);
      const [pace, changesAt] = [2 + random() * 100, 60 + Math.floor(random() * 300)];
      const total = Math.ceil(pace * changesAt + pace * factor * (100 + random() * 300));
      const paceAt = (second: number): number => (second < changesAt ? pace : pace * factor);
      const looks = run(seed, { total, ratePerSecond: 400, paceAt, lagSeconds: 3 });
      // 40 to 60 recipients are waited for where they take longer
      const known = changesAt + Math.max(followedAfter, 70 / (pace * factor));
      const late = looks.filter(({ second }) => second >= known);
      expect(late.length).toBeGreaterThan(20);
      for (const look of late) expectTrue(look, seed);
    }
  });

  test('comes true within a quarter after a pause, whatever the pace was before it', () => {
    for (const seed of seeds) {
      const random = seeded(seed);
      const [before, after] = [3 + random() * 50, 3 + random() * 50];
      const pause = [60, 60 + Math.ceil(random() * 5_000)] as const;
      const total = Math.ceil(before * 60 + after * 200);
      const paceAt = (second: number): number => (second < 60 ? before : after);
      const looks = run(seed, { total, ratePerSecond: 100, paceAt, pause, lagSeconds: 2 });
      const resumed = looks.filter(({ second }) => second >= pause[1] + followedAfter);
      expect(resumed.length).toBeGreaterThan(100);
      for (const look of resumed) expectTrue(look, seed);
    }
  });

  test('comes true within a quarter when failed recipients are tried again: what was sent stays sent', () => {
    for (const seed of seeds) {
      const random = seeded(seed);
      const pace = 5 + random() * 50;
      const [total, count] = [Math.ceil(pace * 200), Math.floor(pace * (10 + random() * 30))];
      const looks = run(seed, { total, ratePerSecond: 100, paceAt: () => pace, retry: { at: 100, count } });
      for (const look of looks.filter(({ second }) => second >= 100)) expectTrue(look, seed);
    }
  });

  test('is known again half a minute after the clock was put on or back', () => {
    for (const seed of seeds) {
      const random = seeded(seed);
      const pace = 5 + random() * 50;
      const hours = random() < 0.5 ? 1 + random() * 20 : -10 / 3_600;
      const looks = run(seed, {
        total: Math.ceil(pace * 200),
        ratePerSecond: 100,
        paceAt: () => pace,
        clockErrorAt: (second) => (second < 100 ? 0 : Math.round(hours * 3_600_000)),
      });
      for (const look of looks.filter(({ second }) => second >= 100 + followedAfter + 10)) expectTrue(look, seed);
    }
  });

  test('is never earlier than the rate of the number allows, and always a time, at any pace, stop, pause, retry or clock', () => {
    for (const seed of seeds) {
      const random = seeded(seed);
      const paces = Array.from({ length: 20 }, () => (random() < 0.2 ? 0 : random() * 200));
      const looks = run(seed, {
        total: 3_000 + Math.floor(random() * 10_000),
        ratePerSecond: 20,
        paceAt: (second) => paces[Math.floor(second / 20) % 20] || 1,
        pause: [30, 40],
        lagSeconds: 5,
        retry: { at: 45, count: 200 },
        clockErrorAt: (second) => (second > 70 ? -30_000 : 0),
      });
      for (const { expected, stats, second } of looks) {
        expect(Number.isFinite(expected), `seed ${seed}, second ${second}`).toBe(true);
        const waiting = stats.audience - workedRecipientCount(stats);
        // from the latest send that is counted on
        const fromMs = Math.min(0, (stats.lastSentAt ?? startMs) - (startMs + second * 1_000 + (second > 70 ? -30_000 : 0) + 1_000));
        expect(expected, `seed ${seed}, second ${second}`).toBeGreaterThanOrEqual((waiting / 20) * 1_000 + fromMs);
      }
    }
  });

  test('is the pace of the whole campaign while the present run is short', () => {
    const stats = { ...emptyStats(1, 1), audience: 1_000, sent: 300, firstSentAt: startMs, lastSentAt: startMs + 30_000 };
    const sending = { sendingSince: startMs };
    expect(recentPace(sending, stats)).toBe(10);
    // ten seconds at five a second, and ten at the ten of the whole
    expect(recentPace(sending, { ...stats, paceSamples: [{ at: startMs + 20_000, count: 250 }] })).toBe(7.5);
    // a sample of before the pause says nothing of the time after it
    expect(recentPace({ sendingSince: startMs + 25_000, sendingMs: 25_000 }, { ...stats, paceSamples: [{ at: startMs, count: 1 }] })).toBe(
      10,
    );
  });
});

test('the counters hold three samples at most, ten seconds and twenty recipients apart, whatever the pace', () => {
  for (const pace of [0.3, 7, 150]) {
    const looks = run(1, { total: Math.ceil(pace * 300), ratePerSecond: 200, paceAt: () => pace });
    for (const { paceSamples = [] } of looks.map(({ stats }) => stats)) {
      expect(paceSamples.length).toBeLessThanOrEqual(3);
      for (const [nth, sample] of paceSamples.entries()) {
        const before = paceSamples[nth - 1];
        if (before) expect([sample.at - before.at >= 10_000, sample.count - before.count >= 20]).toEqual([true, true]);
      }
    }
  }
});
