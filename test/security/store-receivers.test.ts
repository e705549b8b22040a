import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { attack } from '../support/attack.ts';
import { newCompany, type TestCompany, unwrap } from '../support/company.ts';
import { startConnectedStores } from './connected-stores.ts';

/** What the URL of a store's receiver is good for in other hands. */
const stores = await startConnectedStores();
afterAll(() => stores[Symbol.asyncDispose]());
const { testApp, platform, listOf, connectedStore, post } = stores;

const customer = { phone: '+14155552671', email: 'mia@example.com' };
const ignored = { success: true, ignored: true };

/** The customer is still in the company's orders and contacts. */
const expectUntouched = async (company: TestCompany): Promise<void> => {
  await testApp.drain();
  const orders = await listOf(company, '/shop/orders');
  expect(orders.length).toBeGreaterThan(0);
  for (const order of orders) expect(order).toMatchObject({ customer_name: 'Mia Wong', contact: { phone: '14155552671' } });
  expect(await listOf(company, '/contacts')).toMatchObject([{ phone: '14155552671' }]);
  expect(await listOf(company, '/shop/privacy-requests')).toEqual([]);
};

const shapeCheck = {
  in: 'functions/shop/domain/platform-notice.ts',
  replace: '  if (!hasShapeOf(topic, body)) return undefined;\n',
  by: '',
};
const shopCheck = { in: 'functions/shop/service/receivers.ts', replace: '|| connection?.shop !== notice.shop', by: '|| !connection' };

