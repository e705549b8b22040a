import { afterAll, beforeAll, expect, test } from 'vitest';
import { inboundText } from '../support/company.ts';
import { field, type Fixture, startFixture, wrongFor } from './fixture.ts';

/** No secret leaks: the test takes every path of verification, then searches all its outputs. */
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

test('no code, token, key or full identifier is in a log line, error, queue message or event, or readable in the table', async () => {
  const queued: string[] = [];
  const answers: string[] = [];
  // emails pass the same hook, and may contain their recipient
  using _queue = fixture.testApp.onQueue(({ when, command, input }) => {
    if (when === 'before' && command.startsWith('SendMessage')) queued.push(JSON.stringify(input));
  });
  const caller = await fixture.newCaller({ guess_budget_per_day: 6, magic_link: { redirect_url: 'https://example.org/done' } });
  const phones = Array.from({ length: 3 }, () => fixture.newPhone());
  const email = 'canary.person@mail.example.org';
  const secrets = new Set<string>([caller.secretKey, email, ...phones, ...phones.map((phone) => phone.slice(1))]);
  const recorded = async (answer: ReturnType<typeof caller.post>) => {
    const given = await answer;
    if (given.status >= 400) answers.push(given.raw);
    return given;
  };
  const requestCode = async (identifier: string, more: Record<string, unknown> = {}) => {
    const id = String(field(await recorded(caller.post('/request', { identifier, ...more })), 'request_id'));
    if (more['silent'] !== true) secrets.add(await fixture.codeFor(identifier));
    return id;
  };
  const [first = '', second = '', third = ''] = phones;

  // a code: wrong, correct, repeated; its trust key shown and used
  const request_id = await requestCode(first);
  const code = await fixture.codeFor(first);
  await recorded(caller.post('/verify', { request_id, code: wrongFor(code) }));
  const trust_key = String(field(await recorded(caller.post('/verify', { request_id, code })), 'trust_key'));
  secrets.add(trust_key);
  await recorded(caller.get(`/status/${request_id}`));
  await recorded(caller.post('/request', { identifier: first, trust_key }));
  // attempts until the budget is spent, and the refusals after it
  const attempted = await requestCode(second);
  for (let i = 0; i < 7; i++)
    await recorded(caller.post('/verify', { request_id: attempted, code: wrongFor(await fixture.codeFor(second)) }));
  await recorded(caller.post('/request', { identifier: second }));
  // a magic link with a wrong and the right token; a message that the provider refuses
  const mailed = await requestCode(email);
  await fixture.testApp.drain();
  const link = /\/api\/v1\/verification\/magic\/[0-9a-f-]{36}\/([A-Za-z0-9_-]{43})/.exec(JSON.stringify(fixture.testApp.emails));
  secrets.add(link?.[1] ?? 'no link');
  await fixture.testApp.call({ method: 'GET', path: `${link?.[0].slice(0, -1)}-`, headers: {}, sourceIp: '203.0.113.9' });
  await fixture.testApp.call({ method: 'GET', path: link?.[0] ?? '', headers: {}, sourceIp: '203.0.113.9' });
  await recorded(caller.get(`/status/${mailed}`));
  fixture.provider.answering(() => ({ status: 400, body: { error: { code: 131026, message: `undeliverable to ${third}` } } }));
  await recorded(caller.post('/request', { identifier: third }));
  await fixture.testApp.drain();
  fixture.provider.answering(undefined);
  // a one-click request, a wrong key, a wrong signature
  const oneClick = await caller.post('/request', { identifier: fixture.newPhone(), silent: true });
  const reference = /Verify%20([A-Z0-9]{10})/.exec(oneClick.raw)?.[1] ?? '';
  expect(reference).not.toBe('');
  await recorded(caller.get('/config', { headers: { 'x-secret-key': `${caller.secretKey.slice(0, -1)}_` } }));
  await recorded(caller.get('/config', { headers: { 'x-public-key': caller.publicKey, 'x-timestamp': '1', 'x-signature': 'AAAA' } }));
  await fixture.testApp.drain();
  // time passes, requests expire
  await fixture.testApp.passTime(900);

  expect(secrets.size).toBeGreaterThan(10);
  const output = {
    logs: JSON.stringify(fixture.testApp.logs),
    events: JSON.stringify(fixture.testApp.events),
    queues: queued.join('\n'),
    errors: answers.join('\n'),
    table: JSON.stringify((await fixture.testApp.dump()).filter((item) => String(item['kind']).startsWith('verification-'))),
  };
  expect(queued.length).toBeGreaterThan(5);
  expect(fixture.testApp.events.length).toBeGreaterThan(5);
  for (const [place, text] of Object.entries(output))
    for (const secret of secrets) expect(holds(text, secret), `${place} holds ${secret}`).toBe(false);
});

/** Whole words only: the digits of a code may be part of a time or an id. */
const holds = (text: string, secret: string): boolean =>
  new RegExp(`(?<![A-Za-z0-9.-])${secret.replaceAll(/[.*+?^$()[\]{}|\\]/g, String.raw`\$&`)}(?![A-Za-z0-9.-])`).test(text);

test('a reference that another sender sends changes nothing', async () => {
  const caller = await fixture.newCaller();
  const started = await caller.post('/request', { identifier: fixture.newPhone(), silent: true });
  const reference = /Verify%20([A-Z0-9]{10})/.exec(started.raw)?.[1] ?? '';
  await fixture.testApp.call(inboundText(caller.company, { from: '4915199999999', text: `Verify ${reference}` }));
  await fixture.testApp.drain();
  expect((await caller.get(`/status/${String(field(started, 'request_id'))}`)).body).toMatchObject({ status: 'pending' });
});
