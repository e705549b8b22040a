import { afterAll, describe, expect, it } from 'vitest';
import { deliveriesQueue } from '../../functions/shop/contract/delivery.ts';
import { applyFulfilment, upsertOrder } from '../../functions/shop/service/upsert-order.ts';
import { unpublishProduct, upsertPlatformProduct } from '../../functions/shop/service/platform-products.ts';
import type { Answer } from '../support/gateway-event.ts';
import { seeded } from '../support/random.ts';
import { orders, products, receiversOf } from './receiver-posts.ts';
import { dataOf, newShop, startShop } from './support.ts';
import { orderPayload, productPayload } from './platform-payloads.ts';
import { isFullSize, runSize } from '../support/run-size.ts';

const testApp = await startShop();
afterAll(() => testApp.stop());
const { platform } = receiversOf(testApp);

describe('the store platform', () => {
  it('updates that arrive out of order leave the catalog in the platform’s last state', async () => {
    const shop = await newShop(testApp);
    const postTopic = await platform(shop);
    await postTopic('products/update', productPayload(1, '2026-01-02T10:00:00-05:00', { title: 'New' }));
    await testApp.drain();
    await postTopic('products/create', productPayload(1, '2026-01-02T14:00:00Z', { title: 'Old' }));
    await postTopic('products/delete', { id: 2 }, { 'x-shopify-triggered-at': '2026-01-03T00:00:00Z' });
    await testApp.drain();
    await postTopic('products/update', productPayload(2, '2026-01-02T00:00:00Z'));
    await postTopic('products/delete', { id: 1 }, { 'x-shopify-triggered-at': '2026-01-04T00:00:00Z' });
    await testApp.drain();
    await postTopic('products/update', productPayload(1, '2026-01-03T00:00:00Z', { title: 'Late' }));
    await testApp.drain();
    expect(await products(shop)).toMatchObject([
      { name: 'New', status: 'Draft', price: '19.99', compare_at_price: 24.99, stock_quantity: 7 },
    ]);
  });

  it('a deletion while its product is restored is not lost', async () => {
    const shop = await newShop(testApp);
    const gone = (at: string) =>
      unpublishProduct(shop.companyId, { kind: 'product-deleted', source: 'webshop', externalId: '1', at: Date.parse(at) });
    await gone('2026-01-01T00:00:00Z');
    let isBetween = true;
    using _watch = testApp.onTable(async ({ command, when }) => {
      if (command !== 'UpdateItem' || when !== 'after' || !isBetween) return;
      isBetween = false;
      await gone('2026-01-03T00:00:00Z');
    });
    await upsertPlatformProduct(shop.companyId, {
      kind: 'product',
      source: 'webshop',
      externalId: '1',
      at: Date.parse('2026-01-02T00:00:00Z'),
      name: 'Tee',
      status: 'Active',
    });
    expect((await products(shop)).filter(({ status }) => status === 'Active')).toEqual([]);
  });

  it.each([
    [{ cancelled_at: '2026-01-01T00:00:00Z', financial_status: 'refunded' }, 'Cancelled'],
    [{ financial_status: 'refunded', fulfillment_status: 'fulfilled' }, 'Refunded'],
    [{ financial_status: 'partially_refunded' }, 'Processing'],
    [{ fulfillment_status: 'fulfilled', fulfillments: [{ id: 1, status: 'success', shipment_status: 'delivered' }] }, 'Delivered'],
    [
      {
        fulfillment_status: 'fulfilled',
        fulfillments: [
          { id: 1, status: 'success' },
          { id: 2, status: 'success', shipment_status: 'delivered' },
        ],
      },
      'Fulfilled',
    ],
    [{ fulfillment_status: 'partial' }, 'Shipped'],
    [{ fulfillments: [{ id: 1, status: 'success', shipment_status: 'in_transit' }] }, 'Shipped'],
    [{ fulfillments: [{ id: 1, status: 'failure', tracking_number: 'X' }] }, 'Pending'],
    [{ financial_status: 'paid', fulfillment_status: null }, 'Processing'],
    [{ financial_status: null }, 'Pending'],
  ])('an order with %j is %s', async (more, status) => {
    const shop = await newShop(testApp);
    const postTopic = await platform(shop);
    await postTopic('orders/create', orderPayload(5, '2026-01-01T00:00:00Z', more));
    await testApp.drain();
    expect(await orders(shop)).toMatchObject([{ order_number: '#5', status, total_amount: '10.00' }]);
  });

  it('fulfilments set tracking and status, also before their order, and not when older', async () => {
    const shop = await newShop(testApp);
    const postTopic = await platform(shop);
    const fulfilment = {
      id: 9,
      order_id: 5,
      status: 'success',
      tracking_number: '1Z',
      tracking_url: 'https://ups.example/1Z',
      updated_at: '2026-01-02T00:00:00Z',
    };
    await postTopic('fulfillments/create', fulfilment);
    await testApp.drain();
    await postTopic('orders/create', orderPayload(5, '2026-01-01T00:00:00Z', { financial_status: 'paid' }));
    await testApp.drain();
    expect(await orders(shop)).toMatchObject([{ status: 'Shipped', tracking_number: '1Z', tracking_url: 'https://ups.example/1Z' }]);
    await postTopic('fulfillments/update', { ...fulfilment, tracking_number: 'OLD', updated_at: '2026-01-01T00:00:00Z' });
    await postTopic(
      'orders/fulfilled',
      orderPayload(5, '2026-01-03T00:00:00Z', { financial_status: 'paid', fulfillment_status: 'fulfilled' }),
    );
    await postTopic('fulfillment_events/create', {
      id: 1,
      fulfillment_id: 9,
      order_id: 5,
      status: 'delivered',
      happened_at: '2026-01-04T00:00:00Z',
    });
    await testApp.drain();
    expect(await orders(shop)).toMatchObject([{ status: 'Delivered', tracking_number: '1Z' }]);
  });

  it('a fulfilment that arrives while its order is created is not lost', async () => {
    const shop = await newShop(testApp);
    const ship = () =>
      applyFulfilment(
        shop.companyId,
        { kind: 'fulfilment', source: 'storeplatform', externalId: '5', shipment: { id: '9', at: 1, status: 'success', number: '1Z' } },
        { key: 'shipped' },
      );
    let isShipped: boolean | undefined;
    using _watch = testApp.onTable(async ({ command, input, when }) => {
      if (isShipped !== undefined || when !== 'after' || command !== 'PutItem' || !JSON.stringify(input).includes('storeplatform#5'))
        return;
      isShipped = false;
      isShipped = await ship().then(
        () => true,
        () => false,
      );
    });
    await upsertOrder(
      shop.companyId,
      {
        kind: 'order',
        source: 'storeplatform',
        externalId: '5',
        number: '#5',
        at: 1,
        currency: 'USD',
        states: { financial_status: 'paid' },
      },
      { key: 'ordered' },
    );
    // The queue would retry the failed delivery.
    if (!isShipped) await ship();
    expect(await orders(shop)).toMatchObject([{ status: 'Shipped', tracking_number: '1Z' }]);
  });

  it('an older update of an order adds a history entry and changes nothing else', async () => {
    const shop = await newShop(testApp);
    const postTopic = await platform(shop);
    await postTopic('orders/updated', orderPayload(5, '2026-01-02T00:00:00Z', { financial_status: 'paid', total_price: '12.00' }));
    await testApp.drain();
    await postTopic('orders/create', orderPayload(5, '2026-01-01T00:00:00Z'));
    await testApp.drain();
    const [stored] = await orders(shop);
    expect(stored).toMatchObject({ status: 'Processing', total_amount: '12.00' });
    expect(stored?.['status_history']).toMatchObject([{ to: 'Processing' }, { to: 'Pending', is_stale: true }]);
  });

  it('a repeated delivery is applied once', async () => {
    const shop = await newShop(testApp);
    const postTopic = await platform(shop);
    const same = { 'x-shopify-webhook-id': 'same' };
    for (let i = 0; i < 5; i++) await postTopic('orders/create', orderPayload(5, '2026-01-01T00:00:00Z'), same);
    await testApp.drain();
    const [made] = await orders(shop);
    dataOf(await shop.call('PUT', `/orders/${made?.id}/status`, { status: 'Delivered' }));
    await postTopic('orders/create', orderPayload(5, '2026-01-01T00:00:00Z'), same);
    await testApp.drain();
    expect(await orders(shop)).toMatchObject([{ status: 'Delivered' }]);
  });

  const seeds = runSize(1, 20);
  const updates = isFullSize() ? 500 : 100;
  it.each(Array.from({ length: seeds }, (_, i) => i + 1))(
    `${updates} updates, shuffled and doubled, end in the platform’s last state (seed %i)`,
    async (seed) => {
      const rng = seeded(seed);
      const shop = await newShop(testApp);
      const postTopic = await platform(shop);
      const time = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();
      const calls: (() => Promise<Answer>)[] = [];
      const expectedProducts = new Map<string, { price: string; status: string }>();
      const expectedOrders = new Map<string, { status: string; total: string }>();
      for (let i = 0; i < updates; i++) {
        const headers = { 'x-shopify-webhook-id': `d-${i}`, 'x-shopify-triggered-at': time(i) };
        const id = 1 + Math.floor(rng() * 12);
        if (i % 2 === 0) {
          const big = `82098291194615450${id}`;
          const isGone = expectedProducts.get(big)?.status === 'Draft';
          if (isGone) continue;
          if (rng() < 0.05 && expectedProducts.has(big)) {
            expectedProducts.set(big, { price: expectedProducts.get(big)?.price ?? '', status: 'Draft' });
            calls.push(() => postTopic('products/delete', `{"id":${big}}`, headers));
          } else {
            expectedProducts.set(big, { price: `${i}.50`, status: 'Active' });
            const body = JSON.stringify(productPayload('@', time(i), { variants: [{ price: `${i}.50` }] })).replace('"@"', big);
            const topic = rng() < 0.5 ? 'products/update' : 'products/create';
            calls.push(() => postTopic(topic, body, headers));
          }
        } else {
          const [more, status] = (
            [
              [{ financial_status: 'paid' }, 'Processing'],
              [{ fulfillment_status: 'fulfilled' }, 'Fulfilled'],
              [{ fulfillment_status: 'partial' }, 'Shipped'],
              [{}, 'Pending'],
            ] as const
          )[Math.floor(rng() * 4)] ?? [{}, 'Pending'];
          expectedOrders.set(`#${id}`, { status, total: `${i}.00` });
          const topic = rng() < 0.5 ? 'orders/updated' : 'orders/create';
          calls.push(() => postTopic(topic, orderPayload(id, time(i), { ...more, total_price: `${i}.00` }), headers));
        }
      }
      const all = [...calls, ...calls].map((each) => ({ each, at: rng() })).toSorted((a, b) => a.at - b.at);
      let delivered = 0;
      for (let i = 0; i < all.length; i += 50) {
        for (const answer of await Promise.all(all.slice(i, i + 50).map(({ each }) => each()))) expect(answer.status).toBe(200);
        delivered += (await testApp.drain({ disorder: { seed, duplicate: 0.1, crash: 0.1, reorder: true } })).records;
      }
      delivered += (await testApp.drain()).records;
      expect(delivered).toBeGreaterThanOrEqual(all.length);
      const shownOrders = (await orders(shop)).map(
        (each) => [String(each['order_number']), { status: each['status'], total: each['total_amount'] }] as const,
      );
      expect(new Map(shownOrders)).toEqual(expectedOrders);
      for (const each of await products(shop)) {
        const expected = expectedProducts.get(String(each['external_id']));
        expect(each['status']).toBe(expected?.status);
        if (expected?.status === 'Active') expect(each['price']).toBe(expected.price);
      }
      for (const [externalId, { status }] of expectedProducts)
        if (status === 'Active') expect((await products(shop)).some((each) => each['external_id'] === externalId)).toBe(true);
      expect(testApp.deadLettersOf(deliveriesQueue)).toEqual([]);
    },
    180_000,
  );
});
