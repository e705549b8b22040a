import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as tokens from '../../functions/account/service/tokens.ts';
import type { Scope } from '../../shared/contract/route.ts';
import { type CampaignFixture, type Contact, refusal, startFixture } from '../campaigns/fixture.ts';
import { type TestCompany, unwrap } from '../support/company.ts';
import { type Answer, type Call, ofOwnPage, withSession } from '../support/gateway-event.ts';
import { sessionSecretIn } from '../support/session-answers.ts';
import { waitInTestTime } from '../support/slots.ts';
import { ceilingsOf, importPrices, moveToMidMonth } from './fixture.ts';

/** Ceilings of tokens: what is sent with a token on a day, and with what was made of it, is never more than an admin allows. */
waitInTestTime();

const price = 0.1131;
let fixture: CampaignFixture;
let phones = 0;
beforeAll(async () => {
  fixture = await startFixture();
  moveToMidMonth(fixture.testApp);
  await importPrices({ DE: String(price), FR: '0.05' });
});
afterAll(() => fixture.stop());

const newPhone = (): string => `49158${String(++phones).padStart(8, '0')}`;
const times = (count: number): string => String(Number((price * count).toFixed(4)));
const sending: Scope[] = ['messages:send', 'campaigns:read', 'campaigns:write', 'contacts:read', 'contacts:write', 'account:read'];

interface Limited {
  company: TestCompany;
  /** Of the limited token, and its id. */
  token: string;
  id: number;
}

const newCompany = (): Promise<TestCompany> => fixture.campaigner(1_000, { roles: ['owner', 'admin', 'member'] });
const newToken = async (company: TestCompany, scopes: Scope[] | undefined = sending): Promise<{ id: number; secret: string }> => {
  const { token, secret } = unwrap(await tokens.issueToken(company.id, { user_id: company.users.member, name: 'agent', scopes }));
  return { id: token.id, secret };
};
const call = (given: Call): Promise<Answer> => fixture.testApp.call(given);
const path = '/api/v1/spend/ceilings/tokens';
const put = (company: TestCompany, id: number, body: object, token = company.tokens.admin): Promise<Answer> =>
  call({ method: 'PUT', path: `${path}/${id}`, token, body: { ...body } });
const set = async (company: TestCompany, id: number, body: object): Promise<Record<string, unknown>> => {
  const answer = await put(company, id, body);
  if (answer.status !== 200) throw new Error(answer.raw);
  return (answer.body as { data: Record<string, unknown> }).data;
};
const limited = async (body: object, given?: TestCompany): Promise<Limited> => {
  const company = given ?? (await newCompany());
  const { id, secret } = await newToken(company);
  await set(company, id, body);
  return { company, token: secret, id };
};
const list = async (company: TestCompany): Promise<Record<string, unknown>[]> =>
  (await call({ method: 'GET', path, token: company.tokens.member })).body as never;
const ceilingOf = async ({ company, id }: Limited): Promise<Record<string, unknown>> => {
  const { data } = (await list(company)) as unknown as { data: Record<string, unknown>[] };
  const found = data.find(({ token_id }) => token_id === id);
  if (!found) throw new Error('The token has no ceiling.');
  return found;
};
const leftOf = async (given: Limited): Promise<unknown[]> => {
  const { messages, spend } = (await ceilingOf(given)) as Record<'messages' | 'spend', { left: unknown } | null>;
  return [messages?.left ?? null, spend?.left ?? null];
};
const template = (token: string, phone: string, more: object = {}, key?: string): Call => ({
  method: 'POST',
  path: '/api/v1/messages/template',
  token,
  body: { phone: `+${phone}`, template_name: 'plain', template_language: 'en', ...more },
  ...(key ? { headers: { 'idempotency-key': key } } : {}),
});
const send = (token: string, phone = newPhone(), more: object = {}, key?: string): Promise<Answer> =>
  call(template(token, phone, more, key));
const acceptedOf = async (phone: string): Promise<number> => (await fixture.ledger(phone)).length;
const detailsOf = ({ body }: Answer): unknown => (body as { details?: unknown }).details;
const rowsTo = async (company: TestCompany, phone: string): Promise<number> =>
  (await fixture.messages(company.id)).filter((message) => message.phone === phone).length;
const resetsAt = (): string =>
  new Date((Math.floor(fixture.testApp.clock.now() / 86_400_000) + 1) * 86_400_000).toISOString().replace('Z', '000Z');

