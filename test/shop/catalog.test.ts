import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { dataOf, newShop, pageOf, problemOf, startShop } from './support.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startShop();
});
afterAll(() => testApp.stop());

describe('products', () => {
  it('createProduct returns 201 with the fields of the contract, amounts as decimal text', async () => {
    const shop = await newShop(testApp);
    const category = dataOf(await shop.call('POST', '/categories', { name: 'Shirts', slug: 'shirts' }), 201);
    const product = dataOf(
      await shop.call('POST', '/products', {
        name: ' Tee ',
        price: 19.9,
        compare_at_price: '24.99',
        inventory: 5,
        shop_category_id: category.id,
        sku: 'T-1',
      }),
      201,
    );
    expect(product).toMatchObject({
      id: 1,
      name: 'Tee',
      description: null,
      price: '19.90',
      compare_at_price: 24.99,
      currency: 'INR',
      stock_quantity: 5,
      inventory: 5,
      status: 'Active',
      category_id: category.id,
      shop_category_id: category.id,
      category: { id: category.id, name: 'Shirts' },
      external_id: null,
      external_source: null,
      sku: 'T-1',
      is_platform_synced: false,
    });
    expect(dataOf(await shop.call('GET', '/products/1'))).toEqual(product);
    expect(dataOf(await testApp.call({ method: 'GET', path: '/v1/shop/products/1', token: shop.token }))).toEqual(product);
  });

  it.each([
    ['JPY', 1500, '1500'],
    ['JPY', '1500.00', '1500'],
    ['KWD', 1.234, '1.234'],
    ['INR', 0.3, '0.30'],
    ['USD', '99999999.99', '99999999.99'],
    ['EUR', 0, '0.00'],
    ['INR', 1e2, '100.00'],
    ['usd', '007.5', '7.50'],
  ])('price in %s: %s is shown as %s', async (currency, price, shown) => {
    const shop = await newShop(testApp);
    expect(dataOf(await shop.call('POST', '/products', { name: 'A', price, currency }), 201)['price']).toBe(shown);
  });

  it.each([
    [{}, ['name', 'price']],
    [{ name: 'x'.repeat(256), price: 1 }, ['name']],
    [{ name: 'A', price: -1 }, ['price']],
    [{ name: 'A', price: 'ten' }, ['price']],
    [{ name: 'A', price: 100_000_000 }, ['price']],
    [{ name: 'A', price: 1e-7 }, ['price']],
    [{ name: 'A', price: 1.005 }, ['price']],
    [{ name: 'A', price: 1.5, currency: 'JPY' }, ['price']],
    [{ name: 'A', price: 1, compare_at_price: '1.001' }, ['compare_at_price']],
    [{ name: 'A', price: 1, currency: 'XXQ' }, ['currency']],
    [{ name: 'A', price: 1, stock_quantity: -1 }, ['stock_quantity']],
    [{ name: 'A', price: 1, stock_quantity: 1, inventory: 2 }, ['inventory']],
    [{ name: 'A', price: 1, category_id: 1, shop_category_id: 2 }, ['shop_category_id']],
    [{ name: 'A', price: 1, category_id: 99 }, ['category_id']],
    [{ name: 'A', price: 1, status: 'sold' }, ['status']],
    [{ name: 'A', price: 1, image: 'ftp://example.com/a.png' }, ['image']],
    [{ name: 'A', price: 1, sku: 's'.repeat(101) }, ['sku']],
  ])('%j is 422 by field', async (body, fields) => {
    const shop = await newShop(testApp);
    expect(problemOf(await shop.call('POST', '/products', body))).toEqual([422, 'validation_failed', ...fields]);
  });

  it('updateProduct changes given fields only, null clears, and an amount that the new currency cannot represent is 422', async () => {
    const shop = await newShop(testApp);
    dataOf(await shop.call('POST', '/products', { name: 'A', price: '10.50', description: 'old', compare_at_price: 12, sku: 'S' }), 201);
    const changed = dataOf(await shop.call('PUT', '/products/1', { status: 'ARCHIVED', description: null, compare_at_price: null }));
    expect(changed).toMatchObject({ name: 'A', price: '10.50', status: 'Archived', description: null, compare_at_price: null, sku: 'S' });
    expect(problemOf(await shop.call('PUT', '/products/1', { currency: 'JPY' }))).toEqual([422, 'validation_failed', 'currency']);
    expect(dataOf(await shop.call('PUT', '/products/1', { currency: 'JPY', price: 11 }))['price']).toBe('11');
    const before = dataOf(await shop.call('GET', '/products/1'));
    testApp.clock.advance(5_000);
    expect(dataOf(await shop.call('PUT', '/products/1', { name: 'A' }))).toEqual(before);
  });

  it('deleteProduct returns 204 once, and the total follows', async () => {
    const shop = await newShop(testApp);
    dataOf(await shop.call('POST', '/products', { name: 'A', price: 1 }), 201);
    const gone = await shop.call('DELETE', '/products/1');
    expect([gone.status, gone.raw]).toEqual([204, '']);
    expect((await shop.call('DELETE', '/products/1')).status).toBe(404);
    expect((await shop.call('GET', '/products/1')).status).toBe(404);
    await testApp.drain();
    expect(pageOf(await shop.call('GET', '/products'))).toMatchObject({ data: [], meta: { total: 0 } });
  });

  it('createProduct accepts an external id once, also in twenty concurrent calls; a deleted product releases it', async () => {
    const shop = await newShop(testApp);
    const body = { name: 'A', price: 1, external_id: 'X-1' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.call('POST', '/products', body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(problemOf(answer)).toEqual([422, 'validation_failed', 'external_id']);
    const first = dataOf(answers.toSorted((a, b) => a.status - b.status)[0] ?? (await shop.call('GET', '/products')), 201);
    await shop.call('DELETE', `/products/${first.id}`);
    const second = dataOf(await shop.call('POST', '/products', body), 201);
    expect(second.id).not.toBe(first.id);
    dataOf(await shop.call('PUT', `/products/${second.id}`, { external_id: 'X-2' }));
    const third = dataOf(await shop.call('POST', '/products', body), 201);
    expect(problemOf(await shop.call('PUT', `/products/${third.id}`, { external_id: 'X-2' }))).toEqual([
      422,
      'validation_failed',
      'external_id',
    ]);
  });

  it('createProduct uses an external id whose first call crashed after the claim', async () => {
    const shop = await newShop(testApp);
    using _hook = testApp.onTable(({ command, input, when }) => {
      if (command === 'PutItem' && when === 'before' && JSON.stringify(input).includes('"shop-product"')) throw new Error('crash');
    });
    expect((await shop.call('POST', '/products', { name: 'A', price: 1, external_id: 'E' })).status).toBe(500);
    _hook[Symbol.dispose]();
    expect(dataOf(await shop.call('POST', '/products', { name: 'A', price: 1, external_id: 'E' }), 201).id).toBe(1);
  });

  it.each([
    ['/products', 'shop-product', { name: 'Mug', price: 5 }],
    ['/products', 'shop-product', { name: 'Mug', price: 5, external_id: 'M-1' }],
    ['/categories', 'shop-category', { name: 'Mugs', slug: 'mugs' }],
  ])('POST %s: a retry under the same key after a crash returns the first %s', async (path, kind, body) => {
    const shop = await newShop(testApp);
    const createWith = (key: string) =>
      testApp.call({ method: 'POST', path: `/api/v1/shop${path}`, token: shop.token, headers: { 'idempotency-key': key }, body });
    {
      using _died = testApp.onTable(({ input, when }) => {
        if (when === 'after' && JSON.stringify(input).includes(`"kind":"${kind}"`)) throw new Error('crash');
      });
      expect((await createWith('one')).status).toBe(500);
    }
    const made = await createWith('one');
    const again = await createWith('one');
    expect([made.status, again.raw]).toEqual([201, made.raw]);
    await testApp.drain();
    expect(pageOf(await shop.call('GET', path)).data.map(({ id }) => id)).toEqual([dataOf(made, 201).id]);
    // Another key is another call.
    expect((await createWith('two')).status).toBe('external_id' in body || 'slug' in body ? 422 : 201);
  });

  it('listProducts returns each product once, newest first, by page, cursor and filter', async () => {
    const shop = await newShop(testApp);
    for (let i = 1; i <= 150; i++)
      dataOf(
        await shop.call('POST', '/products', {
          name: `Émile ${i}`,
          price: i,
          sku: i % 2 ? 'ODD' : 'EVEN',
          stock_quantity: i % 3,
          external_id: `e${i}`,
        }),
        201,
      );
    await shop.call('PUT', '/products/7', { status: 'Draft' });
    await shop.call('DELETE', '/products/149');
    await testApp.drain();
    const all = pageOf(await shop.call('GET', '/products'));
    expect(all.data.map(({ id }) => id)).toEqual(Array.from({ length: 150 }, (_, i) => 150 - i).filter((id) => id !== 149));
    expect(all.meta).toMatchObject({ total: 149, per_page: 500, last_page: 1, next_cursor: null });
    const seen: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = pageOf(await shop.call('GET', `/products?limit=20${cursor ? `&cursor=${cursor}` : ''}`));
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.meta.next_cursor;
    }
    expect(seen).toEqual(all.data.map(({ id }) => id));
    expect(pageOf(await shop.call('GET', '/products?limit=20&page=8')).data.map(({ id }) => id)).toEqual(seen.slice(140));
    expect(pageOf(await shop.call('GET', '/products?limit=20&page=9')).data).toEqual([]);
    const ids = async (query: string) => pageOf(await shop.call('GET', `/products?${query}`));
    expect((await ids('sku=ODD&limit=10')).meta).toMatchObject({ total: 74, last_page: 8 });
    expect((await ids('external_id=e42')).data.map(({ id }) => id)).toEqual([42]);
    expect((await ids('status=draft')).data.map(({ id }) => id)).toEqual([7]);
    expect((await ids('in_stock=0')).meta.total).toBe(50);
    expect((await ids(`search=${encodeURIComponent('émile 15')}`)).data.map(({ id }) => id)).toEqual([150, 15]);
    expect((await ids('external_source=erp')).data).toEqual([]);
    const cursor = (await ids('sku=ODD&limit=10')).meta.next_cursor ?? '';
    expect((await ids(`sku=ODD&limit=10&cursor=${cursor}`)).meta.total).toBe(74);
    expect(problemOf(await shop.call('GET', `/products?sku=EVEN&limit=10&cursor=${cursor}`))).toEqual([400, 'invalid_cursor']);
    expect(problemOf(await shop.call('GET', '/products?limit=1001'))).toEqual([422, 'validation_failed', 'limit']);
  });
});

describe('categories', () => {
  it('have a unique slug and an exact product count after creating, moving, clearing and deleting products', async () => {
    const shop = await newShop(testApp);
    const a = dataOf(await shop.call('POST', '/categories', { name: 'A', slug: 'a', image: 'https://example.com/a.png' }), 201);
    const b = dataOf(await shop.call('POST', '/categories', { name: 'B', slug: 'b-1' }), 201);
    expect(problemOf(await shop.call('POST', '/categories', { name: 'C', slug: 'a' }))).toEqual([422, 'validation_failed', 'slug']);
    expect(problemOf(await shop.call('PUT', `/categories/${b.id}`, { slug: 'a' }))).toEqual([422, 'validation_failed', 'slug']);
    expect(problemOf(await shop.call('POST', '/categories', { name: 'C', slug: 'Not A Slug' }))).toEqual([
      422,
      'validation_failed',
      'slug',
    ]);
    for (let i = 0; i < 6; i++) await shop.call('POST', '/products', { name: 'P', price: 1, category_id: a.id });
    await shop.call('PUT', '/products/1', { category_id: b.id });
    await shop.call('PUT', '/products/2', { category_id: null });
    await shop.call('DELETE', '/products/3');
    await testApp.drain();
    expect(dataOf(await shop.call('GET', `/categories/${a.id}`))).toMatchObject({ products_count: 3, slug: 'a' });
    expect(dataOf(await shop.call('GET', `/categories/${b.id}`))).toMatchObject({ products_count: 1 });
    expect(dataOf(await shop.call('PUT', `/categories/${b.id}`, { slug: 'b-2' }))).toMatchObject({ products_count: 1, slug: 'b-2' });
    dataOf(await shop.call('POST', '/categories', { name: 'D', slug: 'b-1' }), 201);
  });

  it('deleteCategory leaves its products without a category and releases its slug', async () => {
    const shop = await newShop(testApp);
    const a = dataOf(await shop.call('POST', '/categories', { name: 'A', slug: 'a' }), 201);
    dataOf(await shop.call('POST', '/products', { name: 'P', price: 1, category_id: a.id }), 201);
    const gone = await shop.call('DELETE', `/categories/${a.id}`);
    expect([gone.status, gone.raw]).toEqual([204, '']);
    expect((await shop.call('DELETE', `/categories/${a.id}`)).status).toBe(404);
    await testApp.drain();
    expect(dataOf(await shop.call('GET', '/products/1'))).toMatchObject({ category_id: null, shop_category_id: null, category: null });
    dataOf(await shop.call('POST', '/categories', { name: 'A', slug: 'a' }), 201);
    expect(pageOf(await shop.call('GET', '/categories?search=a')).data).toHaveLength(1);
  });
});

describe('the public storefront', () => {
  it('shows categories and active products without a token, with cache headers', async () => {
    const shop = await newShop(testApp);
    const a = dataOf(await shop.call('POST', '/categories', { name: 'A', slug: 'a' }), 201);
    await shop.call('POST', '/products', { name: 'P', price: '3.5', category_id: a.id, stock_quantity: 1 });
    await shop.call('POST', '/products', { name: 'Hidden', price: 1, status: 'Draft' });
    await testApp.drain();
    const get = (path: string) => testApp.call({ method: 'GET', path: `/shop/${shop.companyId}${path}` });
    const categories = await get('/categories');
    expect(categories.headers['cache-control']).toBe('public, max-age=60, stale-while-revalidate=300');
    expect(pageOf(categories).data).toEqual([{ id: a.id, name: 'A', slug: 'a', description: null, image: null }]);
    const products = await get('/products');
    expect(products.headers['cache-control']).toContain('public');
    expect(pageOf(products)).toMatchObject({
      data: [
        {
          id: 1,
          name: 'P',
          description: null,
          price: '3.50',
          compare_at_price: null,
          currency: 'INR',
          in_stock: true,
          image: null,
          category_id: a.id,
        },
      ],
      meta: { total: 1 },
    });
    expect(dataOf(await get('/products/1')).id).toBe(1);
    expect((await get('/products/2')).status).toBe(404);
    expect((await testApp.call({ method: 'GET', path: '/shop/999999/categories' })).status).toBe(404);
    const missing = await testApp.call({ method: 'GET', path: '/shop/999999/products' });
    expect([missing.status, missing.headers['cache-control']]).toEqual([404, 'no-store']);
  });
});

describe('tenants', () => {
  it('getProduct, updateProduct and deleteProduct answer 404 for a product of another company', async () => {
    const [mine, other] = [await newShop(testApp), await newShop(testApp)];
    dataOf(await mine.call('POST', '/products', { name: 'A', price: 1, external_id: 'E' }), 201);
    expect((await other.call('GET', '/products/1')).status).toBe(404);
    expect((await other.call('PUT', '/products/1', { name: 'B' })).status).toBe(404);
    expect((await other.call('DELETE', '/products/1')).status).toBe(404);
    dataOf(await other.call('POST', '/products', { name: 'A', price: 1, external_id: 'E' }), 201);
    await testApp.drain();
    expect(
      (await testApp.dump())
        .filter((item) => item['kind'] === 'shop-product')
        .every((item) => String(item['pk']).startsWith(`C#${Number(item['companyId'])}#`)),
    ).toBe(true);
  });
});

describe('request units', () => {
  it('creating a product: at most 4 WRU, token and external id included; a list of 20: at most 3 RRU', async () => {
    const shop = await newShop(testApp);
    for (let i = 0; i < 10; i++) dataOf(await shop.call('POST', '/categories', { name: `Category ${i}`, slug: `c-${i}` }), 201);
    const typical = (i: number) => ({
      name: `Cotton T-shirt ${i}`,
      description: 'Soft, combed cotton, made to last. Wash at thirty degrees, do not tumble dry.',
      price: '499.00',
      compare_at_price: '599.00',
      stock_quantity: 10,
      category_id: (i % 10) + 1,
      sku: `TS-${i}`,
      external_id: `ext-${i}`,
      image: `https://cdn.example.com/products/${i}/front.jpg`,
    });
    let most = 0;
    for (let i = 0; i < 60; i++)
      most = Math.max(most, (await testApp.meter(async () => dataOf(await shop.call('POST', '/products', typical(i)), 201))).wru);
    expect(most).toBeLessThanOrEqual(4);
    await testApp.drain();
    const list = await testApp.meter(async () => expect(pageOf(await shop.call('GET', '/products?limit=20')).data).toHaveLength(20));
    expect(list.rru).toBeLessThanOrEqual(3);
  });
});
