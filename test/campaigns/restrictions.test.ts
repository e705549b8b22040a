import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { buildAudience } from '../../functions/campaigns/service/build-audience.ts';
import { sendBatch } from '../../functions/campaigns/service/send-batch.ts';
import { updateNumber } from '../../functions/account/service/numbers.ts';
import { providerPost, type TestCompany, unwrap } from '../support/company.ts';
import { isFullSize } from '../support/run-size.ts';
import { type CampaignFixture, startFixture } from './fixture.ts';

/** The provider's updates of an account stop the campaigns that cannot succeed, and let them continue. */
let stage: CampaignFixture;
beforeAll(async () => {
  stage = await startFixture();
});
afterAll(() => stage.stop());

const seconds = (): number => Math.floor(stage.world.clock.now() / 1_000);
const accountUpdate = async (company: TestCompany, value: Record<string, unknown>): Promise<void> => {
  const change = { field: 'account_update', value };
  const entry = [{ id: company.number.wabaId, time: seconds(), changes: [change] }];
  expect((await stage.world.call(providerPost(company, { object: 'whatsapp_business_account', entry }))).status).toBe(200);
};
const restriction = (hours: number): Record<string, unknown> => ({
  event: 'ACCOUNT_RESTRICTION',
  restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: seconds() + hours * 3_600 }],
});
const published = (name: string, companyId: number): number =>
  stage.world.events.filter((each) => JSON.stringify(each).includes(name) && JSON.stringify(each).includes(`${companyId}`)).length;
const numberIn = async (company: TestCompany): Promise<Record<string, unknown> | undefined> => {
  const me = await stage.world.call({ method: 'GET', path: '/api/v1/me', token: company.tokens.owner });
  return z.object({ data: z.object({ numbers: z.array(z.looseObject({})) }) }).parse(me.body).data.numbers[0];
};

/** 5,000 recipients are created, sent to and reported in one process. */
const wholeCampaignMs = isFullSize() ? 1_800_000 : 180_000;

test(
  'a restriction amid a campaign pauses it, is published, and ends by its time with everyone written to once',
  async () => {
    // slow enough for the restriction to arrive amid it on a busy machine
    const rate = isFullSize() ? 400 : 6;
    const count = isFullSize() ? 5_000 : 120;
    // one for each of the first batches of a hundred
    const workers = isFullSize() ? [0, 1, 2] : [0, 1];
    const company = await stage.campaigner(rate);
    const mine = new Set((await stage.people(company, count)).map(({ phone }) => phone));
    const sent = async (): Promise<string[]> => (await stage.ledger()).map(({ to }) => to).filter((to) => mine.has(to));
    const id = await stage.create(company, { template_id: stage.templateId(company, 'sale'), name: 'Sale', parammatch: { 1: 'name' } });
    await buildAudience(company.id, id);
    const working = Promise.all(
      workers.map((batch) =>
        sendBatch({ companyId: company.id, campaignId: id, runNumber: 1, batch, chainCount: workers.length }, `worker ${batch}`),
      ),
    );
    // of the batches that are being sent
    await expect.poll(async () => (await sent()).length, { interval: 20, timeout: 60_000 }).toBeGreaterThanOrEqual(Math.min(rate, 150));
    await accountUpdate(company, restriction(2));
    await stage.world.drain();
    const answered = (await sent()).length;
    expect(await stage.details(company, id)).toMatchObject({ status: 'paused', pause_reason: 'number_restricted' });
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
    await stage.world.passTime(3_600);
    expect((await sent()).length).toBe(held);
    stage.world.clock.advance(3_600_000);
    await stage.world.passTime(120);
    const all = await sent();
    expect([all.length, new Set(all).size]).toEqual([count, count]);
    expect(await stage.details(company, id)).toMatchObject({ status: 'completed', statistics: { total: count } });
  },
  wholeCampaignMs,
);

describe('an account', () => {
  test('that was offboarded starts no campaign until it is connected again', async () => {
    const company = await stage.campaigner();
    const [recipient] = await stage.people(company, 1);
    await accountUpdate(company, { event: 'ACCOUNT_OFFBOARDED' });
    await stage.world.drain();
    const body = { template_id: stage.templateId(company, 'sale'), name: 'Sale', contact_id: recipient?.id, parammatch: { 1: 'name' } };
    const id = await stage.create(company, body);
    await stage.world.drain();
    expect(await stage.details(company, id)).toMatchObject({ status: 'paused', pause_reason: 'number_restricted' });
    expect(await numberIn(company)).toMatchObject({ account_state: 'ACCOUNT_OFFBOARDED' });
    await accountUpdate(company, { event: 'ACCOUNT_RECONNECTED' });
    await stage.world.drain();
    expect((await stage.details(company, id)).status).toBe('completed');
    expect((await stage.ledger()).filter(({ to }) => to === recipient?.phone)).toHaveLength(1);
  });
});
