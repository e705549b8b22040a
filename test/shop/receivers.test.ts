import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { deliveriesQueue } from '../../functions/shop/contract/delivery.ts';
import { parcelStatus } from '../../functions/shop/domain/logistics.ts';
import { unwrap } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { orders, products, receiversOf, secret } from './receiver-posts.ts';
import { dataOf, newShop, problemOf, startShop } from './support.ts';

const testApp = await startShop();
afterAll(() => testApp.stop());
const { receiver, custom } = receiversOf(testApp);

describe('the custom receiver', () => {
  it.each(['/shop/webhooks/custom/', '/api/shop/webhooks/custom/'])('%s creates one order for a number and returns it', async (path) => {
    const shop = await newShop(testApp);
    const postEvent = await custom(shop, path);
    const data = {
      order_number: 'A-1',
      customer_name: 'Asha',
      customer_phone: '+91 98765 43210',
      items: [{ name: 'Mug', quantity: 2, price: 49.95 }],
    };
    const first = await postEvent('order.placed', data);
    expect([first.status, first.body]).toMatchObject([
      200,
      { success: true, data: { order_id: 1, order_number: 'A-1', status: 'Pending', created: true } },
    ]);
    expect((await postEvent('order.placed', { ...data, total_amount: 120.5, currency: 'EUR' })).body).toMatchObject({
      data: { order_id: 1, created: false },
    });
    expect(await orders(shop)).toMatchObject([
      { total_amount: '120.50', currency: 'EUR', customer_phone: '919876543210', contact: { name: 'Asha' } },
    ]);
  });

  it('updates status and tracking, rejects invalid data, and names the known events when an event is unknown', async () => {
    const shop = await newShop(testApp);
    const postEvent = await custom(shop);
    await postEvent('order.placed', { order_number: 'A-1', customer_email: 'a@example.com' });
    const moved = await postEvent('order.status_updated', {
      order_number: 'A-1',
      status: 'shipped',
      tracking_number: 'T1',
      tracking_url: 'https://example.com/T1',
    });
    expect(moved.body).toMatchObject({ data: { status: 'Shipped', created: false } });
    expect(await orders(shop)).toMatchObject([{ tracking_number: 'T1', tracking_url: 'https://example.com/T1', total_amount: '0.00' }]);
    expect(problemOf(await postEvent('order.status_updated', { order_number: 'B', status: 'Shipped' }))).toEqual([404, 'order_not_found']);
    expect(problemOf(await postEvent('order.status_updated', { order_number: 'A-1', status: 'Gone' }))).toEqual([
      422,
      'validation_failed',
      'data.status',
    ]);
    expect(problemOf(await postEvent('order.placed', { order_number: 'C' }))).toEqual([422, 'validation_failed', 'data.customer_phone']);
    expect((await postEvent('order.deleted', {})).body).toEqual({
      success: true,
      ignored: true,
      message: 'Unknown event order.deleted; ignored. Known events: order.placed, order.status_updated.',
    });
    const wrong = await testApp.call({ method: 'POST', path: `/shop/webhooks/custom/erp_${'x'.repeat(43)}`, body: {} });
    expect(problemOf(wrong)).toEqual([401, 'invalid_webhook_token']);
  });
});

describe('listReceiverPosts', () => {
  it('says what became of each post: refused with its reason, ignored, queued and then applied; a limit is not in it', async () => {
    const shop = await newShop(testApp);
    const postEvent = await custom(shop);
    const webshop = await receiver(shop, 'webshop');
    await postEvent('order.placed', { order_number: 'C' });
    await postEvent('order.deleted', {});
    await postEvent('order.placed', { order_number: 'A-1', customer_email: 'a@example.com' });
    await webshop({ id: 5, name: 'Mug', price: '3.00' }, { 'x-wc-webhook-topic': 'product.created' });
    await webshop({ id: 6, name: 'Cup' }, { 'x-wc-webhook-topic': 'product.created', 'x-webhook-signature': 'wrong' });
    const listed = (answer: Answer): unknown[] => (answer.body as { data: unknown[] }).data;
    const posts = async (query = '') => listed(await shop.call('GET', `/receiver-posts${query}`));
    const queued = { receiver: 'webshop', topic: 'product.created', about: 'Mug', outcome: 'queued', is_signed: true };
    expect(await posts()).toMatchObject([
      { receiver: 'webshop', topic: 'product.created', about: null, outcome: 'refused', code: 'invalid_signature', is_signed: false },
      { ...queued, applied_at: null },
      { receiver: 'custom', topic: 'order.placed', about: 'A-1', outcome: 'applied', applied_at: expect.any(String), is_signed: false },
      { receiver: 'custom', topic: 'order.deleted', outcome: 'ignored', applied_at: null },
      { receiver: 'custom', topic: 'order.placed', outcome: 'refused', code: 'validation_failed', fields: ['data.customer_phone'] },
    ]);
    await testApp.drain();
    expect(await posts('?outcome=queued')).toMatchObject([{ ...queued, applied_at: expect.any(String) }]);
    expect(await posts('?receiver=custom&limit=1')).toMatchObject([{ about: 'A-1' }]);
    const other = await newShop(testApp);
    expect(listed(await other.call('GET', '/receiver-posts'))).toEqual([]);
  });
});

