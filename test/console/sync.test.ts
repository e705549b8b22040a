import './fake-browser.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Conversation, Event } from '../../client/client.ts';
import { openForLooks, showViewer } from '../../console/data/open-conversation.ts';

const { api } = await import('../../console/data/client.ts');
const { looksInOrder } = await import('../../console/data/sync.ts');
const { showAnswered } = await import('../../console/data/conversations.ts');
const { keyOf, queryClient } = await import('../../console/data/queries.ts');

type Answer = Awaited<ReturnType<typeof api.getSync>>;
type Query = NonNullable<NonNullable<Parameters<typeof api.getSync>[0]>['query']>;

const countsKey = keyOf('getInboxCounts', {});
const unread = (): number | undefined => queryClient.getQueryData<{ data: { unread: number } }>(countsKey)?.data.unread;
const conversation = (id: number, updatedAt: string, changes: Partial<Conversation> = {}): Conversation =>
  ({
    id,
    updated_at: updatedAt,
    last_message_at: updatedAt,
    status: 'open',
    unread_count: 0,
    last_message: { id: 1 },
    ...changes,
  }) as Conversation;
const known = (id: number): Conversation | undefined =>
  queryClient.getQueryData<{ data: Conversation }>(keyOf('getConversation', { params: { id } }))?.data;

let queries: Query[];
/** Answers of the next looks, in order; one that is a function may do something while the look is on its way. */
let answers: (Partial<Answer['data']> & { cursor: string; hasMore?: boolean; during?: () => void })[];
const looks = () => looksInOrder(new AbortController().signal);

beforeEach(() => {
  queryClient.clear();
  queries = [];
  vi.spyOn(api, 'getSync').mockImplementation((async ({ query }: { query: Query }) => {
    queries.push(query);
    const { cursor, hasMore = false, during, ...data } = answers.shift() ?? { cursor: 'none' };
    if (cursor === 'lost') throw new TypeError('Failed to fetch');
    await new Promise((resolve) => setTimeout(resolve, 2));
    during?.();
    const nothing = { events: [], counts: { unread: 0 }, conversations: [], unlisted_ids: [], other_ids: [], thread: null, others: [] };
    return { status: 'success', message: '', data: { ...nothing, ...data }, meta: { has_more: hasMore, next_cursor: cursor } };
  }) as unknown as typeof api.getSync);
});
afterEach(() => vi.restoreAllMocks());

describe('looks', () => {
  test('go on where the last answer ended, also where an answer was lost, and at once where there is more', async () => {
    answers = [
      { cursor: '1' },
      { cursor: 'lost' },
      { cursor: '2', hasMore: true, events: [{ type: 'order.created', subject: 'order:1' } as Event] },
      { cursor: '3' },
      { cursor: '4' },
    ];
    const look = looks();
    expect(await look()).toBe(false);
    await expect(look()).rejects.toThrow('Failed to fetch');
    expect(await look()).toBe(true);
    expect(await look()).toBe(false);
    expect(queries.map(({ after }) => after)).toEqual([undefined, '1', '1', '2', '3']);
  });

  test('show counts, but never over those that were read after the look began', async () => {
    const look = looks();
    answers = [{ cursor: '1', counts: { unread: 3 } as never }];
    await look();
    expect(unread()).toBe(3);
    const later = (): void => void queryClient.setQueryData(countsKey, { data: { unread: 9 } }, { updatedAt: Date.now() + 5 });
    answers = [{ cursor: '2', counts: { unread: 4 } as never, during: later }];
    await look();
    expect(unread()).toBe(9);
    await new Promise((resolve) => setTimeout(resolve, 10));
    answers = [{ cursor: '3', counts: { unread: 5 } as never }];
    await look();
    expect(unread()).toBe(5);
  });

  test('name the open conversation and what its viewer does, and show who else is there, or no one where the look failed', async () => {
    const seen: string[][] = [];
    const close = openForLooks(7);
    const remove = showViewer({
      conversationId: 7,
      state: () => 'typing',
      onOthers: (others) => seen.push(others.map(({ user }) => user.name)),
    });
    const look = looks();
    const others = [{ user: { id: 2, name: 'Grace' }, state: 'viewing' as const, until: '' }];
    answers = [{ cursor: '1', others }, { cursor: 'lost' }, { cursor: '2', others, during: close }];
    await look();
    await expect(look()).rejects.toThrow('Failed to fetch');
    // of the conversation that was left meanwhile
    await look();
    remove();
    expect(queries.map(({ conversation_id, state }) => [conversation_id, state])).toEqual([
      [7, 'typing'],
      [7, 'typing'],
      [7, 'typing'],
    ]);
    expect(seen).toEqual([['Grace'], []]);
    answers = [{ cursor: '3' }];
    await look();
    expect(queries.at(-1)).toEqual({ after: '2' });
  });
});

describe('the conversations of an answer', () => {
  const later = '2026-11-28T12:00:02.000000Z';
  const earlier = '2026-11-28T12:00:01.000000Z';

  test('are shown, and need no call of their own', () => {
    expect(showAnswered([conversation(7, earlier)], [8])).toEqual(new Set([7, 8]));
    expect(known(7)?.updated_at).toBe(earlier);
  });

  test('are never shown over what is later, and are read alone then', () => {
    showAnswered([conversation(7, later, { unread_count: 2 })], []);
    expect(showAnswered([conversation(7, earlier)], [])).toEqual(new Set());
    expect(known(7)).toMatchObject({ updated_at: later, unread_count: 2 });
    expect(showAnswered([conversation(7, later, { unread_count: 0 })], [])).toEqual(new Set([7]));
    expect(known(7)?.unread_count).toBe(0);
  });

  test('are read alone where a read is on its way, whose answer comes after them and may be older', () => {
    void queryClient.fetchQuery({ queryKey: keyOf('getConversation', { params: { id: 7 } }), queryFn: () => new Promise(() => undefined) });
    expect(showAnswered([conversation(7, later)], [])).toEqual(new Set());
  });
});
