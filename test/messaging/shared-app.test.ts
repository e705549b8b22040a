import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listBusinessNumbers } from '../../functions/account/service/numbers.ts';
import {
  addProviderApp,
  claimNumber,
  releaseAccount,
  removeProviderApp,
  rotateProviderAppSecret,
  type SharedApp,
} from '../../functions/account/service/provider-apps.ts';
import { findByIdentities } from '../../functions/contacts/service/find-by-identities.ts';
import { newCompany, providerEnvelope, providerPost, type TestCompany, unwrap } from '../support/company.ts';
import { seeded, shuffled } from '../support/random.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** One app of the provider, and its one URL, for two companies: what is posted there reaches the company that it is about. */
let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const secret = 'the secret of the shared app';
let serial = 10_000_000;
let app: SharedApp;
let receiver: string;
let companies: [TestCompany, TestCompany];
beforeEach(async () => {
  app = unwrap(await addProviderApp({ app_id: String(++serial), app_secret: secret, name: 'Ours' }));
  receiver = `/webhook/messaging/receive/${(await app.receiver()).token}`;
  companies = [await newCompany(), await newCompany()];
  for (const company of companies) await connect(company);
});

const connect = async ({ id }: TestCompany): Promise<boolean> => {
  const [number] = await listBusinessNumbers(id);
  return number !== undefined && claimNumber(app.id, number);
};
const post = async (entry: unknown, { key = secret }: { key?: string | undefined } = {}) => {
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry });
  const signature = createHmac('sha256', key).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', ...(key ? { 'x-hub-signature-256': `sha256=${signature}` } : {}) };
  const answer = await testApp.call({ method: 'POST', path: receiver, body, headers });
  await testApp.drain();
  return answer;
};
const messageOf = (company: TestCompany, from: string, id = `wamid.shared-${++serial}`) => {
  const text = { id, from, timestamp: '1790000000', type: 'text', text: { body: 'Hello' } };
  return (providerEnvelope(company, { messages: [text] })['entry'] as object[])[0];
};
const changeOf = ({ number }: TestCompany, field: string, value: object) => ({
  id: number.wabaId,
  time: 1_790_000_000,
  changes: [{ field, value }],
});
const items = async (kind: string, companyId: number) =>
  (await testApp.dump()).filter((item) => item['kind'] === kind && (item['c'] ?? item['companyId']) === companyId);
const isKnown = async ({ id }: TestCompany, phone: string): Promise<boolean> =>
  (await findByIdentities(id, { phone }, { consistent: true })) !== undefined;

