import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { setConsent } from '../../functions/contacts/service/consent.ts';
import { updateNumber } from '../../functions/account/service/numbers.ts';
import { buildAudience } from '../../functions/campaigns/service/build-audience.ts';
import { achievedPace, etaSeconds } from '../../functions/campaigns/domain/pace.ts';
import { emptyStats } from '../../functions/campaigns/domain/stats.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { eraseContact } from '../../functions/erasures/service/erasures.ts';
import { recountAll } from '../support/fault-injection.ts';
import { onFetch } from '../support/fetch-hook.ts';
import { seeded } from '../support/random.ts';
import { runSize } from '../support/run-size.ts';
import { statusPost, type TestCompany, unwrap } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { type CampaignFixture, type Contact, previewOf, refusal, startFixture } from './fixture.ts';
import { mendedBy } from '../support/mutation.ts';

let fixture: CampaignFixture;
let company: TestCompany;

beforeAll(async () => {
  fixture = await startFixture();
  company = await fixture.campaigner();
});
afterAll(() => fixture.stop());

const seeds = Array.from({ length: runSize(50, 1_000) }, (_, index) => index + 1);
const sale = (of = company) => ({ template_id: fixture.templateId(of, 'sale'), name: 'Sale', parammatch: { 1: 'name' } });
const inHours = (hours: number): string => new Date(fixture.testApp.clock.now() + hours * 3_600_000).toISOString();
const sent = z.object({ data: z.looseObject({ message_id: z.int(), contact_id: z.int(), queue_state: z.string() }) });
const send = (of: TestCompany, body: Record<string, unknown>): Promise<Answer> => fixture.api(of, 'POST', '/send', body);

describe('a preview', () => {
  test('shows the first contacts that would get the campaign, and none that would not', async () => {
    const own = await fixture.campaigner();
    const people = await fixture.people(own, 25);
    await optOut(own, people[24]);
    const { recipients, eligible_contacts } = previewOf(
      await fixture.api(own, 'POST', '/audience-preview', { template_id: fixture.templateId(own, 'sale') }),
    );
    const newestFirst = people.slice(4, 24).toReversed();
    expect(eligible_contacts).toBe(24);
    expect(recipients.map(({ contact_id, phone }) => ({ id: contact_id, phone }))).toEqual(newestFirst);
    expect(recipients[0]?.name).toMatch(/^Person /);
  });
});

