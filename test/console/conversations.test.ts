import './fake-browser.ts';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Conversation } from '../../client/client.ts';
import { withConversation } from '../../console/data/conversation-lists.ts';

const { showConversations } = await import('../../console/data/conversations.ts');
const { queryClient } = await import('../../console/data/queries.ts');

const conversation = (id: number, second: number, changes: Partial<Conversation> = {}): Conversation => {
  const at = new Date(second * 1_000).toISOString();
  const last = { id: id * 100, subtype: 'text', value: `Message of ${id}`, status: 3, ambiguous: false, is_message_by_contact: 1 };
  const contact = { id, name: `Contact ${id}`, phone: `49${id}` };
  const window = { open: true, expires_at: null, number_id: 1 };
  const given = {
    id,
    contact,
    window,
    status: 'open',
    unread_count: 0,
    assigned_to: null,
    last_message_at: at,
    last_message: last,
    ...changes,
  };
  return given as unknown as Conversation;
};
const listOf = (cursor: string | null, ...pages: readonly (readonly Conversation[])[]) => ({
  pages: pages.map((data, nth) => ({ data: [...data], meta: { next_cursor: nth === pages.length - 1 ? cursor : `after ${nth}` } })),
  pageParams: pages.map((_, nth) => (nth === 0 ? null : `after ${nth - 1}`)),
});
type List = ReturnType<typeof listOf>;
const idsIn = (list: List): number[][] => list.pages.map(({ data }) => data.map(({ id }) => id));

describe('a conversation that changed', () => {
  const list = listOf('more', [conversation(1, 90), conversation(2, 80)], [conversation(3, 70), conversation(4, 60)]);

  test.each([
    ['on top where it is the newest', 4, conversation(4, 100), [[4, 1, 2], [3]]],
    ['where its last message belongs', 1, conversation(1, 75), [[2], [1, 3, 4]]],
    [
      'on top of those of the same second',
      5,
      conversation(5, 80),
      [
        [1, 5, 2],
        [3, 4],
      ],
    ],
    ['nowhere where that is behind what was read', 1, conversation(1, 10), [[2], [3, 4]]],
    ['nowhere where the view does not show it', 3, undefined, [[1, 2], [4]]],
  ])('stands %s', (_, id, changed, expected) => {
    expect(idsIn(withConversation(list, id, changed))).toEqual(expected);
  });

  test('stands at the end of a list that was read to its end', () => {
    expect(idsIn(withConversation(listOf(null, [conversation(1, 90)]), 2, conversation(2, 10)))).toEqual([[1, 2]]);
    expect(idsIn(withConversation(listOf(null, []), 2, conversation(2, 10)))).toEqual([[2]]);
  });

  test('leaves every list in order, without a conversation twice, and all others as they were', () => {
    const seconds = fc.uniqueArray(fc.nat(500), { maxLength: 30 });
    fc.assert(
      fc.property(seconds, fc.nat(29), fc.nat(500), fc.nat(29), (times, cut, second, nth) => {
        const sorted = times.toSorted((a, b) => b - a).map((time, place) => conversation(place + 1, time));
        const given = listOf(null, sorted.slice(0, cut), sorted.slice(cut));
        const id = nth + 1;
        const rows = withConversation(given, id, conversation(id, second)).pages.flatMap(({ data }) => data);
        expect(rows.map(({ last_message_at: at }) => at)).toEqual(
          rows
            .map(({ last_message_at: at }) => at)
            .toSorted()
            .toReversed(),
        );
        expect(rows.filter((each) => each.id === id)).toHaveLength(1);
        expect(rows.filter((each) => each.id !== id)).toEqual(sorted.filter((each) => each.id !== id));
      }),
    );
  });
});