describe('a post of a shared app', () => {
  test('with entries of two companies brings each its own, and none the other’s', async () => {
    const [a, b] = companies;
    expect((await post([messageOf(a, '4915100000001'), messageOf(b, '4915100000002')])).status).toBe(200);
    expect([await isKnown(a, '4915100000001'), await isKnown(b, '4915100000002')]).toEqual([true, true]);
    expect([await isKnown(a, '4915100000002'), await isKnown(b, '4915100000001')]).toEqual([false, false]);
  });

  // every field that a company's records follow, in the form that names no more than the provider does
  test.each<[field: string, value: (company: TestCompany) => object, shown: Record<string, unknown>]>([
    ['account_review_update', () => ({ decision: 'REJECTED' }), { account_review: 'REJECTED' }],
    ['account_update', () => ({ event: 'ACCOUNT_OFFBOARDED' }), { account_state: 'ACCOUNT_OFFBOARDED' }],
    ['business_capability_update', () => ({ max_daily_conversation_per_phone: -1 }), { messaging_limit: 'UNLIMITED' }],
    [
      'phone_number_quality_update',
      ({ number }) => ({ display_phone_number: number.phone, event: 'FLAGGED', current_limit: 'TIER_1K' }),
      { quality: 'RED' },
    ],
    [
      'phone_number_name_update',
      ({ number }) => ({ display_phone_number: number.phone, decision: 'DECLINED', requested_verified_name: 'Cedar' }),
      { name_status: 'DECLINED' },
    ],
  ])('of %s is seen at the number of the company whose account it names, and at no other', async (field, value, shown) => {
    const [a, b] = companies;
    const numberOf = async (company: TestCompany) =>
      ((await testApp.call({ method: 'GET', path: '/api/v1/numbers', token: company.tokens.owner })).body as { data: object[] }).data[0];
    const before = await numberOf(b);
    await post([changeOf(a, field, value(a))]);
    expect(await numberOf(a)).toMatchObject(shown);
    expect(await numberOf(b)).toEqual(before);
  });

  test('about a partner’s account goes to the company of the account that it names beside', async () => {
    const [a] = companies;
    await post([
      { id: '1', changes: [{ field: 'account_update', value: { event: 'PARTNER_REMOVED', waba_info: { waba_id: a.number.wabaId } } }] },
    ]);
    const [number] = await listBusinessNumbers(a.id, { consistent: true });
    expect(number?.accountState).toBe('PARTNER_REMOVED');
  });

  test('of a stop of marketing holds for the company of the number alone', async () => {
    const [a, b] = companies;
    const phone = '4915100000009';
    await post([messageOf(a, phone), messageOf(b, phone)]);
    const metadata = { phone_number_id: a.number.phoneNumberId };
    const choice = { wa_id: phone, category: 'marketing_messages', value: 'stop', timestamp: 1_790_000_001 };
    await post([changeOf(a, 'user_preferences', { metadata, contacts: [{ wa_id: phone }], user_preferences: [choice] })]);
    const stopped = async (company: TestCompany) => (await items('contact', company.id)).map((item) => item['mb'] === true);
    expect([await stopped(a), await stopped(b)]).toEqual([[true], [false]]);
  });

  test('that names what no company holds reaches none, and is kept for the operator', async () => {
    const [a, b] = companies;
    const stranger = { ...a, number: { ...a.number, phoneNumberId: '999', wabaId: '998' } };
    expect((await post([messageOf(stranger, '4915100000003')])).status).toBe(200);
    expect([await isKnown(a, '4915100000003'), await isKnown(b, '4915100000003')]).toEqual([false, false]);
    expect((await items('archived-update', 0)).some((item) => String(item['body']).includes('4915100000003'))).toBe(true);
  });

  test('with entries of two companies costs no more than a post of each', async () => {
    const [a, b] = companies;
    const [one, other] = ['4915100000031', '4915100000032'];
    const cost = async (...entries: unknown[]): Promise<{ rru: number; wru: number }> => {
      testApp.clock.advance(1_000);
      const { rru, wru } = await testApp.meter(async () => {
        expect((await post(entries)).status).toBe(200);
      });
      return { rru, wru };
    };
    // what a process reads once, and what a first message makes
    for (let time = 0; time < 2; time++) await cost(messageOf(a, one), messageOf(b, other));
    const [ofA, ofB] = [await cost(messageOf(a, one)), await cost(messageOf(b, other))];
    const together = await cost(messageOf(a, one), messageOf(b, other));
    expect(together.wru).toBeLessThanOrEqual(ofA.wru + ofB.wru);
    expect(together.rru).toBeLessThanOrEqual(ofA.rru + ofB.rru);
    expect(together.wru).toBeGreaterThan(Math.max(ofA.wru, ofB.wru));
  });

  test('comes late, twice and mixed: each message once, at its company', async () => {
    const [a, b] = companies;
    const random = seeded(7);
    const sent = Array.from({ length: 12 }, (_, nth) => ({ company: nth % 2 === 0 ? a : b, phone: `49151000010${nth + 10}` }));
    const entries = sent.map(({ company, phone }, nth) => messageOf(company, phone, `wamid.mixed-${serial}-${nth}`));
    const twice = shuffled([...entries, ...entries], random);
    while (twice.length > 0) await post(twice.splice(0, 1 + Math.floor(random() * 4)));
    for (const company of companies) {
      const stored = (await items('message', company.id)).map((item) => String(item['pk']));
      expect(stored).toHaveLength(6);
    }
    for (const { company, phone } of sent) expect(await isKnown(company, phone)).toBe(true);
  });
});