describe('the expected end', () => {
  test('comes true within a quarter from a tenth of the recipients on, whatever the pace, and with a pause between', () => {
    for (const seed of seeds) {
      const random = seeded(seed);
      const [pace, total] = [1 + random() * 300, 500 + Math.floor(random() * 50_000)];
      const [startMs, pauseMs] = [1_700_000_000_000, random() * 3_600_000];
      const halfMs = ((total / 2) * 1_000) / pace;
      const endMs = startMs + halfMs * 2 + pauseMs;
      const sendingMs = Math.round(halfMs);
      // at half it pauses: what was sent until a time, and when the latest of it was
      const sentAt = (ms: number): number => startMs + ms + (ms > halfMs ? pauseMs : 0);
      for (const share of [0.1, 0.3, 0.49, 0.6, 0.9]) {
        const counted = Math.floor(total * share);
        if (counted < 50 || (counted * 1_000) / pace < 3_000) continue;
        const latest = Math.round(sentAt((counted * 1_000) / pace));
        const run = share > 0.5 ? { sendingSince: Math.round(startMs + halfMs + pauseMs), sendingMs } : { sendingSince: startMs };
        const stats = { ...emptyStats(1, 1), audience: total, sent: counted, lastSentAt: latest };
        const seconds = etaSeconds(total - counted, 1_000, achievedPace(run, stats));
        const left = endMs - latest - (share > 0.5 ? 0 : pauseMs);
        expect(Math.abs(seconds * 1_000 - left), `seed ${seed}, ${share}`).toBeLessThanOrEqual(0.25 * left + 1_000);
      }
    }
  });

  test('is by the sends alone: the seconds until the first of them slow no pace', () => {
    const startMs = 1_700_000_000_000;
    const stats = { ...emptyStats(1, 1), audience: 500, sent: 100, firstSentAt: startMs + 3_000, lastSentAt: startMs + 7_000 };
    expect(achievedPace({ sendingSince: startMs }, stats)).toBe(25);
    // what was sent before a pause or a retry is in sendingMs
    expect(achievedPace({ sendingSince: startMs + 5_000, sendingMs: 2_000 }, stats)).toBe(25);
  });

  test('is what the number achieved the time before, where that is less than its rate, and until the rate changes', async () => {
    const own = await fixture.campaigner(1_000);
    await fixture.people(own, 60);
    const preview = async () =>
      previewOf(await fixture.api(own, 'POST', '/audience-preview', { template_id: fixture.templateId(own, 'sale') })).eta_seconds;
    expect(await preview()).toBe(1);
    const id = await fixture.create(own, sale(own));
    await buildAudience(own.id, id);
    {
      using _slow = onFetch(async (address, call) => {
        const answer = await call();
        if (address.startsWith(fixture.provider.url) && address.endsWith('/messages')) fixture.testApp.clock.advance(600);
        return answer;
      });
      await fixture.testApp.drain();
    }
    expect(await fixture.details(own, id)).toMatchObject({ eta: null, statistics: { total: 60, scheduled: 0 } });
    const [took, expected] = [Math.max(...(await sentTimes(own, id))) / 1_000, await preview()];
    const [{ sendingSince } = {}] = await fixture.testApp.dump({ kind: 'campaign', companyId: own.id, id });
    expect(Math.abs(expected - (took - Number(sendingSince) / 1_000))).toBeLessThanOrEqual(0.25 * expected);
    expect(expected).toBeGreaterThanOrEqual(30);
    unwrap(await updateNumber(own.id, 1, { rate: 500 }));
    expect(await preview()).toBe(1);
  });
});

test('messages whose outcome is not known are among the failures, with what to do', async () => {
  const own = await fixture.campaigner();
  await fixture.people(own, 3);
  await fixture.faults({ reset: 1, hold_statuses: true });
  const id = await fixture.create(own, sale(own));
  await fixture.testApp.drain();
  await fixture.faults({ hold_statuses: true });
  await fixture.testApp.passTime(180);
  expect(await fixture.details(own, id)).toMatchObject({
    statistics: { failed: 0, ambiguous: 3 },
    rates: { failure: 1 },
    failures: [{ code: 'ambiguous_send', count: 3, retryable: false, fix: expect.stringContaining('not sent again') }],
  });
  await fixture.faults({});
});

describe('the results as CSV', () => {
  test('are each recipient once, in pages that append to one file, with the reason of those left out and no formula', async () => {
    const own = await fixture.campaigner();
    const people = await fixture.people(own, 25);
    const id = await fixture.create(own, sale(own));
    await fixture.testApp.passTime(60);
    await fixture.deliverAll();
    const pages: string[] = [];
    for (let next: string | undefined = `/${id}/messages.csv?limit=10`; next !== undefined; ) {
      const answer: Answer = await fixture.api(own, 'GET', next);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
      pages.push(answer.raw);
      next = /<[^>]*\/api\/v1\/campaigns([^>]*)>; rel="next"/.exec(answer.headers['link'] ?? '')?.[1];
    }
    const [names, ...lines] = pages.join('').trimEnd().split('\r\n');
    expect(pages.map((page) => page.split('\r\n').length - 1)).toEqual([11, 10, 5]);
    expect(names).toBe('contact_id,phone,status,message_id,sent_at,delivered_at,read_at,failed_at,error_code,error,retryable');
    expect(new Set(lines.map((line) => line.split(',')[1]))).toEqual(new Set(people.map(({ phone }) => phone)));
    expect((await fixture.api(own, 'GET', `/${id}/messages.csv?status=failed`)).raw).toBe(`${names}\r\n`);
    expect(refusal(await fixture.api(own, 'GET', `/${id}/messages.csv?cursor=made-up`))).toEqual([400, 'invalid_cursor']);
    expect((await fixture.api(company, 'GET', `/${id}/messages.csv`)).status).toBe(404);
  });
});

