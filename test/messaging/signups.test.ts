import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { listBusinessNumbers } from '../../functions/account/service/numbers.ts';
import { addProviderApp, removeProviderAppSignup, setProviderAppSignup } from '../../functions/account/service/provider-apps.ts';
import { newCompany, type TestCompany, unwrap } from '../support/company.ts';
import { problemOf, startFixture } from './fixture.ts';

/** A number is connected by the dialog of the provider: its code, and what it proves, against the simulator. */
const fixture = await startFixture({ env: { SWITCHBOARD_LOCAL: '1' } });
beforeAll(() => void vi.stubEnv('MESSAGING_RECEIVER_BASE_URL', fixture.hookUrl));
afterAll(async () => {
  vi.unstubAllEnvs();
  await fixture.stop();
});

const firstSerial = 20_000_000;
let serial = firstSerial;
let app: { app_id: string; app_secret: string; configuration_id: string };
let company: TestCompany;
beforeEach(async () => {
  if (serial > firstSerial) unwrap(await removeProviderAppSignup(app.app_id));
  app = { app_id: String(++serial), app_secret: 'the secret of the shared app', configuration_id: String(++serial) };
  unwrap(await addProviderApp({ app_id: app.app_id, app_secret: app.app_secret, name: 'Ours' }));
  unwrap(await setProviderAppSignup({ app_id: app.app_id, configuration_id: app.configuration_id }));
  await fixture.control('PUT', 'apps', app);
  company = await fixture.company({ roles: ['owner', 'admin', 'member'] });
});

const call = (path: string, body?: object, token = company.tokens.owner) =>
  fixture.testApp.call({ method: body ? 'POST' : 'GET', path: `/api/v1/signups${path}`, token, ...(body ? { body } : {}) });
const started = z.object({ data: z.looseObject({ id: z.int(), state: z.string(), configuration_id: z.string(), app_id: z.string() }) });
const start = async (token?: string) => {
  const answer = await call('', {}, token);
  expect(answer.status, answer.raw).toBe(200);
  return started.parse(answer.body).data;
};
const finished = z.object({
  code: z.string(),
  message: z.object({ event: z.string(), data: z.object({ waba_id: z.string(), phone_number_id: z.string().optional() }) }),
});
/** What a user does in the window of the provider. */
const dialog = async (choice: object = {}) => {
  const body = JSON.stringify({ client_id: app.app_id, config_id: app.configuration_id, ...choice });
  const answer = await fetch(`${fixture.provider.url}/dialog/finish`, { method: 'POST', body });
  const { code, message } = finished.parse(await answer.json());
  return { code, ...message.data, event: message.event };
};
type Given = { id: number; state: string };
interface Chosen {
  code: string;
  waba_id?: string | undefined;
  phone_number_id?: string | undefined;
}
const complete = ({ id, state }: Given, { code, waba_id, phone_number_id }: Chosen, token?: string) =>
  call(`/${id}/complete`, { state, code, waba_id, phone_number_id }, token);
const signup = z.looseObject({
  status: z.string(),
  number_id: z.int().nullable(),
  phone: z.string().nullable(),
  pin: z.string().nullable().optional(),
  failure: z.looseObject({ reason: z.string(), message: z.string() }).nullable(),
  findings: z.array(z.looseObject({ level: z.string() })).optional(),
});
const dataOf = ({ status, body, raw }: { status: number; body: unknown; raw: string }) => {
  expect(status, raw).toBe(200);
  return z.object({ data: signup }).parse(body).data;
};
const refusedFor = async (answer: Awaited<ReturnType<typeof call>>): Promise<unknown> => {
  expect([answer.status, problemOf(answer).code], answer.raw).toEqual([422, 'signup_refused']);
  return problemOf(answer).details?.['reason'];
};
const numbers = ({ id }: TestCompany) => listBusinessNumbers(id, { consistent: true });

