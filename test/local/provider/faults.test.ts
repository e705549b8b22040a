import { expect, test, vi } from 'vitest';
import { accessToken, openFixture, phoneNumberId, customer, text, until } from './fixture.ts';

const ledger = async (control: Awaited<ReturnType<typeof openFixture>>['control']) =>
  (await control('GET', 'messages')).body.data as { to: string }[];

function rawSend(url: string, signal?: AbortSignal) {
  return fetch(`${url}/v19.0/${phoneNumberId}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messaging_product: 'whatsapp', to: customer, ...text }),
    ...(signal && { signal }),
  });
}

test('timeout_after_accept: accepted and reported, but never answered', async () => {
  const { control, provider, receiver, quiet } = await openFixture();
  await control('POST', 'inbound', { company_id: 1, from: customer, text: 'Hi' });
  await control('PUT', 'faults', { timeout_after_accept: 1 });
  await expect(rawSend(provider.url, AbortSignal.timeout(500))).rejects.toThrow(/timeout/);
  expect(await ledger(control)).toHaveLength(1);
  await quiet();
  expect(receiver.statuses().map(({ status }) => status)).toContain('read');
});

test('throttle: 130429 and not accepted; {} clears', async () => {
  const { control, send } = await openFixture();
  await control('PUT', 'faults', { throttle: 1 });
  const answer = await send(text);
  expect([400, 429]).toContain(answer.status);
  expect(answer.body.error?.code).toBe(130429);
  expect(await ledger(control)).toHaveLength(0);
  expect((await control('PUT', 'faults', {})).status).toBe(200);
  expect((await send(text)).status).toBe(200);
});

test('server_error: 5xx, some with the error body and some as a page, none accepted', async () => {
  const { control, provider } = await openFixture();
  await control('PUT', 'faults', { server_error: 1, seed: 7 });
  const answers = await Promise.all(Array.from({ length: 20 }, () => rawSend(provider.url)));
  expect(answers.every(({ status }) => status === 500 || status === 503)).toBe(true);
  const kinds = answers.map(({ headers }) => headers.get('content-type')?.split(';')[0]);
  expect(new Set(kinds)).toEqual(new Set(['application/json', 'text/html']));
  expect(await ledger(control)).toHaveLength(0);
});

test('reset: the connection breaks, about half of the times after acceptance; the same seed repeats it', async () => {
  const { control, provider } = await openFixture();
  const run = async (): Promise<number> => {
    const before = (await ledger(control)).length;
    await control('PUT', 'faults', { reset: 1, seed: 3 });
    for (let index = 0; index < 30; index += 1) await expect(rawSend(provider.url)).rejects.toThrow();
    return (await ledger(control)).length - before;
  };
  const first = await run();
  expect(first).toBeGreaterThan(5);
  expect(first).toBeLessThan(25);
  expect(await run()).toBe(first);
});

test('error_for: some codes answer the call, others come as a failed status', async () => {
  const { control, send, receiver, quiet } = await openFixture();
  await control('PUT', 'faults', { error_for: { [`+${customer}`]: 131056, '16505550222': 131026 } });
  expect(await send(text)).toMatchObject({ status: 400, body: { error: { code: 131056 } } });
  expect((await send({ ...text, to: '16505550222' })).status).toBe(200);
  await quiet();
  expect(await ledger(control)).toMatchObject([{ to: '16505550222', status: 'failed', error_code: 131026 }]);
  expect(receiver.statuses()).toMatchObject([{ status: 'failed', errors: [{ code: 131026 }] }]);
});

test('duplicate_webhooks: posts come twice', async () => {
  const { control, receiver, quiet } = await openFixture();
  await control('PUT', 'faults', { duplicate_webhooks: 1 });
  await control('POST', 'inbound', { company_id: 1, from: customer, text: 'Hi' });
  await quiet();
  expect(receiver.messages()).toHaveLength(2);
  expect(new Set(receiver.messages().map(({ id }) => id)).size).toBe(1);
});

test('shuffle_webhooks: every status still comes once, but not in order', async () => {
  const { control, send, receiver, quiet } = await openFixture();
  await control('POST', 'inbound', { company_id: 1, from: customer, text: 'Hi' });
  await control('PUT', 'faults', { shuffle_webhooks: 0.5, seed: 5 });
  await Promise.all(Array.from({ length: 12 }, () => send(text)));
  await quiet();
  const statuses = receiver.statuses();
  expect(statuses).toHaveLength(36);
  expect(new Set(statuses.map(({ id, status }) => `${id} ${status}`)).size).toBe(36);
  const rank = ['sent', 'delivered', 'read'];
  const seen = new Map<string, number>();
  const wentBack = statuses.some(({ id, status }) => {
    const before = seen.get(id) ?? -1;
    seen.set(id, Math.max(before, rank.indexOf(status)));
    return rank.indexOf(status) < before;
  });
  expect(wentBack).toBe(true);
});

test('hold_statuses: kept back until lifted, and not pending meanwhile', async () => {
  const { control, send, receiver, provider, quiet } = await openFixture();
  await control('POST', 'inbound', { company_id: 1, from: customer, text: 'Hi' });
  await quiet();
  await control('PUT', 'faults', { hold_statuses: true });
  await send(text);
  await until(() => provider.pendingNow() === 0 && provider.nextDueAt() === undefined);
  expect(receiver.statuses()).toEqual([]);
  expect((await control('GET', 'faults')).body).toMatchObject({ data: { hold_statuses: true }, held: 3 });
  await control('PUT', 'faults', {});
  await quiet();
  expect(receiver.statuses().map(({ status }) => status)).toEqual(['sent', 'delivered', 'read']);
});

test('latency_ms delays every answer', async () => {
  const { control, send } = await openFixture();
  await control('PUT', 'faults', { latency_ms: 120 });
  const start = performance.now();
  await send(text);
  expect(performance.now() - start).toBeGreaterThan(110);
});

test.for([
  [{ throttle: 2 }, 'throttle'],
  [{ reset: -1 }, 'reset'],
  [{ hold_statuses: 'yes' }, 'hold_statuses'],
  [{ error_for: { '1': 'x' } }, 'error_for.1'],
  [{ latency_ms: 'slow' }, 'latency_ms'],
  [{ trottle: 1 }, 'trottle'],
] as [Record<string, unknown>, string][])('400 naming the field: %j', async ([body, field]) => {
  const { control } = await openFixture();
  await control('PUT', 'faults', { throttle: 0.5 });
  expect(await control('PUT', 'faults', body)).toMatchObject({ status: 400, body: { error: { field } } });
  expect((await control('GET', 'faults')).body.data).toEqual({ throttle: 0.5 });
});

test('a path that is not the provider’s is left to others', async () => {
  const { provider } = await openFixture();
  expect(await provider.control('GET', '/_local/emails', undefined)).toBeUndefined();
  expect(await provider.control('GET', '/_local/provider/unknown', undefined)).toBeUndefined();
});

test('time is read from the clock: what a moved clock makes due happens at once, and the window closes after a day', async () => {
  const { control, send, receiver, provider, quiet } = await openFixture();
  receiver.answers.push(500, 500, 500, 500);
  await control('POST', 'inbound', { company_id: 1, from: customer, text: 'Hi' });
  const now = Date.now.bind(Date);
  for (let left = 4; left > 0; left -= 1) {
    await until(() => receiver.answers.length < left);
    await until(() => provider.nextDueAt() !== undefined);
    const ahead = (provider.nextDueAt() ?? 0) - now();
    vi.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
  }
  await until(() => receiver.messages().length === 1);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 25 * 3_600_000);
  await send(text);
  await quiet();
  vi.restoreAllMocks();
  expect(receiver.statuses()).toMatchObject([{ status: 'failed', errors: [{ code: 131047 }] }]);
});
