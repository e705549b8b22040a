import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { dayMs } from '../../shared/runtime/clock.ts';
import { inboundText, newCompany, type TestCompany } from '../support/company.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** How long a company keeps messages is its own setting; what is older ends, and nothing else does. */
let testApp: TestApp;
let provider: ProviderStub;
beforeAll(async () => {
  provider = await startProviderStub();
  testApp = await startTestApp({ env: { PROVIDER_BASE_URL: provider.url } });
});
afterAll(async () => {
  await testApp.stop();
  await provider.stop();
});

const listed = z.object({ data: z.array(z.looseObject({ id: z.int() })) });
const call = (company: TestCompany, method: string, path: string, body?: unknown) =>
  testApp.call({ method, path: `/api/v1${path}`, token: company.tokens.owner, ...(body === undefined ? {} : { body }) });
const write = async (company: TestCompany, from: string, text: string): Promise<void> => {
  expect((await testApp.call(inboundText(company, { from, text, at: testApp.clock.now() }))).status).toBe(200);
  await testApp.drain();
};
const store = async (company: TestCompany, retention_days: number | null): Promise<void> => {
  const answer = await call(company, 'PUT', '/company', { settings: { retention_days } });
  expect([answer.status, answer.body]).toMatchObject([200, { data: { settings: { retention_days } } }]);
  await testApp.drain();
};
const texts = async (company: TestCompany): Promise<unknown[]> =>
  (await testApp.dump({ kind: 'message' }))
    .filter(({ pk }) => String(pk).startsWith(`C#${company.id}#`))
    .map((each) => each['text'] ?? each['body']);
const conversations = async (company: TestCompany): Promise<number> =>
  listed.parse((await call(company, 'GET', '/conversations')).body).data.length;
const contacts = async (company: TestCompany): Promise<number> => listed.parse((await call(company, 'GET', '/contacts')).body).data.length;

const [ada, bo, eve] = ['4915120000001', '4915120000002', '4915120000003'] as const;

test('messages older than a company keeps them are deleted, with conversations that have no other; contacts, newer and scheduled ones stay', async () => {
  const [company, other] = [await newCompany(), await newCompany()];
  for (const each of [company, other]) await write(each, ada, 'long ago');
  await write(company, bo, 'long ago, too');
  await write(company, eve, 'asks for a call');
  const later = { scheduled_at: new Date(testApp.clock.now() + 29 * dayMs).toISOString() };
  const scheduled = await call(company, 'POST', '/messages/text', { phone: eve, message: 'We call', ...later });
  expect(scheduled.status, scheduled.raw).toBe(200);
  // the second day after the thirtieth begins; what is scheduled comes due on the way
  testApp.clock.advance(28 * dayMs);
  await write(company, bo, 'lately');
  testApp.clock.advance(3 * dayMs - 10_000);
  expect([(await texts(company)).length, await conversations(company)]).toEqual([5, 3]);

  await store(company, 30);
  const left = JSON.stringify(await testApp.dump({ kind: 'message' }));
  // of the third conversation the newest message stays with the one that waits
  expect((await texts(company)).length).toBe(3);
  expect(left).toContain('lately');
  expect(left).toContain('We call');
  expect(left).not.toContain('long ago, too');
  expect([await conversations(company), await contacts(company)]).toEqual([2, 3]);
  expect([(await texts(other)).length, await conversations(other)]).toEqual([1, 1]);

  // each day from then on, by itself
  await testApp.passTime(60);
  testApp.clock.advance(5 * dayMs);
  await write(company, ada, 'back again');
  expect(await conversations(company)).toBe(3);
  testApp.clock.advance(27 * dayMs);
  await testApp.passTime(120);
  expect(JSON.stringify(await testApp.dump({ kind: 'message' }))).not.toContain('lately');
  expect(JSON.stringify(await testApp.dump({ kind: 'message' }))).toContain('back again');

  await store(other, 3_650);
  // kept again: nothing more goes, and nothing is due
  await store(company, null);
  expect((await testApp.dump({ kind: 'retention' })).filter(({ pk }) => pk === `C#${company.id}`)).toEqual([]);
  testApp.clock.advance(60 * dayMs);
  await testApp.passTime(120);
  expect(JSON.stringify(await testApp.dump({ kind: 'message' }))).toContain('back again');
});

test.each([29, 3_651, 1.5, 'year'])('a retention of %j is refused by name', async (retention_days) => {
  const answer = await call(await newCompany(), 'PUT', '/company', { settings: { retention_days } });
  expect([answer.status, answer.raw]).toEqual([422, expect.stringContaining('settings.retention_days')]);
});
