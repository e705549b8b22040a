import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { addNumber, listNumbers, updateNumber } from '../../functions/account/service/numbers.ts';
import { inboundText, newCompany, providerPost, type TestCompany, unwrap } from '../support/company.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { isFullSize } from '../support/run-size.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** At full size thousands of calls, on a machine that may do other work. */
const wholeSizeMs = isFullSize() ? 1_800_000 : 180_000;

/** A company with two numbers, each of an account of its own. */
let testApp: TestApp;
let provider: ProviderStub;
let company: TestCompany;
let second: TestCompany;
let ids: readonly number[];
const accounts = new Map<string, readonly string[]>();
/** The text of the templates of an account, where it is another. */
const texts = new Map<string, string>();

beforeAll(async () => {
  provider = await startProviderStub();
  provider.answering(({ method, path }) => {
    const account = /\/(\d+)\/message_templates/.exec(path)?.[1];
    if (method !== 'GET' || account === undefined) return undefined;
    const data = (accounts.get(account) ?? []).map((name) => ({
      id: `${account}${name.length}`,
      name,
      language: 'en',
      status: 'APPROVED',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: texts.get(account) ?? 'Hello.' }],
    }));
    return { status: 200, body: { data, paging: {} } };
  });
  testApp = await startTestApp({ env: { PROVIDER_BASE_URL: provider.url } });
});
beforeEach(async () => {
  company = await newCompany();
  const number = { phone: '4930990001', phoneNumberId: `77${company.id}`, wabaId: `88${company.id}` };
  unwrap(
    await addNumber(company.id, {
      phone: number.phone,
      phone_number_id: number.phoneNumberId,
      waba_id: number.wabaId,
      access_token: 'access-token-second',
      app_secret: company.appSecret,
    }),
  );
  second = { ...company, number };
  ids = unwrap(await listNumbers(company.id)).map(({ id }) => id);
});
afterAll(async () => {
  await testApp.stop();
  await provider.stop();
});

const call = (method: string, path: string, body?: unknown) =>
  testApp.call({ method, path: `/api/v1${path}`, token: company.tokens.owner, ...(body === undefined ? {} : { body }) });
const data = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
  const answer = await call(method, path, body);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
  return z.object({ data: z.looseObject({}) }).parse(answer.body).data;
};
const list = async (path: string): Promise<Record<string, unknown>[]> =>
  z.object({ data: z.array(z.looseObject({})) }).parse((await call('GET', path)).body).data;
const phoneOf = (nth: number): string => String(4_915_120_000_000 + nth);
/** The number's provider id that each message to a phone left from. */
const sentFrom = (phone: string): string[] =>
  provider.requests
    .filter(({ path, body }) => path.endsWith('/messages') && body['to'] === `+${phone}`)
    .map(({ path }) => path.split('/')[2] ?? '');
const write = (to: TestCompany, from: string, text = 'Hello') => testApp.call(inboundText(to, { from, text, at: testApp.clock.now() }));

