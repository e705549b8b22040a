import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { issueErpToken } from '../../functions/account/service/machine-tokens.ts';
import { unwrap } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import type { TestApp } from '../support/test-app.ts';
import { dataOf, newShop, pageOf, startShop, type Shop } from './support.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startShop();
});
afterAll(() => testApp.stop());

interface Erp extends Shop {
  sync: (products: unknown, path?: string) => Promise<Answer>;
}
const newErp = async (): Promise<Erp> => {
  const shop = await newShop(testApp);
  const { secret } = unwrap(await issueErpToken(shop.companyId, {}));
  return {
    ...shop,
    sync: (products, path = '/api/shop/erp/sync') => testApp.call({ method: 'POST', path, token: secret, body: { products } }),
  };
};
const resultOf = (answer: Answer) => {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
  return z.looseObject({ success: z.literal(true), message: z.string(), data: z.looseObject({ synced: z.int() }) }).parse(answer.body);
};
const row = (i: number, more: object = {}) => ({ external_id: `E${i}`, name: `Product ${i}`, price: 10 + i, stock_quantity: i, ...more });
const rows = (count: number, more: object = {}) => Array.from({ length: count }, (_, i) => row(i, more));

describe('ERP sync', () => {
  it('syncErp creates new rows, updates changed ones and keeps equal ones, under both paths', async () => {
    const erp = await newErp();
    expect(resultOf(await erp.sync(rows(3)))).toMatchObject({
      message: '3 products synced',
      data: { synced: 3, created: 3, updated: 0, unchanged: 0, failed: 0, errors: [] },
    });
    const second = resultOf(await erp.sync([row(0), row(1, { price: '99' }), row(3)], '/shop/erp/sync'));
    expect(second.data).toMatchObject({ synced: 3, created: 1, updated: 1, unchanged: 1 });
    expect(dataOf(await erp.call('GET', '/products/2'))).toMatchObject({
      price: '99.00',
      external_id: 'E1',
      external_source: 'erp',
      status: 'Active',
      currency: 'INR',
    });
  });

  it('syncErp reports each invalid row by its index and syncs the valid ones', async () => {
    const erp = await newErp();
    const answer = await erp.sync([
      row(0),
      { name: 'No id' },
      row(1, { price: -1 }),
      'text',
      row(2, { price: false }),
      row(3, { price: 1.234 }),
      row(4),
    ]);
    expect(resultOf(answer)).toMatchObject({
      message: '2 products synced',
      data: {
        synced: 2,
        failed: 5,
        errors: [
          { index: 1, external_id: null, errors: { external_id: [expect.any(String)] } },
          { index: 2, external_id: 'E1', errors: { price: [expect.any(String)] } },
          { index: 3, external_id: null },
          { index: 4, external_id: 'E2', errors: { price: [expect.any(String)] } },
          { index: 5, external_id: 'E3', errors: { price: ['Must have at most 2 decimals, as INR has.'] } },
        ],
      },
    });
  });

  it('syncErp is 422 when all rows are invalid, for an empty, wrong or oversized list, and 401 for a wrong token, in the ERP problem format', async () => {
    const erp = await newErp();
    const bad = await erp.sync([{ name: 'A' }, row(1, { price: 'x' })]);
    expect([bad.status, bad.body]).toMatchObject([
      422,
      {
        success: false,
        code: 'validation_failed',
        errors: { 'products.0.external_id': [expect.any(String)], 'products.1.price': [expect.any(String)] },
      },
    ]);
    for (const products of [[], undefined, 'x', rows(1_001)]) {
      const answer = await erp.sync(products);
      expect([answer.status, answer.body]).toMatchObject([422, { success: false, errors: { products: [expect.any(String)] } }]);
    }
    const wrong = await testApp.call({ method: 'POST', path: '/api/shop/erp/sync', token: erp.token, body: { products: rows(1) } });
    expect([wrong.status, wrong.body]).toMatchObject([401, { success: false, code: 'token_invalid', request_id: expect.any(String) }]);
  });

  it('syncErp takes the last row of an external id, keeps omitted fields and ignores older rows', async () => {
    const erp = await newErp();
    expect(
      resultOf(
        await erp.sync([row(0, { name: 'First' }), row(0, { name: 'Last', description: 'Kept', updated_at: '2026-01-02T00:00:00Z' })]),
      ).data,
    ).toMatchObject({ synced: 1, created: 1 });
    resultOf(await erp.sync([{ external_id: 'E0', name: 'Last', price: 5 }]));
    expect(dataOf(await erp.call('GET', '/products/1'))).toMatchObject({ name: 'Last', description: 'Kept', price: '5.00' });
    expect(resultOf(await erp.sync([row(0, { name: 'Old', updated_at: '2026-01-01T00:00:00Z' })])).data).toMatchObject({ unchanged: 1 });
    expect(dataOf(await erp.call('GET', '/products/1'))['name']).toBe('Last');
  });

  it('syncErp takes a row without a price: the product has none and is not public, until a row names one', async () => {
    const erp = await newErp();
    const publicNames = async () =>
      pageOf(await testApp.call({ method: 'GET', path: `/shop/${erp.companyId}/products` })).data.map((each) => each['name']);
    resultOf(await erp.sync([row(0, { price: undefined })]));
    expect(dataOf(await erp.call('GET', '/products/1'))).toMatchObject({ price: null, status: 'Active' });
    await testApp.drain();
    expect(await publicNames()).toEqual([]);
    resultOf(await erp.sync([row(0, { price: '0' })]));
    expect(dataOf(await erp.call('GET', '/products/1'))['price']).toBe('0.00');
    await testApp.drain();
    expect(await publicNames()).toEqual(['Product 0']);
  });

  it('syncErp restores a deleted product under its id, active by default', async () => {
    const erp = await newErp();
    resultOf(await erp.sync([row(0, { status: 'draft' })]));
    await erp.call('DELETE', '/products/1');
    resultOf(await erp.sync([row(0)]));
    expect(dataOf(await erp.call('GET', '/products/1'))['status']).toBe('Active');
    await testApp.drain();
    expect(pageOf(await erp.call('GET', '/products')).meta.total).toBe(1);
  });

  it('three equal concurrent syncs create each product once', async () => {
    const erp = await newErp();
    const results = await Promise.all([erp.sync(rows(120)), erp.sync(rows(120)), erp.sync(rows(120))]);
    for (const result of results) expect(resultOf(result).data).toMatchObject({ synced: 120, failed: 0 });
    await testApp.drain();
    const list = pageOf(await erp.call('GET', '/products'));
    expect(list.meta.total).toBe(120);
    expect(new Set(list.data.map((each) => each['external_id'])).size).toBe(120);
  });

  it('a repeated sync completes one that crashed half-way', async () => {
    const erp = await newErp();
    let puts = 0;
    const broken = testApp.onTable(({ command, when }) => {
      if (command === 'PutItem' && when === 'before' && ++puts > 25) throw new Error('crash');
    });
    expect((await erp.sync(rows(40))).status).toBe(500);
    broken[Symbol.dispose]();
    expect(resultOf(await erp.sync(rows(40))).data).toMatchObject({ synced: 40, failed: 0 });
    await testApp.drain();
    expect(pageOf(await erp.call('GET', '/products')).meta.total).toBe(40);
  });

  it('syncErp costs at most 3 WRU for a new row, 2 for a changed one, 0 for an equal one', async () => {
    const erp = await newErp();
    const created = await testApp.meter(async () => resultOf(await erp.sync(rows(100))));
    const unchanged = await testApp.meter(async () => resultOf(await erp.sync(rows(100))));
    const changed = await testApp.meter(async () => resultOf(await erp.sync(rows(100, { name: 'Another' }))));
    expect(created.wru / 100).toBeLessThanOrEqual(3);
    expect(changed.wru / 100).toBeLessThanOrEqual(2);
    // one for the token; at most one for what the calls read, which counts for the company's minute by 250 units (G12)
    expect(unchanged.wru).toBeLessThanOrEqual(2);
  });

  it('syncErp takes 1,000 rows in one call', async () => {
    const erp = await newErp();
    expect(resultOf(await erp.sync(rows(1_000))).data).toMatchObject({ synced: 1_000, created: 1_000 });
    const list = pageOf(await erp.call('GET', '/products?limit=1000'));
    expect(list.data.map(({ id }) => id)).toEqual(Array.from({ length: 1_000 }, (_, i) => 1_000 - i));
  });
});
