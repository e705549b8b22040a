import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { getOwnApp } from '../../functions/account/service/company-apps.ts';
import { listBusinessNumbers } from '../../functions/account/service/numbers.ts';
import { addProviderApp, claimNumber } from '../../functions/account/service/provider-apps.ts';
import { findByIdentities } from '../../functions/contacts/service/find-by-identities.ts';
import { attack } from '../support/attack.ts';
import { providerEnvelope, type TestCompany, unwrap } from '../support/company.ts';
import { captureLogs } from '../support/log-capture.ts';
import { problemOf, startFixture } from './fixture.ts';

/** An app of the provider that one company adds: its one receiver brings the company what is posted, and no other company anything. */
const fixture = await startFixture({ env: { SWITCHBOARD_LOCAL: '1' } });
beforeAll(() => void vi.stubEnv('MESSAGING_RECEIVER_BASE_URL', fixture.hookUrl));
afterAll(async () => {
  vi.unstubAllEnvs();
  await fixture.stop();
});

let serial = 30_000_000;
let appId: string;
let owner: TestCompany;
let other: TestCompany;
beforeEach(async () => {
  appId = String(++serial);
  owner = await fixture.company({ roles: ['owner', 'admin', 'member'], appId, appSecret: `the secret of the app ${appId}` });
  other = await fixture.company();
});

const call = (company: TestCompany, method: string, path: string, body?: object, token = company.tokens.owner) =>
  fixture.testApp.call({ method, path: `/api/v1${path}`, token, ...(body ? { body } : {}) });
type Answered = Awaited<ReturnType<typeof call>>;
const app = z.looseObject({ app_id: z.string(), name: z.string(), number_ids: z.array(z.int()) });
const dataOf = <S extends z.ZodType>({ status, body, raw }: Answered, schema: S): z.output<S> => {
  expect(status, raw).toBe(200);
  return schema.parse((body as { data: unknown }).data);
};
const add = (company: TestCompany, app_secret = company.appSecret, app_id = appId) =>
  call(company, 'POST', '/apps', { app_id, app_secret, name: 'Ours' });
const connected = z.looseObject({
  is_connected: z.boolean(),
  webhook_token_id: z.int().nullable(),
  findings: z.array(z.looseObject({ level: z.string(), message: z.string() })),
});
const connect = async (company: TestCompany) => dataOf(await call(company, 'POST', '/numbers/1/connect', {}), connected);
const numberOf = async (company: TestCompany) => {
  const [number] = await listBusinessNumbers(company.id, { consistent: true });
  if (!number) throw new Error('The company has no number.');
  return number;
};
const receiverOf = async (company: TestCompany): Promise<string> => {
  const token = await (await getOwnApp(company.id, appId))?.receiver();
  return `/webhook/messaging/receive/${token?.token}`;
};
const messageTo = (company: TestCompany, from: string) => {
  const text = { id: `wamid.company-app-${++serial}`, from, timestamp: '1790000000', type: 'text', text: { body: 'Hello' } };
  return (providerEnvelope(company, { messages: [text] })['entry'] as object[])[0];
};
const post = async (path: string, entry: unknown[], key: string) => {
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry });
  const signature = createHmac('sha256', key).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', ...(key ? { 'x-hub-signature-256': `sha256=${signature}` } : {}) };
  const answer = await fixture.testApp.call({ method: 'POST', path, body, headers });
  await fixture.testApp.drain();
  return answer.status;
};
const isKnown = async ({ id }: TestCompany, phone: string): Promise<boolean> =>
  (await findByIdentities(id, { phone }, { consistent: true })) !== undefined;
const isArchivedForOperator = async (phone: string): Promise<boolean> =>
  (await fixture.items(0, 'archived-update')).some((item) => String(item['body']).includes(phone));