describe('an event that names a conversation', () => {
  const keyOf = (query: object) => ['listConversations', { query }, 'pages'];
  const shown = (query: object): number[][] => idsIn(queryClient.getQueryData<List>(keyOf(query)) ?? listOf(null));
  let answers: Conversation[];
  let calls: string[];
  let rereads: unknown[];

  beforeEach(() => {
    calls = [];
    rereads = [];
    vi.stubGlobal('fetch', async (url: string) => {
      calls.push(new URL(url).pathname);
      const data = answers.length > 1 ? answers.shift() : answers[0];
      return data
        ? Response.json({ status: 'success', message: '', data })
        : Response.json({ status: 'error', code: 'not_found', message: '' }, { status: 404 });
    });
    vi.spyOn(queryClient, 'invalidateQueries').mockImplementation(async (filters) => void rereads.push(filters?.queryKey));
    queryClient.clear();
    queryClient.setQueryData(['getMe', {}], { data: { id: 5 } });
    for (const query of [{ view: 'open' }, { view: 'unread' }, { view: 'mine' }, { view: 'closed' }])
      queryClient.setQueryData(
        keyOf(query),
        listOf(
          null,
          [conversation(1, 90), conversation(2, 80)].filter(() => query.view === 'open'),
        ),
      );
  });
  afterEach(() => vi.restoreAllMocks());

  test('has it read alone and put into the views that show it', async () => {
    answers = [conversation(2, 100, { unread_count: 1, assigned_to: 5 })];
    showConversations(new Map([[2, 200]]));
    await expect.poll(() => shown({ view: 'open' })).toEqual([[2, 1]]);
    expect([shown({ view: 'unread' }), shown({ view: 'mine' }), shown({ view: 'closed' })]).toEqual([[[2]], [[2]], [[]]]);
    expect(calls).toEqual(['/api/v1/conversations/2']);
    expect(rereads).toEqual([]);
  });

  test('takes it out of the views that show it no more, and one that is gone out of all', async () => {
    answers = [conversation(2, 80, { status: 'closed' })];
    showConversations(new Map([[2, 0]]));
    await expect.poll(() => [shown({ view: 'open' }), shown({ view: 'closed' })]).toEqual([[[1]], [[2]]]);
    answers = [];
    showConversations(new Map([[1, 0]]));
    await expect.poll(() => shown({ view: 'open' })).toEqual([[]]);
  });

  test('has it read again while the answer does not show the message yet', async () => {
    answers = [conversation(2, 80), conversation(2, 100, { last_message: { ...conversation(2, 100).last_message, id: 999 } })];
    showConversations(new Map([[2, 999]]));
    await expect.poll(() => shown({ view: 'open' })).toEqual([[2, 1]]);
    expect(calls).toHaveLength(2);
  });

  test('has a search read again, which the API alone can answer', async () => {
    queryClient.setQueryData(keyOf({ view: 'open', search: 'Kim' }), listOf(null, [conversation(9, 50)]));
    answers = [conversation(2, 100)];
    showConversations(new Map([[2, 0]]));
    await expect.poll(() => rereads).toEqual([['listConversations']]);
    expect(shown({ view: 'open', search: 'Kim' })).toEqual([[9]]);
  });

  test('has the lists read again, and no conversation alone, where many have changed', async () => {
    answers = [];
    showConversations(new Map(Array.from({ length: 7 }, (_, nth) => [nth + 1, 0])));
    await expect.poll(() => rereads.length).toBe(2);
    expect(rereads).toEqual([['listConversations'], ['getConversation']]);
    expect(calls).toEqual([]);
  });
});

test('a conversation that is opened is the row of the list beside it, and none where no list has it', async () => {
  const { fromLists } = await import('../../console/data/conversations.ts');
  queryClient.setQueryData(
    ['listConversations', { query: { view: 'open' } }, 'pages'],
    listOf(null, [conversation(1, 90)], [conversation(2, 80)]),
  );
  expect(fromLists(2)?.data).toEqual(conversation(2, 80));
  expect(fromLists(3)).toBeUndefined();
});
