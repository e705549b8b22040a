import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import type { Receiver } from '../../functions/account/contract/receiver.ts';
import { orderStatuses } from '../../functions/shop/domain/status.ts';
import { type Fixture, type Merchant, newMerchant, startFixture } from '../shop/fixture.ts';
import { attack } from '../support/attack.ts';
import { unwrap } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';

/** A receiver without a secret is reached by its address alone, which stands in the settings of stores, in logs and in tickets. */
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const victim = '4915123456789';
const lure = 'Your parcel is held: pay at https://evil.example/pay';
const everyStatus = (merchant: Merchant) => ({
  order_notifications: Object.fromEntries(
    orderStatuses.map((status) => [
      status,
      { template_id: merchant.templates.moved, parammatch: { '1': 'customer_name', '2': 'order_number', '3': 'status' } },
    ]),
  ),
});
const postTo = async (merchant: Merchant, receiver: Receiver, key?: string) => {
  const { secret } = unwrap(
    await issueWebhookToken(merchant.company.id, { receiver, ...(key === undefined ? {} : { shared_secret: key }) }),
  );
  return async (topic: string, body: unknown): Promise<Answer> => {
    const raw = JSON.stringify(body);
    const signature = key === undefined ? {} : { 'x-webhook-signature': createHmac('sha256', key).update(raw).digest('hex') };
    const answer = await fixture.testApp.call({
      method: 'POST',
      path: `/shop/webhooks/${receiver}/${secret}`,
      body: raw,
      headers: { 'content-type': 'application/json', 'x-webhook-topic': topic, ...signature },
    });
    await fixture.testApp.drain();
    return answer;
  };
};
const listOf = async (merchant: Merchant, path: string): Promise<Record<string, unknown>[]> =>
  ((await merchant.api('GET', path)).body as { data: Record<string, unknown>[] }).data;
const storeOrder = (id: number, more: object = {}) => ({
  id,
  name: `#${id}`,
  currency: 'EUR',
  total_price: '5.00',
  financial_status: 'paid',
  fulfillment_status: null,
  cancelled_at: null,
  created_at: new Date(fixture.testApp.clock.now()).toISOString(),
  phone: `+${victim}`,
  customer: { first_name: lure },
  ...more,
});

attack(
  'an unsigned order, fulfilment and parcel send no message, subscribe no contact and show no link',
  [
    { in: 'functions/shop/domain/order.ts', replace: '  if (isUnsigned) return false;\n', by: '' },
    {
      in: 'functions/shop/domain/order.ts',
      replace: '(isUnsigned ? undefined : trackingUrl)',
      by: '(isUnsigned && !trackingUrl ? undefined : trackingUrl)',
    },
    {
      in: 'functions/shop/service/upsert-order.ts',
      replace: 'update.isUnsigned ?? update.marketingDeclined',
      by: 'update.marketingDeclined',
    },
    {
      in: 'functions/shop/service/upsert-order.ts',
      replace: 'name: update.isUnsigned ? undefined : update.customerName',
      by: 'name: update.customerName',
    },
    {
      in: 'functions/shop/service/receivers.ts',
      replace: 'const origin = isUnsigned ?',
      by: 'const origin = !isUnsigned && connectionId === -1 ?',
    },
  ],
  async () => {
    const merchant = await newMerchant(fixture);
    expect((await merchant.settings(everyStatus(merchant))).status).toBe(200);
    const known = '4915100000001';
    await merchant.api('POST', '/contacts', { phone: `+${known}` });
    const store = await postTo(merchant, 'storeplatform');
    const carrier = await postTo(merchant, 'logistics');
    const taken = { success: true, queued: true, unsigned: true };
    expect((await store('orders/create', storeOrder(1))).body).toEqual(taken);
    expect((await store('orders/create', storeOrder(2, { phone: `+${known}` }))).body).toEqual(taken);
    const fulfilment = { id: 9, order_id: 1, status: 'success', shipment_status: 'in_transit', tracking_url: 'https://evil.example/track' };
    expect((await store('fulfillments/create', fulfilment)).body).toEqual(taken);
    const parcel = {
      order_number: '#2',
      status: 'Shipped',
      tracking_number: 'pay at evil.example',
      tracking_url: 'https://evil.example/track',
    };
    expect((await carrier('', parcel)).body).toEqual(taken);
    // a later status of the staff is of an order that a stranger may have made
    await merchant.api('PATCH', '/shop/orders/1/status', { status: 'Delivered' });
    await fixture.testApp.drain();
    expect([merchant.sentTo(victim), merchant.sentTo(known)]).toEqual([[], []]);
    const orders = await listOf(merchant, '/shop/orders');
    expect(orders).toHaveLength(2);
    for (const order of orders) expect(order).toMatchObject({ tracking_url: null });
    expect((await listOf(merchant, '/contacts')).map(({ phone, name, subscribed }) => [phone, name, subscribed])).toEqual(
      expect.arrayContaining([
        [victim, null, false],
        [known, null, true],
      ]),
    );
  },
);

