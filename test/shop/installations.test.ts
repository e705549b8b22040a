import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeStreamContext, dueWorkContext } from '../../functions/app.ts';
import { connectionsQueue } from '../../functions/shop/contract/connection.ts';
import { deliveriesQueue } from '../../functions/shop/contract/delivery.ts';
import { followUpsQueue } from '../../functions/shop/contract/follow-up.ts';
import { erasuresContext } from '../../functions/erasures/context.ts';
import { shopContext } from '../../functions/shop/context.ts';
import { type Platform, startPlatform } from '../../lib/local/storeplatform/platform.ts';
import { platformOrder, platformProduct } from '../../lib/local/storeplatform/records.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { installer } from './installer.ts';
import { problemOf } from './support.ts';

const clientSecret = 'a storeplatform-app key of the test app only';
let testApp: TestApp;
let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({
    clientId: 'k1',
    clientSecret,
    post: async (uri, headers, body) => (await testApp.call({ method: 'POST', path: new URL(uri).pathname, headers, body })).status,
  });
  testApp = await startTestApp({
    contexts: [shopContext, erasuresContext, changeStreamContext, dueWorkContext],
    env: { STOREPLATFORM_BASE_URL: platform.url, SWITCHBOARD_LOCAL: '1' },
  });
});
afterAll(async () => {
  await testApp.stop();
  await platform.stop();
});

let shops = 0;
const newShop = (): string => `store-${++shops}.myshopify.com`;
const { start, finish, consented, claimOf } = installer(
  () => testApp,
  () => platform,
);
const claimed = async (shop: string, company: TestCompany): Promise<Answer> => {
  const { back, cookie } = await consented(shop);
  const page = await finish(back, cookie);
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  return api(company, 'POST', '/connections', { claim: claimOf(page) });
};
const api = (company: TestCompany, method: 'GET' | 'POST' | 'DELETE' | 'PUT', path: string, body?: unknown): Promise<Answer> =>
  testApp.call({ method, path: `/api/v1/shop${path}`, token: company.tokens.owner, ...(body === undefined ? {} : { body }) });
const dataOf = (answer: Answer): Record<string, unknown> => (answer.body as { data: Record<string, unknown> }).data;
const listOf = (answer: Answer): Record<string, unknown>[] => (answer.body as { data: Record<string, unknown>[] }).data;
const expectNoDeadLetters = (): void => {
  for (const queue of [connectionsQueue, deliveriesQueue, followUpsQueue]) expect(testApp.deadLettersOf(queue)).toEqual([]);
};

