import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OrderUpdate } from '../../functions/shop/contract/platform-event.ts';
import { storedOrder } from '../../functions/shop/contract/stored.ts';
import { applyDelivery } from '../../functions/shop/service/apply-delivery.ts';
import { applyFulfilment, upsertOrder } from '../../functions/shop/service/upsert-order.ts';
import type { TestApp } from '../support/test-app.ts';
import { dataOf, newShop, pageOf, problemOf, startShop, type Shop } from './support.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startShop();
});
afterAll(() => testApp.stop());

let numbers = 0;
const createOrder = async (shop: Shop, more: Partial<OrderUpdate> = {}): Promise<number> => {
  const number = more.number ?? `ORD-${++numbers}`;
  const update: OrderUpdate = {
    kind: 'order',
    source: 'custom',
    externalId: number,
    number,
    currency: 'INR',
    total: '100.5',
    customerName: 'Asha',
    customerPhone: '+919876543210',
    items: [{ name: 'Mug', quantity: 2, price: '50.25' }],
    ...more,
  };
  return (await upsertOrder(shop.companyId, update, { key: undefined })).order.id;
};

describe('orders that come in another way than they should', () => {
  const deletion = (source: 'webshop', externalId: string, at: number) => ({ kind: 'order-deleted', source, externalId, at }) as const;

  it('an order that was deleted before it came is cancelled, and one that its source changed after that is not', async () => {
    const shop = await newShop(testApp);
    const [at, later] = [1_790_000_000_000, 1_790_000_600_000];
    for (const externalId of ['gone', 'back'])
      await applyDelivery(shop.companyId, `deleted-${externalId}`, deletion('webshop', externalId, at));
    const gone = await createOrder(shop, { source: 'webshop', externalId: 'gone', number: 'W-1', at: at - 60_000, status: 'Processing' });
    const back = await createOrder(shop, { source: 'webshop', externalId: 'back', number: 'W-2', at: later, status: 'Processing' });
    expect(dataOf(await shop.call('GET', `/orders/${gone}`))['status']).toBe('Cancelled');
    expect(dataOf(await shop.call('GET', `/orders/${back}`))['status']).toBe('Processing');
  });

  it('a deletion that comes while its order is created cancels it when it is delivered again', async () => {
    const shop = await newShop(testApp);
    const at = 1_790_000_000_000;
    const cancel = () => applyDelivery(shop.companyId, 'deleted', deletion('webshop', 'amid', at));
    let isCancelled: boolean | undefined;
    {
      using _amid = testApp.onTable(async ({ command, input, when }) => {
        const isOrder = (input['Item'] as { kind?: string } | undefined)?.kind === 'shop-order';
        if (isCancelled !== undefined || when !== 'before' || command !== 'PutItem' || !isOrder) return;
        isCancelled = false;
        await expect(cancel()).rejects.toThrow('comes again');
        isCancelled = true;
      });
      await createOrder(shop, { source: 'webshop', externalId: 'amid', number: 'W-3', at: at - 60_000, status: 'Processing' });
    }
    expect(isCancelled).toBe(true);
    await cancel();
    expect(pageOf(await shop.call('GET', '/orders')).data).toMatchObject([{ status: 'Cancelled' }]);
  });

  it('an order of a thousand lines with long texts and links is stored, cut to what an item can hold, with its whole amounts', async () => {
    const shop = await newShop(testApp);
    const items = Array.from({ length: 1_000 }, (_, nth) => ({
      name: `${nth} ${'茶'.repeat(990)}`,
      quantity: 1,
      price: '1.00',
      sku: 'S'.repeat(500),
      image: `https://shop.example/${'i'.repeat(1_500)}`,
    }));
    const id = await createOrder(shop, { number: 'LONG', items, total: '1000', notes: 'n'.repeat(5_000) });
    const order = dataOf(await shop.call('GET', `/orders/${id}`));
    expect(order).toMatchObject({ order_number: 'LONG', total_amount: '1000.00' });
    const [stored] = await testApp.dump({ kind: 'shop-order', companyId: shop.companyId });
    expect(Buffer.byteLength(JSON.stringify(stored))).toBeLessThan(300_000);
    expect(storedOrder.parse(stored).items.length).toBeGreaterThanOrEqual(300);
  });

  it('of more fulfilments than an order has place for the latest are stored, before it is known and after', async () => {
    const shop = await newShop(testApp);
    const report = (nth: number) =>
      applyFulfilment(
        shop.companyId,
        {
          kind: 'fulfilment',
          source: 'storeplatform',
          externalId: 'many',
          shipment: { id: `f${nth}`, at: nth, status: 'success', number: `1Z${nth}` },
        },
        { key: undefined },
      );
    for (let nth = 1; nth <= 130; nth++) await report(nth);
    await createOrder(shop, {
      source: 'storeplatform',
      externalId: 'many',
      number: 'MANY',
      at: 1,
      states: { financial_status: 'paid' },
    });
    for (let nth = 131; nth <= 140; nth++) await report(nth);
    const [stored] = await testApp.dump({ kind: 'shop-order', companyId: shop.companyId });
    const ids = Object.keys(storedOrder.parse(stored).shipments ?? {});
    expect([ids.length, ids.includes('f140'), ids.includes('f41'), ids.includes('f40')]).toEqual([100, true, true, false]);
  });
});

