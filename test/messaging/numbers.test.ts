import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { addNumber, listNumbers, updateNumber } from '../../functions/account/service/numbers.ts';
import { inboundText, newCompany, type TestCompany, unwrap } from '../support/company.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { isFullSize } from '../support/run-size.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** A company with two numbers, each of an account of its own. */
let world: TestApp;
let provider: ProviderStub;
let company: TestCompany;
let second: TestCompany;
let ids: readonly number[];
const accounts = new Map<string, readonly string[]>();

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
      components: [{ type: 'BODY', text: 'Hello.' }],
    }));
    return { status: 200, body: { data, paging: {} } };
  });
  world = await startTestApp({ env: { PROVIDER_BASE_URL: provider.url } });
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
  await world.stop();
  await provider.stop();
});

const call = (method: string, path: string, body?: unknown) =>
  world.call({ method, path: `/api/v1${path}`, token: company.tokens.owner, ...(body === undefined ? {} : { body }) });
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
const write = (to: TestCompany, from: string, text = 'Hello') => world.call(inboundText(to, { from, text, at: world.clock.now() }));

describe('a company with two numbers', () => {
  test('answers from the number that was written to, within the window of that number', async () => {
    const count = isFullSize() ? 1_000 : 6;
    for (let nth = 0; nth < count; nth++) expect((await write(nth % 2 === 0 ? company : second, phoneOf(nth))).status).toBe(200);
    await world.drain();
    for (let nth = 0; nth < count; nth++) {
      const [own, other] = nth % 2 === 0 ? ids : ids.toReversed();
      if (nth % 500 === 499) world.clock.advance(60_000);
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
    await world.drain();
    world.clock.advance(60_000);
    await write(second, phoneOf(900_001));
    await world.drain();
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
    await world.drain();
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
    ];
    expect(await data('POST', '/templates/sync', {})).toMatchObject({ created_count: 3, removed_count: 0 });
    expect(await stored()).toEqual(all);
    expect(await data('POST', '/templates/sync', {})).toMatchObject({ created_count: 0, updated_count: 0, removed_count: 0 });
    expect(await stored()).toEqual(all);
    accounts.set(second.number.wabaId, ['shared']);
    expect(await data('POST', '/templates/sync', {})).toMatchObject({ removed_count: 1 });
    expect(await stored()).toEqual([all[0], all[2]]);
  });

  test('sends a campaign on each number', async () => {
    accounts.set(company.number.wabaId, ['hello']);
    await data('POST', '/templates/sync', {});
    const [template] = await list('/templates');
    const count = isFullSize() ? 200 : 3;
    for (const group of [0, 1])
      for (let nth = 0; nth < count; nth++)
        await data('POST', '/contacts', { phone: phoneOf(910_000 + 1_000 * (group + 1) + nth), groups: [`group ${group}`] });
    await world.drain();
    const contacts = await list('/contacts?limit=100');
    const groupIds = [0, 1].map((group) => {
      const contact = contacts.find(({ phone }) => phone === phoneOf(910_000 + 1_000 * (group + 1)));
      return z.object({ groups: z.array(z.object({ id: z.int() })).min(1) }).parse(contact).groups[0]?.id;
    });
    for (const [index, number_id] of ids.entries())
      expect(
        await data('POST', '/campaigns', { name: `On ${number_id}`, template_id: template?.['id'], group_id: groupIds[index], number_id }),
      ).toMatchObject({
        number_id,
      });
    await world.drain();
    await world.passTime(30);
    for (const [group, { number }] of [company, second].entries())
      for (let nth = 0; nth < count; nth++) expect(sentFrom(phoneOf(910_000 + 1_000 * (group + 1) + nth))).toEqual([number.phoneNumberId]);
  });
});
