import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { normalizeOrderNode, normalizeProductNode } from '../../functions/shop/domain/platform-record.ts';
import { type Fixture, type Merchant, newMerchant, startFixture } from './fixture.ts';

/** What recorded payloads of stores, couriers and checkouts lost before. */
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  await fixture.testApp.tick();
});
afterAll(() => fixture.stop());

type Row = Record<string, unknown>;
const dataOf = ({ body }: { body: unknown }): Row[] => (body as { data: Row[] }).data;
const orders = async (merchant: Merchant): Promise<Row[]> => dataOf(await merchant.api('GET', '/shop/orders'));
const contacts = async (merchant: Merchant): Promise<Row[]> => dataOf(await merchant.api('GET', '/contacts'));
const products = async (merchant: Merchant, query = ''): Promise<Row[]> => dataOf(await merchant.api('GET', `/shop/products${query}`));
const lastStep = (order: Row | undefined): Row | undefined => (order?.['status_history'] as Row[] | undefined)?.at(-1);
const received = async (
  merchant: Merchant,
  receiver: 'storeplatform' | 'webshop' | 'checkout' | 'logistics',
  topic: string,
  body: unknown,
) => {
  const answer = await merchant.post(receiver, topic, body);
  await fixture.testApp.drain();
  return answer.body;
};
const platformOrder = (more: Row = {}): Row => ({
  id: 7,
  name: '#7',
  currency: 'USD',
  current_total_price: '10.00',
  updated_at: '2026-01-01T00:00:00Z',
  financial_status: 'paid',
  fulfillment_status: null,
  cancelled_at: null,
  phone: '+14155552671',
  email: 'asha@example.com',
  line_items: [{ id: 1, name: 'Tee', quantity: 1, price: '10.00' }],
  ...more,
});

describe('parcel news', () => {
  it('in the own form of a courier find the order, and every word of it is in the order and in its event', async () => {
    const merchant = await newMerchant(fixture);
    await merchant.custom('order.placed', { order_number: 'NSU17', customer_email: 'a@example.com' });
    const shipment = (Status: string, Instructions: string, StatusDateTime: string) => ({
      Shipment: { Status: { Status, Instructions, StatusDateTime, StatusType: 'UD' }, ReferenceNo: 'NSU17', AWB: 'W1' },
    });
    await received(merchant, 'logistics', '', shipment('dispatched', 'Out For Delivery', '2023-12-11T10:00:00'));
    await received(merchant, 'logistics', '', shipment('pending', 'Failed Delivery', '2023-12-11T18:00:00'));
    expect(await orders(merchant)).toMatchObject([
      {
        status: 'Shipped',
        parcel_events: [{ status: 'Out For Delivery' }, { status: 'Failed Delivery', at: '2023-12-11T12:30:00.000000Z' }],
      },
    ]);
    const clickpost = { waybill: 'W1', status: 'Delivered', additional: { latest_status: { timestamp: '2023-12-14T09:30:18Z' } } };
    await received(merchant, 'logistics', '', clickpost);
    const [order] = await orders(merchant);
    expect(order).toMatchObject({ status: 'Delivered' });
    expect(lastStep(order)).toMatchObject({ to: 'Delivered', at: '2023-12-14T09:30:18.000000Z' });
    const receivedEvents = fixture.testApp.events.filter(
      ({ name, detail }) => name.startsWith('order.') && detail['company_id'] === merchant.company.id,
    );
    expect(receivedEvents.map(({ detail }) => (detail['data'] as Row)['parcel_status'])).toEqual([
      null,
      'Out For Delivery',
      'Failed Delivery',
      'Delivered',
    ]);
  });

  it('that come before their order wait for it, by its number', async () => {
    const merchant = await newMerchant(fixture);
    const push = { order_number: 'B-9', awb: 'W9', current_status: 'Delivered', current_timestamp: '2026-01-02T10:00:00Z' };
    await received(merchant, 'logistics', '', push);
    await merchant.custom('order.placed', { order_number: 'B-9', customer_email: 'b@example.com' });
    await fixture.testApp.drain();
    expect(await orders(merchant)).toMatchObject([
      { status: 'Delivered', tracking_number: 'W9', parcel_events: [{ status: 'Delivered' }] },
    ]);
  });

  it.each([
    ['Ecom Express', { awb: 'W2', status: 'Delivered', date_time: '2024-01-14T00:00:00Z' }, '2024-01-14T00:00:00.000000Z'],
    [
      'Shiprocket',
      { awb: 'W2', current_status: 'Delivered', scans: [{ date: '2024-01-12T10:00:00Z' }, { date: '2024-01-14T09:00:00Z' }] },
      '2024-01-14T09:00:00.000000Z',
    ],
    [
      'EasyPost',
      { result: { tracking_code: 'W2', status: 'delivered', updated_at: '2024-01-14T08:00:00Z' } },
      '2024-01-14T08:00:00.000000Z',
    ],
  ])('of %s have the time of the carrier', async (_, push, at) => {
    const merchant = await newMerchant(fixture);
    await merchant.custom('order.placed', { order_number: 'T-1', customer_email: 't@example.com' });
    await merchant.custom('order.status_updated', { order_number: 'T-1', status: 'Shipped', tracking_number: 'W2' });
    await received(merchant, 'logistics', '', push);
    expect(lastStep((await orders(merchant))[0])).toMatchObject({ to: 'Delivered', at });
  });

  it('of a platform are in the history at the time of the carrier', async () => {
    const merchant = await newMerchant(fixture);
    await received(merchant, 'storeplatform', 'orders/create', platformOrder({ fulfillment_status: 'fulfilled' }));
    const fulfilment = { id: 3, order_id: 7, status: 'success', updated_at: '2026-01-02T00:00:00Z', tracking_number: 'T' };
    await received(merchant, 'storeplatform', 'fulfillments/create', fulfilment);
    const scan = { fulfillment_id: 3, order_id: 7, status: 'delivered', happened_at: '2026-01-05T09:00:00Z' };
    await received(merchant, 'storeplatform', 'fulfillment_events/create', scan);
    const [order] = await orders(merchant);
    expect(lastStep(order)).toMatchObject({ to: 'Delivered', at: '2026-01-05T09:00:00.000000Z' });
    expect(order).toMatchObject({ parcel_events: [{ status: 'delivered' }] });
  });
});

