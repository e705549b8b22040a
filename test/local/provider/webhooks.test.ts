import { cpSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { startProvider } from '../../../lib/local/provider/provider.ts';
import { controlOf, firstNumber, newFolder, openFixture, customer, phoneNumberId, quiet, text, until } from './fixture.ts';

const write = { company_id: 1, from: customer, name: 'Zoë', type: 'text', text: 'Grüße / 你好 👋' };

test('inside the window a message is sent, delivered and read, in that order, with its reference', async () => {
  const { send, control, receiver, quiet } = await openFixture();
  await control('POST', 'inbound', write);
  const { body } = await send({ ...text, biz_opaque_callback_data: 'our-id' });
  await quiet();
  const id = body.messages?.[0]?.id;
  expect(receiver.statuses()).toMatchObject([
    {
      id,
      status: 'sent',
      biz_opaque_callback_data: 'our-id',
      recipient_id: customer,
      conversation: { expiration_timestamp: expect.any(String) },
    },
    { id, status: 'delivered', pricing: { pricing_model: 'CBP', category: 'service' } },
    { id, status: 'read' },
  ]);
  expect(receiver.faulty).toEqual([]);
  expect((await control('GET', 'messages')).body.data).toMatchObject([{ status: 'read' }]);
});

test('the newer webhook form has no conversation and names the user id', async () => {
  const { send, control, receiver, quiet } = await openFixture({ webhook_version: 'v24.0' });
  await control('POST', 'inbound', write);
  await send(text);
  await quiet();
  const [sent] = receiver.statuses();
  expect(sent).toMatchObject({ recipient_user_id: expect.stringMatching(/^US\.\d+$/), pricing: { pricing_model: 'PMP' } });
  expect(sent).not.toHaveProperty('conversation');
});

test('a free message outside the window fails later with 131047; writing opens the window for that pair only', async () => {
  const { send, control, receiver, quiet } = await openFixture();
  expect((await send(text)).status).toBe(200);
  await quiet();
  expect(receiver.statuses()).toMatchObject([{ status: 'failed', errors: [{ code: 131047, title: 'Re-engagement message' }] }]);
  await control('POST', 'inbound', write);
  await send(text);
  await send({ ...text, to: '+16505550999' });
  await quiet();
  expect(
    receiver
      .statuses()
      .slice(1)
      .map(({ status }) => status),
  ).toEqual(expect.arrayContaining(['sent', 'delivered', 'read', 'failed']));
});

test('a reaction is only reported as sent', async () => {
  const { send, control, receiver, quiet } = await openFixture();
  await control('POST', 'inbound', write);
  await send({ type: 'reaction', reaction: { message_id: 'wamid.abc', emoji: '👍' } });
  await quiet();
  expect(receiver.statuses().map(({ status }) => status)).toEqual(['sent']);
});

test('bodies are escaped to ASCII with escaped slashes, and signed as written', async () => {
  const { control, receiver, quiet } = await openFixture();
  await control('POST', 'inbound', write);
  await quiet();
  const raw = receiver.posts[0]?.raw.toString() ?? '';
  expect(raw).toContain('Gr\\u00fc\\u00dfe \\/ \\u4f60\\u597d \\ud83d\\udc4b');
  expect(raw).toMatch(/^[\x20-\x7e]*$/);
  expect(receiver.messages()).toMatchObject([{ type: 'text', from: customer, text: { body: write.text } }]);
  expect(receiver.faulty).toEqual([]);
});

test('updates_per_post: many that are due together share posts, where so set', async () => {
  const { control, receiver, quiet } = await openFixture();
  await control('PUT', 'faults', { updates_per_post: 100 });
  for (let index = 0; index < 250; index += 1) await control('POST', 'inbound', { ...write, text: `Message ${index}` });
  await quiet();
  expect(receiver.messages()).toHaveLength(250);
  expect(new Set(receiver.messages().map(({ id }) => id)).size).toBe(250);
  expect(receiver.posts.length).toBeLessThan(50);
  expect(Math.max(...receiver.posts.map((post) => post.body.entry.flatMap((entry) => entry.changes).length))).toBeLessThanOrEqual(100);
});

test('each update has a post of its own while no more wait than can be posted at once', async () => {
  const { control, receiver, quiet } = await openFixture();
  for (let index = 0; index < 8; index += 1) await control('POST', 'inbound', { ...write, text: `Message ${index}` });
  await quiet();
  expect(receiver.messages()).toHaveLength(8);
  expect(receiver.posts).toHaveLength(8);
});

test('while many wait, they share posts, each in one alone', async () => {
  const { control, receiver, quiet } = await openFixture();
  await control('PUT', 'faults', { hold_statuses: false });
  receiver.answers.push(...Array.from({ length: 8 }, () => 500));
  await Promise.all(Array.from({ length: 400 }, (_, index) => control('POST', 'inbound', { ...write, text: `Message ${index}` })));
  await quiet();
  expect(receiver.messages().map(({ id }) => id).length).toBe(new Set(receiver.messages().map(({ id }) => id)).size);
  expect(new Set(receiver.messages().map(({ id }) => id)).size).toBe(400);
  expect(receiver.posts.length).toBeLessThan(400);
  expect(Math.max(...receiver.posts.map((post) => post.body.entry.flatMap((entry) => entry.changes).length))).toBeLessThanOrEqual(20);
});

test('a receiver that does not answer 200 gets the same bytes again; until then the webhook is pending', async () => {
  const { control, receiver, provider, quiet } = await openFixture();
  receiver.answers.push(500);
  await control('POST', 'inbound', write);
  await until(() => receiver.answers.length === 0);
  expect(provider.pendingNow()).toBeGreaterThan(0);
  expect(receiver.messages()).toHaveLength(0);
  await quiet();
  expect(receiver.messages()).toHaveLength(1);
  expect((await control('GET', 'webhooks')).body).toMatchObject({
    data: [{ http_status: 500 }, { http_status: 200, attempt: 2 }],
    meta: { posts: 2, refused: 1, last_at: expect.any(String) },
  });
});

test('what was acknowledged survives a killed process: the ledger is whole, and pending webhooks go out after the restart', async () => {
  const { send, control, receiver, dataDir } = await openFixture();
  await control('PUT', 'templates', { waba_id: '600700800900100', templates: [] });
  receiver.answers.push(...Array.from({ length: 50 }, () => 503));
  await control('POST', 'inbound', write);
  const ids = (await Promise.all([send(text), send(text), send(text)])).map(({ body }) => body.messages?.[0]?.id);
  // The files as they are at this moment are what a killed process leaves behind.
  const folder = newFolder();
  cpSync(dataDir, folder, { recursive: true });
  receiver.answers.length = 0;
  const restarted = await startProvider({ dataDir: folder, log: () => {} });
  onTestFinished(() => restarted.stop());
  const data = (await controlOf(restarted)('GET', 'messages')).body.data;
  expect(data).toMatchObject(ids.map(() => ({ to: customer })));
  await quiet(restarted);
  expect(new Set(receiver.messages().map(({ id }) => id)).size).toBe(1);
  for (const id of ids)
    expect(
      receiver
        .statuses()
        .filter((each) => each.id === id)
        .map(({ status }) => status),
    ).toContain('read');
});

test('a callback is overridden only after the handshake, and no webhook comes without a subscription', async () => {
  const { call, control, receiver, quiet } = await openFixture({ webhook_url: 'http://127.0.0.1:9/nobody' });
  const path = '/v19.0/600700800900100/subscribed_apps';
  const wrong = await call('POST', path, { override_callback_uri: receiver.url, verify_token: 'wrong' });
  expect(wrong).toMatchObject({ status: 400, body: { error: { code: 2200 } } });
  expect(await call('POST', path, { override_callback_uri: receiver.url, verify_token: 'verify-me' })).toMatchObject({ status: 200 });
  await control('POST', 'inbound', write);
  await quiet();
  expect(receiver.messages()).toHaveLength(1);
  await call('DELETE', path);
  await control('POST', 'inbound', write);
  await quiet();
  expect(receiver.messages()).toHaveLength(1);
});

test('registering a number again replaces it', async () => {
  const { control, receiver, send } = await openFixture();
  await control('PUT', 'numbers', { ...firstNumber(receiver.url), access_token: 'renewed' });
  expect((await send(text)).status).toBe(401);
  expect((await send(text, 'renewed')).status).toBe(200);
  expect(await control('PUT', 'numbers', { ...firstNumber('nowhere') })).toMatchObject({
    status: 400,
    body: { error: { field: 'webhook_url' } },
  });
  expect((await control('GET', 'numbers')).body.data).toMatchObject([{ phone_number_id: phoneNumberId }]);
});

test('a free message outside the window arrives where enforce_window is off, and fails again once the faults are cleared', async () => {
  const { send, control, receiver, quiet } = await openFixture();
  await control('PUT', 'faults', { enforce_window: false });
  await send({ ...text, to: '+16505550999' });
  await quiet();
  await control('PUT', 'faults', {});
  await send({ ...text, to: '+16505550999' });
  await quiet();
  expect(receiver.statuses().map(({ status }) => status)).toEqual(['sent', 'delivered', 'read', 'failed']);
});

test('a simulator that is started without the window delivers to everyone; a fault enforces it all the same', async () => {
  const { send, control, receiver, quiet } = await openFixture({}, { enforcesWindow: false });
  await send(text);
  await quiet();
  await control('PUT', 'faults', { enforce_window: true });
  await send(text);
  await quiet();
  expect(receiver.statuses().map(({ status }) => status)).toEqual(['sent', 'delivered', 'read', 'failed']);
});

test('who wrote by a phone is answered by the user id too', async () => {
  const { send, control, receiver, quiet } = await openFixture({ webhook_version: 'v24.0' });
  await control('POST', 'inbound', write);
  await quiet();
  const [contact] = z.object({ contacts: z.array(z.object({ user_id: z.string() })) }).parse(receiver.changes()[0]?.value).contacts;
  await send({ ...text, to: undefined, recipient: contact?.user_id });
  await quiet();
  expect(receiver.statuses().map(({ status }) => status)).toEqual(['sent', 'delivered', 'read']);
});
