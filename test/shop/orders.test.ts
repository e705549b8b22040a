import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OrderUpdate } from '../../functions/shop/contract/platform-event.ts';
import { upsertOrder } from '../../functions/shop/service/upsert-order.ts';
import type { TestApp } from '../support/test-app.ts';
import { dataOf, newShop, pageOf, problemOf, startShop, type Shop } from './support.ts';

let world: TestApp;
beforeAll(async () => {
  world = await startShop();
});
afterAll(() => world.stop());

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

describe('orders', () => {
  it('getOrder and listOrders return the fields of the contract with the contact and amounts as decimal text', async () => {
    const shop = await newShop(world);
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
    const shop = await newShop(world);
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
    const shop = await newShop(world);
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
    const shop = await newShop(world);
    const id = await createOrder(shop);
    expect(problemOf(await shop.call('PUT', `/orders/${id}`, body))).toEqual([422, 'validation_failed', ...fields]);
  });

  it('updateOrderStatus allows any status in any case, marks regressions, and ignores the same status', async () => {
    const shop = await newShop(world);
    const id = await createOrder(shop);
    await world.drain();
    world.events.length = 0;
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
    await world.drain();
    expect(world.events.map((each) => each.name)).toEqual(['order.status_updated', 'order.status_updated']);
  });

  it('updateOrderStatus with strict transitions is 409 and lists the allowed statuses', async () => {
    const shop = await newShop(world);
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
    const shop = await newShop(world);
    const ids = await Promise.all(Array.from({ length: 10 }, () => createOrder(shop, { number: 'SAME' })));
    expect(new Set(ids).size).toBe(1);
    await world.drain();
    expect(pageOf(await shop.call('GET', '/orders')).meta.total).toBe(1);
  });

  it('listOrders filters by status, search, phone, time and source', async () => {
    const shop = await newShop(world);
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
    const [mine, other] = [await newShop(world), await newShop(world)];
    const id = await createOrder(mine);
    expect((await other.call('GET', `/orders/${id}`)).status).toBe(404);
    expect((await other.call('PUT', `/orders/${id}/status`, { status: 'Shipped' })).status).toBe(404);
  });
});

const dataOfSettings = (answer: { status: number; raw: string }): void => {
  if (answer.status !== 200) throw new Error(answer.raw);
};