describe('the customer of a shop', () => {
  it('that declined marketing is no subscriber, and the email of the order is the contact’s', async () => {
    const merchant = await newMerchant(fixture);
    await received(merchant, 'storeplatform', 'orders/create', platformOrder({ buyer_accepts_marketing: false }));
    expect(await contacts(merchant)).toMatchObject([{ phone: '14155552671', subscribed: false, email: 'asha@example.com' }]);
  });

  it('that is known keeps its consent with an order, and loses it where it is withdrawn in the shop', async () => {
    const merchant = await newMerchant(fixture);
    await merchant.api('POST', '/contacts', { phone: '+14155552671', name: 'Asha' });
    await received(merchant, 'storeplatform', 'orders/create', platformOrder({ buyer_accepts_marketing: false }));
    expect(await contacts(merchant)).toMatchObject([{ subscribed: true }]);
    const withdrawn = {
      id: 9,
      phone: '+1 415 555 2671',
      sms_marketing_consent: { state: 'unsubscribed' },
      updated_at: '2099-01-01T00:00:00Z',
    };
    await received(merchant, 'storeplatform', 'customers_marketing_consent/update', withdrawn);
    expect(await contacts(merchant)).toMatchObject([{ subscribed: false }]);
  });
});

describe('a cart', () => {
  it('has a name in every spelling of its parts, and the currency of the shop where it names none', async () => {
    const merchant = await newMerchant(fixture);
    await merchant.settings({
      abandoned_cart: {
        enabled: true,
        delay_minutes: 15,
        template_id: merchant.templates.left,
        parammatch: { '1': 'customer_name', '2': 'currency' },
      },
    });
    const at = new Date(fixture.testApp.clock.now()).toISOString();
    const customer = { firstname: 'Mia', lastname: 'Lee', phone: '+919000000000' };
    await received(merchant, 'checkout', '', { request_id: 'F-1', created_at: at, currency: '', total_price: '7.00', customer });
    fixture.testApp.clock.advance(14 * 60_000);
    await fixture.testApp.passTime(120);
    expect(merchant.sentTo('919000000000')).toEqual(['cart_left|Mia Lee|INR']);
  });

  it('whose reminder could not be sent does not hold back the next one', async () => {
    const merchant = await newMerchant(fixture);
    const setting = { enabled: true, delay_minutes: 15, template_id: merchant.templates.left };
    await merchant.settings({ abandoned_cart: { ...setting, parammatch: { '1': 'customer_name', '2': 'cart_url' } } });
    const cart = (id: string) => ({
      request_id: id,
      created_at: new Date(fixture.testApp.clock.now()).toISOString(),
      phone: '+919000000001',
    });
    await received(merchant, 'checkout', '', cart('G-1'));
    fixture.testApp.clock.advance(14 * 60_000);
    await fixture.testApp.passTime(120);
    expect(merchant.sentTo('919000000001')).toEqual([]);
    const url = 'https://shop.example/c/2';
    await received(merchant, 'checkout', '', { ...cart('G-2'), checkout_url: url, customer: { name: 'Mia' } });
    fixture.testApp.clock.advance(14 * 60_000);
    await fixture.testApp.passTime(120);
    expect(merchant.sentTo('919000000001')).toEqual([`cart_left|Mia|${url}`]);
  });
});

