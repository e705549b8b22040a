import { expect, it } from 'vitest';
import * as z from 'zod';
import { type Product, startProduct } from '../support/product.ts';

const sendResult = z.object({ data: z.object({ conversation_id: z.number(), message_wamid: z.string().nullable() }) });
const total = z.object({ meta: z.object({ total: z.number() }) });

/** Sends until it is stopped; what was answered 200 is acknowledged. */
async function sendUntilKilled(product: Product, phones: readonly string[], kill: () => Promise<void>): Promise<Map<string, string>> {
  const acknowledged = new Map<string, string>();
  const queue = phones.values();
  const worker = async (): Promise<void> => {
    for (const phone of queue) {
      const answer = await product
        .asOwner({ method: 'POST', path: '/api/v1/messages/text', body: { phone, message: 'Hold on' } })
        .catch(() => undefined);
      if (answer === undefined) return;
      if (answer.status !== 200) continue;
      acknowledged.set(phone, sendResult.parse(answer.body).data.message_wamid ?? '');
      if (acknowledged.size === 15) void kill();
    }
  };
  await Promise.all(Array.from({ length: 6 }, worker));
  return acknowledged;
}

it('killed in the middle of sending and started again, nothing acknowledged is lost and nobody gets a message twice', async () => {
  await using product = await startProduct();
  const phones = Array.from({ length: 60 }, (_, i) => `49151600${String(1000 + i)}`);
  let killed = Promise.resolve();
  const acknowledged = await sendUntilKilled(product, phones, () => (killed = product.kill()));
  await killed;
  expect(acknowledged.size).toBeGreaterThanOrEqual(15);

  await product.restart();
  await product.idle();
  const ledger = z
    .object({ data: z.array(z.object({ to: z.string(), wamid: z.string() })) })
    .parse((await product.control('GET', 'provider/messages')).body).data;
  expect(ledger.length).toBe(new Set(ledger.map(({ to }) => to)).size);
  for (const [phone, wamid] of acknowledged) expect(ledger).toContainEqual(expect.objectContaining({ to: phone, wamid }));

  const list = await product.asOwner({ method: 'GET', path: '/api/v1/conversations', query: { limit: 100 } });
  const rows = z
    .object({ data: z.array(z.object({ contact: z.object({ phone: z.string() }), last_message: z.object({ status: z.number() }) })) })
    .parse(list.body).data;
  for (const phone of acknowledged.keys()) expect(rows.find((row) => row.contact.phone === phone)?.last_message.status).toBe(4);

  const contacts = total.parse((await product.asOwner({ method: 'GET', path: '/api/v1/contacts' })).body).meta.total;
  const counted = z
    .object({ data: z.array(z.unknown()) })
    .parse((await product.asOwner({ method: 'GET', path: '/api/v1/contacts', query: { limit: 100 } })).body).data.length;
  expect(contacts).toBe(counted);
});

it('tokens, the moved clock and a message on its way outlive a restart, and its fate is told after two minutes', async () => {
  await using product = await startProduct();
  await product.control('PUT', 'provider/faults', { timeout_after_accept: 1, hold_statuses: true });
  const sending = await product.asOwner({
    method: 'POST',
    path: '/api/v1/messages/text',
    body: { phone: '4915170000001', message: 'Did it arrive?' },
  });
  expect([sending.status, sending.body]).toMatchObject([202, { data: { message_wamid: null, status: 1, ambiguous: true } }]);
  const id = sendResult.parse(sending.body).data.conversation_id;
  await product.kill();
  await product.restart();
  const messages = async () => (await product.asOwner({ method: 'GET', path: `/api/v1/conversations/${id}/messages` })).body;
  // The provider had it: its statuses, held until now, are evidence enough.
  await product.idle();
  expect(await messages()).toMatchObject({ data: [{ status: 4, ambiguous: false }] });
  await product.control('POST', 'clock', { advance_seconds: 86_400 });
  const before = z.object({ data: z.object({ now: z.string() }) }).parse((await product.control('GET', 'clock')).body).data.now;
  await product.restart();
  const after = z.object({ data: z.object({ now: z.string() }) }).parse((await product.control('GET', 'clock')).body).data.now;
  expect(Date.parse(after) - Date.parse(before)).toBeGreaterThanOrEqual(0);
  expect(Date.parse(after)).toBeGreaterThan(Date.now() + 86_000_000);
});

it('a message whose fate nobody tells becomes a flagged failure after two minutes, and is never sent again', async () => {
  await using product = await startProduct();
  await product.control('PUT', 'provider/faults', { reset: 1, hold_statuses: true, seed: 3 });
  const sending = await product.asOwner({
    method: 'POST',
    path: '/api/v1/messages/text',
    body: { phone: '4915170000002', message: 'Hello?' },
  });
  expect(sending.status).toBe(202);
  const id = sendResult.parse(sending.body).data.conversation_id;
  await product.control('POST', 'clock', { advance_seconds: 130 });
  await product.idle();
  const messages = await product.asOwner({ method: 'GET', path: `/api/v1/conversations/${id}/messages` });
  expect(messages.body).toMatchObject({ data: [{ status: 5, ambiguous: true, error: { code: 'ambiguous_send' } }] });
  const calls = z.object({ data: z.array(z.unknown()) }).parse((await product.control('GET', 'provider/messages')).body).data.length;
  expect(calls).toBeLessThanOrEqual(1);
});