describe('an installation', () => {
  it('registers webhooks, imports products and orders, and sends no message', async () => {
    const shop = newShop();
    const company = await newCompany();
    const store = platform.shop(shop);
    store.currency = 'EUR';
    for (let i = 1; i <= 230; i++) store.products.push(platformProduct(String(i)));
    store.products.push(platformProduct('9007199254740993'), {
      ...platformProduct('0'),
      legacyResourceId: '9007199254740994',
      title: null,
    });
    for (let i = 1; i <= 34; i++) store.orders.push(platformOrder(String(500 + i)));
    const answer = await claimed(shop, company);
    expect([answer.status, dataOf(answer)]).toMatchObject([201, { shop, status: 'active', import: null }]);
    expect(answer.raw).not.toMatch(/shpat_|shprt_|sealed/);
    await testApp.drain();
    const connection = dataOf(await api(company, 'GET', `/connections/${String(dataOf(answer)['id'])}`));
    expect(connection).toMatchObject({
      currency: 'EUR',
      import: { status: 'completed', products: 231, products_total: 232, orders: 34, orders_total: 34, failed: 1 },
    });
    const products = (await api(company, 'GET', '/products?limit=1000')).body as {
      data: Record<string, unknown>[];
      meta: { total: number };
    };
    expect(products.meta.total).toBe(231);
    expect(products.data.find((each) => each['external_id'] === '9007199254740993')).toMatchObject({
      price: '19.99',
      currency: 'EUR',
      is_platform_synced: true,
      image: 'https://cdn.example.com/9007199254740993.png',
    });
    const orders = listOf(await api(company, 'GET', '/orders'));
    expect(orders).toHaveLength(34);
    expect(orders.find((each) => each['order_number'] === '#501')).toMatchObject({
      status: 'Fulfilled',
      total_amount: '29.98',
      tracking_number: '1Z501',
      customer_name: 'Mia Wong',
      contact: { phone: '14155552671' },
      items: [{ name: 'Tee - Blue', quantity: 2, price: '12.49', external_id: '1' }],
    });
    expect(store.subscriptions.map(({ topic }) => topic).toSorted()).toEqual(
      [
        'APP_UNINSTALLED',
        'CHECKOUTS_CREATE',
        'CHECKOUTS_UPDATE',
        'ORDERS_CANCELLED',
        'ORDERS_CREATE',
        'ORDERS_FULFILLED',
        'ORDERS_UPDATED',
      ].concat(['PRODUCTS_CREATE', 'PRODUCTS_DELETE', 'PRODUCTS_UPDATE']),
    );
    const payload = { id: 777, title: 'Told', status: 'active', updated_at: '2026-11-02T00:00:00Z', variants: [{ price: '3.00' }] };
    expect(await platform.publish(shop, 'products/create', payload)).toEqual([200]);
    await testApp.drain();
    expect(listOf(await api(company, 'GET', '/products?search=Told'))).toMatchObject([{ price: '3.00', currency: 'EUR' }]);
    expect((await testApp.dump()).some((item) => JSON.stringify(item).includes('shpat_'))).toBe(false);
    expectNoDeadLetters();
  });

  it.each([
    ['no signature', (query: URLSearchParams) => query.delete('hmac')],
    ['another signature', (query: URLSearchParams) => query.set('hmac', '0'.repeat(64))],
    ['another shop', (query: URLSearchParams) => query.set('shop', 'other.myshopify.com')],
    ['one value more', (query: URLSearchParams) => query.append('x', '1')],
  ])('startInstallation is 403 with %s', async (_, spoil) => {
    const query = new URLSearchParams(platform.startQuery(newShop()));
    spoil(query);
    expect(problemOf(await start(query.toString()))).toEqual([403, 'installation_refused']);
  });

  it.each([
    'evil.com',
    'a.myshopify.com.evil.com',
    'evil.com/.myshopify.com',
    '-a.myshopify.com',
    'a b.myshopify.com',
    'x@a.myshopify.com',
    '',
  ])('startInstallation rejects the signed shop %j', async (shop) => {
    expect(problemOf(await start(platform.startQuery(shop)))).toEqual([403, 'installation_refused']);
  });

  it('startInstallation rejects a query of two minutes ago', async () => {
    const query = platform.startQuery(newShop());
    testApp.clock.advance(120_000);
    expect((await start(query)).status).toBe(403);
  });

  it('finishInstallation accepts a state once, in one browser, for ten minutes', async () => {
    const { back, cookie } = await consented(newShop());
    expect((await finish(back, 'swb_install=another-browser')).status).toBe(403);
    expect((await testApp.call({ method: 'GET', path: back })).status).toBe(403);
    const both = await Promise.all([finish(back, cookie), finish(back, cookie)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403]);
    expect((await finish(back, cookie)).status).toBe(403);
    const shop = newShop();
    const begun = await start(platform.startQuery(shop));
    testApp.clock.advance(11 * 60_000);
    const consent = await fetch(begun.headers['location'] ?? '', { redirect: 'manual' });
    const late = new URL(consent.headers.get('location') ?? '');
    expect((await finish(`${late.pathname}${late.search}`, begun.headers['set-cookie']?.split(';')[0] ?? '')).status).toBe(403);
  });

  it('finishInstallation leads to the console where there is one; the claim is in no part of the address that a server gets', async () => {
    const shop = newShop();
    const company = await newCompany();
    const { back, cookie } = await consented(shop);
    process.env['SITE_BASE_URL'] = 'https://console.example.com';
    const led = await finish(back, cookie).finally(() => delete process.env['SITE_BASE_URL']);
    const address = new URL(led.headers['location'] ?? '');
    expect([led.status, `${address.origin}${address.pathname}`, address.search]).toEqual([
      302,
      'https://console.example.com/console/connect-store',
      '',
    ]);
    const given = Object.fromEntries(new URLSearchParams(address.hash.slice(1)));
    expect([given['shop'], led.headers['cache-control'], led.raw]).toEqual([shop, 'no-store', '']);
    const other = await api(company, 'POST', '/connections', { claim: given['claim'], shop: 'other.myshopify.com' });
    expect(problemOf(other)).toEqual([422, 'validation_failed', 'shop']);
    expect((await api(company, 'POST', '/connections', given)).status).toBe(201);
  });

  it('claimConnection works once, for an admin, and a store belongs to one company at a time', async () => {
    const shop = newShop();
    const [mine, other] = [await newCompany({ roles: ['member', 'owner'] }), await newCompany()];
    const { back, cookie } = await consented(shop);
    const claim = claimOf(await finish(back, cookie));
    const post = (token: string) => testApp.call({ method: 'POST', path: '/api/v1/shop/connections', token, body: { claim } });
    expect((await post(mine.tokens.member)).status).toBe(403);
    const both = await Promise.all([post(mine.tokens.owner), post(mine.tokens.owner)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 422]);
    // Each of the two took an id of its own, so the connection has the id of whichever came first.
    const path = `/connections/${dataOf(both.find(({ status }) => status === 201) as Answer)['id'] as number}`;
    expect(problemOf(await claimed(shop, other))).toEqual([409, 'conflict']);
    await testApp.drain();
    expect((await api(mine, 'DELETE', path)).status).toBe(200);
    expect((await api(mine, 'DELETE', path)).status).toBe(404);
    expect((await claimed(shop, other)).status).toBe(201);
    await testApp.drain();
    expect(listOf(await api(other, 'GET', '/connections'))).toMatchObject([{ shop, status: 'active' }]);
    expect((await api(other, 'GET', '/connections/99')).status).toBe(404);
    expect((await api(mine, 'GET', path)).body).toMatchObject({ data: { status: 'inactive' } });
    expectNoDeadLetters();
  });

  it('continues its import after throttling, failures, crashes and repeated deliveries', async () => {
    const shop = newShop();
    const company = await newCompany();
    const store = platform.shop(shop);
    for (let i = 1; i <= 120; i++) store.products.push(platformProduct(String(i)));
    for (let i = 1; i <= 12; i++) store.orders.push(platformOrder(String(i)));
    await claimed(shop, company);
    store.faults.push('unavailable', 'throttled', 'unavailable');
    await testApp.drain({ disorder: { seed: 5, duplicate: 0.4, crash: 0.3 } });
    await testApp.drain();
    expect(listOf(await api(company, 'GET', '/connections'))[0]).toMatchObject({
      import: { status: 'completed', products: 120, orders: 12 },
    });
    expect(listOf(await api(company, 'GET', '/products?limit=1000'))).toHaveLength(120);
    expect(listOf(await api(company, 'GET', '/orders'))).toHaveLength(12);
    expect(store.subscriptions).toHaveLength(10);
    expectNoDeadLetters();
  });

  it('refreshes an expired token after a lost response, and daily before it expires', async () => {
    const shop = newShop();
    const company = await newCompany();
    const store = platform.shop(shop);
    await claimed(shop, company);
    await testApp.drain();
    expect(store.tokens).toHaveLength(1);
    testApp.clock.advance(2 * 3_600_000);
    store.faults.push('lose-token-answer');
    await api(company, 'POST', '/connections/1/import');
    await testApp.drain();
    testApp.clock.advance(90_000);
    await testApp.drain();
    expect(listOf(await api(company, 'GET', '/connections'))[0]).toMatchObject({ status: 'active', import: { status: 'completed' } });
    expect(store.tokens.filter(({ isUsed }) => isUsed)).toHaveLength(2);
    // The daily maintenance refreshes it as well.
    const before = store.tokens.length;
    await testApp.tick();
    testApp.clock.advance(25 * 3_600_000);
    await testApp.tick();
    await testApp.drain({ including: 'delayed' });
    expect(store.tokens.length).toBe(before + 1);
    expectNoDeadLetters();
  });

  it('registers dropped webhooks again and deletes those of an earlier connection', async () => {
    const shop = newShop();
    const company = await newCompany();
    const store = platform.shop(shop);
    await claimed(shop, company);
    await testApp.drain();
    store.subscriptions.splice(0, 3);
    store.subscriptions.push({ id: 'gid://x/1', topic: 'ORDERS_CREATE', uri: 'https://old.example/x' });
    await testApp.tick();
    testApp.clock.advance(25 * 3_600_000);
    await testApp.tick();
    await testApp.drain({ including: 'delayed' });
    expect(store.subscriptions).toHaveLength(10);
    expect(store.subscriptions.every(({ uri }) => uri.startsWith('https://api.example.test/shop/webhooks/storeplatform/'))).toBe(true);
  });
});

