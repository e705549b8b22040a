import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InboxReport } from '../../functions/conversations/contract/report.ts';
import { inboxReport } from '../../functions/conversations/contract/report.ts';
import { reportOf, withReported } from '../../functions/conversations/domain/report.ts';
import { beginWait, endWait } from '../../functions/conversations/domain/waiting.ts';
import { storedMessage } from '../../functions/messaging/contract/stored.ts';
import { roles } from '../../shared/contract/route.ts';
import { inboundText, newCompany, type TestCompany } from '../support/company.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { seeded } from '../support/random.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { phoneOf } from './fixture.ts';

/** How quickly contacts are answered: docs/decisions/inbox-report.md */
let testApp: TestApp;
let provider: ProviderStub;
beforeAll(async () => {
  provider = await startProviderStub();
  testApp = await startTestApp({ env: { PROVIDER_BASE_URL: provider.url }, shards: 2 });
  testApp.clock.freeze();
});
afterAll(async () => {
  await testApp.stop();
  await provider.stop();
});

const minuteMs = 60_000;
const call = async (company: TestCompany, method: string, path: string, body?: object, role: keyof TestCompany['tokens'] = 'member') => {
  const answer = await testApp.call({ method, path: `/api/v1${path}`, token: company.tokens[role] ?? '', ...(body ? { body } : {}) });
  if (answer.status !== 200) throw new Error(answer.raw);
  return (answer.body as { data: unknown }).data;
};
const reportOfCompany = async (company: TestCompany, query = ''): Promise<InboxReport> =>
  inboxReport.parse(await call(company, 'GET', `/conversations/report${query}`));
const write = async (company: TestCompany, nth: number): Promise<void> => {
  await testApp.call(inboundText(company, { from: phoneOf(nth), text: 'Hello?', at: testApp.clock.now() }));
  await testApp.drain({ disorder: { seed: nth, duplicate: 0.5 } });
};
const answer = async (company: TestCompany, nth: number, role: keyof TestCompany['tokens'] = 'member'): Promise<void> => {
  await call(company, 'POST', '/messages/text', { phone: `+${phoneOf(nth)}`, message: 'Yes.' }, role);
  await testApp.drain({ disorder: { seed: nth, duplicate: 0.5 } });
};
const conversations = async (company: TestCompany) =>
  (await call(company, 'GET', '/conversations')) as { id: number; waiting_since: string | null; contact: { phone: string } }[];