describe('a ceiling of messages', () => {
  test('of N lets exactly N of fifty parallel sends out, also by two secrets of one token', async () => {
    const given = await limited({ messages: 17 });
    const { company, id, token } = given;
    const rotated = unwrap(await tokens.rotateCompanyToken(company.id, id, 24));
    const people = Array.from({ length: 50 }, newPhone);
    const answers = await Promise.all(people.map((phone, nth) => send(nth % 2 === 0 ? token : rotated.secret, phone)));
    await fixture.testApp.passTime(10);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(33);
    const accepted = (await Promise.all(people.map(acceptedOf))).reduce((sum, count) => sum + count, 0);
    expect([accepted, await leftOf(given)]).toEqual([17, [0, null]]);
  });

  test('refuses with 402, writes no message, and the same Idempotency-Key sends once when it is raised', async () => {
    const given = await limited({ messages: 1 });
    const { company, id, token } = given;
    expect((await send(token)).status).toBe(200);
    const phone = newPhone();
    const refused = await send(token, phone, {}, 'order 18');
    expect(refusal(refused)).toEqual([402, 'spend_limit_reached']);
    expect(detailsOf(refused)).toEqual({ ceiling: 'token', limit: '1', left: '0', currency: null, resets_at: resetsAt() });
    expect([await rowsTo(company, phone), await acceptedOf(phone)]).toEqual([0, 0]);
    expect(await set(company, id, { messages: 2 })).toMatchObject({ messages: { limit: 2, left: 1 }, spend: null });
    const [sent, again] = [await send(token, phone, {}, 'order 18'), await send(token, phone, {}, 'order 18')];
    expect([sent.status, again.status, await acceptedOf(phone), await leftOf(given)]).toEqual([200, 200, 1, [0, null]]);
  });

  test('counts replies and reactions too, leaves other tokens of the company alone, and asks nothing of those without one', async () => {
    const given = await limited({ messages: 1 });
    const { company, token } = given;
    const other = await newToken(company);
    const text = (secret: string): Promise<Answer> =>
      call({ method: 'POST', path: '/api/v1/messages/text', token: secret, body: { phone: `+${newPhone()}`, message: 'Yes.' } });
    expect([(await text(token)).status, (await text(token)).status]).toEqual([200, 402]);
    expect([(await text(other.secret)).status, (await send(company.tokens.member)).status]).toEqual([200, 200]);
  });

  test('counts a scheduled message when it is accepted, and a message that the provider refuses not at all', async () => {
    const given = await limited({ messages: 2 });
    const { company, token } = given;
    const phone = newPhone();
    await fixture.faults({ error_for: { [phone]: 131051 } });
    expect(refusal(await send(token, phone))).toEqual([422, 'provider_rejected']);
    await fixture.faults({});
    expect(await leftOf(given)).toEqual([2, null]);
    const later = { scheduled_at: new Date(fixture.testApp.clock.now() + 60_000).toISOString() };
    const first = newPhone();
    expect([(await send(token, first, later)).status, (await send(token, newPhone(), later)).status]).toEqual([200, 200]);
    expect([(await send(token, newPhone(), later)).status, await leftOf(given)]).toEqual([402, [0, null]]);
    await fixture.testApp.passTime(130);
    expect([await acceptedOf(first), await leftOf(given)]).toEqual([1, [0, null]]);
    expect((await fixture.messages(company.id)).filter(({ status }) => status === 0)).toEqual([]);
  });

  test('takes nothing for what the ceiling of the company refuses', async () => {
    const given = await limited({ messages: 5 });
    await ceilingsOf(fixture.testApp, given.company).set({ currency: 'EUR', day: '0', code_reserve_percent: 0 });
    expect(detailsOf(await send(given.token))).toMatchObject({ ceiling: 'day' });
    expect(await leftOf(given)).toEqual([5, null]);
  });

  test('takes once for a message whose request ends before its answer and is repeated, also where it was the last one', async () => {
    const given = await limited({ messages: 1 });
    const phone = newPhone();
    let isDead = false;
    {
      using _death = fixture.testApp.onTable(({ input }) => {
        // the row is written, and then the process ends
        if (isDead) throw new Error('The process died.');
        if (/"kind":"message"/.test(JSON.stringify(input)) && JSON.stringify(input).includes(phone)) isDead = true;
      });
      await send(given.token, phone, {}, 'order 19').catch(() => undefined);
    }
    expect(isDead).toBe(true);
    fixture.testApp.clock.advance(120_000);
    const again = await send(given.token, phone, {}, 'order 19');
    expect(again.status, again.raw).toBeLessThan(300);
    expect([await rowsTo(given.company, phone), await leftOf(given)]).toEqual([1, [0, null]]);
  });

  test('that is lowered holds from the next send on; what is spent stays spent; removed, it is gone', async () => {
    const given = await limited({ messages: 100 });
    const { company, id, token } = given;
    for (let nth = 0; nth < 3; nth++) expect((await send(token)).status).toBe(200);
    expect(await set(company, id, { messages: 2 })).toMatchObject({ messages: { limit: 2, left: -1 } });
    expect((await send(token)).status).toBe(402);
    const removed = await call({ method: 'DELETE', path: `${path}/${id}`, token: company.tokens.admin });
    expect([removed.status, (await send(token)).status]).toEqual([200, 200]);
    expect((await call({ method: 'DELETE', path: `${path}/${id}`, token: company.tokens.admin })).status).toBe(404);
    expect(await list(company)).toMatchObject({ data: [] });
    await fixture.testApp.drain();
    const audit = await call({ method: 'GET', path: '/api/v1/audit', token: company.tokens.admin });
    const entries = (audit.body as { data: { action: string; by: unknown }[] }).data.filter(({ action }) =>
      action.startsWith('token_ceiling'),
    );
    // who sets it is named, and a send is no change of it
    expect(entries.map(({ action }) => action)).toEqual(['token_ceiling.updated', 'token_ceiling.updated', 'token_ceiling.created']);
    for (const { by } of entries) expect(by).toMatchObject({ user_id: company.users.admin });
  });

  test('that is first set holds within ten seconds, and each begins anew with the day', async () => {
    const company = await newCompany();
    const { id, secret } = await newToken(company);
    expect((await send(secret)).status).toBe(200);
    await set(company, id, { messages: 1, spend: { amount: times(1), currency: 'EUR' } });
    fixture.testApp.clock.advance(10_000);
    const given = { company, id, token: secret };
    expect([(await send(secret)).status, (await send(secret)).status, await leftOf(given)]).toEqual([200, 402, [0, '0']]);
    fixture.testApp.clock.moveTo(Date.parse(resetsAt()));
    expect(await leftOf(given)).toEqual([1, times(1)]);
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(secret)));
    expect([answers.filter(({ status }) => status === 200).length, await leftOf(given)]).toEqual([1, [0, '0']]);
  });
});