describe('compliance webhooks', () => {
  const connected = async (): Promise<{ shop: string; company: TestCompany }> => {
    const shop = newShop();
    const company = await newCompany();
    platform
      .shop(shop)
      .orders.push(platformOrder('1'), platformOrder('2'), platformOrder('3', { phone: '+14155550177', email: 'x@example.com' }));
    platform.shop(shop).products.push(platformProduct('1'));
    await claimed(shop, company);
    await testApp.drain();
    return { shop, company };
  };
  const compliance = (topic: string, body: unknown, secret = clientSecret): Promise<Answer> => {
    const raw = JSON.stringify(body);
    const signature = createHmac('sha256', secret).update(raw).digest('base64');
    return testApp.call({
      method: 'POST',
      path: '/shop/connect/storeplatform/compliance',
      body: raw,
      headers: { 'content-type': 'application/json', 'x-shopify-topic': topic, 'x-shopify-hmac-sha256': signature },
    });
  };

  it('app/uninstalled destroys the tokens and keeps products; a late notice does not end a newer installation', async () => {
    const { shop, company } = await connected();
    const early = new Date(testApp.clock.now() - 3_600_000).toISOString();
    const { uri = '' } = platform.shop(shop).subscriptions.find(({ topic }) => topic === 'APP_UNINSTALLED') ?? {};
    const raw = JSON.stringify({ id: 1, myshopify_domain: shop });
    await testApp.call({
      method: 'POST',
      path: new URL(uri).pathname,
      body: raw,
      headers: {
        'x-shopify-topic': 'app/uninstalled',
        'x-shopify-shop-domain': shop,
        'x-shopify-triggered-at': early,
        'x-shopify-hmac-sha256': createHmac('sha256', clientSecret).update(raw).digest('base64'),
      },
    });
    await testApp.drain();
    expect(listOf(await api(company, 'GET', '/connections'))).toMatchObject([{ status: 'active' }]);
    expect(await platform.uninstall(shop)).toEqual([200]);
    await testApp.drain();
    expect(listOf(await api(company, 'GET', '/connections'))).toMatchObject([{ status: 'inactive' }]);
    const [item] = (await testApp.dump()).filter((each) => each['kind'] === 'shop-connection' && each['shop'] === shop);
    expect(Object.keys(item ?? {}).filter((key) => /sealed(Access|Refresh)/.test(key))).toEqual([]);
    expect(listOf(await api(company, 'GET', '/products'))).toHaveLength(1);
    expect((await claimed(shop, company)).body).toMatchObject({ data: { id: 1, status: 'active' } });
  });

  it('customers/data_request is recorded once with the data held and its deadline', async () => {
    const { shop, company } = await connected();
    const body = { shop_domain: shop, customer: { email: 'mia@example.com', phone: '+14155552671' }, orders_requested: [1, 2, 99] };
    expect((await compliance('customers/data_request', body)).body).toEqual({ success: true, queued: true });
    expect((await compliance('customers/data_request', body)).status).toBe(200);
    await testApp.drain();
    const requests = listOf(await api(company, 'GET', '/privacy-requests'));
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      topic: 'customers/data_request',
      customer_email: 'mia@example.com',
      contact_id: expect.any(Number),
      done_at: null,
    });
    expect(requests[0]?.['order_ids']).toHaveLength(2);
  });

  it('customers/redact removes the customer from the named orders for good and erases the contact', async () => {
    const { shop, company } = await connected();
    await compliance('customers/redact', {
      shop_domain: shop,
      customer: { phone: '+14155552671', email: 'mia@example.com' },
      orders_to_redact: [1],
    });
    await testApp.drain();
    const byNumber = async () => new Map(listOf(await api(company, 'GET', '/orders')).map((each) => [each['order_number'], each]));
    const gone = { customer_name: null, customer_phone: null, customer_email: null, contact: null, shipping_address: null };
    expect((await byNumber()).get('#1')).toMatchObject({ ...gone, total_amount: '29.98' });
    // the erasure of the contact takes the customer out of the orders that were not named, too (A70 erase)
    expect((await byNumber()).get('#2')).toMatchObject(gone);
    const late = {
      id: 1,
      name: '#1',
      currency: 'USD',
      total_price: '5.00',
      updated_at: '2026-11-20T00:00:00Z',
      phone: '+14155552671',
      email: 'mia@example.com',
    };
    await platform.publish(shop, 'orders/updated', late);
    await testApp.drain();
    expect((await byNumber()).get('#1')).toMatchObject({ ...gone, total_amount: '5.00' });
  });

  it('shop/redact redacts every order of the store and deletes its look-up', async () => {
    const { shop, company } = await connected();
    await compliance('shop/redact', { shop_domain: shop });
    await testApp.drain();
    expect(listOf(await api(company, 'GET', '/orders')).every((each) => each['customer_name'] === 'Mia Wong')).toBe(true);
    await platform.uninstall(shop);
    await testApp.drain();
    testApp.clock.advance(48 * 3_600_000);
    await compliance('shop/redact', { shop_domain: shop, shop_id: 2 });
    await testApp.drain();
    for (const order of listOf(await api(company, 'GET', '/orders')))
      expect(order).toMatchObject({ customer_name: null, customer_phone: null, customer_email: null, shipping_address: null });
    expect(listOf(await api(company, 'GET', '/privacy-requests'))[0]).toMatchObject({ topic: 'shop/redact', done_at: expect.any(String) });
    expect((await testApp.dump()).filter((each) => each['kind'] === 'shop-domain' && each['shop'] === shop)).toEqual([]);
    expect((await compliance('shop/redact', { shop_domain: shop })).body).toEqual({ success: true, ignored: true });
    expectNoDeadLetters();
  });

  it('receivePlatformNotice is 401 without the app’s signature and changes nothing', async () => {
    const { shop, company } = await connected();
    expect(problemOf(await compliance('shop/redact', { shop_domain: shop }, 'another secret'))).toEqual([401, 'invalid_signature']);
    await testApp.drain();
    expect(listOf(await api(company, 'GET', '/privacy-requests'))).toEqual([]);
  });
});