describe('signatures', () => {
  it('over the raw bytes are accepted in each encoding; anything else is 401 and changes nothing', async () => {
    const shop = await newShop(testApp);
    const token = unwrap(await issueWebhookToken(shop.companyId, { receiver: 'storeplatform', shared_secret: secret })).secret;
    const raw = '{ "id": 820982911946154508 , "title": "Ünïcode \\u00e9" }';
    const mac = createHmac('sha256', secret).update(raw).digest();
    const hex = mac.toString('hex');
    const base64 = mac.toString('base64');
    const post = (headers: Record<string, string>, body = raw) =>
      testApp.call({
        method: 'POST',
        path: `/shop/webhooks/storeplatform/${token}`,
        body,
        headers: { 'x-shopify-topic': 'products/create', ...headers },
      });
    for (const headers of [
      { 'x-shopify-hmac-sha256': base64 },
      { 'x-webhook-signature': base64 },
      { 'x-webhook-signature': hex },
      { 'x-webhook-signature': `sha256=${hex}` },
    ])
      expect((await post(headers as Record<string, string>)).status).toBe(200);
    await testApp.drain();
    for (const headers of [
      {},
      { 'x-webhook-signature': hex.replace(/^./, 'z') },
      { 'x-webhook-signature': '' },
      { 'x-wc-webhook-signature': base64 },
    ])
      expect(problemOf(await post(headers as Record<string, string>))).toEqual([401, 'invalid_signature']);
    expect(problemOf(await post({ 'x-webhook-signature': hex }, `${raw} `))).toEqual([401, 'invalid_signature']);
    expect(testApp.queued(deliveriesQueue)).toEqual([]);
    expect(await products(shop)).toMatchObject([
      { external_id: '820982911946154508', name: 'Ünïcode é', external_source: 'storeplatform', is_platform_synced: true },
    ]);
  });

  it('are not required without a secret, and the response says so', async () => {
    const post = await receiver(await newShop(testApp), 'logistics', false);
    expect((await post({ awb: '1', status: 'Delivered' })).body).toEqual({ success: true, queued: true, unsigned: true });
  });
});

describe('the second store platform', () => {
  it('receiveWebshop applies orders and products, acknowledges the ping and ignores an error body', async () => {
    const shop = await newShop(testApp);
    const post = await receiver(shop, 'webshop');
    const postEvent = (topic: string, body: unknown) =>
      post(body, { 'x-wc-webhook-topic': topic, 'x-wc-webhook-delivery-id': 'not unique' });
    const ping = await post('webhook_id=11', { 'x-webhook-signature': '', 'content-type': 'application/x-www-form-urlencoded' });
    expect([ping.status, ping.body]).toEqual([200, { success: true }]);
    const one = {
      id: 727,
      number: '727',
      status: 'processing',
      currency: 'USD',
      total: '29.35',
      date_modified_gmt: '2026-03-22T19:28:08',
      billing: { first_name: 'John', last_name: 'Doe', phone: '(415) 555-2671', country: 'US' },
      line_items: [{ id: 1, name: 'Single', quantity: 2, price: 3, total: '6.00' }],
    };
    await postEvent('order.created', one);
    await testApp.drain();
    await postEvent('order.created', { ...one, id: 728, number: '728' });
    await postEvent('product.created', {
      id: 794,
      name: 'Premium',
      type: 'simple',
      status: 'publish',
      price: '21.99',
      regular_price: '21.99',
      sale_price: '',
      date_modified_gmt: '2026-03-22T19:28:08',
    });
    expect(
      (await postEvent('order.created', { code: 'woocommerce_rest_cannot_view', message: 'No', data: { status: 403 } })).body,
    ).toMatchObject({ success: true, ignored: true });
    await testApp.drain();
    expect(await orders(shop)).toMatchObject([
      { order_number: '728', source: 'webshop' },
      {
        order_number: '727',
        status: 'Processing',
        total_amount: '29.35',
        customer_phone: '14155552671',
        items: [{ price: '3.00', total: '6.00' }],
      },
    ]);
    await postEvent('order.updated', { ...one, status: 'completed', date_modified_gmt: '2026-03-22T19:28:09' });
    await postEvent('order.updated', { ...one, status: 'some-plugin', date_modified_gmt: '2026-03-22T19:28:10' });
    await testApp.drain();
    expect(dataOf(await shop.call('GET', '/orders/1'))['status']).toBe('Fulfilled');
    // The reverse order: a plugin's status first, then two older updates.
    await postEvent('order.updated', { ...one, id: 729, number: '729', status: 'some-plugin', date_modified_gmt: '2026-03-22T19:28:10' });
    await testApp.drain();
    await postEvent('order.updated', { ...one, id: 729, number: '729', status: 'completed', date_modified_gmt: '2026-03-22T19:28:09' });
    await testApp.drain();
    await postEvent('order.created', { ...one, id: 729, number: '729', status: 'processing' });
    await testApp.drain();
    expect((await orders(shop))[0]).toMatchObject({ order_number: '729', status: 'Fulfilled' });
    expect(await products(shop)).toMatchObject([
      { external_id: '794', price: '21.99', status: 'Active', external_source: 'webshop', compare_at_price: null },
    ]);
    expect((await testApp.call({ method: 'GET', path: `/shop/${shop.companyId}/products` })).body).toMatchObject({ data: [] });
  });
});