describe('headers outside the signature choose nothing that deletes', () => {
  attack(
    'a captured order, posted again as customers/redact with an unknown shop, deletes no contact',
    [
      [
        shapeCheck,
        shopCheck,
        {
          in: 'functions/shop/domain/platform-notice.ts',
          replace: '  if (shop === undefined) return undefined;\n',
          by: '',
        },
        { in: 'functions/shop/domain/platform-notice.ts', replace: '    shop,\n', by: "    shop: shop ?? 'none',\n" },
      ],
    ],
    async () => {
      const { company, path } = await connectedStore();
      const order = {
        id: 77,
        name: '#77',
        currency: 'USD',
        total_price: '5.00',
        ...customer,
        customer: { ...customer, first_name: 'Mia', last_name: 'Wong' },
      };
      expect((await post(path, order, { 'x-shopify-topic': 'orders/create' })).body).toEqual({ success: true, queued: true });
      await testApp.drain();
      for (const topic of ['customers/redact', 'shop/redact', 'customers/data_request', 'app/uninstalled'])
        expect((await post(path, order, { 'x-shopify-topic': topic, 'x-shopify-shop-domain': 'unknown.myshopify.com' })).body).toEqual(
          ignored,
        );
      await expectUntouched(company);
    },
  );

  attack(
    'a request for data, posted again as a redaction, redacts nothing, and neither does one of a customer as one of the shop',
    [shapeCheck],
    async () => {
      const { shop, company, path } = await connectedStore();
      const request = { shop_domain: shop, customer, orders_requested: [1], data_request: { id: 9 } };
      const redaction = { shop_domain: shop, customer, orders_to_redact: [] };
      for (const [topic, body] of [
        ['customers/redact', request],
        ['shop/redact', request],
        ['shop/redact', redaction],
      ] as const) {
        expect((await post(path, body, { 'x-shopify-topic': topic })).body).toEqual(ignored);
        expect((await post('/shop/connect/storeplatform/compliance', body, { 'x-shopify-topic': topic })).body).toEqual(ignored);
      }
      await expectUntouched(company);
    },
  );

  attack("a notice about another store, unknown or a neighbour's, changes nothing at this store's receiver", [shopCheck], async () => {
    const { company, path } = await connectedStore();
    const neighbour = await connectedStore();
    for (const shop_domain of ['unknown.myshopify.com', neighbour.shop]) {
      expect((await post(path, { shop_domain, customer, orders_to_redact: [1] }, { 'x-shopify-topic': 'customers/redact' })).body).toEqual(
        ignored,
      );
      expect((await post(path, { shop_domain }, { 'x-shopify-topic': 'shop/redact' })).body).toEqual(ignored);
      expect((await post(path, { myshopify_domain: shop_domain }, { 'x-shopify-topic': 'app/uninstalled' })).body).toEqual(ignored);
    }
    await expectUntouched(company);
    await expectUntouched(neighbour.company);
    expect(await listOf(company, '/shop/connections')).toMatchObject([{ status: 'active' }]);
  });

  attack(
    'a receiver that no connection owns takes no notice, signed or not',
    [
      [
        { in: 'functions/shop/service/receivers.ts', replace: '...(connectionId === undefined\n', by: '...(false\n' },
        {
          in: 'functions/shop/service/receivers.ts',
          replace: 'receiveNotice(caller.companyId, connectionId,',
          by: 'receiveNotice(caller.companyId, connectionId ?? 1,',
        },
      ],
    ],
    async () => {
      const { shop, company } = await connectedStore();
      for (const key of ['a secret of the merchant', undefined]) {
        const { secret: token } = unwrap(
          await issueWebhookToken(company.id, { receiver: 'storeplatform', ...(key === undefined ? {} : { shared_secret: key }) }),
        );
        const path = `/shop/webhooks/storeplatform/${token}`;
        for (const [topic, body] of [
          ['customers/redact', { shop_domain: shop, customer, orders_to_redact: [1] }],
          ['shop/redact', { shop_domain: shop }],
          ['app/uninstalled', { myshopify_domain: shop }],
        ] as const)
          expect((await post(path, body, { 'x-shopify-topic': topic }, key)).body).toMatchObject(ignored);
      }
      await expectUntouched(company);
      expect(await listOf(company, '/shop/connections')).toMatchObject([{ status: 'active' }]);
    },
  );

  attack(
    'a redaction of one store leaves the orders of the company’s other store alone',
    [
      {
        in: 'functions/shop/service/privacy-requests.ts',
        replace: 'connectionId === seenRequest.connectionId &&',
        by: 'connectionId !== undefined &&',
      },
    ],
    async () => {
      const first = await connectedStore();
      const { company } = first;
      const second = await connectedStore(company);
      await platform.uninstall(second.shop);
      await testApp.drain();
      const compliance = '/shop/connect/storeplatform/compliance';
      await post(compliance, { shop_domain: second.shop }, { 'x-shopify-topic': 'shop/redact' });
      await testApp.drain();
      const names = (await listOf(company, '/shop/orders')).map((order) => order['customer_name']);
      expect([names.filter((name) => name === null).length, names.filter((name) => name === 'Mia Wong').length]).toEqual([3, 3]);
    },
  );

  attack(
    'an unsigned receiver takes products and orders, and no deletion, no checkout and no cart',
    [
      {
        in: 'functions/shop/service/receivers.ts',
        replace: "(signature === 'unsigned' && !unsignedKinds.has(normalized.kind))",
        by: 'false',
      },
    ],
    async () => {
      const company = await newCompany();
      const token = async (receiver: 'storeplatform' | 'webshop' | 'checkout') =>
        `/shop/webhooks/${receiver}/${unwrap(await issueWebhookToken(company.id, { receiver })).secret}`;
      const path = await token('storeplatform');
      const product = { id: 5, title: 'Tee', status: 'active', updated_at: '2026-11-21T10:00:00Z', variants: [{ price: '1.00' }] };
      const taken = { success: true, queued: true, unsigned: true };
      const unsigned = { ...ignored, unsigned: true };
      expect((await post(path, product, { 'x-shopify-topic': 'products/create' }, undefined)).body).toEqual(taken);
      expect((await post(path, { id: 5 }, { 'x-shopify-topic': 'products/delete' }, undefined)).body).toEqual(unsigned);
      const cart = { token: 't', id: 1, phone: customer.phone, updated_at: '2026-11-21T10:00:00Z' };
      expect((await post(path, cart, { 'x-shopify-topic': 'checkouts/create' }, undefined)).body).toEqual(unsigned);
      expect((await post(await token('webshop'), { id: 5 }, { 'x-wc-webhook-topic': 'order.deleted' }, undefined)).body).toEqual(unsigned);
      const left = {
        event: 'checkout_abandoned',
        cart_id: 'c1',
        customer: { phone: customer.phone },
        checkout_url: 'https://pay.example/c1',
      };
      expect((await post(await token('checkout'), left, {}, undefined)).body).toEqual(unsigned);
      await testApp.drain();
      expect(await listOf(company, '/shop/products')).toMatchObject([{ status: 'Active' }]);
    },
  );

  attack(
    'a captured post with a delivery id of its own is applied once',
    [
      {
        in: 'functions/shop/service/receivers.ts',
        replace: "const key = deliveryKey(receiver, raw, signature === 'unsigned' ? signature : '');",
        by: "const key = `${receiver}:${headers['x-shopify-webhook-id']}`;",
      },
    ],
    async () => {
      const { company, path } = await connectedStore();
      const order = { id: 88, name: '#88', currency: 'USD', total_price: '5.00' };
      const captured = (delivery: string) => post(path, order, { 'x-shopify-topic': 'orders/create', 'x-shopify-webhook-id': delivery });
      await captured('first');
      await testApp.drain();
      const applied = async () => (await testApp.dump({ kind: 'shop-delivery', companyId: company.id })).length;
      const before = await applied();
      expect(before).toBeGreaterThan(0);
      for (const delivery of ['second', 'third']) await captured(delivery);
      await testApp.drain();
      expect(await applied()).toBe(before);
    },
  );

  attack(
    'an order that is not cancelled stays so under the topic orders/cancelled, and a product stays under products/delete',
    [
      [
        {
          in: 'functions/shop/domain/storeplatform-order.ts',
          replace: 'cancelled_at: read.cancelled_at,',
          by: "cancelled_at: topic === 'orders/cancelled' ? 'by topic' : read.cancelled_at,",
        },
        { in: 'functions/shop/domain/storeplatform-order.ts', replace: '{ body, triggeredAt }', by: '{ body, topic, triggeredAt }' },
      ],
      { in: 'functions/shop/domain/storeplatform-product.ts', replace: ' || !isIdAlone(body)', by: '' },
    ],
    async () => {
      const { company, path } = await connectedStore();
      const order = { id: 99, name: '#99', currency: 'USD', financial_status: 'paid', fulfillment_status: null, cancelled_at: null };
      const product = { id: 6, title: 'Mug', status: 'active', updated_at: '2026-11-21T10:00:00Z', variants: [{ price: '1.00' }] };
      await post(path, product, { 'x-shopify-topic': 'products/create' });
      await post(path, order, { 'x-shopify-topic': 'orders/cancelled' });
      await testApp.drain();
      const { cancelled_at: _leftOut, ...short } = order;
      await post(path, { ...short, id: 98, name: '#98' }, { 'x-shopify-topic': 'orders/cancelled' });
      await post(path, { ...product, updated_at: '2026-11-21T11:00:00Z' }, { 'x-shopify-topic': 'products/delete' });
      await testApp.drain();
      const orders = await listOf(company, '/shop/orders');
      expect(orders.filter((each) => ['#98', '#99'].includes(String(each['order_number'])))).toMatchObject([
        { status: 'Processing' },
        { status: 'Processing' },
      ]);
      expect(await listOf(company, '/shop/products')).toMatchObject([{ status: 'Active' }]);
    },
  );

  attack(
    'at the second platform a signed order or product, posted again under any topic, deletes and cancels nothing',
    [
      { in: 'functions/shop/domain/webshop.ts', replace: ' || !isIdAlone(body)', by: '' },
      {
        in: 'functions/shop/service/receivers.ts',
        replace: "const key = deliveryKey(receiver, raw, signature === 'unsigned' ? signature : '');",
        by: 'const key = deliveryKey(receiver, raw, topic);',
      },
    ],
    async () => {
      const company = await newCompany();
      const key = 'a secret of the merchant';
      const { secret: token } = unwrap(await issueWebhookToken(company.id, { receiver: 'webshop', shared_secret: key }));
      const wooPost = async (topic: string, body: unknown) => {
        const raw = JSON.stringify(body);
        const signature = createHmac('sha256', key).update(raw).digest('base64');
        const headers = { 'x-wc-webhook-signature': signature, 'x-wc-webhook-topic': topic };
        expect((await post(`/shop/webhooks/webshop/${token}`, raw, headers, undefined)).status).toBe(200);
        await testApp.drain();
      };
      const order = (id: number) => ({ id, number: String(id), status: 'processing', currency: 'EUR', total: '5.00' });
      const product = { id: 7, name: 'Tee', type: 'simple', status: 'publish', price: '5.00' };
      // the orders 5 and 6, the product 7, and the end of the product 5
      const captured = [order(5), order(6), product, { ...order(6), total: '6.00' }, { ...product, price: '6.00' }];
      for (const body of captured) await wooPost('type' in body ? 'product.updated' : 'order.updated', body);
      await wooPost('product.deleted', { id: 5 });
      const topics = ['order', 'product'].flatMap((kind) => ['deleted', 'created', 'updated', 'restored'].map((what) => `${kind}.${what}`));
      const shown = async () => [
        (await listOf(company, '/shop/orders')).map((each) => [each['order_number'], each['status'], each['total_amount']]),
        (await listOf(company, '/shop/products')).map((each) => [each['external_id'], each['status'], each['price']]),
      ];
      const before = await shown();
      expect(before).toMatchObject([expect.arrayContaining([['5', 'Processing', '5.00']]), [['7', 'Active', '6.00']]]);
      const later = [
        { ...order(6), total: '6.00', note: 'a body that a proxy held back' },
        { ...product, price: '6.00', tags: [] },
      ];
      for (const topic of topics) {
        for (const body of [...captured, ...later, { id: 5 }]) await wooPost(topic, body);
        expect(await shown(), topic).toEqual(before);
      }
      await wooPost('product.deleted', { id: 7 });
      expect(await shown()).toMatchObject([before[0], [['7', 'Draft', '6.00']]]);
    },
  );

  test('the notices of the platform itself still count, at the receiver and at the address of the app', async () => {
    const { shop, company, path } = await connectedStore();
    expect(
      (await post(path, { shop_domain: shop, customer, orders_to_redact: [] }, { 'x-shopify-topic': 'customers/redact' })).body,
    ).toEqual({
      success: true,
      queued: true,
    });
    await testApp.drain();
    expect(await listOf(company, '/contacts')).toEqual([]);
    expect(await listOf(company, '/shop/privacy-requests')).toMatchObject([{ topic: 'customers/redact', shop }]);
  });
});
