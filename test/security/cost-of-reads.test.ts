import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newProduct } from '../../functions/shop/domain/product.ts';
import { productEntity } from '../../functions/shop/store/product.ts';
import { countCompanyReadUnits } from '../../shared/access/credential.ts';
import { unitsPerWrite } from '../../shared/access/read-cost.ts';
import { limits } from '../../shared/contract/route.ts';
import { counterEntity } from '../../shared/table/counter.ts';
import { inboundText, newCompany, type TestCompany } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Limits by calls alone leave a tenant a million read units a minute. A company's minute counts what its calls read. */
let testApp: TestApp;
let company: TestCompany;
let other: TestCompany;
const products = 60;
beforeAll(async () => {
  testApp = await startTestApp();
  [company, other] = [await newCompany({ roles: ['viewer', 'owner'] }), await newCompany()];
  for (let id = 1; id <= products; id++)
    await productEntity.put({
      ...newProduct(company.id, id, 'api', undefined, testApp.clock.now()),
      name: 'A long description',
      description: 'x'.repeat(60_000),
    });
  await counterEntity.put({ companyId: company.id, of: 'shop-product', lastId: products, total: products, rev: 0, checkpoints: {} });
});
afterAll(() => testApp.stop());

const get = (path: string, { tokens }: TestCompany = company): Promise<Answer> =>
  testApp.call({ method: 'GET', path, token: tokens.owner });

test('a call that reads little writes the token alone; one that reads much is charged with 1 WRU more', async () => {
  testApp.clock.advance(60_000);
  expect(await testApp.meter(() => get('/api/v1/shop/products?limit=1'))).toMatchObject({ wru: 1 });
  const dear = await testApp.meter(() => get('/api/v1/shop/products?limit=60'));
  expect(dear.rru).toBeGreaterThan(unitsPerWrite);
  expect(dear.wru).toBe(2);
});

test('little reads are charged together', async () => {
  testApp.clock.advance(60_000);
  const used = await testApp.meter(async () => {
    for (let i = 0; i < 100; i++) await get('/api/v1/shop/products?limit=1');
  });
  expect(used.rru).toBeGreaterThan(unitsPerWrite);
  expect(used.wru).toBeLessThanOrEqual(100 + Math.ceil(used.rru / unitsPerWrite));
  expect(used.wru).toBeGreaterThan(100);
});

test('beyond 200,000 units a minute every token of the company gets 429 for read_units, until the minute ends', async () => {
  testApp.clock.advance(60_000);
  // within one minute, however near its end this test begins
  testApp.clock.freeze();
  onTestFinished(() => testApp.clock.resume());
  await countCompanyReadUnits(company.id, limits.read_units.perMinute - 100);
  expect((await get('/api/v1/shop/products?limit=60')).status).toBe(200);
  const refused = await get('/api/v1/shop/products?limit=1');
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({ code: 'rate_limited', details: { scope: 'read_units', limit: 200_000 } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  const viewer = await testApp.call({ method: 'GET', path: '/api/v1/contacts', token: company.tokens.viewer });
  expect(viewer.status).toBe(429);
  // another company, and what the provider posts, go on
  expect((await get('/api/v1/shop/products', other)).status).toBe(200);
  expect((await testApp.call(inboundText(company, { from: '4915112345678', text: 'Hello' }))).status).toBe(200);
  testApp.clock.advance(60_000);
  expect((await get('/api/v1/shop/products?limit=1')).status).toBe(200);
});
