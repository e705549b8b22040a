import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Product } from '../../functions/shop/contract/stored.ts';
import { newProduct } from '../../functions/shop/domain/product.ts';
import { publicBounds } from '../../functions/shop/service/record-pages.ts';
import { productEntity } from '../../functions/shop/store/product.ts';
import { conversationEntity } from '../../functions/conversations/store/conversation.ts';
import { counterEntity } from '../../shared/table/counter.ts';
import { newShop, pageOf, problemOf, type Shop } from '../shop/support.ts';
import { putInBatches } from '../support/batch-write.ts';
import { isFullSize, runSize } from '../support/run-size.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** One call without a token reads a company's whole catalog. Every list has a cap, the public ones a small one, and a cursor. */
const records = runSize(500, 200_000);
/** Below the records are ids that were assigned and never used. */
const lastId = Math.max(records, 20_000);

let testApp: TestApp;
let shop: Shop;
beforeAll(async () => {
  testApp = await startTestApp();
  shop = await newShop(testApp);
  await putInBatches(rows(records, (i) => productEntity.stored(hidden(lastId - i))));
  await productEntity.put({ ...hidden(3), status: 'Active', source: 'api' });
  await count('shop-product', records);
  await count('shop-product-public', 1);
}, 300_000);
afterAll(() => testApp.stop());

const hidden = (id: number): Product => ({
  ...newProduct(shop.companyId, id, 'storeplatform', `gid-${id}`, testApp.clock.now()),
  isUnpriced: undefined,
  name: `Cotton T-shirt ${id}`,
  description: 'Soft, combed cotton, made to last. '.repeat(10),
});

const count = (of: string, total: number) => counterEntity.put({ companyId: shop.companyId, of, lastId, total, rev: 0, checkpoints: {} });

function* rows(times: number, row: (i: number) => Record<string, unknown>): Generator<Record<string, unknown>> {
  for (let i = 0; i < times; i++) yield row(i);
}

const publicList = (query = ''): ReturnType<TestApp['call']> =>
  testApp.call({ method: 'GET', path: `/shop/${shop.companyId}/products${query}` });

describe('a catalog in which nothing is public', () => {
  test.each(['', '?limit=100', '?search=cotton', '?search=nothing', '?category_id=7', '?page=3&limit=100'])(
    'costs a caller without a token at most 40 RRU a call: %s',
    async (query) => {
      let next: string | null | undefined;
      const used = await testApp.meter(async () => void (next = pageOf(await publicList(query)).meta.next_cursor));
      expect(used.rru).toBeLessThanOrEqual(40);
      expect(next).toBeTypeOf('string');
    },
  );

  test('the same without the cap is noticed here', async () => {
    const bounds = { ...publicBounds };
    try {
      Object.assign(publicBounds, { maxExamined: Infinity, maxUnits: Infinity, perRead: 1_024 });
      const used = await testApp.meter(() => publicList());
      expect(used.rru).toBeGreaterThan(80);
    } finally {
      Object.assign(publicBounds, bounds);
    }
  });

  test('the cursor continues to the one public product, and to the end', async () => {
    testApp.clock.advance(60_000);
    let cursor: string | null = null;
    const found: number[] = [];
    let calls = 0;
    do {
      const { data, meta } = pageOf(await publicList(cursor === null ? '?limit=100' : `?limit=100&cursor=${cursor}`));
      found.push(...data.map(({ id }) => id));
      cursor = meta.next_cursor;
      if (++calls % 100 === 0) testApp.clock.advance(60_000);
    } while (cursor !== null);
    expect(found).toEqual([3]);
  });

  test('links name no page that is not there to be called', async () => {
    const { links } = pageOf(await publicList('?limit=100'));
    expect([links.last, links.next]).toEqual([null, null]);
  });
});

describe('a signed-in caller', () => {
  test.each([
    '/products?search=nothing',
    '/products?status=Draft',
    '/products?limit=1000',
    '/products?limit=1000&page=10',
    '/orders?limit=1000',
  ])('pays at most 1,300 RRU a call: %s', async (path) => {
    const used = await testApp.meter(async () => void pageOf(await shop.call('GET', path)));
    expect(used.rru).toBeLessThanOrEqual(1_300);
  });

  test('reaches records deeper than 10,000 by cursor only', async () => {
    expect(problemOf(await shop.call('GET', '/products?page=11&limit=1000'))).toEqual([422, 'validation_failed', 'page']);
    expect(pageOf(await shop.call('GET', `/products?page=${lastId}&limit=1000`)).data).toEqual([]);
    expect(problemOf(await publicList('?page=4&limit=100'))).toEqual([422, 'validation_failed', 'page']);
  });
});

describe('conversations', () => {
  const conversations = runSize(300, 100_000);
  beforeAll(async () => {
    const at = testApp.clock.now();
    await putInBatches(
      rows(conversations, (i) =>
        conversationEntity.stored(
          conversationEntity.parse({
            companyId: shop.companyId,
            contactId: i + 1,
            rev: 0,
            lastMessageId: i + 1,
            lastMessageAt: at - i,
            unread: 0,
            status: 'open',
            messages: 1,
            createdAt: at,
            updatedAt: at,
          }),
        ),
      ),
    );
    await count('conversation', Math.max(conversations, 20_000));
  }, 300_000);

  test.each([
    // an index of its own says at once that there is none
    ['?status=closed', false],
    ['?unread=true', false],
    ['?assigned_to=1', false],
    ['?lastmessagetime=2020-01-01 00:00:00&limit=100', true],
    ['?page=100&limit=100', true],
  ])('a list costs at most 1,300 RRU: %s', async (query, hasMore) => {
    let next: unknown;
    const used = await testApp.meter(async () => {
      const answer = await testApp.call({ method: 'GET', path: `/api/v1/conversations${query}`, token: shop.token });
      next = pageOf(answer).meta.next_cursor;
    });
    expect(used.rru).toBeLessThanOrEqual(1_300);
    if (isFullSize()) expect(typeof next === 'string').toBe(hasMore);
  });

  test('page numbers reach the first 10,000', async () => {
    const answer = await testApp.call({ method: 'GET', path: '/api/v1/conversations?page=101&limit=100', token: shop.token });
    expect(problemOf(answer)).toEqual([422, 'validation_failed', 'page']);
  });
});
