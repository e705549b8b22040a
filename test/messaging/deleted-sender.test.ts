import { afterAll, beforeAll, expect, test } from 'vitest';
import { contactIdOf } from '../support/contact-id.ts';
import { inboundText, type TestCompany } from '../support/company.ts';
import { type Fixture, startFixture } from './fixture.ts';

/** A contact that someone deleted comes back when its customer writes again, and not when an old message is delivered again. */
let fixture: Fixture;
let company: TestCompany;
beforeAll(async () => {
  fixture = await startFixture();
  company = await fixture.company({ roles: ['owner'] });
});
afterAll(() => fixture.stop());

const from = '4915112345001';
/** A repetition has the time of the first. */
const receive = async (id: string, text: string, at: number): Promise<void> => {
  await fixture.testApp.call(inboundText(company, { from, id, text, at }));
  await fixture.testApp.drain();
};
const status = async (contactId: number): Promise<number> =>
  (await fixture.testApp.call({ method: 'GET', path: `/api/v1/contacts/${contactId}`, token: company.tokens.owner })).status;

test('a message that is delivered again leaves a deleted contact deleted; a new one brings it back', async () => {
  const { testApp } = fixture;
  const at = testApp.clock.now();
  await receive('wamid.first', 'Hello', at);
  const contactId = (await contactIdOf(company.id, { phone: from })) ?? 0;
  expect(await status(contactId)).toBe(200);
  await testApp.call({ method: 'DELETE', path: `/api/v1/contacts/${contactId}`, token: company.tokens.owner });
  await testApp.drain();
  expect(await status(contactId)).toBe(404);

  await receive('wamid.first', 'Hello', at);
  await testApp.redeliver(() => 0, 1);
  await testApp.drain();
  expect(await status(contactId)).toBe(404);

  await receive('wamid.second', 'Are you there?', testApp.clock.now());
  expect(await status(contactId)).toBe(200);
});
