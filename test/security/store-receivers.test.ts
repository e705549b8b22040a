import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changesContext, dispatchContext } from '../../functions/app.ts';
import { contactsContext } from '../../functions/contacts/context.ts';
import { issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { connectionsQueue } from '../../functions/shop/contract/connection.ts';
import { erasuresContext } from '../../functions/erasures/context.ts';
import { shopContext } from '../../functions/shop/context.ts';
import { type Platform, startPlatform } from '../../lib/local/storeplatform/platform.ts';
import { platformOrder } from '../../lib/local/storeplatform/records.ts';
import { installer } from '../shop/installer.ts';
import { problemOf } from '../shop/support.ts';
import { attack } from '../support/attack.ts';
import { newCompany, type TestCompany, unwrap } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** W1, W2 and W13 of the security review: what the URL of a store's receiver is good for in other hands. */
const firstSecret = 'a storeplatform-app key of the test world only';
let world: TestApp;
let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({
    clientId: 'k1',
    clientSecret: firstSecret,
    post: async (uri, headers, body) => (await world.call({ method: 'POST', path: new URL(uri).pathname, headers, body })).status,
  });
  world = await startTestApp({
    contexts: [shopContext, contactsContext, erasuresContext, changesContext, dispatchContext],
    env: { STOREPLATFORM_BASE_URL: platform.url, SWITCHBOARD_LOCAL: '1' },
  });
});
afterAll(async () => {
  await world.stop();
  await platform.stop();
});

