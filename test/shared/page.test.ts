import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { problem } from '../../shared/contract/problems.ts';
import { encodeCursor } from '../../shared/table/cursor.ts';
import { cutPage, listByCursor, listPage, type PageQuery, pageOfWhole } from '../../shared/table/page.ts';
import { startTestApp } from '../support/test-app.ts';

const testApp = await startTestApp({ contexts: [] });
afterAll(() => testApp.stop());

const position = z.object({ id: z.int() });
const numbers = Array.from({ length: 7 }, (_, id) => ({ id }));

/** A list that is read one item beyond its page, and one that is read whole: they answer alike. */
const lists = {
  'read to one item beyond the page': (query: PageQuery) =>
    listPage({ scope: 'numbers', query, position }, async ({ after, skip, limit }) => {
      const from = after ? after.id + 1 : 0;
      return { ...cutPage(numbers.slice(from, from + skip + limit + 1), { skip, limit }, ({ id }) => ({ id })), total: numbers.length };
    }),
  'read whole': (query: PageQuery) =>
    listPage({ scope: 'numbers', query, position }, async (range) =>
      pageOfWhole<{ id: number }, { id: number }>(
        numbers,
        range,
        ({ id }, after) => id - after.id,
        ({ id }) => ({ id }),
      ),
    ),
};

describe.each(Object.entries(lists))('a list that is %s', (_, list) => {
  const idsOf = async (query: PageQuery): Promise<{ ids: number[]; cursor: string | undefined }> => {
    const found = await list(query);
    if ('problem' in found) throw new Error(found.problem);
    expect(found).toMatchObject({ total: 7, page: query.page, limit: query.limit });
    return { ids: found.items.map(({ id }) => id), cursor: found.nextCursor };
  };

  test.each([1, 3, 6, 7, 8])('shows each item once in pages of %i, by number and by cursor', async (limit) => {
    const byCursor: number[] = [];
    let cursor: string | undefined;
    for (let page = 1, isMore = true; isMore; page++) {
      const byNumber = await idsOf({ page, limit });
      const followed = await idsOf({ page: 1, limit, cursor });
      expect(followed).toEqual(byNumber);
      byCursor.push(...followed.ids);
      cursor = followed.cursor;
      isMore = cursor !== undefined;
    }
    expect(byCursor).toEqual(numbers.map(({ id }) => id));
  });

  test('is empty beyond its end', async () => {
    expect(await idsOf({ page: 9, limit: 3 })).toEqual({ ids: [], cursor: undefined });
  });

  test('gives the cursor of its last position, which wins over a page number', async () => {
    const cursor = await encodeCursor('numbers', { id: 2 });
    expect(await idsOf({ page: 1, limit: 3 })).toEqual({ ids: [0, 1, 2], cursor });
    expect((await idsOf({ page: 2, limit: 3, cursor })).ids).toEqual([3, 4, 5]);
  });
});

describe('a cursor that is not of the list', () => {
  test.each(['', 'x', 'e30.AAAAAAAAAAAAAAAA'])('%j is refused before anything is read', async (cursor) => {
    let reads = 0;
    const read = async () => ({ items: [reads++], total: 1, next: undefined });
    expect(await listPage({ scope: 'numbers', query: { page: 1, limit: 3, cursor }, position }, read)).toEqual(problem('invalid_cursor'));
    expect(await listByCursor({ scope: 'numbers', cursor, position }, read)).toEqual(problem('invalid_cursor'));
    expect(reads).toBe(0);
  });

  test('is one of another scope, or one whose position is another', async () => {
    const read = async () => ({ next: undefined });
    for (const cursor of [await encodeCursor('letters', { id: 1 }), await encodeCursor('numbers', { at: 1 })])
      expect(await listByCursor({ scope: 'numbers', cursor, position }, read)).toEqual(problem('invalid_cursor'));
  });
});

test('what a read refuses is the answer', async () => {
  const read = async () => problem('not_found');
  expect(await listByCursor({ scope: 'numbers', cursor: undefined, position }, read)).toEqual(problem('not_found'));
  expect(await listPage({ scope: 'numbers', query: { page: 1, limit: 3 }, position }, read)).toEqual(problem('not_found'));
});
