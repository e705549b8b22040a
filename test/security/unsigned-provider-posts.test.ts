import { afterAll, beforeAll, expect, test } from 'vitest';
import { attack } from '../support/attack.ts';
import { inboundText, newCompany, providerEnvelope, providerPost, type TestCompany } from '../support/company.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Where no number of a company has an app secret, anyone with the address can post what the provider would. */
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

const [victim, thief] = ['4915100000011', '4915100000022'];
const listOf = async (company: TestCompany, path: string): Promise<Record<string, unknown>[]> =>
  ((await testApp.call({ method: 'GET', path: `/api/v1${path}`, token: company.tokens.owner })).body as { data: Record<string, unknown>[] })
    .data;
const seconds = () => String(Math.floor(testApp.clock.now() / 1_000));
const withoutRecords = {
  in: 'functions/messaging/service/apply-update.ts',
  replace: 'update.is_unsigned && changesRecords(update.update)',
  by: 'false',
};

attack(
  'an unsigned post of the provider moves no customer, changes no consent and no earlier message, and is archived',
  [
    withoutRecords,
    { in: 'functions/messaging/service/receive-message.ts', replace: ' && !update.is_unsigned', by: '' },
    {
      in: 'functions/messaging/service/receive-message.ts',
      replace: 'isUnsigned && phone !== undefined ?',
      by: 'isUnsigned && phone === undefined ?',
    },
    {
      in: 'functions/messaging/service/queue-updates.ts',
      replace: "update.kind === 'status' && !is_unsigned ?",
      by: "update.kind === 'status' ?",
    },
  ],
  async () => {
    const company = await newCompany({ appSecret: null });
    const post = async (value: Record<string, unknown>) => {
      expect((await testApp.call(providerPost(company, providerEnvelope(company, value)))).status).toBe(200);
      await testApp.drain();
    };
    const token = company.tokens.owner;
    await testApp.call(inboundText(company, { from: victim, text: 'Hello', id: 'wamid.first', at: testApp.clock.now() }));
    await testApp.drain();
    const sent = await testApp.call({ method: 'POST', path: '/api/v1/messages/text', token, body: { phone: victim, message: 'Hi' } });
    expect(sent.status, sent.raw).toBe(200);
    await testApp.drain();
    const shown = async () => [
      (await listOf(company, '/contacts')).map(({ id, phone, name, subscribed }) => [id, phone, name, subscribed]),
      (await testApp.dump({ kind: 'message', companyId: company.id })).map(({ wamid, status, value, revokedAt }) => [
        wamid,
        status,
        value,
        revokedAt,
      ]),
    ];
    const before = await shown();
    const messageOf = async (wamid: string) =>
      (await testApp.dump({ kind: 'message', companyId: company.id })).find((each) => each['wamid'] === wamid);
    const answer = (await testApp.dump({ kind: 'message', companyId: company.id })).find(({ inbound }) => inbound !== true);
    await post({ statuses: [{ id: answer?.['wamid'], status: 'read', timestamp: seconds(), recipient_id: victim }] });
    const system = { type: 'user_changed_number', body: 'changed', wa_id: thief, user_id: 'IN.thief' };
    await post({ messages: [{ from: victim, id: 'wamid.moved', timestamp: seconds(), type: 'system', system }] });
    await post({
      messages: [{ from: victim, id: 'wamid.gone', timestamp: seconds(), type: 'revoke', revoke: { original_message_id: 'wamid.first' } }],
    });
    await post({ user_preferences: [{ wa_id: victim, value: 'stop', category: 'marketing_messages', timestamp: seconds() }] });
    expect(await shown()).toEqual(before);
    await testApp.call(inboundText(company, { from: victim, text: 'STOP', id: 'wamid.stop', at: testApp.clock.now() }));
    await testApp.drain();
    await post({
      messages: [{ from: victim, from_user_id: 'IN.thief', id: 'wamid.both', timestamp: seconds(), type: 'text', text: { body: 'me' } }],
    });
    expect((await shown())[0]).toEqual(before[0]);
    // who writes under the user id alone is another sender: the post before has not given it to the customer
    const underUserId = { from_user_id: 'IN.thief', id: 'wamid.thief', timestamp: seconds(), type: 'text', text: { body: 'and now?' } };
    await post({ messages: [underUserId] });
    const [first, later] = [await messageOf('wamid.first'), await messageOf('wamid.thief')];
    expect(later).toBeDefined();
    expect(later?.['contactId']).not.toBe(first?.['contactId']);
    const archived = await testApp.dump({ kind: 'archived-update', companyId: company.id });
    expect(archived.filter(({ field }) => field === 'unsigned').length).toBe(4);
  },
);

test('a number is added over HTTP with its app secret alone', async () => {
  const company = await newCompany();
  const body = { phone: '15550109009', phone_number_id: '99000001', waba_id: '99', access_token: 'a token' };
  const answer = await testApp.call({ method: 'POST', path: '/api/v1/numbers', token: company.tokens.owner, body });
  expect([answer.status, answer.body]).toMatchObject([422, { errors: { app_secret: [expect.any(String)] } }]);
});
