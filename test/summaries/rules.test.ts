import { describe, expect, test } from 'vitest';
import { hasActivity, mayRead, type WeekFigures } from '../../functions/summaries/domain/figures.ts';
import { summaryMail } from '../../functions/summaries/domain/summary-mail.ts';
import { boundsOf, dayOfWeek, dueTimeOfWeek, nextWeek } from '../../functions/summaries/domain/week.ts';
import { spendRoutes } from '../../functions/spend/contract/spend.ts';
import { roles } from '../../shared/contract/route.ts';
import { dayMs, hourMs, minuteMs } from '../../shared/runtime/clock.ts';
import { wallOf } from '../../shared/runtime/zone.ts';
import { seeded } from '../support/random.ts';

/** When the weekly summary is due, and what its email may hold: docs/decisions/weekly-summary.md */

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/Los_Angeles',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Shanghai',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
];
const isMonday = (wall: number): boolean => new Date(wall).getUTCDay() === 1;
const weeks = Array.from({ length: 110 }, (_, nth) => dayOfWeek('2026-01-05', 7 * nth));

describe('a week is due', () => {
  test.each(zones)(
    'in %s on the Monday after it from 08:00, never before its last UTC day has ended, in every week of two years',
    (zone) => {
      for (const week of weeks) {
        const due = dueTimeOfWeek(week, zone);
        const wall = wallOf(zone, due);
        const { toMs } = boundsOf(week);
        expect([week, isMonday(wall)]).toEqual([week, true]);
        expect(wall % dayMs).toBeGreaterThanOrEqual(8 * hourMs);
        expect(due).toBeGreaterThanOrEqual(toMs + 10 * minuteMs);
        // at eight sharp wherever the week has ended by then
        if (due > toMs + 10 * minuteMs) expect(wall % dayMs).toBe(8 * hourMs);
      }
    },
  );

  test('in Los Angeles at 08:00 before and after the clocks change, and in Tokyo ten minutes after the UTC week', () => {
    const at = (week: string, zone: string): string => new Date(dueTimeOfWeek(week, zone)).toISOString();
    expect(at('2026-02-23', 'America/Los_Angeles')).toBe('2026-03-02T16:00:00.000Z');
    expect(at('2026-03-02', 'America/Los_Angeles')).toBe('2026-03-09T15:00:00.000Z');
    expect(at('2026-10-26', 'America/Los_Angeles')).toBe('2026-11-02T16:00:00.000Z');
    expect(at('2026-03-02', 'Asia/Tokyo')).toBe('2026-03-09T00:10:00.000Z');
    expect(at('2026-03-23', 'Europe/Berlin')).toBe('2026-03-30T06:00:00.000Z');
  });

  test('once each, whenever it is looked at: the next one is later than now and than the week that was claimed', () => {
    const random = seeded(7);
    for (let nth = 0; nth < 2_000; nth++) {
      const zone = zones[Math.floor(random() * zones.length)] ?? 'UTC';
      const now = Date.UTC(2026, 0, 1) + Math.floor(random() * 700 * dayMs);
      const next = nextWeek(zone, now);
      expect(next.dueAt).toBeGreaterThan(now);
      expect(next.dueAt - now).toBeLessThanOrEqual(7 * dayMs + hourMs);
      expect(dueTimeOfWeek(dayOfWeek(next.week, -7), zone)).toBeLessThanOrEqual(now);
      const elsewhere = zones[Math.floor(random() * zones.length)] ?? 'UTC';
      expect(nextWeek(elsewhere, now, next.week).week > next.week).toBe(true);
    }
  });
});

const nothing = { answered: 0, median_answer_seconds: null, closed: 0, median_close_seconds: null };
const noUse = { delivered: 0, failed: 0, verifications: 0, verified: 0 };
const quiet: WeekFigures = {
  used: noUse,
  usedBefore: { ...noUse, delivered: 9 },
  answers: nothing,
  answersBefore: { ...nothing, answered: 3, median_answer_seconds: 60 },
  waiting: { count: 2, isCounted: true, newestAt: Date.UTC(2026, 10, 15) },
  campaigns: [],
  spend: { amounts: [], unknown: 0 },
};
const week = '2026-11-16';

test('a week in which nothing happened has no summary, also where customers have waited since before; one who wrote in it has', () => {
  const { fromMs } = boundsOf(week);
  expect(hasActivity(quiet, fromMs)).toBe(false);
  expect(hasActivity({ ...quiet, waiting: { ...quiet.waiting, newestAt: fromMs } }, fromMs)).toBe(true);
  for (const used of [{ delivered: 1 }, { failed: 1 }, { verifications: 1 }])
    expect(hasActivity({ ...quiet, used: { ...noUse, ...used } }, fromMs)).toBe(true);
  expect(hasActivity({ ...quiet, answers: { ...nothing, closed: 1 } }, fromMs)).toBe(true);
});

