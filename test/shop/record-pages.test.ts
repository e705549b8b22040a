import { expect, it } from 'vitest';
import { readPage } from '../../functions/shop/service/record-pages.ts';

const list = (page: { page?: number; cursor?: string; limit?: number }, matches: (id: number) => boolean, maxLooked: number) => {
  let looked = 0;
  return readPage<{ id: number }>({
    scope: 'a list',
    page: page.page ?? 1,
    limit: page.limit ?? 10,
    cursor: page.cursor,
    lastId: 1_000,
    total: undefined,
    maxExamined: maxLooked,
    matches: ({ id }) => matches(id),
    *records(belowId) {
      for (let id = belowId - 1; id >= 1; id--) {
        if (++looked > maxLooked) throw new Error('It reads more records than it may.');
        yield { id };
      }
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
