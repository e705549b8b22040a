import { afterAll, describe, expect, test } from 'vitest';
import { previewOf, startFixture } from '../campaigns/fixture.ts';
import { seedsFrom } from '../support/random.ts';
import { firstSeed, runSize } from '../support/run-size.ts';
import { sharedAppRun, startSharedApp } from './shared-app-run.ts';

const count = runSize(2, 200);
const fixture = await startFixture({ env: { SWITCHBOARD_LOCAL: '1' } });
afterAll(() => fixture.stop());

describe('two companies under one app of the provider', () => {
  test(
    `in ${count} runs with doubled, late and mixed posts, each field that exists arrives at the company that it is about, at no other, and none is set aside`,
    async () => {
      let app = await startSharedApp(fixture);
      for (const [nth, seed] of seedsFrom(firstSeed, count).entries()) {
        // a run takes days, and the tokens of companies end
        if (nth % 10 === 9) app = await startSharedApp(fixture);
        expect(await sharedAppRun(fixture, app, seed)).toEqual([]);
      }
    },
    60_000 + count * 20_000,
  );

  test('a stop of marketing at the provider excludes the person from a campaign of the second company within five seconds, and from none of the first', async () => {
    const { both } = await startSharedApp(fixture);
    const [first, second] = both;
    if (!first || !second) throw new Error('There are not two companies.');
    const phone = '4915799000001';
    for (const company of both) {
      await fixture.testApp.call({
        method: 'POST',
        path: '/api/v1/contacts/bulk-sync',
        token: company.tokens.member,
        body: { contacts: [{ phone: `+${phone}`, name: 'Ana' }] },
      });
    }
    await fixture.deliverAll();
    const stoppedAt = fixture.testApp.clock.now();
    await fixture.inbound({ company_id: second.id, from: phone, type: 'marketing_stop' });
    await fixture.deliverAll();
    const sale = (company: typeof first) => ({ template_id: fixture.templateId(company, 'sale'), paramvalues: { 1: 'friend' } });
    const preview = previewOf(await fixture.api(second, 'POST', '/audience-preview', sale(second)));
    expect(preview).toMatchObject({ eligible_contacts: 0, excluded: { marketing_blocked: 1 } });
    expect(fixture.testApp.clock.now() - stoppedAt).toBeLessThan(5_000);
    for (const company of both) await fixture.create(company, { ...sale(company), name: 'Sale' });
    await fixture.testApp.drain();
    const senders = (await fixture.ledger(phone)).map((message) => message['phone_number_id']);
    expect(senders).toEqual([first.number.phoneNumberId]);
  });
});
