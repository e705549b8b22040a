import { infiniteQueryOptions, InfiniteQueryObserver, keepPreviousData, QueryClient } from '@tanstack/react-query';
import { describe, expect, test } from 'vitest';
import { shareRows } from '../../console/data/share-rows.ts';

interface Row {
  id: number;
  name: string;
}
const rowOf = (id: number, name = `Row ${id}`): Row => ({ id, name });
const listOf = (...pages: readonly (readonly Row[])[]) => ({
  pages: pages.map((data, nth) => ({ data, meta: { next_cursor: nth === pages.length - 1 ? null : `after ${nth}` } })),
  pageParams: pages.map((_, nth) => (nth === 0 ? null : `after ${nth - 1}`)),
});
type List = ReturnType<typeof listOf>;
const share = (before: List, after: List): List => shareRows(before, after) as List;

describe('a list that was read again', () => {
  test('is the very list of before where nothing changed, and where it is given itself', () => {
    const before = listOf([rowOf(1), rowOf(2)], [rowOf(3)]);
    expect(share(before, before)).toBe(before);
    expect(share(before, structuredClone(before))).toBe(before);
  });

  test('has the very rows that are as they were, in whatever place, and the others anew', () => {
    const before = listOf([rowOf(1), rowOf(2), rowOf(3)]);
    const after = listOf([rowOf(3), rowOf(1), rowOf(2, 'Another name')]);
    const shared = share(before, structuredClone(after));
    expect(shared).toEqual(after);
    expect(shared.pages[0]?.data[0]).toBe(before.pages[0]?.data[2]);
    expect(shared.pages[0]?.data[1]).toBe(before.pages[0]?.data[0]);
    expect(shared.pages[0]?.data[2]).not.toBe(before.pages[0]?.data[1]);
  });

  test('has the very pages that are as they were', () => {
    const before = listOf([rowOf(1)], [rowOf(2)]);
    const shared = share(before, listOf([rowOf(1)], [rowOf(2, 'Another name')]));
    expect(shared.pages[0]).toBe(before.pages[0]);
    expect(shared.pages[1]).not.toBe(before.pages[1]);
  });

  test.each([
    ['loses a row', listOf([rowOf(1), rowOf(2)]), listOf([rowOf(1)])],
    ['gets a row', listOf([rowOf(1)]), listOf([rowOf(1), rowOf(2)])],
    ['loses a page', listOf([rowOf(1)], [rowOf(2)]), listOf([rowOf(1)])],
    ['gets a page', listOf([rowOf(1)]), listOf([rowOf(1)], [rowOf(2)])],
    ['is empty', listOf([rowOf(1)]), listOf([])],
    ['was empty', listOf([]), listOf([rowOf(1)])],
  ])('is what was read when it %s', (_, before, after) => {
    expect(share(before, structuredClone(after))).toEqual(after);
  });
});

test('a view that shows the rows of another one while it is read has the same answer in each drawing, so that drawing ends', () => {
  const client = new QueryClient();
  const optionsOf = (view: string) =>
    infiniteQueryOptions({
      queryKey: ['list', view],
      queryFn: () => new Promise<List['pages'][number]>(() => undefined),
      initialPageParam: null,
      getNextPageParam: () => null,
      structuralSharing: shareRows,
      placeholderData: keepPreviousData,
    });
  client.setQueryData(['list', 'open'], listOf([rowOf(1), rowOf(2)]));
  const observer = new InfiniteQueryObserver(client, optionsOf('open'));
  const stop = observer.subscribe(() => undefined);
  observer.setOptions(optionsOf('closed'));
  const options = client.defaultQueryOptions(optionsOf('closed')) as Parameters<typeof observer.getOptimisticResult>[0];
  const drawn = Array.from({ length: 3 }, () => observer.getOptimisticResult(options));
  expect(drawn[0]?.isPlaceholderData).toBe(true);
  expect(drawn[0]?.data?.pages[0]?.data).toEqual([rowOf(1), rowOf(2)]);
  expect(new Set(drawn.map(({ data }) => data)).size).toBe(1);
  stop();
});
