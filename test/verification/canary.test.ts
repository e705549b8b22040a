import { afterAll, beforeAll, expect, test } from 'vitest';
import { inboundText } from '../support/company.ts';
import { field, type Fixture, startFixture, wrongFor } from './fixture.ts';

/** Nothing secret leaves by a side door: every path of the product is walked, then all that came out of it is searched. */
let stage: Fixture;
beforeAll(async () => {
  stage = await startFixture();
});
afterAll(() => stage[Symbol.asyncDispose]());

test('no code, token, key or full identifier is in any log line, error, queue body or event, nor readable in the table', async () => {
  const queued: string[] = [];
  const answers: string[] = [];
  // mails go by the same hook, and may name their reader
  using _queue = stage.world.onQueue(({ when, command, input }) => {
    if (when === 'before' && command.startsWith('SendMessage')) queued.push(JSON.stringify(input));
  });
  const caller = await stage.newCaller({ guess_budget_per_day: 6, magic_link: { redirect_url: 'https://example.org/done' } });
  const phones = Array.from({ length: 3 }, () => stage.newPhone());
  const email = 'canary.person@mail.example.org';
  const secrets = new Set<string>([caller.secretKey, email, ...phones, ...phones.map((phone) => phone.slice(1))]);
  const kept = async (answer: ReturnType<typeof caller.post>) => {
    const given = await answer;
    if (given.status >= 400) answers.push(given.raw);
    return given;
  };
  const ask = async (identifier: string, more: Record<string, unknown> = {}) => {
    const id = String(field(await kept(caller.post('/request', { identifier, ...more })), 'request_id'));
    if (more['silent'] !== true) secrets.add(await stage.codeFor(identifier));
    return id;
  };
  const [first = '', second = '', third = ''] = phones;

  // a code: wrong, then right, then again; its trust key shown and used; a resend
  const request_id = await ask(first);
  const code = await stage.codeFor(first);
  await kept(caller.post('/verify', { request_id, code: wrongFor(code) }));
  const trust_key = String(field(await kept(caller.post('/verify', { request_id, code })), 'trust_key'));
  secrets.add(trust_key);
  await kept(caller.get(`/status/${request_id}`));
  await kept(caller.post('/request', { identifier: first, trust_key }));
  // guesses to the end of the budget, and what is refused after it
  const guessed = await ask(second);
  for (let i = 0; i < 7; i++) await kept(caller.post('/verify', { request_id: guessed, code: wrongFor(await stage.codeFor(second)) }));
  await kept(caller.post('/request', { identifier: second }));
  // a magic link, opened wrongly and rightly; its provider and its mail failing
  const mailed = await ask(email);
  await stage.world.drain();
  const link = /\/api\/v1\/verification\/magic\/[0-9a-f-]{36}\/([A-Za-z0-9_-]{43})/.exec(JSON.stringify(stage.world.emails));
  secrets.add(link?.[1] ?? 'no link');
  await stage.world.call({ method: 'GET', path: `${link?.[0].slice(0, -1)}-`, headers: {}, sourceIp: '203.0.113.9' });
  await stage.world.call({ method: 'GET', path: link?.[0] ?? '', headers: {}, sourceIp: '203.0.113.9' });
  await kept(caller.get(`/status/${mailed}`));
  stage.provider.answering(() => ({ status: 400, body: { error: { code: 131026, message: `undeliverable to ${third}` } } }));
  await kept(caller.post('/request', { identifier: third }));
  await stage.world.drain();
  stage.provider.answering(undefined);
  // a one-click request that a stranger tries to prove, a wrong key, a wrong signature
  const oneClick = await caller.post('/request', { identifier: stage.newPhone(), silent: true });
  const reference = /Verify%20([A-Z0-9]{10})/.exec(oneClick.raw)?.[1] ?? '';
  expect(reference).not.toBe('');
  await kept(caller.get('/config', { headers: { 'x-secret-key': `${caller.secretKey.slice(0, -1)}_` } }));
  await kept(caller.get('/config', { headers: { 'x-public-key': caller.publicKey, 'x-timestamp': '1', 'x-signature': 'AAAA' } }));
  await stage.world.drain();
  // time passes, requests expire
  await stage.world.passTime(900);

  expect(secrets.size).toBeGreaterThan(10);
  const output = {
    logs: JSON.stringify(stage.world.logs),
    events: JSON.stringify(stage.world.events),
    queues: queued.join('\n'),
    errors: answers.join('\n'),
    table: JSON.stringify((await stage.world.dump()).filter((item) => String(item['kind']).startsWith('verification-'))),
  };
  expect(queued.length).toBeGreaterThan(5);
  expect(stage.world.events.length).toBeGreaterThan(5);
  for (const [place, text] of Object.entries(output))
    for (const secret of secrets) expect(holds(text, secret), `${place} holds ${secret}`).toBe(false);
});

/** As a whole: the digits of a code may be part of a time or an id. */
const holds = (text: string, secret: string): boolean =>
  new RegExp(`(?<![A-Za-z0-9.-])${secret.replaceAll(/[.*+?^$()[\]{}|\\]/g, String.raw`\$&`)}(?![A-Za-z0-9.-])`).test(text);

test('a stranger who sends the reference proves nothing, and the message queue holds no more than the reference to it', async () => {
  const caller = await stage.newCaller();
  const asked = await caller.post('/request', { identifier: stage.newPhone(), silent: true });
  const reference = /Verify%20([A-Z0-9]{10})/.exec(asked.raw)?.[1] ?? '';
  await stage.world.call(inboundText(caller.company, { from: '4915199999999', text: `Verify ${reference}` }));
  await stage.world.drain();
  expect((await caller.get(`/status/${String(field(asked, 'request_id'))}`)).body).toMatchObject({ status: 'pending' });
});