const api = (company: TestCompany, method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answer> =>
  world.call({ method, path: `/api/v1${path}`, token: company.tokens.owner, ...(body === undefined ? {} : { body }) });
const listOf = async (company: TestCompany, path: string): Promise<Record<string, unknown>[]> =>
  ((await api(company, 'GET', path)).body as { data: Record<string, unknown>[] }).data;

interface Store {
  shop: string;
  company: TestCompany;
  /** The path of the receiver that the connection made. */
  path: string;
}

let stores = 0;
/** A company with a connected store and three orders of one customer. */
const connectedStore = async (company?: TestCompany): Promise<Store> => {
  const owner = company ?? (await newCompany());
  const shop = `shelf-${++stores}.myshopify.com`;
  platform.shop(shop).orders.push(...['1', '2', '3'].map((id) => platformOrder(`${stores}${id}`)));
  await claim(shop, owner);
  return { shop, company: owner, path: receiverPath(shop) };
};
const claim = async (shop: string, company: TestCompany): Promise<void> => {
  const { finish, consented, claimOf } = installer(
    () => world,
    () => platform,
  );
  const { back, cookie } = await consented(shop);
  const claimed = await api(company, 'POST', '/shop/connections', { claim: claimOf(await finish(back, cookie)) });
  expect(claimed.status).toBe(201);
  await world.drain();
};
const receiverPath = (shop: string): string => new URL(platform.shop(shop).subscriptions[0]?.uri ?? 'https://none').pathname;

const customer = { phone: '+14155552671', email: 'mia@example.com' };
/** A post with its genuine signature; the headers are whatever the sender likes. */
const post = (path: string, body: unknown, headers: Record<string, string>, key: string | undefined = firstSecret): Promise<Answer> => {
  const raw = typeof body === 'string' ? body : JSON.stringify(body);
  const signature: Record<string, string> =
    key === undefined ? {} : { 'x-shopify-hmac-sha256': createHmac('sha256', key).update(raw).digest('base64') };
  return world.call({ method: 'POST', path, body: raw, headers: { 'content-type': 'application/json', ...signature, ...headers } });
};
const ignored = { success: true, ignored: true };

/** The customer is still in the company's orders and contacts. */
const expectUntouched = async (company: TestCompany): Promise<void> => {
  await world.drain();
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

describe('W1: headers outside the signature choose nothing that deletes', () => {
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
      await world.drain();
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
        { in: 'functions/shop/service/receivers.ts', replace: 'return connectionId === undefined\n', by: 'return false\n' },
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
      await world.drain();
      const compliance = '/shop/connect/storeplatform/compliance';
      await post(compliance, { shop_domain: second.shop }, { 'x-shopify-topic': 'shop/redact' });
      await world.drain();
      const names = (await listOf(company, '/shop/orders')).map((order) => order['customer_name']);
      expect([names.filter((name) => name === null).length, names.filter((name) => name === 'Mia Wong').length]).toEqual([3, 3]);
    },
  );

  attack(
    'an unsigned receiver takes products and orders, and nothing that deletes or writes to a customer',
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
      await world.drain();
      expect(await listOf(company, '/shop/products')).toMatchObject([{ status: 'Active' }]);
    },
  );

  attack(
    'a captured post with a delivery id of its own is applied once',
    [
      {
        in: 'functions/shop/service/receivers.ts',
        replace: 'const key = deliveryKey(receiver, topic, raw);',
        by: "const key = `${receiver}:${headers['x-shopify-webhook-id']}`;",
      },
    ],
    async () => {
      const { company, path } = await connectedStore();
      const order = { id: 88, name: '#88', currency: 'USD', total_price: '5.00' };
      const captured = (delivery: string) => post(path, order, { 'x-shopify-topic': 'orders/create', 'x-shopify-webhook-id': delivery });
      await captured('first');
      await world.drain();
      const applied = async () => (await world.dump({ kind: 'shop-delivery', companyId: company.id })).length;
      const before = await applied();
      expect(before).toBeGreaterThan(0);
      for (const delivery of ['second', 'third']) await captured(delivery);
      await world.drain();
      expect(await applied()).toBe(before);
    },
  );

  attack(
    'an order that is not cancelled stays so under the topic orders/cancelled, and a product stays under products/delete',
    [
      {
        in: 'functions/shop/domain/storeplatform-order.ts',
        replace: "topic === 'orders/cancelled' && !('cancelled_at' in body)",
        by: "topic === 'orders/cancelled'",
      },
      { in: 'functions/shop/domain/storeplatform-product.ts', replace: 'id === undefined || isRecord', by: 'id === undefined' },
    ],
    async () => {
      const { company, path } = await connectedStore();
      const order = { id: 99, name: '#99', currency: 'USD', financial_status: 'paid', fulfillment_status: null, cancelled_at: null };
      const product = { id: 6, title: 'Mug', status: 'active', updated_at: '2026-11-21T10:00:00Z', variants: [{ price: '1.00' }] };
      await post(path, product, { 'x-shopify-topic': 'products/create' });
      await post(path, order, { 'x-shopify-topic': 'orders/cancelled' });
      await world.drain();
      await post(path, product, { 'x-shopify-topic': 'products/delete' });
      await world.drain();
      expect((await listOf(company, '/shop/orders')).find((each) => each['order_number'] === '#99')).toMatchObject({
        status: 'Processing',
      });
      expect(await listOf(company, '/shop/products')).toMatchObject([{ status: 'Active' }]);
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
    await world.drain();
    expect(await listOf(company, '/contacts')).toEqual([]);
    expect(await listOf(company, '/shop/privacy-requests')).toMatchObject([{ topic: 'customers/redact', shop }]);
  });
});