describe('a company with two numbers', () => {
  test('answers from the number that was written to, within the window of that number', { timeout: wholeSizeMs }, async () => {
    const count = isFullSize() ? 1_000 : 6;
    for (let nth = 0; nth < count; nth++) expect((await write(nth % 2 === 0 ? company : second, phoneOf(nth))).status).toBe(200);
    await testApp.drain();
    for (let nth = 0; nth < count; nth++) {
      const [own, other] = nth % 2 === 0 ? ids : ids.toReversed();
      if (nth % 500 === 499) testApp.clock.advance(60_000);
      const sent = await data('POST', '/messages/text', { phone: phoneOf(nth), message: 'Hi', window_policy: 'enforce' });
      expect(sent['window']).toMatchObject({ open: true, number_id: own });
      expect(sentFrom(phoneOf(nth))).toEqual([nth % 2 === 0 ? company.number.phoneNumberId : second.number.phoneNumberId]);
      const closed = await call('POST', '/messages/text', {
        phone: phoneOf(nth),
        message: 'Hi',
        window_policy: 'enforce',
        number_id: other,
      });
      expect([closed.status, closed.body]).toMatchObject([422, { code: 'window_closed' }]);
    }
    const [{ id, window } = {}] = await list('/conversations?limit=1');
    const messages = await list(`/conversations/${String(id)}/messages`);
    const numbers = new Set(messages.map((message) => message['number_id']));
    expect([...numbers]).toEqual([z.object({ number_id: z.int() }).parse(window).number_id]);
  });

  test('answers where the contact wrote last, and has a window with each number', async () => {
    await write(company, phoneOf(900_001));
    await testApp.drain();
    testApp.clock.advance(60_000);
    await write(second, phoneOf(900_001));
    await testApp.drain();
    await data('POST', '/messages/text', { phone: phoneOf(900_001), message: 'Hi' });
    const first = await data('POST', '/messages/text', { phone: phoneOf(900_001), message: 'Hi', number_id: ids[0] });
    expect(first['window']).toMatchObject({ open: true, number_id: ids[0] });
    expect(sentFrom(phoneOf(900_001)).slice(-2)).toEqual([second.number.phoneNumberId, company.number.phoneNumberId]);
  });

  test('writes to new contacts from its default number, which it can choose', async () => {
    expect(await data('POST', '/messages/text', { phone: phoneOf(900_002), message: 'Hi' })).toMatchObject({
      window: { open: false, number_id: ids[0] },
    });
    unwrap(await updateNumber(company.id, ids[1] ?? 0, { is_default: true }));
    expect(await data('POST', '/messages/text', { phone: phoneOf(900_003), message: 'Hi' })).toMatchObject({
      window: { number_id: ids[1] },
    });
    unwrap(await updateNumber(company.id, ids[0] ?? 0, { is_default: true }));
    expect(unwrap(await listNumbers(company.id)).map(({ is_default }) => is_default)).toEqual([true, false]);
    const unknown = await call('POST', '/messages/text', { phone: phoneOf(900_003), message: 'Hi', number_id: 99 });
    expect([unknown.status, unknown.body]).toMatchObject([422, { errors: { number_id: ['There is no active number 99.'] } }]);
  });

  test('confirms STOP from the number that it was written to, in words that say what it does', async () => {
    await write(second, phoneOf(900_004), 'STOP');
    await testApp.drain();
    expect(sentFrom(phoneOf(900_004))).toEqual([second.number.phoneNumberId]);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('You will receive no more marketing messages from us.');
  });

  test('syncs the templates of both accounts, and neither removes those of the other', async () => {
    accounts.set(company.number.wabaId, ['hello', 'shared']);
    accounts.set(second.number.wabaId, ['promo', 'shared']);
    const stored = async () => (await list('/templates?status=all')).map(({ name, waba_id }) => [name, waba_id]);
    const all = [
      ['hello', company.number.wabaId],
      ['promo', second.number.wabaId],
      ['shared', company.number.wabaId],
      ['shared', second.number.wabaId],
    ];
    expect(await data('POST', '/templates/sync', {})).toMatchObject({ created_count: 4, removed_count: 0 });
    expect(await stored()).toEqual(all);
    expect(await data('POST', '/templates/sync', {})).toMatchObject({ created_count: 0, updated_count: 0, removed_count: 0 });
    expect(await stored()).toEqual(all);
    accounts.set(second.number.wabaId, ['shared']);
    expect(await data('POST', '/templates/sync', {})).toMatchObject({ removed_count: 1 });
    expect(await stored()).toEqual([all[0], all[2], all[3]]);
    accounts.set(company.number.wabaId, ['hello']);
    expect(await data('POST', '/templates/sync', {})).toMatchObject({ removed_count: 1 });
    expect(await stored()).toEqual([all[0], all[3]]);
    accounts.set(company.number.wabaId, ['hello', 'shared']);
    testApp.clock.advance(2_000);
    expect(await data('POST', '/templates/sync', {})).toMatchObject({ created_count: 1, removed_count: 0 });
    expect((await stored()).map(String).toSorted()).toEqual([all[0], all[2], all[3]].map(String).toSorted());
  });

  test('checks a template send by the template of the account of its number', async () => {
    accounts.set(company.number.wabaId, ['hello', 'shared']);
    accounts.set(second.number.wabaId, ['promo', 'shared']);
    texts.set(second.number.wabaId, 'Hello {{1}}.');
    await data('POST', '/templates/sync', {});
    const send = (name: string, number_id?: number, phone = phoneOf(920_001)) =>
      call('POST', '/messages/template', { phone, template_name: name, ...(number_id === undefined ? {} : { number_id }) });
    expect((await send('shared', ids[0])).status).toBe(200);
    const needsValue = await send('shared', ids[1]);
    expect([needsValue.status, needsValue.body]).toMatchObject([422, { code: 'validation_failed' }]);
    const elsewhere = await send('promo', ids[0]);
    expect([elsewhere.status, elsewhere.body]).toMatchObject([422, { code: 'template_not_found' }]);
    texts.clear();
    await data('POST', '/templates/sync', {});
    // who names no number gets one of the account that has the template
    expect((await send('promo', undefined, phoneOf(920_002))).status).toBe(200);
    expect(sentFrom(phoneOf(920_002))).toEqual([second.number.phoneNumberId]);
    const due = await data('POST', '/messages/template', {
      phone: phoneOf(920_003),
      template_name: 'shared',
      number_id: ids[1],
      scheduled_at: new Date(testApp.clock.now() + 120_000).toISOString(),
    });
    accounts.set(second.number.wabaId, ['promo']);
    await data('POST', '/templates/sync', {});
    await testApp.drain();
    await testApp.passTime(180);
    const [{ id } = {}] = await list(`/conversations?search=${phoneOf(920_003)}`);
    const [message] = await list(`/conversations/${String(id)}/messages`);
    expect(message).toMatchObject({ id: due['message_id'], status: 5, error: { code: 'template_not_found' } });
  });

  test('sends a campaign from a number of the account of its template, and no other', async () => {
    accounts.set(company.number.wabaId, ['hello']);
    accounts.set(second.number.wabaId, ['promo']);
    await data('POST', '/templates/sync', {});
    const promo = (await list('/templates')).find(({ name }) => name === 'promo');
    await data('POST', '/contacts', { phone: phoneOf(930_001), groups: ['one'] });
    await testApp.drain();
    const campaign = { name: 'Promotion', template_id: promo?.['id'] };
    expect(await data('POST', '/campaigns', campaign)).toMatchObject({ number_id: ids[1] });
    const other = await call('POST', '/campaigns', { ...campaign, number_id: ids[0] });
    expect([other.status, JSON.stringify(other.body)]).toEqual([422, expect.stringContaining(`Numbers of its account: ${ids[1]}.`)]);
  });

  test('applies a webhook to the template of the account that it names', async () => {
    accounts.set(company.number.wabaId, ['shared']);
    accounts.set(second.number.wabaId, ['shared']);
    await data('POST', '/templates/sync', {});
    const statuses = async () => (await list('/templates?status=all')).map((each) => each['status']);
    const post = (account: string, name: string, id: string, value: Record<string, unknown>, atSecond = 5) =>
      testApp.call(
        providerPost(company, {
          object: 'whatsapp_business_account',
          entry: [
            {
              id: account,
              time: Math.floor(testApp.clock.now() / 1_000) + atSecond,
              changes: [
                {
                  field: 'message_template_status_update',
                  value: {
                    message_template_id: id,
                    message_template_name: name,
                    message_template_language: 'en',
                    reason: 'NONE',
                    ...value,
                  },
                },
              ],
            },
          ],
        }),
      );
    testApp.clock.advance(10_000);
    expect((await post(second.number.wabaId, 'shared', `${second.number.wabaId}6`, { event: 'PAUSED' })).status).toBe(200);
    await testApp.drain();
    expect(await statuses()).toEqual(['APPROVED', 'PAUSED']);
    expect((await post(company.number.wabaId, 'shared', `${company.number.wabaId}6`, { event: 'DISABLED' })).status).toBe(200);
    await testApp.drain();
    expect(await statuses()).toEqual(['DISABLED', 'PAUSED']);
  });

  test('sends a campaign on each number', { timeout: wholeSizeMs }, async () => {
    for (const { number } of [company, second]) accounts.set(number.wabaId, ['hello']);
    await data('POST', '/templates/sync', {});
    const templates = await list('/templates');
    const count = isFullSize() ? 200 : 3;
    for (const group of [0, 1])
      for (let nth = 0; nth < count; nth++)
        await data('POST', '/contacts', { phone: phoneOf(910_000 + 1_000 * (group + 1) + nth), groups: [`group ${group}`] });
    await testApp.drain();
    const groupIds = await Promise.all(
      [0, 1].map(async (group) => {
        const [contact] = await list(`/contacts?search=${phoneOf(910_000 + 1_000 * (group + 1))}`);
        return z.object({ groups: z.array(z.object({ id: z.int() })).min(1) }).parse(contact).groups[0]?.id;
      }),
    );
    for (const [index, number_id] of ids.entries())
      expect(
        await data('POST', '/campaigns', {
          name: `On ${number_id}`,
          template_id: templates[index]?.['id'],
          group_id: groupIds[index],
          number_id,
        }),
      ).toMatchObject({
        number_id,
      });
    await testApp.drain();
    await testApp.passTime(30);
    for (const [group, { number }] of [company, second].entries())
      for (let nth = 0; nth < count; nth++) expect(sentFrom(phoneOf(910_000 + 1_000 * (group + 1) + nth))).toEqual([number.phoneNumberId]);
  });
});