describe('a signup', () => {
  test('from its dialog to the first message, which the new number sends and receives', async () => {
    const begun = await start();
    const chosen = await dialog();
    const done = dataOf(await complete(begun, chosen));
    expect(done).toMatchObject({ status: 'connected', failure: null });
    expect(done.pin).toMatch(/^\d{6}$/);
    expect(done.findings?.filter(({ level }) => level !== 'ok')).toEqual([]);
    const number = (await numbers(company)).find(({ id }) => id === done.number_id);
    expect(number).toMatchObject({ phoneNumberId: chosen.phone_number_id, wabaId: chosen.waba_id, status: 'active' });
    await fixture.inbound({ company_id: 'signup', phone_number_id: chosen.phone_number_id, from: '4915100000001', text: 'Hello' });
    await fixture.deliverAll();
    const answered = await fixture.testApp.call({
      method: 'POST',
      path: '/api/v1/messages/text',
      token: company.tokens.owner,
      body: { phone: '4915100000001', message: 'Good morning', window_policy: 'enforce' },
    });
    expect(answered.status, answered.raw).toBe(200);
    expect((await fixture.ledger('4915100000001')).at(-1)).toMatchObject({ payload: { text: { body: 'Good morning' } } });
  });

  test('goes on where it stopped, and repeating it changes nothing', async () => {
    const begun = await start();
    const chosen = await dialog();
    const first = dataOf(await complete(begun, chosen));
    expect(dataOf(await complete(begun, chosen))).toMatchObject({ status: 'connected', number_id: first.number_id, pin: first.pin });
    const shown = await call(`/${begun.id}`);
    expect(dataOf(shown)).toMatchObject({ status: 'connected', number_id: first.number_id });
    expect(shown.raw).not.toContain(first.pin);
    const stored = JSON.stringify(await fixture.items(company.id, 'signup'));
    expect(stored).not.toContain(begun.state);
    expect(stored).not.toContain(chosen.code);
    expect(stored).not.toContain('sealedToken');
  });

  test('of a number that stays on its phone registers nothing', async () => {
    const chosen = await dialog({ number: 'new-phone' });
    expect(chosen).toEqual({ code: chosen.code, event: 'FINISH_WHATSAPP_BUSINESS_APP_ONBOARDING', waba_id: chosen.waba_id });
    expect(dataOf(await complete(await start(), chosen))).toMatchObject({ status: 'connected', pin: null });
  });

  test('of a number that is here already keeps its id, and everything of it', async () => {
    const first = dataOf(await complete(await start(), await dialog()));
    const [before] = (await numbers(company)).filter(({ id }) => id === first.number_id);
    const again = dataOf(await complete(await start(), await dialog({ number: before?.phoneNumberId })));
    expect(again).toMatchObject({ status: 'connected', number_id: first.number_id });
    expect(await numbers(company)).toHaveLength(2);
    const [after] = (await numbers(company)).filter(({ id }) => id === first.number_id);
    expect(await after?.accessToken()).not.toBe(await before?.accessToken());
    await fixture.inbound({ company_id: 'signup', phone_number_id: before?.phoneNumberId, from: '4915100000002', text: 'Still there?' });
    await fixture.deliverAll();
    expect(JSON.stringify(await fixture.items(company.id, 'message'))).toContain('Still there?');
  });

  test('of a number with a PIN asks for that one, and takes it with the same code', async () => {
    const first = dataOf(await complete(await start(), await dialog()));
    const [number] = (await numbers(company)).filter(({ id }) => id === first.number_id);
    const known = z.array(z.looseObject({ phone_number_id: z.string() })).parse(await fixture.control('GET', 'numbers'));
    const atProvider = known.find((each) => each.phone_number_id === number?.phoneNumberId);
    const secrets = { access_token: await number?.accessToken(), app_secret: app.app_secret };
    await fixture.control('PUT', 'numbers', { ...atProvider, ...secrets, registered: false });
    const [begun, chosen] = [await start(), await dialog({ number: number?.phoneNumberId })];
    const refused = await complete(begun, chosen);
    expect([refused.status, Object.keys(problemOf(refused).errors ?? {})]).toEqual([422, ['pin']]);
    const withPin = await call(`/${begun.id}/complete`, { state: begun.state, code: chosen.code, pin: first.pin });
    expect(dataOf(withPin)).toMatchObject({ status: 'connected', pin: first.pin });
  });
});