describe('W2: a rotation of the app’s secret reaches every connected receiver at once', () => {
  attack(
    'under the old secret posts are refused, under the new one taken, at a store that was connected before',
    [
      {
        in: 'functions/shop/service/receivers.ts',
        replace: 'secrets: (await appCredentials({ lifeMs: 1_000 })).secrets',
        by: `secrets: ['${firstSecret}']`,
      },
    ],
    async () => {
      const { path } = await connectedStore();
      const product = (id: number) => ({
        id,
        title: 'Tee',
        status: 'active',
        updated_at: '2026-11-21T10:00:00Z',
        variants: [{ price: '1.00' }],
      });
      const send = (id: number, key: string) => post(path, product(id), { 'x-shopify-topic': 'products/create' }, key);
      expect((await send(1, firstSecret)).status).toBe(200);
      const [name = '', ring = ''] = [...world.secrets].find(([each]) => each.includes('storeplatform-app')) ?? [];
      try {
        world.clock.advance(1_000);
        world.secrets.set(name, JSON.stringify({ ...(JSON.parse(ring) as object), key: 'the secret after the leak' }));
        expect((await send(2, 'the secret after the leak')).status).toBe(200);
        expect(problemOf(await send(3, firstSecret))).toEqual([401, 'invalid_signature']);
      } finally {
        world.secrets.set(name, ring);
        world.clock.advance(10_000);
      }
      expect((await send(4, firstSecret)).status).toBe(200);
    },
  );
});

describe('W13: a store that is disconnected sends nothing any more', () => {
  const revoked = {
    in: 'functions/shop/service/maintain-connection.ts',
    replace: '  await revokeReceivers(connection, [connection.sealedReceiver, ...(connection.formerReceivers ?? [])]);\n',
    by: '',
  };
  const product = { id: 7, title: 'Tee', status: 'active', updated_at: '2026-11-21T10:00:00Z', variants: [{ price: '1.00' }] };
  const expectClosed = async ({ shop, path }: Pick<Store, 'shop' | 'path'>): Promise<void> => {
    world.clock.advance(10_000);
    expect(problemOf(await post(path, product, { 'x-shopify-topic': 'products/create' }))).toEqual([401, 'invalid_webhook_token']);
    const [row] = (await world.dump()).filter((item) => item['kind'] === 'shop-connection' && item['shop'] === shop);
    expect(Object.keys(row ?? {}).filter((name) => name.startsWith('sealed'))).toEqual([]);
  };

  attack(
    'deleteConnection deletes the subscriptions at the platform and revokes the receiver',
    [
      revoked,
      {
        in: 'functions/shop/service/maintain-connection.ts',
        replace: 'deleteSubscriptions(connection, (uri) => uri.endsWith(`/${token}`))',
        by: 'deleteSubscriptions(connection, () => false && token)',
      },
    ],
    async () => {
      const store = await connectedStore();
      expect(platform.shop(store.shop).subscriptions).toHaveLength(10);
      const [connection] = await listOf(store.company, '/shop/connections');
      expect((await api(store.company, 'DELETE', `/shop/connections/${String(connection?.['id'])}`)).status).toBe(200);
      await world.drain();
      expect(platform.shop(store.shop).subscriptions).toEqual([]);
      await expectClosed(store);
    },
  );

  attack('app/uninstalled revokes the receiver', [revoked], async () => {
    const store = await connectedStore();
    await platform.uninstall(store.shop);
    await world.drain();
    await expectClosed(store);
    expect(world.deadLettersOf(connectionsQueue)).toEqual([]);
  });

  test('a platform that does not answer leaves the receiver revoked, and the subscriptions are deleted later', async () => {
    const store = await connectedStore();
    const { faults } = platform.shop(store.shop);
    faults.push('unavailable', 'unavailable');
    await api(store.company, 'DELETE', '/shop/connections/1');
    await world.drain();
    expect(platform.shop(store.shop).subscriptions).toEqual([]);
    await expectClosed(store);
  });

  test('a store that is connected again before its end was worked has one receiver, and the former one is revoked', async () => {
    const store = await connectedStore();
    await api(store.company, 'DELETE', '/shop/connections/1');
    await claim(store.shop, store.company);
    const path = receiverPath(store.shop);
    expect(path).not.toBe(store.path);
    world.clock.advance(10_000);
    expect((await post(path, product, { 'x-shopify-topic': 'products/create' })).status).toBe(200);
    expect(problemOf(await post(store.path, product, { 'x-shopify-topic': 'products/create' }))).toEqual([401, 'invalid_webhook_token']);
    expect(platform.shop(store.shop).subscriptions).toHaveLength(10);
  });
});