describe('logistics', () => {
  it.each([
    ['picked up', 'Shipped'],
    ['SHIPPED', 'Shipped'],
    ['In Transit', 'Shipped'],
    ['InTransit', 'Shipped'],
    ['out-for-delivery', 'Shipped'],
    ['Delivered', 'Delivered'],
    ['UNDELIVERED', undefined],
    ['PARTIAL_DELIVERED', undefined],
    ['RTO DELIVERED', 'Cancelled'],
    ['rto initiated', 'Cancelled'],
    ['Canceled', 'Cancelled'],
    ['Pickup Scheduled', undefined],
    ['PORTO', undefined],
  ])('the label %s maps to %s', (label, status) => {
    expect(parcelStatus(label)).toBe(status);
  });

  it('receiveLogistics finds the order by number, with or without #, or by tracking number, and ignores a late repeat', async () => {
    const shop = await newShop(testApp);
    await (await custom(shop))('order.placed', { order_number: '#77', customer_email: 'a@example.com' });
    const post = await receiver(shop, 'logistics');
    const transit = {
      order_id: '77',
      awb: 59629792084,
      current_status: 'IN TRANSIT',
      courier_name: 'Surface',
      current_timestamp: '23 05 2026 11:43:52',
    };
    await post(transit);
    await testApp.drain();
    expect(await orders(shop)).toMatchObject([{ status: 'Shipped', tracking_number: '59629792084' }]);
    await post({ tracking_number: '59629792084', current_status: 'Delivered', tracking_url: 'https://example.com/t' });
    await post({ order_number: 'unknown', current_status: 'Delivered' });
    await testApp.drain();
    await post(transit);
    await testApp.drain();
    expect(await orders(shop)).toMatchObject([{ status: 'Delivered', tracking_url: 'https://example.com/t' }]);
    expect(testApp.deadLettersOf(deliveriesQueue)).toEqual([]);
  });
});

describe('the test receiver', () => {
  it('receiveTest returns the request without secrets, and whether it was signed; its calls are listed, newest first', async () => {
    const shop = await newShop(testApp);
    const post = await receiver(shop, 'test');
    expect((await post({ event: 'hello', n: 1 }, { authorization: 'Bearer x', 'x-api-key': 'y' })).body).toMatchObject({
      success: true,
      received: { event: 'hello', body: { event: 'hello', n: 1 } },
      signature: 'valid',
    });
    expect((await post('{}', { authorization: 'Bearer x', 'x-webhook-signature': 'bad' })).raw).not.toMatch(/Bearer|x-api-key/);
    expect((await post('{}', { 'x-webhook-signature': 'bad' })).body).toMatchObject({ signature: 'invalid' });
    expect((await post('{}', { 'x-webhook-signature': '' })).body).toMatchObject({ signature: 'absent' });
    const { data: listed } = (await shop.call('GET', '/test-calls')).body as { data: Record<string, unknown>[] };
    expect(listed.map(({ signature }) => signature)).toEqual(['absent', 'invalid', 'invalid', 'valid']);
    expect(JSON.stringify(listed)).toContain('hello');
    expect(JSON.stringify(listed)).not.toMatch(/Bearer|x-api-key/);
  });
});

describe('receivers', () => {
  it.each(['storeplatform', 'webshop', 'logistics', 'checkout'] as const)(
    '%s: invalid JSON is 400, an unknown topic is ignored',
    async (name) => {
      const post = await receiver(await newShop(testApp), name);
      expect(problemOf(await post('{'))).toEqual([400, 'invalid_json']);
      expect((await post({ topic: 'carts/create', id: 1 })).body).toMatchObject({ success: true, ignored: true });
    },
  );
});