describe('a test', () => {
  test('goes to one phone or contact while the campaign waits, and is no recipient of it', async () => {
    const own = await fixture.campaigner();
    const [tester] = await fixture.people(own, 1);
    const id = await fixture.create(own, { ...sale(own), send_time: inHours(1) });
    const tests = [
      await send(own, { campaign_id: id, phone: `+${tester?.phone}`, is_test: true }),
      await send(own, { campaign_id: id, contact_id: tester?.id, is_test: true }),
    ];
    expect(tests.map((answer) => sent.parse(answer.body).data)).toMatchObject([
      { contact_id: tester?.id, queue_state: 'scheduled' },
      { contact_id: tester?.id, queue_state: 'scheduled' },
    ]);
    await fixture.testApp.passTime(5);
    expect(await fixture.ledger(tester?.phone)).toHaveLength(2);
    expect(await fixture.details(own, id)).toMatchObject({ status: 'scheduled', statistics: { total: 0 }, funnel: { accepted: 0 } });
    await fixture.testApp.passTime(3_700);
    expect(await fixture.details(own, id)).toMatchObject({ status: 'completed', audience_count: 1, statistics: { total: 1 } });
    expect(await fixture.ledger(tester?.phone)).toHaveLength(3);
  });

  test('is refused for who opted out, for an unknown contact, and for both or neither of phone and contact', async () => {
    const own = await fixture.campaigner();
    const [tester] = await fixture.people(own, 1);
    const id = await fixture.create(own, { ...sale(own), send_time: inHours(1) });
    const test = (more: Record<string, unknown>) => send(own, { campaign_id: id, is_test: true, ...more }).then(refusal);
    expect(await test({})).toEqual([422, 'validation_failed', 'phone']);
    expect(await test({ contact_id: 1, phone: '+4915600000001' })).toEqual([422, 'validation_failed', 'contact_id']);
    expect(await test({ contact_id: 9_999 })).toEqual([422, 'validation_failed', 'contact_id']);
    await optOut(own, tester);
    expect((await test({ contact_id: tester?.id })).slice(0, 2)).toEqual([422, 'recipient_opted_out']);
    await fixture.testApp.passTime(5);
    expect(await fixture.ledger(tester?.phone)).toEqual([]);
  });
});

async function optOut(of: TestCompany, contact: Contact | undefined): Promise<void> {
  const at = fixture.testApp.clock.now();
  await setConsent(of.id, contact?.id ?? 0, { subscribed: false, source: 'keyword', at, evidence: `test ${at}` });
  await fixture.testApp.drain();
}

async function sentTimes(of: TestCompany, id: number): Promise<number[]> {
  const rows = await fixture.testApp.dump({ kind: 'message', companyId: of.id });
  return rows.flatMap(({ campaign, sentAt }) => ((campaign as { id?: number } | undefined)?.id === id ? [Number(sentAt)] : []));
}