describe('an app of a company', () => {
  test('is added with the secret that the provider knows, listed and read; its secret and its receiver are shown nowhere', async () => {
    const logs = captureLogs();
    const added = await add(owner);
    expect(dataOf(added, app)).toMatchObject({ app_id: appId, name: 'Ours', number_ids: [] });
    const [listed, read] = [await call(owner, 'GET', '/apps'), await call(owner, 'GET', `/apps/${appId}`)];
    expect(dataOf(listed, z.array(app))).toEqual([dataOf(read, app)]);
    const again = await add(owner);
    expect([again.status, problemOf(again).code]).toEqual([409, 'conflict']);
    logs.stop();
    const stored = JSON.stringify(await fixture.testApp.dump());
    const { token } = (await (await getOwnApp(owner.id, appId))?.receiver()) ?? { token: 'none' };
    for (const secret of [owner.appSecret, token]) {
      expect(added.raw + listed.raw + read.raw + again.raw + JSON.stringify(logs.lines)).not.toContain(secret);
      expect(stored).not.toContain(secret);
    }
    await fixture.testApp.drain();
    const audit = await call(owner, 'GET', '/audit');
    expect(audit.raw).toContain('app.created');
    expect(audit.raw).not.toContain(owner.appSecret);
  });

  test('with another secret than that at the provider is refused, and so is one that another company or the deployment has', async () => {
    const wrong = await add(other, 'not the secret of the app');
    expect([wrong.status, Object.keys(problemOf(wrong).errors ?? {})]).toEqual([422, ['app_secret']]);
    dataOf(await add(owner), app);
    expect((await add(other, owner.appSecret)).status).toBe(409);
    expect((await call(other, 'GET', `/apps/${appId}`)).status).toBe(404);
    expect((await call(other, 'DELETE', `/apps/${appId}`)).status).toBe(404);
    expect(await addProviderApp({ app_id: appId, app_secret: owner.appSecret, name: 'Theirs' })).toMatchObject({ problem: 'conflict' });
    const shared = String(++serial);
    unwrap(await addProviderApp({ app_id: shared, app_secret: 'the secret of the shared app', name: 'Shared' }));
    await fixture.control('PUT', 'apps', { app_id: shared, app_secret: 'the secret of the shared app' });
    expect((await add(owner, 'the secret of the shared app', shared)).status).toBe(409);
  });

  test('is for admins', async () => {
    const body = { app_id: appId, app_secret: owner.appSecret, name: 'Ours' };
    expect((await call(owner, 'POST', '/apps', body, owner.tokens.member)).status).toBe(403);
    expect((await call(owner, 'POST', '/apps', body, owner.tokens.admin)).status).toBe(200);
    expect((await call(owner, 'DELETE', `/apps/${appId}`, undefined, owner.tokens.member)).status).toBe(403);
  });
});

describe('a number', () => {
  test('names an app of its company or a shared one, in place of a secret, and no other', async () => {
    dataOf(await add(owner), app);
    const body = () => ({ phone: '+49 30 901820', phone_number_id: String(++serial), waba_id: '77', access_token: 'an access token' });
    const refused = await call(other, 'POST', '/numbers', { ...body(), app_id: appId });
    expect([refused.status, Object.keys(problemOf(refused).errors ?? {})]).toEqual([422, ['app_id']]);
    expect((await call(other, 'PUT', '/numbers/1', { app_id: appId })).status).toBe(422);
    expect((await call(owner, 'POST', '/numbers', body())).status).toBe(422);
    const named = dataOf(await call(owner, 'POST', '/numbers', { ...body(), app_id: appId }), z.looseObject({ id: z.int() }));
    expect(named).toMatchObject({ app_id: appId, has_app_secret: true });
    expect(dataOf(await call(owner, 'GET', `/apps/${appId}`), app).number_ids).toEqual([named.id]);
  });

  test('is connected under the app, names it from then on, and gets every post of its one receiver', async () => {
    dataOf(await add(owner), app);
    const done = await connect(owner);
    expect([done.is_connected, done.webhook_token_id]).toEqual([true, null]);
    expect(done.findings.filter(({ level }) => level !== 'ok')).toEqual([]);
    expect(dataOf(await call(owner, 'GET', `/apps/${appId}`), app).number_ids).toEqual([1]);
    await fixture.inbound({ company_id: owner.id, from: '4915100000001', text: 'Hello' });
    await fixture.deliverAll();
    expect([await isKnown(owner, '4915100000001'), await isKnown(other, '4915100000001')]).toEqual([true, false]);
    const receiver = await receiverOf(owner);
    expect(await post(receiver, [messageTo(owner, '4915100000002')], owner.appSecret)).toBe(200);
    expect(await isKnown(owner, '4915100000002')).toBe(true);
    for (const key of ['', other.appSecret]) expect(await post(receiver, [messageTo(owner, '4915100000003')], key)).toBe(401);
    expect(await isKnown(owner, '4915100000003')).toBe(false);
    const checked = dataOf(await call(owner, 'POST', '/numbers/1/check'), z.looseObject({ findings: connected.shape.findings }));
    expect(checked.findings.filter(({ level }) => level === 'wrong')).toEqual([]);
  });

  test('whose access token is of an app of another company is not connected, and its check says whose it is', async () => {
    dataOf(await add(owner), app);
    const thief = await fixture.company({ appId, appSecret: owner.appSecret });
    const refused = await connect(thief);
    expect(refused).toMatchObject({ is_connected: false, findings: [{ message: expect.stringContaining('another company’s') }] });
    expect((await numberOf(thief)).appId).toBeUndefined();
    const { findings } = dataOf(await call(thief, 'POST', '/numbers/1/check'), connected.pick({ findings: true }));
    expect(findings).toContainEqual(expect.objectContaining({ level: 'wrong', message: expect.stringContaining('another company’s') }));
  });

  test('that names another app than that of its access token is not connected', async () => {
    const second = String(++serial);
    await fixture.control('PUT', 'apps', { app_id: second, app_secret: 'the secret of the second app' });
    dataOf(await add(owner, 'the secret of the second app', second), app);
    expect((await call(owner, 'PUT', '/numbers/1', { app_id: second })).status).toBe(200);
    expect(await connect(owner)).toMatchObject({ is_connected: false, findings: [{ message: expect.stringContaining(second) }] });
  });

  test('keeps its app: it is not deleted until no number names it, and then its receiver is unknown', async () => {
    dataOf(await add(owner), app);
    await connect(owner);
    const receiver = await receiverOf(owner);
    const refused = await call(owner, 'DELETE', `/apps/${appId}`);
    expect([refused.status, problemOf(refused).code]).toEqual([409, 'conflict']);
    expect(await post(receiver, [messageTo(owner, '4915100000004')], owner.appSecret)).toBe(200);
    dataOf(await call(owner, 'PUT', '/numbers/1', { app_id: null }), z.looseObject({ app_id: z.null() }));
    expect((await call(owner, 'DELETE', `/apps/${appId}`)).status).toBe(200);
    expect((await call(owner, 'DELETE', `/apps/${appId}`)).status).toBe(404);
    fixture.testApp.clock.advance(11_000);
    expect(await post(receiver, [messageTo(owner, '4915100000005')], owner.appSecret)).toBe(404);
    expect([await isKnown(owner, '4915100000004'), await isKnown(owner, '4915100000005')]).toEqual([true, false]);
    // another company can have it then
    expect((await add(other, owner.appSecret)).status).toBe(200);
  });
});