describe('GET /conversations/report', () => {
  test('a company without messages has thirty days of nothing', async () => {
    const report = await reportOfCompany(await newCompany({ roles }));
    expect(report.days).toHaveLength(30);
    expect(report).toMatchObject({
      totals: { answered: 0, median_answer_seconds: null, slow_answer_seconds: null, closed: 0, median_close_seconds: null },
      hours: [],
      users: [],
    });
  });

  test('a wait is from the first message after an answer to the next answer, and of the user who gave it', async () => {
    const company = await newCompany({ roles });
    await write(company, 1);
    const began = new Date(testApp.clock.now()).toISOString().slice(0, 19);
    testApp.clock.advance(4 * minuteMs);
    await write(company, 1);
    expect((await conversations(company))[0]?.waiting_since).toContain(began);
    testApp.clock.advance(6 * minuteMs);
    await answer(company, 1);
    expect((await conversations(company))[0]?.waiting_since).toBeNull();
    // a second answer ends no wait
    testApp.clock.advance(minuteMs);
    await answer(company, 1, 'owner');
    const { totals, users, hours, days } = await reportOfCompany(company);
    expect(totals.answered).toBe(1);
    expect(users).toMatchObject([{ user_id: company.users.member, answered: 1, closed: 0 }]);
    // ten minutes, within a fifth
    expect(Math.abs((totals.median_answer_seconds ?? 0) - 600)).toBeLessThan(120);
    expect(hours.map(({ waits }) => waits)).toEqual([1]);
    expect(days.filter((each) => each.answered > 0)).toHaveLength(1);
  });

  test('what a campaign or the product itself sends ends no wait, and what was sent before it ends none', () => {
    const message = storedMessage.parse({
      companyId: 1,
      contactId: 1,
      id: 1,
      inbound: false,
      type: 1,
      subtype: 'text',
      value: 'Hi',
      status: 2,
      createdAt: 5_000,
      updatedAt: 5_000,
    });
    const waiting = { waitingSince: 4_000, status: 'open' } as const;
    for (const automatic of [{ campaign: { id: 1, batch: 1 } }, { sentBy: { via: 'system' as const } }])
      expect(endWait(waiting, { ...message, ...automatic })).toEqual({ waitingSince: 4_000 });
    expect(endWait(waiting, { ...message, createdAt: 3_000 })).toEqual({ waitingSince: 4_000 });
    expect(endWait(waiting, { ...message, createdAt: 3_000, dueAt: 6_000 })).toEqual({ answered: { at: 6_000, afterMs: 2_000 } });
    expect(endWait(waiting, { ...message, sentBy: { via: 'api', userId: 7 } })).toEqual({
      answered: { at: 5_000, afterMs: 1_000, userId: 7 },
    });
    // a message that comes late, from before the answer, begins no wait
    const answered = { status: 'open', openedAt: 4_000, answered: { at: 5_000, afterMs: 1_000 } } as const;
    expect(beginWait(answered, { ...message, inbound: true, createdAt: 4_500 })).toEqual({ openedAt: 4_000 });
    expect(beginWait(answered, { ...message, inbound: true, createdAt: 6_000 })).toEqual({ openedAt: 4_000, waitingSince: 6_000 });
  });

  test('a closing is timed from what opened the conversation, ends the wait, and counts again after it was opened again', async () => {
    const company = await newCompany({ roles });
    for (let time = 1; time <= 2; time++) {
      await write(company, 3);
      testApp.clock.advance(40 * minuteMs);
      const [{ id } = { id: 0 }] = await conversations(company);
      await call(company, 'PUT', `/conversations/${id}`, { status: 'closed' }, 'admin');
      await testApp.drain();
      const { totals, users, hours } = await reportOfCompany(company);
      expect(totals).toMatchObject({ answered: 0, closed: time });
      expect(users).toMatchObject([{ user_id: company.users.admin, closed: time }]);
      expect(Math.abs((totals.median_close_seconds ?? 0) - 2_400)).toBeLessThan(480);
      expect(hours.reduce((sum, { waits }) => sum + waits, 0)).toBe(time);
    }
  });

  test('another company sees nothing of it, and a wrong range is named', async () => {
    const other = await newCompany({ roles });
    expect((await reportOfCompany(other)).totals).toMatchObject({ answered: 0, closed: 0 });
    for (const [query, field] of [
      ['?from=2026-02-30', 'from'],
      ['?from=2026-01-02&to=2026-01-01', 'to'],
      ['?from=2020-01-01', 'from'],
    ] as const) {
      const { status, body } = await testApp.call({
        method: 'GET',
        path: `/api/v1/conversations/report${query}`,
        token: other.tokens.viewer,
      });
      expect([status, Object.keys((body as { errors: object }).errors)], query).toEqual([422, [field]]);
    }
  });
});

describe('the figures of a day', () => {
  const id = { companyId: 1, day: '2026-11-21' };
  test('a median and what nine in ten are under are within a fifth of the true ones, for random waits', () => {
    const random = seeded(7);
    for (let run = 0; run < 50; run++) {
      const waits = Array.from({ length: 200 + Math.floor(random() * 800) }, () => 5_000 * Math.exp(random() * 9));
      let row: ReturnType<typeof withReported> | undefined;
      for (const wait of waits) row = withReported(row, id, { [`a1:${Math.floor(2 * Math.log2(wait / 1_000))}`]: 1 });
      const sorted = waits.toSorted((one, other) => one - other);
      const { totals } = reportOf([{ date: id.day, cells: row?.cells ?? {} }], 'UTC');
      for (const [share, shown] of [
        [0.5, totals.median_answer_seconds],
        [0.9, totals.slow_answer_seconds],
      ] as const) {
        const exact = (sorted[Math.floor(share * sorted.length)] ?? 0) / 1_000;
        expect(Math.abs((shown ?? 0) - exact) / exact, `run ${run}, ${share}`).toBeLessThan(0.2);
      }
    }
  });

  test('however many users answer, a part stays small, and every answer is counted', () => {
    let row: ReturnType<typeof withReported> | undefined;
    for (let user = 1; user <= 3_000; user++) row = withReported(row, id, { [`a${user}:${user % 54}`]: 1 });
    expect(JSON.stringify(row).length).toBeLessThan(10_000);
    expect(reportOf([{ date: id.day, cells: row?.cells ?? {} }], 'UTC').totals.answered).toBe(3_000);
  });

  test('hours are those of the zone of the company, also over midnight', () => {
    const report = reportOf([{ date: '2026-11-22', cells: { h23: 2, h0: 1 } }], 'Europe/Berlin');
    expect(report.hours).toEqual([
      { weekday: 1, hour: 0, waits: 2 },
      { weekday: 7, hour: 1, waits: 1 },
    ]);
  });
});