describe('a recipient whose result is late or never comes', () => {
  const single = async (own: TestCompany): Promise<{ id: number; recipient: Contact }> => {
    const [recipient] = await fixture.people(own, 1);
    if (!recipient) throw new Error('There is no recipient.');
    return { id: await fixture.create(own, { ...sale(own), contact_id: recipient.id }), recipient };
  };

  mendedBy(
    'has its message as sent where `sent` is all that comes, and its result could not be written',
    {
      in: 'functions/campaigns/service/send-to-recipients.ts',
      replace: "hasUnknownResult: hasUnknownResult || results.some(({ outcome }) => outcome === 'unknown'),",
      by: 'hasUnknownResult,',
    },
    async () => {
      const own = await fixture.campaigner();
      await fixture.faults({ hold_statuses: true });
      const { id, recipient } = await single(own);
      let refused = 0;
      const results = fixture.testApp.onTable(({ command, input, when }) => {
        if (when !== 'before' || command === 'TransactWriteItems' || !JSON.stringify(input).includes('wamid.')) return;
        refused++;
        throw tableError('ProvisionedThroughputExceededException');
      });
      await fixture.testApp.drain();
      results[Symbol.dispose]();
      const [accepted] = await fixture.ledger(recipient.phone);
      const reference = accepted?.reference;
      expect([refused > 0, typeof reference]).toEqual([true, 'string']);
      await fixture.testApp.call(
        statusPost(own, {
          id: String(accepted?.wamid),
          status: 'sent',
          recipient_id: recipient.phone,
          biz_opaque_callback_data: String(reference),
        }),
      );
      await fixture.testApp.passTime(300);
      await fixture.faults({});
      expect((await fixture.counted(own, id)).byRows).toMatchObject({ sent: 1, ambiguous: 0 });
      expect((await fixture.details(own, id)).status).toBe('completed');
    },
  );

  for (const state of ['processing', 'deferred'] as const)
    mendedBy(
      `lets its campaign end when it is erased while its message is ${state}`,
      {
        in: 'functions/campaigns/reactions.ts',
        replace: 'after ? applyMessageChange(stats, before, after) : removeOpenMessage(stats, message),',
        by: 'after ? applyMessageChange(stats, before, after) : stats,',
      },
      async () => {
        const own = await fixture.campaigner();
        await fixture.faults(state === 'deferred' ? { throttle: 1 } : { reset: 1, hold_statuses: true });
        const { id, recipient } = await single(own);
        await fixture.testApp.drain();
        expect((await fixture.counted(own, id)).rows.map(({ status }) => status)).toEqual([state === 'deferred' ? 0 : 6]);
        unwrap(await eraseContact(own.id, recipient.id, { cause: 'request' }));
        await fixture.testApp.drain();
        await fixture.faults({});
        await fixture.testApp.passTime(300);
        const { rows, open, stats } = await fixture.counted(own, id);
        expect([rows.length, open, stats.processing, (await fixture.details(own, id)).status]).toEqual([0, 0, 0, 'completed']);
      },
    );

  mendedBy(
    'whose message failed is among the failures no more once it is erased: a recount says the same, and no retry finds it',
    {
      in: 'functions/campaigns/reactions.ts',
      replace: 'hasFailed(before) === hasFailed(after) ?',
      by: 'hasFailed(before) === hasFailed(after) || !after ?',
    },
    async () => {
      const own = await fixture.campaigner();
      await fixture.faults({ hold_statuses: true });
      const { id, recipient } = await single(own);
      await fixture.testApp.drain();
      const [accepted] = await fixture.ledger(recipient.phone);
      const errors = [{ code: 131026, title: 'Message undeliverable' }];
      await fixture.testApp.call(statusPost(own, { id: String(accepted?.wamid), status: 'failed', recipient_id: recipient.phone, errors }));
      await fixture.testApp.passTime(10);
      const listed = async (): Promise<unknown[]> =>
        (await fixture.testApp.dump({ kind: 'campaign-failures', companyId: own.id })).map(({ contactIds }) => contactIds);
      expect(await listed()).toEqual([[recipient.id]]);
      unwrap(await eraseContact(own.id, recipient.id, { cause: 'request' }));
      await fixture.testApp.passTime(10);
      expect(await listed()).toEqual([[]]);
      expect(await recountAll(fixture.testApp, new Set([own.id]))).toEqual([]);
      expect((await fixture.api(own, 'POST', `/${id}/retry`, {})).body).toMatchObject({ data: { retried: 0 } });
    },
  );
});