describe('orders', () => {
  it('getOrder and listOrders return the fields of the contract with the contact and amounts as decimal text', async () => {
    const shop = await newShop(testApp);
    const id = await createOrder(shop, { number: 'A-1' });
    const order = dataOf(await shop.call('GET', `/orders/${id}`));
    expect(order).toMatchObject({
      id: 1,
      order_number: 'A-1',
      status: 'Pending',
      source: 'custom',
      total_amount: '100.50',
      currency: 'INR',
      customer_name: 'Asha',
      customer_phone: '919876543210',
      contact: { id: order['contact_id'], name: 'Asha', phone: '919876543210', email: null },
      items: [{ name: 'Mug', quantity: 2, price: '50.25', total: '100.50', product_id: null }],
      status_history: [{ from: null, to: 'Pending', source: 'custom', is_regression: false }],
      version: 1,
      tracking_number: null,
    });
    expect(pageOf(await shop.call('GET', '/orders')).data).toEqual([order]);
  });

  it('updateOrder replaces lines, keeps them for an empty array, sums the total unless given, and stores tracking and email', async () => {
    const shop = await newShop(testApp);
    const id = await createOrder(shop);
    const product = dataOf(await shop.call('POST', '/products', { name: 'Tea', price: '12.50', sku: 'TEA' }), 201);
    const lines = [
      { name: 'Cup', quantity: 3, price: 1.1 },
      { product_id: product.id, quantity: 1 },
    ];
    const replaced = dataOf(
      await shop.call('PUT', `/orders/${id}`, { status: 'processing', items: lines, email: 'a@example.com', tracking_number: 'T-9' }),
    );
    expect(replaced).toMatchObject({
      status: 'Processing',
      total_amount: '15.80',
      customer_email: 'a@example.com',
      tracking_number: 'T-9',
      items: [
        { name: 'Cup', quantity: 3, price: '1.10', total: '3.30' },
        { name: 'Tea', product_id: product.id, price: '12.50', sku: 'TEA' },
      ],
    });
    const unchanged = dataOf(
      await shop.call('PUT', `/orders/${id}`, { status: 'Processing', items: [], customer_phone: '+919876543210', total_amount: '20' }),
    );
    expect(unchanged).toMatchObject({ total_amount: '20.00', items: replaced['items'] as object });
  });

  it('updateOrder and updateOrderStatus clear a text field that is null or empty, and keep one that is absent', async () => {
    const shop = await newShop(testApp);
    const id = await createOrder(shop);
    const put = async (path: string, body: object) =>
      dataOf(await shop.call('PUT', `/orders/${id}${path}`, { status: 'Pending', ...body }));
    const given = { tracking_number: 'T-1', tracking_url: 'https://t.example.com/1', notes: 'Ring twice', customer_name: 'Asha Rao' };
    const required = { items: [], customer_phone: '+919876543210' };
    expect(await put('', { ...required, ...given, email: 'a@example.com' })).toMatchObject({ ...given, customer_email: 'a@example.com' });
    expect(await put('', required)).toMatchObject({ ...given, customer_email: 'a@example.com' });
    const cleared = await put('', { ...required, tracking_number: null, tracking_url: '', notes: '', customer_name: null, email: null });
    expect(cleared).toMatchObject({ tracking_number: null, tracking_url: null, notes: null, customer_email: null });
    expect(cleared['customer_name']).toBe('Asha');
    await put('/status', { tracking_number: 'T-2', tracking_url: 'https://t.example.com/2' });
    expect(await put('/status', { tracking_number: '' })).toMatchObject({ tracking_number: null, tracking_url: 'https://t.example.com/2' });
  });

  it.each([
    [{ status: 'Sent', items: [], customer_phone: '+919876543210' }, ['status']],
    [{ status: 'Pending', customer_phone: '+919876543210' }, ['items']],
    [{ status: 'Pending', items: [] }, ['customer_phone']],
    [{ status: 'Pending', items: [{ quantity: 1, price: 1 }], email: 'a@example.com' }, ['items.0.name']],
    [{ status: 'Pending', items: [{ name: 'A', quantity: 0, price: 1 }], email: 'a@example.com' }, ['items.0.quantity']],
    [{ status: 'Pending', items: [{ product_id: 99, quantity: 1 }], email: 'a@example.com' }, ['items.0.product_id']],
    [{ status: 'Pending', items: [{ name: 'A', quantity: 1, price: 1.005 }], email: 'a@example.com' }, ['items.0.price']],
  ])('updateOrder with %j is 422 by field', async (body, fields) => {
    const shop = await newShop(testApp);
    const id = await createOrder(shop);
    expect(problemOf(await shop.call('PUT', `/orders/${id}`, body))).toEqual([422, 'validation_failed', ...fields]);
  });

  it('updateOrderStatus allows any status in any case, marks regressions, and ignores the same status', async () => {
    const shop = await newShop(testApp);
    const id = await createOrder(shop);
    await testApp.drain();
    testApp.events.length = 0;
    const put = async (status: string) => dataOf(await shop.call('PUT', `/orders/${id}/status`, { status }));
    await put('DELIVERED');
    const same = await put('Delivered');
    const back = await put('Pending');
    expect(same['version']).toBe(2);
    expect(back['status_history']).toMatchObject([
      { from: null, to: 'Pending' },
      { from: 'Pending', to: 'Delivered', is_regression: false, source: 'api' },
      { from: 'Delivered', to: 'Pending', is_regression: true },
    ]);
    await testApp.drain();
    expect(testApp.events.map((each) => each.name)).toEqual(['order.status_updated', 'order.status_updated']);
  });

  it('updateOrderStatus with strict transitions is 409 and lists the allowed statuses', async () => {
    const shop = await newShop(testApp);
    const id = await createOrder(shop);
    dataOfSettings(await shop.call('PUT', '/settings', { strict_order_transitions: true }));
    const refused = await shop.call('PUT', `/orders/${id}/status`, { status: 'Delivered' });
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { code: 'transition_refused', details: { allowed: ['Pending', 'Processing', 'Cancelled'] } },
    ]);
    expect(dataOf(await shop.call('PUT', `/orders/${id}/status`, { status: 'Processing' }))['status']).toBe('Processing');
  });

  it('ten concurrent updates of one order number create one order', async () => {
    const shop = await newShop(testApp);
    const ids = await Promise.all(Array.from({ length: 10 }, () => createOrder(shop, { number: 'SAME' })));
    expect(new Set(ids).size).toBe(1);
    await testApp.drain();
    expect(pageOf(await shop.call('GET', '/orders')).meta.total).toBe(1);
  });

  it('listOrders filters by status, search, phone, time and source', async () => {
    const shop = await newShop(testApp);
    for (let i = 0; i < 5; i++)
      await createOrder(shop, {
        number: `F-${i}`,
        customerName: i === 2 ? 'Zoë' : 'Asha',
        ...(i === 3 ? { customerPhone: '+4915112345678' } : {}),
      });
    await shop.call('PUT', '/orders/1/status', { status: 'Shipped' });
    const ids = async (query: string) => pageOf(await shop.call('GET', `/orders?${query}`)).data.map(({ id }) => id);
    expect(await ids('status=shipped')).toEqual([1]);
    expect(await ids('search=zo%C3%AB')).toEqual([3]);
    expect(await ids('search=f-4')).toEqual([5]);
    expect(await ids(`customer_phone=${encodeURIComponent('+49 151 12345678')}`)).toEqual([4]);
    expect(await ids('source=storeplatform')).toEqual([]);
    expect(await ids('source=custom')).toEqual([5, 4, 3, 2, 1]);
    for (const none of ['api', 'erp']) expect((await shop.call('GET', `/orders?source=${none}`)).status).toBe(422);
    expect(await ids('from=2000-01-01&to=2001-01-01')).toEqual([]);
    expect(await ids('from=2000-01-01&limit=2')).toEqual([5, 4]);
  });

  it('getOrder and updateOrderStatus answer 404 for an order of another company', async () => {
    const [mine, other] = [await newShop(testApp), await newShop(testApp)];
    const id = await createOrder(mine);
    expect((await other.call('GET', `/orders/${id}`)).status).toBe(404);
    expect((await other.call('PUT', `/orders/${id}/status`, { status: 'Shipped' })).status).toBe(404);
  });
});

const dataOfSettings = (answer: { status: number; raw: string }): void => {
  if (answer.status !== 200) throw new Error(answer.raw);
};