test('amounts are shown to the roles that getSpend answers, and to no other', () => {
  expect(roles.filter((role) => mayRead(role, spendRoutes.getSpend))).toEqual([...roles]);
  expect(roles.filter((role) => mayRead(role, { caller: { role: 'admin' } }))).toEqual(['admin', 'owner']);
});

const full: WeekFigures = {
  used: { delivered: 1_234, failed: 5, verifications: 8, verified: 6 },
  usedBefore: { ...noUse, delivered: 1_000 },
  answers: { answered: 40, median_answer_seconds: 754, closed: 12, median_close_seconds: 7_200 },
  answersBefore: { answered: 30, median_answer_seconds: 1_200, closed: 0, median_close_seconds: null },
  waiting: { count: 250, isCounted: false, newestAt: undefined },
  campaigns: [{ id: 3, name: 'Autumn sale', delivered: 900, read: 450 }],
  spend: { amounts: [{ amount: '312.4', currency: 'EUR' }], unknown: 7 },
};
const frame = { week, language: 'en', companyName: 'Garden', role: 'owner', consoleUrl: 'https://console.example.com/console' } as const;

describe('the email', () => {
  test('has every figure beside the week before, a page for each, and how to switch it off', () => {
    const { subject, text, headers } = summaryMail(full, frame);
    expect(subject).toMatch(/^The week of Garden: Nov 16\s–\s22, 2026$/);
    for (const line of [
      'Messages delivered: 1,234 (the week before: 1,000)\nhttps://console.example.com/console/settings/usage',
      'Answers to waiting customers: 40 (the week before: 30)\nhttps://console.example.com/console/home',
      'Half of the answers came within: 13 minutes (the week before: 20 minutes)',
      'Half of them were open for less than: 2 hours\n',
      'Conversations that wait for an answer now: at least 250\nhttps://console.example.com/console/inbox?waits=1',
      'Campaigns finished: 1\n- \u2068Autumn sale\u2069: delivered 900, read 450\nhttps://console.example.com/console/campaigns',
      'What the messages cost: \u2068€312.40\u2069\n- messages without a known price: 7\nhttps://console.example.com/console/spend',
      'Verifications that succeeded: 6 of 8 (75%)\nhttps://console.example.com/console/verification',
      'Switch it off: https://console.example.com/console/settings/preferences',
    ])
      expect(text).toContain(line);
    expect(headers).toEqual({ 'List-Unsubscribe': '<https://console.example.com/console/settings/preferences>' });
  });

  test('names of the company and of campaigns put no markup, no line and no turned direction into it', () => {
    const hostile = '<script>alert("1")</script>\r\nBcc: thief@example.com\u202egpj&amp;<img src=x>';
    const campaigns = Array.from({ length: 12 }, (_, nth) => ({ id: nth, name: hostile, delivered: 1, read: 1 }));
    for (const language of ['en', 'de', 'ar'] as const) {
      const mail = summaryMail({ ...full, campaigns }, { ...frame, language, companyName: hostile });
      expect(mail.subject).not.toMatch(/[\r\n\u202e]/);
      expect(mail.text.split('\n').filter((line) => line.startsWith('Bcc'))).toEqual([]);
      expect(mail.text).not.toMatch(/[\r\u202e]/);
      expect(mail.html).not.toMatch(/<(script|img)|\u202e/);
      expect(mail.html).toContain('&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;');
      expect(mail.text.match(/Bcc: thief/g)).toHaveLength(11);
    }
  });

  test('is written in the language that was chosen, Arabic from right to left', () => {
    expect(summaryMail(full, { ...frame, language: 'de' }).text).toContain('Zugestellte Nachrichten: 1.234 (in der Woche davor: 1.000)');
    const arabic = summaryMail(full, { ...frame, language: 'ar' });
    expect(arabic.html).toContain('<html lang="ar" dir="rtl">');
    expect(arabic.text).toContain('الرسائل المسلَّمة: 1,234');
  });

  test('leaves out what has nothing, amounts that the user may not see, and links where no console is known', () => {
    const { text, html, headers } = summaryMail({ ...full, spend: undefined }, { ...frame, role: 'viewer', consoleUrl: undefined });
    expect(text).not.toMatch(/https?:|EUR|€|cost/);
    expect(html).not.toContain('<a ');
    expect(headers).toEqual({});
    expect(summaryMail(quiet, frame).text).not.toMatch(/failed|closed|Campaigns|cost|Verifications/);
    // a page of administrators is shown to no viewer
    expect(summaryMail(full, { ...frame, role: 'viewer' }).text).not.toContain('/console/verification');
  });
});