describe('a code', () => {
  test('that was used already is refused with a sentence, in another signup and in another company', async () => {
    const chosen = await dialog();
    dataOf(await complete(await start(), chosen));
    const again = await start();
    const refused = await complete(again, chosen);
    expect(await refusedFor(refused)).toBe('code_used');
    expect(refused.raw).toContain('The code of the provider was used already');
    expect(dataOf(await call(`/${again.id}`))).toMatchObject({ status: 'failed', failure: { reason: 'code_used' } });
    // it stays failed
    expect(await refusedFor(await complete(again, chosen))).toBe('code_used');
    company = await fixture.company();
    expect(await refusedFor(await complete(await start(), chosen))).toBe('code_used');
    expect(await numbers(company)).toHaveLength(1);
  });

  test('that comes late, or that the provider never gave, is refused', async () => {
    const chosen = await dialog();
    fixture.testApp.clock.advance(31_000);
    expect(await refusedFor(await complete(await start(), chosen))).toBe('code_expired');
    expect(await refusedFor(await complete(await start(), { code: 'AQ-made-up' }))).toBe('code_refused');
    expect(await numbers(company)).toHaveLength(1);
  });

  test('is the only one of its signup', async () => {
    const begun = await start();
    dataOf(await complete(begun, await dialog()));
    expect(await refusedFor(await complete(begun, await dialog()))).toBe('other_code');
    expect(await numbers(company)).toHaveLength(2);
  });

  test.each([
    ['waba_id', 'foreign_account'],
    ['phone_number_id', 'foreign_account'],
  ] as const)('with a %s that its token was not granted is refused', async (field, reason) => {
    const [own, foreign] = [await dialog(), await dialog()];
    expect(await refusedFor(await complete(await start(), { ...own, [field]: foreign[field] }))).toBe(reason);
    expect(await numbers(company)).toHaveLength(1);
  });

  test('for the account of another company is refused, and that company keeps its messages', async () => {
    const holder = company;
    const first = dataOf(await complete(await start(), await dialog()));
    const [number] = (await numbers(holder)).filter(({ id }) => id === first.number_id);
    company = await fixture.company();
    expect(await refusedFor(await complete(await start(), await dialog({ number: number?.phoneNumberId })))).toBe('held_account');
    expect(await numbers(company)).toHaveLength(1);
    await fixture.inbound({ company_id: 'signup', phone_number_id: number?.phoneNumberId, from: '4915100000003', text: 'To the first' });
    await fixture.deliverAll();
    expect(JSON.stringify(await fixture.items(holder.id, 'message'))).toContain('To the first');
    expect(await fixture.items(company.id, 'message')).toEqual([]);
  });

  test('is exchanged once, however many requests bring it at a time', async () => {
    const [begun, chosen] = [await start(), await dialog()];
    const answers = await Promise.all([1, 2, 3, 4].map(() => complete(begun, chosen)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(dataOf(await complete(begun, chosen))).toMatchObject({ status: 'connected' });
    expect(await numbers(company)).toHaveLength(2);
  });
});

describe('the state', () => {
  test('is good for its user alone, for ten minutes, and in its company', async () => {
    const begun = await start();
    const chosen = await dialog();
    const wrong = await complete({ ...begun, state: 'another' }, chosen);
    expect([wrong.status, Object.keys(problemOf(wrong).errors ?? {})]).toEqual([422, ['state']]);
    expect((await complete(begun, chosen, company.tokens.admin)).status).toBe(404);
    const foreign = await newCompany();
    expect((await complete(begun, chosen, foreign.tokens.owner)).status).toBe(404);
    fixture.testApp.clock.advance(10 * 60_000 + 1);
    expect(await refusedFor(await complete(begun, await dialog()))).toBe('signup_expired');
  });

  test('is for admins, and only where the operator has set up the dialog', async () => {
    expect((await call('', {}, company.tokens.member)).status).toBe(403);
    unwrap(await removeProviderAppSignup(app.app_id));
    const none = await call('', {});
    expect([none.status, problemOf(none).code]).toEqual([409, 'signup_unavailable']);
  });
});
