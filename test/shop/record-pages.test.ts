import { afterAll, expect, it } from 'vitest';
import { readPage, usualBounds } from '../../functions/shop/service/record-pages.ts';
import { okPage } from '../../shared/http/reply.ts';
import { addReadUnits, countingReadUnits } from '../../shared/table/read-units.ts';
import { startTestApp } from '../support/test-app.ts';

const testApp = await startTestApp({ contexts: [] });
afterAll(() => testApp.stop());

const list = (page: { page?: number; cursor?: string; limit?: number }, matches: (id: number) => boolean, maxLooked: number) => {
  let looked = 0;
  return readPage<{ id: number }>({
    scope: 'a list',
    page: page.page ?? 1,
    limit: page.limit ?? 10,
    cursor: page.cursor,
    lastId: 1_000,
    total: undefined,
    bounds: { ...usualBounds, maxExamined: maxLooked },
    matches: ({ id }) => matches(id),
    records: (belowId, count) => {
      looked += count;
      if (looked > maxLooked) throw new Error('It reads more records than it may.');
      const below = Math.max(1, belowId - count);
      return { records: Array.from({ length: belowId - below }, (_, i) => ({ id: belowId - 1 - i })), below };
    },
  });
};

it.each([1_000, 999, 300, 7])('a filtered list that may read %i records at a time returns each match once, in order', async (maxLooked) => {
  const rare = (id: number): boolean => id % 37 === 0;
  const seen: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(cursor === undefined ? {} : { cursor }, rare, maxLooked);
    if ('problem' in page) throw new Error(page.problem);
    expect(page.total).toBeGreaterThanOrEqual(page.items.length);
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(seen).toEqual(Array.from({ length: 27 }, (_, i) => 999 - i * 37));
});

it('below the limit of records read, the total is exact', async () => {
  expect(await list({}, (id) => id % 2 === 0, 10_000)).toMatchObject({ total: 500, items: { length: 10 } });
});

it('once a page is full, a walk that has cost enough ends: its total counts what was read, the next page has a number, and the cursor goes on', async () => {
  let looked = 0;
  const walked = (page: { page?: number; cursor?: string }, matches: (id: number) => boolean) =>
    countingReadUnits(() => {
      looked = 0;
      return readPage<{ id: number }>({
        scope: 'a dear list',
        page: page.page ?? 1,
        limit: 10,
        cursor: page.cursor,
        lastId: 5_000,
        total: undefined,
        matches: ({ id }) => matches(id),
        records: (belowId, count) => {
          const below = Math.max(1, belowId - count);
          looked += belowId - below;
          addReadUnits({ CapacityUnits: (belowId - below) / 8 });
          return { records: Array.from({ length: belowId - below }, (_, i) => ({ id: belowId - 1 - i })), below };
        },
      });
    });
  const most = (id: number): boolean => id % 2 === 0;
  const first = await walked({}, most);
  if ('problem' in first) throw new Error(first.problem);
  expect(first.items.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, i) => 5_000 - 2 * i));
  expect(looked).toBeLessThanOrEqual((usualBounds.enoughUnits + 1) * 8);
  expect(first).toMatchObject({ isPartial: false, hasOpenTotal: true, total: looked / 2 });
  const { links } = okPage({ url: 'https://host/orders', rawQuery: new URLSearchParams() }, first, 'Orders.').body;
  expect(links).toMatchObject({ last: null, next: 'https://host/orders?page=2' });
  const ids = Array.from({ length: 10 }, (_, i) => 4_980 - 2 * i);
  for (const next of [{ page: 2 }, { cursor: first.nextCursor ?? '' }]) {
    const second = await walked(next, most);
    expect('problem' in second ? [] : second.items.map(({ id }) => id)).toEqual(ids);
  }
  // what few match is looked for on
  const rare = await walked({}, (id) => id <= 5);
  expect(rare).toMatchObject({ items: [5, 4, 3, 2, 1].map((id) => ({ id })), total: 5, nextCursor: undefined });
});

it('ids that were assigned and never used end the walk after 300 reads, and the cursor continues below them', async () => {
  let reads = 0;
  const gap = { lastId: 1_000_000, records: (belowId: number) => (reads++, { records: [], below: Math.max(1, belowId - 128) }) };
  const request = { scope: 'a gap', page: 1, limit: 10, total: undefined, matches: () => true, ...gap };
  const first = await readPage<{ id: number }>({ ...request, cursor: undefined });
  if ('problem' in first) throw new Error(first.problem);
  expect([reads, first.items, first.isPartial]).toEqual([300, [], true]);
  expect(await readPage<{ id: number }>({ ...request, lastId: 20_000, cursor: first.nextCursor })).toMatchObject({ nextCursor: undefined });
  expect(reads).toBeLessThan(300 + 20_000 / 128 + 1);
});

it('a page by number whose walk was cut continues with what it had still to pass', async () => {
  const rare = (id: number): boolean => id % 50 === 0;
  const whole = await list({ page: 2, limit: 5 }, rare, 10_000);
  const cut = await list({ page: 2, limit: 5 }, rare, 100);
  if ('problem' in whole || 'problem' in cut) throw new Error('refused');
  expect(cut.items).toEqual([]);
  let cursor = cut.nextCursor;
  const found: { id: number }[] = [];
  while (cursor !== undefined && found.length === 0) {
    const page = await list({ cursor, limit: 5 }, rare, 600);
    if ('problem' in page) throw new Error(page.problem);
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  expect(found[0]).toEqual(whole.items[0]);
});