describe('lines and stock', () => {
  it('a removed line is not in the order, and goods that are not counted are in stock', async () => {
    const merchant = await newMerchant(fixture);
    const line_items = [
      { id: 1, name: 'Kept', quantity: 3, current_quantity: 2, price: '5.00' },
      { id: 2, name: 'Removed', quantity: 1, current_quantity: 0, price: '199.00' },
    ];
    await received(merchant, 'storeplatform', 'orders/create', platformOrder({ line_items }));
    expect(await orders(merchant)).toMatchObject([{ items: [{ name: 'Kept', quantity: 2 }] }]);
    const variants = [{ price: '3.00', inventory_quantity: 0, inventory_management: null }];
    const product = { id: 4, title: 'Print', status: 'active', updated_at: '2026-01-01T00:00:00Z', variants };
    await received(merchant, 'storeplatform', 'products/create', product);
    expect(await products(merchant, '?in_stock=1')).toMatchObject([{ name: 'Print', stock_counted: false }]);
    const counted = [{ ...variants[0], inventory_management: 'shopify' }];
    await received(merchant, 'storeplatform', 'products/update', { ...product, updated_at: '2026-01-02T00:00:00Z', variants: counted });
    expect(await products(merchant, '?in_stock=1')).toEqual([]);
  });

  it('an imported product whose stock is not tracked is in stock, and a product without a price of its own has none', () => {
    const node = { legacyResourceId: '1', title: 'Print', variants: { nodes: [{ price: '3.00', inventoryQuantity: 0 }] } };
    expect(normalizeProductNode({ ...node, tracksInventory: false }, 'USD')).toMatchObject({ stock: 0, isUncounted: true });
    expect(normalizeProductNode({ ...node, tracksInventory: true }, 'USD')).toMatchObject({ isUncounted: false });
  });

  it('a variable product has no price until its store names one', async () => {
    const merchant = await newMerchant(fixture);
    const product = { id: 8, name: 'Shirt', type: 'variable', status: 'publish', price: '', date_modified_gmt: '2026-01-01T00:00:00' };
    await received(merchant, 'webshop', 'product.created', product);
    expect(await products(merchant)).toMatchObject([{ name: 'Shirt', price: null }]);
    await received(merchant, 'webshop', 'product.updated', { ...product, price: '9.5', date_modified_gmt: '2026-01-02T00:00:00' });
    expect(await products(merchant)).toMatchObject([{ name: 'Shirt', price: '9.50' }]);
  });

  it('texts of a web page are plain in products and in the lines of an order', async () => {
    const merchant = await newMerchant(fixture);
    const product = {
      id: 9,
      name: 'Ship Your Idea &ndash; Color: Black',
      status: 'publish',
      price: '9.5',
      date_modified_gmt: '2026-01-01T00:00:00',
    };
    await received(merchant, 'webshop', 'product.created', product);
    expect(await products(merchant)).toMatchObject([{ name: 'Ship Your Idea – Color: Black' }]);
    const lines = [{ id: 1, name: 'Cup &amp; saucer &#8211; &unknown;', quantity: 1, price: '9.5', total: '9.50' }];
    const woo = { id: 32, number: '32', status: 'processing', currency: 'EUR', total: '9.50', line_items: lines };
    await received(merchant, 'webshop', 'order.created', woo);
    expect(JSON.stringify(await orders(merchant))).toContain('"Cup & saucer – &unknown;"');
  });

  it('what was paid back is in the order: payments that succeeded, of both stores and of an import', async () => {
    const merchant = await newMerchant(fixture);
    const paid = (kind: string, status: string, amount: string) => ({ transactions: [{ kind, status, amount }] });
    const refunds = [paid('refund', 'success', '2.50'), paid('refund', 'failure', '4.00'), paid('void', 'success', '1.00'), { id: 4 }];
    await received(merchant, 'storeplatform', 'orders/create', platformOrder());
    expect(await orders(merchant)).toMatchObject([{ refunded_amount: null }]);
    await received(merchant, 'storeplatform', 'orders/updated', platformOrder({ refunds, updated_at: '2026-01-02T00:00:00Z' }));
    const woo = { id: 31, number: '31', status: 'processing', currency: 'EUR', total: '30.00', line_items: [] };
    await received(merchant, 'webshop', 'order.updated', { ...woo, refunds: [{ total: '-10.00' }, { total: '-9.00' }] });
    expect(await orders(merchant)).toMatchObject([{ refunded_amount: '19.00' }, { refunded_amount: '2.50' }]);
    const node = { legacyResourceId: '5', name: '#5', currencyCode: 'USD', totalRefundedSet: { shopMoney: { amount: '7.0' } } };
    expect(normalizeOrderNode(node)).toMatchObject({ refunds: ['7.0'] });
  });

  it('a line of an unknown product is refused, and one of a known product has its price', async () => {
    const merchant = await newMerchant(fixture);
    const made = await merchant.api('POST', '/shop/products', { name: 'Mug', price: '4.50' });
    const id = (made.body as { data: { id: number } }).data.id;
    const order = (product_id: number) => ({ order_number: 'C-1', customer_email: 'c@example.com', items: [{ product_id, quantity: 2 }] });
    const refused = await merchant.custom('order.placed', order(id + 1));
    expect([refused.status, refused.body]).toMatchObject([
      422,
      { errors: { 'data.items.0.product_id': [`There is no product ${id + 1}.`] } },
    ]);
    await merchant.custom('order.placed', order(id));
    expect(await orders(merchant)).toMatchObject([{ total_amount: '9.00', items: [{ name: 'Mug', price: '4.50' }] }]);
  });
});