describe('a ceiling of money', () => {
  test('of N prices is N messages exactly, each at its own price', async () => {
    const given = await limited({ spend: { amount: String(Number((price * 5 + 0.05).toFixed(4))), currency: 'EUR' } });
    const answers = await Promise.all(Array.from({ length: 12 }, () => send(given.token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(await leftOf(given)).toEqual([null, '0.05']);
    expect((await send(given.token, `3361${String(++phones).padStart(7, '0')}`)).status).toBe(200);
    const refused = await send(given.token);
    expect(detailsOf(refused)).toMatchObject({ ceiling: 'token', limit: '0.6155', left: '0', currency: 'EUR' });
  });

  test('refuses what has no known price, and takes nothing for it', async () => {
    const given = await limited({ messages: 3, spend: { amount: '5', currency: 'EUR' } });
    const refused = await send(given.token, '4234567890');
    expect([...refusal(refused), detailsOf(refused)]).toEqual([422, 'price_unknown', { reason: 'no_market' }]);
    expect(await leftOf(given)).toEqual([3, '5']);
  });

  test('in another currency counts anew, and needs limits at all', async () => {
    const given = await limited({ spend: { amount: '5', currency: 'EUR' } });
    const { company, id, token } = given;
    expect((await send(token)).status).toBe(200);
    expect(await set(company, id, { spend: { amount: '6', currency: 'EUR' } })).toMatchObject({ spend: { left: '5.8869' } });
    expect(await set(company, id, { spend: { amount: '6', currency: 'USD' } })).toMatchObject({ spend: { left: '6', currency: 'USD' } });
    expect(refusal(await put(company, id, { spend: null }))).toEqual([422, 'validation_failed', 'messages']);
    expect(await set(company, id, { messages: 4, spend: null })).toMatchObject({ messages: { left: 4 }, spend: null });
  });
});

describe('a token with a ceiling', () => {
  test('has no scope with which it would get around it: such a token gets none, and no token raises its own', async () => {
    const company = await newCompany();
    for (const scope of ['tokens:manage', 'verification:request'] as const) {
      const { id } = await newToken(company, [...sending, scope]);
      expect(refusal(await put(company, id, { messages: 5 })), scope).toEqual([422, 'validation_failed', 'id']);
    }
    // all that the role allows, which may be more tomorrow
    const all = unwrap(await tokens.issueToken(company.id, { user_id: company.users.member }));
    expect(refusal(await put(company, all.token.id, { messages: 5 }))).toEqual([422, 'validation_failed', 'id']);
    const given = await limited({ messages: 5 }, company);
    for (const method of ['PUT', 'DELETE'] as const) {
      const refused = await call({
        method,
        path: `${path}/${given.id}`,
        token: given.token,
        ...(method === 'PUT' ? { body: { messages: 9 } } : {}),
      });
      expect(refusal(refused), method).toEqual([403, 'insufficient_scope']);
    }
    const made = await call({ method: 'POST', path: '/api/v1/tokens', token: given.token, body: { name: 'another' } });
    expect(refusal(made)).toEqual([403, 'insufficient_scope']);
    expect(await leftOf(given)).toEqual([5, null]);
  });

  test('binds the sessions that were opened with it, before and after it had one', async () => {
    const company = await newCompany();
    const { id, secret } = await newToken(company);
    const open = async (): Promise<string> =>
      sessionSecretIn(await call({ method: 'POST', path: '/api/v1/sessions', headers: ofOwnPage, body: { token: secret } }));
    const before = await open();
    await set(company, id, { messages: 2 });
    fixture.testApp.clock.advance(10_000);
    const sendIn = (session: string): Promise<Answer> => call(withSession(template('', newPhone()), session));
    const statuses = [(await sendIn(before)).status, (await sendIn(await open())).status, (await sendIn(before)).status];
    expect([statuses, (await send(secret)).status]).toEqual([[200, 200, 402], 402]);
  });

  test('of another company, of a machine, or that was revoked is not found', async () => {
    const [company, other] = [await newCompany(), await newCompany()];
    // ids are counted by company: this one has no such token
    for (let nth = 0; nth < 10; nth++) await newToken(other);
    const { id } = await newToken(other);
    const mine = await newToken(company);
    unwrap(await tokens.revokeCompanyToken(company.id, mine.id));
    const machine = await call({
      method: 'POST',
      path: '/api/v1/machine-tokens',
      token: company.tokens.admin,
      body: { kind: 'erp_token', name: 'ERP' },
    });
    const erp = (machine.body as { data: { id: number } }).data.id;
    for (const [which, given] of [
      ['foreign', id],
      ['revoked', mine.id],
      ['machine', erp],
    ] as const)
      expect((await put(company, given, { messages: 1 })).status, which).toBe(404);
    await set(other, id, { messages: 7 });
    expect((await call({ method: 'DELETE', path: `${path}/${id}`, token: company.tokens.admin })).status).toBe(404);
    expect(await list(company)).toMatchObject({ data: [] });
    expect(await leftOf({ company: other, id, token: '' })).toEqual([7, null]);
    expect((await put(company, mine.id, { messages: 1 }, company.tokens.member)).status).toBe(403);
  });
});

describe('campaigns of a token with a ceiling', () => {
  const bodyOf = async (company: TestCompany, count: number): Promise<{ people: Contact[]; body: Record<string, unknown> }> => {
    const group = await fixture.group(company, `Of ${count}`);
    const people = await fixture.people(company, count, { group_id: group });
    return {
      people,
      body: { name: 'Sale', template_id: fixture.templateId(company, 'sale'), parammatch: { 1: 'name' }, group_id: group },
    };
  };
  const api = (token: string, method: 'POST' | 'PUT', at: string, body: object, key?: string): Promise<Answer> =>
    call({ method, path: `/api/v1/campaigns${at}`, token, body: { ...body }, ...(key ? { headers: { 'idempotency-key': key } } : {}) });
  const idOf = ({ body, raw }: Answer): number => {
    const id = (body as { data?: { id?: number } }).data?.id;
    if (id === undefined) throw new Error(raw);
    return id;
  };
  const euros = (amount: string) => ({ spend_limit: { amount, currency: 'EUR' } });

  test('need a spend_limit in its currency, which is taken from the day once, however often the request is repeated', async () => {
    const given = await limited({ spend: { amount: times(10), currency: 'EUR' } });
    const { company, token } = given;
    const { people, body } = await bodyOf(company, 8);
    expect(refusal(await api(token, 'POST', '', body))).toEqual([422, 'validation_failed', 'spend_limit']);
    const dear = await api(token, 'POST', '', { ...body, ...euros(times(11)) });
    expect([...refusal(dear), detailsOf(dear)]).toMatchObject([402, 'spend_limit_reached', { ceiling: 'token', left: times(10) }]);
    const made = await Promise.all([1, 2, 3].map(() => api(token, 'POST', '', { ...body, ...euros(times(6)) }, 'sale')));
    const again = await api(token, 'POST', '', { ...body, ...euros(times(6)) }, 'sale');
    expect([again.status, await leftOf(given)]).toEqual([200, [null, times(4)]]);
    const ids = new Set([...made.filter(({ status }) => status === 200), again].map(idOf));
    expect(ids.size).toBe(1);
    await fixture.testApp.passTime(30);
    const sent = (await fixture.ledger()).filter(({ to }) => people.some(({ phone }) => phone === to));
    expect([sent.length, await leftOf(given)]).toEqual([6, [null, times(4)]]);
    const [id] = ids;
    // more money is taken from the day, and less is not given back
    expect(refusal(await api(token, 'PUT', `/${id}`, euros(times(11))))).toEqual([402, 'spend_limit_reached']);
    expect(refusal(await api(token, 'PUT', `/${id}`, { spend_limit: null }))).toEqual([422, 'validation_failed', 'spend_limit']);
    expect((await api(token, 'PUT', `/${id}`, euros(times(7)))).status).toBe(200);
    expect(await leftOf(given)).toEqual([null, times(3)]);
    await fixture.testApp.passTime(30);
    expect((await fixture.ledger()).filter(({ to }) => people.some(({ phone }) => phone === to))).toHaveLength(7);
    expect((await api(token, 'PUT', `/${id}`, euros(times(7)))).status).toBe(200);
    expect(await leftOf(given)).toEqual([null, times(3)]);
  });

  test('of others it only pauses and renames: it resumes, changes, copies without a limit and retries none', async () => {
    const given = await limited({ spend: { amount: times(10), currency: 'EUR' } });
    const { company, token } = given;
    const { people, body } = await bodyOf(company, 3);
    const id = await fixture.create(company, { ...body, send_time: new Date(fixture.testApp.clock.now() + 7_200_000).toISOString() });
    expect((await api(token, 'PUT', `/${id}`, { name: 'Sale of today', is_active: false })).status).toBe(200);
    const refused: [string, Answer][] = [
      ['resume', await api(token, 'PUT', `/${id}`, { is_active: true })],
      ['time', await api(token, 'PUT', `/${id}`, { send_time: new Date(fixture.testApp.clock.now() + 60_000).toISOString() })],
      ['limit', await api(token, 'PUT', `/${id}`, euros(times(1)))],
      ['retry', await api(token, 'POST', `/${id}/retry`, {})],
      ['recipient', await api(token, 'POST', '/send', { campaign_id: id, phone: `+${newPhone()}`, data: { 1: 'Ana' } })],
    ];
    for (const [what, answer] of refused) expect(refusal(answer), what).toEqual([402, 'spend_limit_reached']);
    expect(refusal(await api(token, 'POST', `/${id}`, { send_now: true }))).toEqual([422, 'validation_failed', 'spend_limit']);
    expect((await api(token, 'POST', `/${id}`, { send_now: true, ...euros(times(2)) })).status).toBe(200);
    expect(await leftOf(given)).toEqual([null, times(8)]);
    await fixture.testApp.passTime(30);
    expect((await fixture.ledger()).filter(({ to }) => people.some(({ phone }) => phone === to))).toHaveLength(2);
  });

  test('are none under a ceiling of messages; a test send counts as a message', async () => {
    const given = await limited({ messages: 1, spend: { amount: '5', currency: 'EUR' } });
    const { company, token } = given;
    const { body } = await bodyOf(company, 2);
    expect(refusal(await api(token, 'POST', '', { ...body, ...euros('1') }))).toEqual([402, 'spend_limit_reached']);
    const testOf = (key: string): Promise<Answer> =>
      api(token, 'POST', '/test', { template_id: fixture.templateId(company, 'plain'), phone: `+${newPhone()}` }, key);
    expect((await testOf('one')).status).toBe(200);
    expect([refusal(await testOf('two')), await leftOf(given)]).toEqual([
      [402, 'spend_limit_reached'],
      [0, String(Number((5 - price).toFixed(4)))],
    ]);
  });
});