test('a new secret holds at once, and the former one no more', async () => {
  dataOf(await add(owner), app);
  await connect(owner);
  const receiver = await receiverOf(owner);
  const app_secret = 'the second secret of the app';
  expect((await call(owner, 'POST', `/apps/${appId}/rotate`, { app_secret })).status).toBe(422);
  await fixture.control('PUT', 'apps', { app_id: appId, app_secret });
  const rotated = await call(owner, 'POST', `/apps/${appId}/rotate`, { app_secret });
  expect(dataOf(rotated, app)).toMatchObject({ app_id: appId, number_ids: [1] });
  expect(rotated.raw).not.toContain(app_secret);
  expect(await post(receiver, [messageTo(owner, '4915100000006')], app_secret)).toBe(200);
  expect(await post(receiver, [messageTo(owner, '4915100000007')], owner.appSecret)).toBe(401);
  expect([await isKnown(owner, '4915100000006'), await isKnown(owner, '4915100000007')]).toEqual([true, false]);
});

attack(
  'a post of an app of one company brings another company nothing, whatever ids it names: it is kept for the operator, and counted',
  [
    {
      in: 'functions/messaging/service/receive-app-webhook.ts',
      replace: 'return ownerId === noCompany || holder?.companyId === ownerId ? holder : undefined;',
      by: 'return holder;',
    },
  ],
  async () => {
    dataOf(await add(owner), app);
    await connect(owner);
    // even where the other company's ids were somehow claimed under this app
    expect(await claimNumber(appId, await numberOf(other))).toBe(true);
    const logs = captureLogs();
    const [own, foreign] = ['4915100000008', '4915100000009'];
    const stop = {
      id: other.number.wabaId,
      changes: [{ field: 'account_update', value: { event: 'PARTNER_REMOVED', waba_info: { waba_id: other.number.wabaId } } }],
    };
    expect(await post(await receiverOf(owner), [messageTo(owner, own), messageTo(other, foreign), stop], owner.appSecret)).toBe(200);
    logs.stop();
    expect([await isKnown(owner, own), await isKnown(owner, foreign), await isKnown(other, foreign)]).toEqual([true, false, false]);
    expect((await numberOf(other)).accountState).toBeUndefined();
    expect([await isArchivedForOperator(foreign), await isArchivedForOperator(own)]).toEqual([true, false]);
    expect(logs.lines.some((line) => JSON.stringify(line).includes('ForeignUpdates'))).toBe(true);
  },
);
