import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { storedMessage } from '../../functions/messaging/contract/stored.ts';
import type { UsageRecord } from '../../functions/administration/contract/usage.ts';
import { messageFiguresOf } from '../../functions/messaging/contract/usage.ts';
import { usedByMessage } from '../../functions/messaging/domain/usage.ts';
import { daysOfRange, sumOfUsage, usageChanges, withUsage, withWhatIsGone } from '../../functions/usage/domain.ts';
import { usagePartEntity } from '../../functions/usage/store.ts';
import { recountCompany } from '../../functions/change-stream/service/recount.ts';
import { app } from '../../functions/app.ts';
import { newCompany, statusPost, type TestCompany } from '../support/company.ts';
import { recountAll } from '../support/fault-injection.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { seeded, shuffled } from '../support/random.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let testApp: TestApp;
let provider: ProviderStub;
beforeAll(async () => {
  provider = await startProviderStub();
  testApp = await startTestApp({ env: { PROVIDER_BASE_URL: provider.url }, shards: 3 });
});
afterAll(async () => {
  await testApp.stop();
  await provider.stop();
});

const usageOf = async ({ tokens }: TestCompany, query = ''): Promise<UsageRecord> => {
  const { status, body, raw } = await testApp.call({ method: 'GET', path: `/api/v1/usage${query}`, token: tokens.owner });
  if (status !== 200) throw new Error(raw);
  return (body as { data: UsageRecord }).data;
};
let phones = 0;
const send = async (company: TestCompany): Promise<{ id: string; biz_opaque_callback_data: string }> => {
  const phone = `+49151${String(++phones).padStart(7, '0')}`;
  const { body } = await testApp.call({
    method: 'POST',
    path: '/api/v1/messages/text',
    token: company.tokens.owner,
    body: { phone, message: 'Hello' },
  });
  await testApp.drain();
  const sent = provider.requests.findLast((request) => request.body['to'] === phone);
  const { message_wamid: id } = z.object({ data: z.object({ message_wamid: z.string() }) }).parse(body).data;
  return { id, biz_opaque_callback_data: String(sent?.body['biz_opaque_callback_data']) };
};
const priced = { pricing: { billable: true, category: 'utility', pricing_model: 'PMP' } };
const day = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

describe('GET /usage', () => {
  test('a company without messages has 30 days, up to today, of nothing', async () => {
    const usage = await usageOf(await newCompany({ roles: ['owner'] }));
    expect(usage.days).toHaveLength(30);
    expect(usage.to).toBe(day(testApp.clock.now()));
    expect(usage.days.every(({ messages, verifications }) => messages.length + verifications.length === 0)).toBe(true);
    expect(usage.totals).toEqual({ messages: [], verifications: [] });
  });

  test('counts each outcome once as the provider priced it, whatever the order and repetition of its statuses, for its company alone', async () => {
    const [company, other] = [await newCompany({ roles: ['owner'] }), await newCompany({ roles: ['owner'] })];
    const random = seeded(19);
    for (let nth = 0; nth < 6; nth++) {
      const sent = await send(company);
      const words = nth < 4 ? ['sent', 'delivered', 'read', 'sent', 'delivered'] : ['sent', 'failed', 'failed'];
      for (const status of shuffled(words, random)) {
        const errors = status === 'failed' ? { errors: [{ code: 131_026, title: 'Undeliverable' }] } : priced;
        await testApp.call(statusPost(company, { ...sent, status, ...errors }));
        if (random() < 0.5) await testApp.drain();
      }
      await testApp.drain();
    }
    const usage = await usageOf(company);
    const counts = usage.totals.messages.map(({ status, count }) => [status, count] as const);
    expect(Object.fromEntries(counts)).toEqual({ delivered: 4, failed: 2 });
    expect(usage.totals.messages.find(({ status }) => status === 'delivered')).toEqual({
      category: 'utility',
      status: 'delivered',
      billable: true,
      count: 4,
    });
    expect(usage.days.at(-1)).toEqual({ date: usage.to, ...usage.totals });
    expect((await usageOf(other)).totals.messages).toEqual([]);
    expect(await recountAll(testApp, new Set([company.id, other.id]))).toEqual([]);
  });

  test('a recount rebuilds the counts of a day that were lost or are wrong', async () => {
    const company = await newCompany({ roles: ['owner'] });
    for (let nth = 0; nth < 2; nth++) {
      await testApp.call(statusPost(company, { ...(await send(company)), status: 'delivered', ...priced }));
      await testApp.drain();
    }
    const right = await usageOf(company);
    const partition = usagePartEntity.key({ companyId: company.id, day: '', part: 0 }).pk;
    const options = {
      reactions: app.flatMap(({ reactions }) => reactions ?? []),
      recounts: app.flatMap(({ recounts }) => recounts ?? []),
      shouldWrite: true,
      untilBrought: () => Promise.resolve(),
    };
    for (const part of await usagePartEntity.collect({ pk: partition })) await usagePartEntity.change(part, { set: { cells: {} } });
    expect((await usageOf(company)).totals.messages).toEqual([]);
    expect((await recountCompany(company.id, options)).map(({ projection, outcome }) => [projection, outcome])).toEqual([
      ['usage-part', 'put right'],
    ]);
    expect(await usageOf(company)).toEqual(right);
    for (const part of await usagePartEntity.collect({ pk: partition })) await usagePartEntity.delete(part);
    await recountCompany(company.id, options);
    expect(await usageOf(company)).toEqual(right);
  });

  test.each([
    ['?from=2026-11-02&to=2026-11-01', 'to'],
    ['?from=2026-01-01&to=2026-11-01', 'from'],
    ['?from=2026-02-30', 'from'],
  ])('refuses the range %s and names the field', async (query, field) => {
    const { tokens } = await newCompany({ roles: ['viewer'] });
    const answer = await testApp.call({ method: 'GET', path: `/api/v1/usage${query}`, token: tokens.viewer });
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: { [field]: [expect.any(String)] } } });
  });
});

