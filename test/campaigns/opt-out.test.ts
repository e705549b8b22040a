import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setConsent } from '../../functions/contacts/service/consent.ts';
import { contactEntity } from '../../functions/contacts/store/contact.ts';
import type { TestCompany } from '../support/company.ts';
import { currentFunction } from '../support/crash-points.ts';
import { seeded, seedsFrom } from '../support/random.ts';
import { runSize } from '../support/run-size.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { type CampaignFixture, startFixture } from './fixture.ts';

let fixture: CampaignFixture;
let company: TestCompany;
beforeAll(async () => {
  fixture = await startFixture();
  company = await fixture.campaigner();
});
afterAll(() => fixture.stop());

const count = runSize(5, 200);

test(`an opt-out at any step between scheduling a campaign and its send is heeded, faults on the way or not (${count} seeds)`, {
  timeout: 60_000 + count * 8_000,
}, async () => {
  const outside = AsyncLocalStorage.snapshot();
  let heeded = 0;
  for (const seed of seedsFrom(1, count)) {
    const random = seeded(seed);
    const groupId = await fixture.group(company, `Opt-out ${seed}`);
    const [stopper, willing] = await fixture.people(company, 2, { group_id: groupId });
    if (!stopper || !willing) throw new Error('Two contacts were expected.');
    const send_time = new Date(fixture.testApp.clock.now() + 60_000).toISOString();
    const body = { name: `Opt-out ${seed}`, template_id: fixture.templateId(company, 'sale'), parammatch: { 1: 'name' } };
    const id = await fixture.create(company, { ...body, group_id: groupId, send_time });
    const [stopsAt, failsAt] = [Math.floor(random() * 120), Math.floor(random() * 40)];
    let failsLeft = random() < 0.5 ? 1 : 0;
    const contactKey = JSON.stringify(contactEntity.key({ companyId: company.id, id: stopper.id }));
    let [step, ofSends, isRead, isStopping, hasStopped, wasInTime] = [0, 0, false, false, false, false];
    const stop = async (): Promise<void> => {
      [isStopping, hasStopped] = [true, true];
      const at = fixture.testApp.clock.now();
      // as a request of its own, not with the permissions of the worker that it comes between
      await outside(() => setConsent(company.id, stopper.id, { subscribed: false, source: 'keyword', at, evidence: `stop ${seed}` }));
      // a read that is under way while it is written may have either
      [isStopping, wasInTime] = [false, !isRead];
    };
    {
      using _steps = fixture.testApp.onTable(async ({ input, when }) => {
        // those who send; what was read before, to choose the recipients, is read again by them
        const isOfSender = currentFunction()?.name === 'campaign-blocks';
        if (!isStopping && step++ === stopsAt) await stop();
        if (isOfSender && JSON.stringify(input).includes(contactKey)) isRead = true;
        if (isStopping || !isOfSender) return;
        if (when === 'before' && failsLeft > 0 && ofSends++ >= failsAt) {
          failsLeft--;
          throw tableError('ValidationException');
        }
      });
      await fixture.testApp.passTime(90);
    }
    if (!hasStopped) await stop();
    await fixture.testApp.passTime(240);
    // the check of a send whose result is not known
    await fixture.testApp.drain({ including: 'delayed' });
    const [toStopper, toWilling] = [(await fixture.ledger(stopper.phone)).length, (await fixture.ledger(willing.phone)).length];
    if (wasInTime) heeded++;
    expect([seed, toStopper], wasInTime ? 'stopped in time' : 'stopped late').toEqual([seed, wasInTime ? 0 : toStopper > 0 ? 1 : 0]);
    expect([seed, toWilling <= 1]).toEqual([seed, true]);
    const { status, statistics } = await fixture.details(company, id);
    expect([seed, status, statistics.scheduled, statistics.processing]).toEqual([seed, 'completed', 0, 0]);
  }
  expect(heeded).toBeGreaterThan(0);
  expect(heeded).toBeLessThan(count);
});