attack(
  'an unsigned fulfilment or parcel of a signed order sends no notice and no link with a later one',
  [
    { in: 'functions/shop/domain/order.ts', replace: '...withOrigin(order, { isUnsigned }),', by: '...order,' },
    { in: 'functions/shop/domain/order.ts', replace: '    ...withOrigin(order, update),\n', by: '    ...order,\n' },
  ],
  async () => {
    const merchant = await newMerchant(fixture);
    expect((await merchant.settings(everyStatus(merchant))).status).toBe(200);
    const signed = await postTo(merchant, 'storeplatform', 'the secret of the store');
    const store = await postTo(merchant, 'storeplatform');
    const carrier = await postTo(merchant, 'logistics');
    const customers = [1, 2, 3].map((id) => `491510000001${id}`);
    const order = (id: number) => storeOrder(id, { phone: `+${customers[id - 1]}`, customer: { first_name: 'Mia' } });
    const sent = () => customers.map((phone) => merchant.sentTo(phone));
    // a stranger may have the bytes before the store's own post arrives
    await store('orders/create', { ...order(3), customer: { first_name: lure } });
    for (const id of [1, 2, 3]) await signed('orders/create', order(id));
    const before = sent();
    expect(before).toEqual([['order_moved|Mia|#1|Processing'], ['order_moved|Mia|#2|Processing'], []]);
    await store('fulfillments/create', {
      id: 9,
      order_id: 1,
      status: 'success',
      shipment_status: 'in_transit',
      tracking_url: 'https://evil.example',
    });
    await carrier('', { order_number: '#2', status: 'Shipped', tracking_number: '1', tracking_url: 'https://evil.example' });
    for (const id of [1, 2])
      await signed('orders/updated', {
        ...order(id),
        fulfillment_status: 'fulfilled',
        updated_at: new Date(fixture.testApp.clock.now()).toISOString(),
      });
    expect(sent()).toEqual(before);
    for (const shown of await listOf(merchant, '/shop/orders')) expect(shown).toMatchObject({ tracking_url: null });
  },
);

test('a new receiver of a store or a carrier has a secret unless it is refused, and notices are not set beside an unsigned store', async () => {
  const merchant = await newMerchant(fixture);
  const create = async (receiver: string, more: object = {}) =>
    (
      (await merchant.api('POST', '/machine-tokens', { kind: 'webhook_token', receiver, ...more })).body as {
        data: Record<string, unknown>;
      }
    ).data;
  for (const receiver of ['storeplatform', 'webshop', 'logistics', 'checkout'])
    expect(await create(receiver)).toMatchObject({ has_shared_secret: true, shared_secret: expect.stringMatching(/^[0-9a-f]{48}$/) });
  expect(await create('webshop', { shared_secret: 'given by the store' })).toMatchObject({ has_shared_secret: true, shared_secret: null });
  for (const receiver of ['messaging', 'test']) expect(await create(receiver)).toMatchObject({ has_shared_secret: false });
  const { id, ...unsigned } = await create('webshop', { make_shared_secret: false });
  expect(unsigned).toMatchObject({ has_shared_secret: false, shared_secret: null });
  const refused = await merchant.settings(everyStatus(merchant));
  expect([refused.status, refused.body]).toMatchObject([422, { errors: { order_notifications: [expect.stringContaining(String(id))] } }]);
  await merchant.api('PUT', `/machine-tokens/${String(id)}`, { shared_secret: 'a secret of the store' });
  expect((await merchant.settings(everyStatus(merchant))).status).toBe(200);
});

attack(
  'a body that is nested without end is refused as no JSON, at each receiver without a secret',
  [{ in: 'shared/runtime/json.ts', replace: 'if (depth > maxDepth) return true;', by: '' }],
  async () => {
    const merchant = await newMerchant(fixture);
    for (const receiver of ['storeplatform', 'webshop', 'logistics', 'checkout', 'test'] as const) {
      const { secret } = unwrap(await issueWebhookToken(merchant.company.id, { receiver }));
      const path = `/shop/webhooks/${receiver}/${secret}`;
      for (const body of [
        `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
        `{"id":1234567890123456789,"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      ]) {
        const answer = await fixture.testApp.call({ method: 'POST', path, body, headers: { 'x-webhook-topic': 'orders/create' } });
        // the test receiver takes any text
        expect(answer.status, receiver).toBe(receiver === 'test' ? 200 : 400);
      }
    }
  },
);