describe('the count of a day', () => {
  const midnight = Date.UTC(2026, 10, 21);
  const message = (more: object) =>
    storedMessage.parse({
      companyId: 1,
      contactId: 1,
      id: 1,
      inbound: false,
      type: 1,
      subtype: 'text',
      value: '',
      status: 3,
      createdAt: midnight,
      updatedAt: midnight,
      ...more,
    });

  test('begins at midnight UTC: the millisecond before is of the day before', () => {
    expect([-1, 0, 86_399_999, 86_400_000].map((ms) => usedByMessage(message({ claimedAt: midnight + ms }))?.day)).toEqual([
      '2026-11-20',
      '2026-11-21',
      '2026-11-21',
      '2026-11-22',
    ]);
    expect(daysOfRange({ from: '2026-11-21', to: '2026-11-21' }, midnight)).toEqual({ days: ['2026-11-21'] });
  });

  test('is the same in whichever parts its changes were counted, also where a price comes late and another day is meant', () => {
    const random = seeded(191);
    const id = { companyId: 1, day: '' };
    for (let run = 0; run < 50; run++) {
      const parts = new Map<string, ReturnType<typeof withUsage>[]>();
      let before: ReturnType<typeof usedByMessage>;
      const images = Array.from({ length: 6 }, () =>
        message({
          status: Math.floor(random() * 6),
          ...(random() < 0.5 ? {} : { pricing: { billable: random() < 0.5, category: random() < 0.5 ? 'UTILITY' : 'of_tomorrow' } }),
          claimedAt: midnight + (random() < 0.5 ? 0 : 86_400_000),
          ambiguous: random() < 0.2,
        }),
      );
      for (const image of images) {
        const after = usedByMessage(image);
        for (const change of usageChanges(before, after)) {
          const rows = parts.get(change.day) ?? [];
          const part = Math.floor(random() * 3);
          rows[part] = withUsage(rows[part], { ...id, day: change.day }, change.cells);
          parts.set(change.day, rows);
        }
        before = after;
      }
      for (const [of, rows] of parts)
        expect(sumOfUsage(rows.filter((row) => row !== undefined))).toEqual(before?.day === of ? before.cells : {});
    }
  });

  test.each([
    ['authentication-international', 'authentication_international'],
    ['marketing_lite', 'marketing_lite'],
    ['REFERRAL_CONVERSION', 'referral_conversion'],
    ['authentication', 'authentication'],
    ['utility', 'utility'],
    ['marketing', 'marketing'],
    ['service', 'service'],
  ])('a message that the provider prices as %s is counted as %s', (category, counted) => {
    const cells = usedByMessage(message({ pricing: { category, billable: true } }))?.cells ?? {};
    expect(messageFiguresOf(cells)).toEqual([{ category: counted, status: 'delivered', billable: true, count: 1 }]);
  });

  test('a category that the provider names tomorrow is other; a message on its way is not counted', () => {
    const cells = usedByMessage(message({ pricing: { category: 'of_tomorrow', billable: false } }))?.cells ?? {};
    expect(messageFiguresOf(cells)).toEqual([{ category: 'other', status: 'delivered', billable: false, count: 1 }]);
    expect([0, 1, 2, 6].map((status) => usedByMessage(message({ status })))).toEqual([undefined, undefined, undefined, undefined]);
    expect(usedByMessage(message({ inbound: true }))).toBeUndefined();
  });

  test('stays when its messages are erased', () => {
    expect(withWhatIsGone({ 'm/service/delivered/-': 1 }, { 'm/service/delivered/-': 3, 'v/email/verified': 1 })).toEqual({
      'm/service/delivered/-': 3,
      'v/email/verified': 1,
    });
  });
});
