import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { buildAudience } from '../../functions/campaigns/service/build-audience.ts';
import { sendBatch } from '../../functions/campaigns/service/send-batch.ts';
import { updateNumber } from '../../functions/account/service/numbers.ts';
import { providerPost, type TestCompany, unwrap } from '../support/company.ts';
import { isFullSize } from '../support/run-size.ts';
import { type CampaignFixture, startFixture } from './fixture.ts';
import { mendedBy } from '../support/mutation.ts';

/** The provider's updates of an account stop the campaigns that cannot succeed, and let them continue. */
let fixture: CampaignFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const seconds = (): number => Math.floor(fixture.testApp.clock.now() / 1_000);
const accountUpdate = async (company: TestCompany, value: Record<string, unknown>): Promise<void> => {
  const change = { field: 'account_update', value };
  const entry = [{ id: company.number.wabaId, time: seconds(), changes: [change] }];
  expect((await fixture.testApp.call(providerPost(company, { object: 'whatsapp_business_account', entry }))).status).toBe(200);
};
const restriction = (hours: number): Record<string, unknown> => ({
  event: 'ACCOUNT_RESTRICTION',
  restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: seconds() + hours * 3_600 }],
});
const published = (name: string, companyId: number): number =>
  fixture.testApp.events.filter((each) => JSON.stringify(each).includes(name) && JSON.stringify(each).includes(`${companyId}`)).length;
const numberIn = async (company: TestCompany): Promise<Record<string, unknown> | undefined> => {
  const me = await fixture.testApp.call({ method: 'GET', path: '/api/v1/me', token: company.tokens.owner });
  return z.object({ data: z.object({ numbers: z.array(z.looseObject({})) }) }).parse(me.body).data.numbers[0];
};

/** 5,000 recipients are created, sent to and reported in one process. */
const wholeCampaignMs = isFullSize() ? 1_800_000 : 180_000;

test(
  'a restriction amid a campaign pauses it, is published, and ends by its time with everyone written to once',
  async () => {
    // slow enough for the restriction to arrive amid it on a busy machine
    const rate = isFullSize() ? 400 : 3;
    const count = isFullSize() ? 5_000 : 120;
    // one for each of the first batches of a hundred
    const workers = isFullSize() ? [0, 1, 2] : [0, 1];
    const company = await fixture.campaigner(rate);
    const mine = new Set((await fixture.people(company, count)).map(({ phone }) => phone));
    const sent = async (): Promise<string[]> => (await fixture.ledger()).map(({ to }) => to).filter((to) => mine.has(to));
    const id = await fixture.create(company, { template_id: fixture.templateId(company, 'sale'), name: 'Sale', parammatch: { 1: 'name' } });
    await buildAudience(company.id, id);
    const working = Promise.all(
      workers.map((batch) =>
        sendBatch({ companyId: company.id, campaignId: id, runNumber: 1, batch, chainCount: workers.length }, `worker ${batch}`),
      ),
    );
    // of the batches that are being sent
    await expect.poll(async () => (await sent()).length, { interval: 20, timeout: 60_000 }).toBeGreaterThanOrEqual(Math.min(rate, 150));
    await accountUpdate(company, restriction(2));
    await fixture.testApp.drain();
    const answered = (await sent()).length;
    expect(await fixture.details(company, id)).toMatchObject({ status: 'paused', pause_reason: 'number_restricted' });
    await working;
    const held = (await sent()).length;
    // no more than go in two seconds
    expect(held - answered).toBeLessThanOrEqual(2 * rate);
    expect(held).toBeLessThan(count);
    expect(await numberIn(company)).toMatchObject({
      restrictions: [{ type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expires_at: expect.any(String) }],
    });
    expect([published('number.updated', company.id), published('campaign.paused', company.id)]).toEqual([1, 1]);

    // the rest at full pace: how fast it goes is shown above
    unwrap(await updateNumber(company.id, 1, { rate: 1_000 }));
    await fixture.testApp.passTime(3_600);
    expect((await sent()).length).toBe(held);
    fixture.testApp.clock.advance(3_600_000);
    await fixture.testApp.passTime(120);
    const all = await sent();
    expect([all.length, new Set(all).size]).toEqual([count, count]);
    expect(await fixture.details(company, id)).toMatchObject({ status: 'completed', statistics: { total: count } });
  },
  wholeCampaignMs,
);

