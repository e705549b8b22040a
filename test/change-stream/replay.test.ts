import { afterAll, beforeAll, expect } from 'vitest';
import * as z from 'zod';
import { app } from '../../functions/app.ts';
import { recountCompany } from '../../functions/change-stream/service/recount.ts';
import { replayChanges } from '../../functions/change-stream/service/replay-changes.ts';
import { listSetAsideChanges } from '../../functions/change-stream/service/set-aside.ts';
import { type CampaignFixture, type Contact, startFixture } from '../campaigns/fixture.ts';
import { inboundText, type TestCompany } from '../support/company.ts';
import { mendedBy } from '../support/mutation.ts';

let fixture: CampaignFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const reactions = app.flatMap((context) => context.reactions ?? []);
const recounts = app.flatMap((context) => context.recounts ?? []);

const isSubscribed = async ({ tokens }: TestCompany, { id }: Contact): Promise<boolean> => {
  const answer = await fixture.testApp.call({ method: 'GET', path: `/api/v1/contacts/${id}`, token: tokens.owner });
  return z.object({ data: z.object({ subscribed: z.boolean() }) }).parse(answer.body).data.subscribed;
};
const sentTo = async ({ phone }: Contact): Promise<number> => (await fixture.ledger()).filter(({ to }) => to === phone).length;
const receivedIn = async ({ id: companyId }: TestCompany): Promise<number> =>
  (await fixture.testApp.dump({ kind: 'events', companyId }))
    .flatMap((item) => item['events'] as { type: string }[])
    .filter(({ type }) => type === 'message.received').length;

mendedBy(
  'what a day without the consumer lost is done from the items themselves, once, however often that is requested',
  { in: 'functions/change-stream/service/replay-changes.ts', replace: 'created: deliveryParts,', by: 'created: [],' },
  async () => {
    const { testApp } = fixture;
    const company = await fixture.campaigner();
    const [stopped, known, ...people] = await fixture.people(company, 6);
    if (!stopped || !known) throw new Error('There are no contacts.');
    await testApp.call(inboundText(company, { from: known.phone, text: 'Before' }));
    await testApp.drain();
    const campaign = { template_id: fixture.templateId(company, 'plain'), name: 'Lost' };
    expect(await receivedIn(company)).toBe(1);

    // the consumer stops: queues and schedules go on, and a day later the stream has forgotten
    testApp.clock.advance(60_000);
    const sinceMs = testApp.clock.now();
    await testApp.call(inboundText(company, { from: stopped.phone, text: 'STOP' }));
    await testApp.drain({ only: 'queues' });
    const campaignId = await fixture.create(company, campaign);
    await testApp.drain({ only: 'queues' });
    const untilMs = testApp.clock.now();
    testApp.clock.advance(25 * 3_600_000);
    testApp.forgetChanges();
    await testApp.drain({ including: 'delayed' });
    expect([await isSubscribed(company, stopped), await sentTo(stopped), await receivedIn(company)]).toEqual([true, 0, 1]);
    expect((await fixture.details(company, campaignId)).status).toBe('queued');

    for (let times = 0; times < 2; times++) {
      const { created, known: before } = await replayChanges({ sinceMs, untilMs }, { companyId: company.id, reactions });
      expect(created).toBeGreaterThan(1);
      expect(before).toBe(times === 0 ? 0 : created);
      await testApp.drain({ including: 'delayed' });
      await fixture.deliverAll();
      const options = { reactions, recounts, untilBrought: () => Promise.resolve() };
      await recountCompany(company.id, { ...options, shouldWrite: true });
      await testApp.drain({ including: 'delayed' });

      // the answer to the stop alone
      expect([await isSubscribed(company, stopped), await sentTo(stopped), await receivedIn(company)]).toEqual([false, 1, 2]);
      expect(await Promise.all([known, ...people].map(sentTo))).toEqual([known, ...people].map(() => 1));
      expect(await recountCompany(company.id, { ...options, shouldWrite: false })).toEqual([]);
      expect(await listSetAsideChanges()).toEqual([]);
    }
    expect(await fixture.details(company, campaignId)).toMatchObject({ status: 'completed' });
  },
);