describe('the receiver of a shared app', () => {
  test('takes nothing that is unsigned, or signed with the secret of a company', async () => {
    const [a] = companies;
    expect((await post([messageOf(a, '4915100000004')], { key: '' })).status).toBe(401);
    expect((await post([messageOf(a, '4915100000004')], { key: a.appSecret })).status).toBe(401);
    expect(await isKnown(a, '4915100000004')).toBe(false);
  });

  test('answers the handshake for its own token alone', async () => {
    const { token } = await app.receiver();
    const handshake = (verify: string) =>
      testApp.call({
        method: 'GET',
        path: receiver,
        query: { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': verify },
      });
    expect(await handshake(token)).toMatchObject({ status: 200, raw: '1158201444' });
    expect((await handshake('another')).status).toBe(403);
  });

  test('takes a new secret at once, and nothing after the app is removed', async () => {
    const [a] = companies;
    unwrap(await rotateProviderAppSecret({ app_id: app.id, app_secret: 'another secret of the app' }));
    expect((await post([messageOf(a, '4915100000005')], { key: 'another secret of the app' })).status).toBe(200);
    await removeProviderApp(app.id);
    testApp.clock.advance(11_000);
    expect((await post([messageOf(a, '4915100000006')], { key: 'another secret of the app' })).status).toBe(404);
    expect([await isKnown(a, '4915100000005'), await isKnown(a, '4915100000006')]).toEqual([true, false]);
  });
});

describe('an account', () => {
  test('of one company is not given to another that claims it; a number may move', async () => {
    const [a, b] = companies;
    const [own] = await listBusinessNumbers(a.id);
    const [other] = await listBusinessNumbers(b.id);
    if (!own || !other) throw new Error('A company has no number.');
    expect(await claimNumber(app.id, { ...other, wabaId: own.wabaId })).toBe(false);
    await post([messageOf(a, '4915100000007')]);
    expect([await isKnown(a, '4915100000007'), await isKnown(b, '4915100000007')]).toEqual([true, false]);
    expect(await claimNumber(app.id, { ...other, phoneNumberId: own.phoneNumberId })).toBe(true);
  });

  test('that the operator takes from its company goes to the one that connects it next, and to none in between', async () => {
    const [a, b] = companies;
    const [own] = await listBusinessNumbers(a.id);
    const [other] = await listBusinessNumbers(b.id);
    if (!own || !other) throw new Error('A company has no number.');
    expect(await releaseAccount(app.id, '1')).toMatchObject({ problem: 'not_found' });
    expect(await releaseAccount(String(serial + 1), own.wabaId)).toMatchObject({ problem: 'not_found' });
    expect(await releaseAccount(app.id, own.wabaId)).toEqual({ companyId: a.id, released: [own.phoneNumberId, own.wabaId] });
    expect(await releaseAccount(app.id, own.wabaId)).toMatchObject({ problem: 'not_found' });
    // who holds an id is remembered for ten seconds
    testApp.clock.advance(11_000);
    await post([messageOf(a, '4915100000009')]);
    expect([await isKnown(a, '4915100000009'), await isKnown(b, '4915100000009')]).toEqual([false, false]);
    const moved = { ...other, phoneNumberId: own.phoneNumberId, wabaId: own.wabaId };
    expect(await claimNumber(app.id, moved)).toBe(true);
    testApp.clock.advance(11_000);
    await post([messageOf(a, '4915100000010')]);
    expect([await isKnown(a, '4915100000010'), await isKnown(b, '4915100000010')]).toEqual([false, true]);
  });

  test('keeps its former address: posts there bring what names the company’s number', async () => {
    const [a] = companies;
    await testApp.call(providerPost(a, { object: 'whatsapp_business_account', entry: [messageOf(a, '4915100000008')] }));
    await testApp.drain();
    expect(await isKnown(a, '4915100000008')).toBe(true);
  });
});