test('who pauses a campaign that waits for the end of a restriction keeps it paused when that is over', async () => {
  const company = await fixture.campaigner();
  const people = await fixture.people(company, 3);
  const sent = async (): Promise<number> => (await fixture.ledger()).filter(({ to }) => people.some(({ phone }) => phone === to)).length;
  const id = await fixture.create(company, { template_id: fixture.templateId(company, 'sale'), name: 'Sale', parammatch: { 1: 'name' } });
  await accountUpdate(company, restriction(2));
  await fixture.testApp.passTime(120);
  expect(await fixture.details(company, id)).toMatchObject({ status: 'paused', pause_reason: 'number_restricted' });
  for (let nth = 0; nth < 2; nth++) expect((await fixture.api(company, 'PUT', `/${id}`, { is_active: false })).status).toBe(200);
  expect(await fixture.details(company, id)).toMatchObject({ status: 'paused', pause_reason: 'user' });
  fixture.testApp.clock.advance(2 * 3_600_000);
  await fixture.testApp.passTime(1_200);
  expect(await fixture.details(company, id)).toMatchObject({ status: 'paused', pause_reason: 'user' });
  expect(await sent()).toBe(0);
  await fixture.api(company, 'PUT', `/${id}`, { is_active: true });
  await fixture.testApp.passTime(60);
  expect(await sent()).toBe(3);
  await fixture.testApp.drain();
  expect(fixture.testApp.events.flatMap(({ name, detail }) => (name === 'campaign.paused' ? [detail] : []))).toEqual(
    expect.arrayContaining([expect.objectContaining({ data: expect.objectContaining({ campaign_id: id, reason: 'user' }) })]),
  );
});

describe('an account', () => {
  test('that was offboarded starts no campaign until it is connected again', async () => {
    const company = await fixture.campaigner();
    const [recipient] = await fixture.people(company, 1);
    await accountUpdate(company, { event: 'ACCOUNT_OFFBOARDED' });
    await fixture.testApp.drain();
    const body = { template_id: fixture.templateId(company, 'sale'), name: 'Sale', contact_id: recipient?.id, parammatch: { 1: 'name' } };
    const id = await fixture.create(company, body);
    await fixture.testApp.drain();
    expect(await fixture.details(company, id)).toMatchObject({ status: 'paused', pause_reason: 'number_restricted' });
    expect(await numberIn(company)).toMatchObject({ account_state: 'ACCOUNT_OFFBOARDED' });
    await accountUpdate(company, { event: 'ACCOUNT_RECONNECTED' });
    await fixture.testApp.drain();
    expect((await fixture.details(company, id)).status).toBe('completed');
    expect((await fixture.ledger()).filter(({ to }) => to === recipient?.phone)).toHaveLength(1);
  });
});

describe('a single recipient of a campaign that is over', () => {
  const hourMs = 3_600_000;
  const overWith = async (company: TestCompany): Promise<number> => {
    const [first] = await fixture.people(company, 1);
    const id = await fixture.create(company, { template_id: fixture.templateId(company, 'plain'), name: 'Order', contact_id: first?.id });
    await fixture.testApp.passTime(5);
    expect((await fixture.details(company, id)).status).toBe('completed');
    return id;
  };
  const sendTo = async (company: TestCompany, id: number, phone: string): Promise<void> => {
    const answer = await fixture.api(company, 'POST', '/send', { campaign_id: id, phone: `+${phone}` });
    expect(answer.body).toMatchObject({ data: { queue_state: 'scheduled' } });
  };
  const setTemplate = async (company: TestCompany, status: string): Promise<void> => {
    const templates = [
      { name: 'plain', language: 'en', category: 'UTILITY', status, components: [{ type: 'BODY', text: 'Hello there.' }] },
    ];
    await fixture.provider.control('PUT', '/_local/provider/templates', { waba_id: company.number.wabaId, notify: true, templates });
    await fixture.deliverAll();
  };

  mendedBy(
    'waits for the end of a restriction, and gets one message',
    {
      in: 'functions/campaigns/service/send-batch.ts',
      replace: "if (isPaused || (reason !== 'company_suspended' && (await failAfterWaiting(command, reason)))) return;",
      by: 'return;',
    },
    async () => {
      const company = await fixture.campaigner();
      const id = await overWith(company);
      await accountUpdate(company, restriction(2));
      await fixture.testApp.drain();
      const phone = '4915799100001';
      await sendTo(company, id, phone);
      await fixture.testApp.passTime(60);
      expect(await fixture.ledger(phone)).toEqual([]);
      fixture.testApp.clock.advance(2 * hourMs);
      await fixture.testApp.passTime(960);
      expect(await fixture.ledger(phone)).toHaveLength(1);
      expect((await fixture.counted(company, id)).open).toBe(0);
    },
  );

  test('waits for its template, and after a day says why it was not sent', async () => {
    const company = await fixture.campaigner();
    const id = await overWith(company);
    const [approved, never] = ['4915799100002', '4915799100003'];
    await sendTo(company, id, approved);
    await setTemplate(company, 'PAUSED');
    await fixture.testApp.passTime(60);
    expect(await fixture.ledger(approved)).toEqual([]);
    await setTemplate(company, 'APPROVED');
    await fixture.testApp.passTime(960);
    expect(await fixture.ledger(approved)).toHaveLength(1);

    await sendTo(company, id, never);
    await setTemplate(company, 'PAUSED');
    await fixture.testApp.passTime(60);
    fixture.testApp.clock.advance(24 * hourMs);
    await fixture.testApp.passTime(960);
    const { rows, open } = await fixture.counted(company, id);
    const row = rows.find(({ phone }) => phone === never);
    expect([row?.['status'], row?.['error'], open]).toEqual([5, expect.objectContaining({ code: 'template_paused' }), 0]);
    await setTemplate(company, 'APPROVED');
    await fixture.testApp.passTime(960);
    expect(await fixture.ledger(never)).toEqual([]);
  });
});
