import './fake-browser.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ConversationNote, Message } from '../../client/client.ts';
import type { Outgoing } from '../../console/data/outbox.ts';
import type { SystemLine } from '../../console/data/system-lines.ts';
import { entriesOf, keyOfEntry } from '../../console/screens/inbox/thread-entries.ts';

const { hasMoving, showThread, threadOfLook, withOlder } = await import('../../console/data/thread.ts');
const { showNotes } = await import('../../console/data/notes.ts');
const { keyOf, queryClient } = await import('../../console/data/queries.ts');

const message = (id: number, changes: Partial<Message> = {}): Message =>
  ({
    id,
    fb_message_id: `wamid.${id}`,
    context_message_id: null,
    subtype: 'text',
    value: `Message ${id}`,
    is_message_by_contact: 0,
    status: 4,
    ambiguous: false,
    media: null,
    created_at: new Date(id * 60_000).toISOString(),
    ...changes,
  }) as Message;
const messages = (from: number, to: number): Message[] => Array.from({ length: to - from + 1 }, (_, nth) => message(from + nth));
const idsOf = ({ messages: all }: { messages: readonly Message[] }): number[] => all.map(({ id }) => id);

describe('the notes that come with messages', () => {
  const key = keyOf('listConversationNotes', { params: { id: 7 }, query: { limit: 100 } });
  const bodies = (): string[] | undefined => queryClient.getQueryData<{ data: ConversationNote[] }>(key)?.data.map(({ body }) => body);
  const note = (body: string): ConversationNote => ({ id: 1, body }) as ConversationNote;

  test('are shown, but not where notes were read after the messages were requested', () => {
    const requestedAt = Date.now();
    showNotes(7, [note('first')], requestedAt);
    expect(bodies()).toEqual(['first']);
    queryClient.setQueryData(key, { data: [note('changed since')] }, { updatedAt: requestedAt + 1 });
    showNotes(7, [note('first')], requestedAt);
    expect(bodies()).toEqual(['changed since']);
    showNotes(7, [note('newer')], requestedAt + 2);
    expect(bodies()).toEqual(['newer']);
  });
});

describe('the newest page of a thread', () => {
  test('is the thread where nothing was read before', () => {
    const newest = { messages: messages(5, 6), nextBefore: 5 };
    expect(withOlder(newest, undefined)).toBe(newest);
  });

  test('comes behind what was read before it, and where that goes on stays', () => {
    const thread = withOlder({ messages: messages(5, 8), nextBefore: 5 }, { messages: messages(1, 6), nextBefore: null });
    expect([idsOf(thread), thread.nextBefore]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], null]);
  });

  test('brings its own states of the messages that were known', () => {
    const thread = withOlder({ messages: [message(2, { status: 5 })], nextBefore: 2 }, { messages: messages(1, 2), nextBefore: 1 });
    expect(thread.messages.map(({ status }) => status)).toEqual([4, 5]);
  });

  test('begins the thread anew where messages between them were not read', () => {
    const thread = withOlder({ messages: messages(60, 61), nextBefore: 60 }, { messages: messages(1, 2), nextBefore: null });
    expect([idsOf(thread), thread.nextBefore]).toEqual([[60, 61], 60]);
  });
});

describe('the newest messages that a look brought', () => {
  const key = keyOf('listConversationMessages', { params: { id: 7 } });
  const brought = (version: string, given: readonly Message[] | null, nextBefore: number | null = null) =>
    ({ conversation_id: 7, version, messages: given && given.toReversed(), next_before_id: nextBefore }) as Parameters<
      typeof showThread
    >[0];
  const shown = (): [number, number][] | undefined =>
    queryClient.getQueryData<{ messages: Message[] }>(key)?.messages.map(({ id, status }) => [id, status]);
  const at = 1_000;
  const readAt = (updatedAt: number, given = messages(1, 3)): void =>
    void queryClient.setQueryData(key, { messages: given, nextBefore: null }, { updatedAt });
  beforeEach(() => queryClient.clear());

  test('stand in the thread with their states, and are asked for again only once they differ', () => {
    readAt(at);
    expect(threadOfLook(7)).toEqual({});
    expect(showThread(brought('a', [message(3, { status: 2 }), message(4)], 3), at + 1)).toBe(true);
    expect([shown(), threadOfLook(7).version]).toEqual([
      [
        [1, 4],
        [2, 4],
        [3, 2],
        [4, 4],
      ],
      'a',
    ]);
    expect(showThread(brought('a', null), Date.now() + 1)).toBe(true);
    expect(shown()).toHaveLength(4);
  });

  test('are wanted while a state can still change, or once they are twenty seconds old, and else only where events name them', () => {
    readAt(at);
    showThread(brought('a', messages(2, 4)), at + 1);
    const now = Date.now();
    expect(threadOfLook(7, at + 20_000)).toEqual({ version: 'a', messages: false });
    expect(threadOfLook(7, at + 20_001)).toEqual({ version: 'a' });
    expect(showThread(brought('a', null), now + 1, false)).toBe(true);
    expect(threadOfLook(7, now + 19_000)).toEqual({ version: 'a' });
    expect(showThread(brought('a', null), now + 1)).toBe(true);
    expect(threadOfLook(7, now + 19_000)).toEqual({ version: 'a', messages: false });
    const moving = message(4, { status: 2, created_at: new Date(now).toISOString() });
    showThread(brought('b', [message(3), moving]), now + 2);
    expect(threadOfLook(7, now + 1_000)).toEqual({ version: 'b' });
  });

  test('are never shown over what was read after the look began, which has no version then, so that the next look brings them again', () => {
    readAt(at);
    expect(showThread(brought('a', messages(1, 4)), at + 1)).toBe(true);
    readAt(Date.now() + 10, messages(1, 5));
    expect(threadOfLook(7)).toEqual({});
    expect(showThread(brought('b', messages(1, 4)), Date.now())).toBe(false);
    expect(shown()).toHaveLength(5);
  });

  test('are not shown where others are between them and what was read: those are read first', () => {
    readAt(at);
    expect(showThread(brought('a', messages(60, 79), 60), at + 1)).toBe(false);
    expect([shown()?.length, threadOfLook(7).version]).toEqual([3, undefined]);
  });

  test('of an erased conversation are none, and of a thread that was not read yet nothing is shown', () => {
    expect(showThread(brought('a', messages(1, 2)), at)).toBe(false);
    readAt(at);
    expect(showThread(brought('b', []), at + 1)).toBe(true);
    expect(shown()).toEqual([]);
  });
});

describe('a state can still change within seconds', () => {
  const now = Date.parse('2026-11-26T12:00:00Z');
  const at = (minutesAgo: number): { created_at: string } => ({ created_at: new Date(now - minutesAgo * 60_000).toISOString() });
  test.each([
    ['a message that is being sent', { status: 1, ...at(5) }, true],
    ['one that was to be sent long ago', { status: 1, ...at(11) }, false],
    ['one that was delivered just now', { status: 3, ...at(2) }, true],
    ['one that was delivered a while ago', { status: 3, ...at(4) }, false],
    ['one that was read', { status: 4, ...at(0) }, false],
    ['one of an unknown outcome', { status: 4, ambiguous: true, ...at(2) }, true],
    ["a customer's", { status: 1, is_message_by_contact: 1, ...at(0) }, false],
    ["a customer's file that is being fetched", { is_message_by_contact: 1, media: { url: null } as Message['media'], ...at(0.5) }, true],
    ["a customer's file that never came", { is_message_by_contact: 1, media: { url: null } as Message['media'], ...at(2) }, false],
  ] as const)('%s', (_, changes, expected) => {
    expect(hasMoving([message(1, changes)], now)).toBe(expected);
  });
});

describe('what stands in a thread', () => {
  const note = (id: number, minute: number): ConversationNote =>
    ({ id, body: 'A note', created_at: new Date(minute * 60_000).toISOString() }) as ConversationNote;
  const outgoing = (key: string, messageId?: number): Outgoing => ({
    key,
    conversationId: 1,
    createdAt: '2026-11-26T12:00:00.000Z',
    text: key,
    sending: { operation: 'sendText', fields: { contact_id: 1, message: key } },
    state: 'sending',
    ...(messageId === undefined ? {} : { messageId }),
  });
  const keys = (...given: Parameters<typeof entriesOf>): string[] => entriesOf(...given).map(keyOfEntry);

  test('keeps the order of the API among messages of one second, with a change between them too', () => {
    const second = (ms: number): string => new Date(60_000 + ms).toISOString();
    // the contact's message has the second in which it was written, and came after ours
    const all = [message(9, { created_at: second(101) }), message(3, { created_at: second(0) })];
    const thread = { messages: all, nextBefore: null };
    const lineAt = (ms: number) => ({ id: 'l', at: second(ms) }) as unknown as SystemLine;
    expect(keys(thread, [], [])).toEqual(['m9', 'm3']);
    expect(keys(thread, [], [], [lineAt(500)])).toEqual(['m9', 'm3', 'sl']);
    expect(keys(thread, [], [], [lineAt(50)])).toEqual(['sl', 'm9', 'm3']);
  });

  test('is messages with notes of their time among them, and those of before the first only with the beginning', () => {
    const notes = [note(1, 1), note(2, 6)];
    expect(keys({ messages: messages(5, 7), nextBefore: 5 }, notes, [])).toEqual(['m5', 'm6', 'n2', 'm7']);
    expect(keys({ messages: messages(5, 7), nextBefore: null }, notes, [])).toEqual(['n1', 'm5', 'm6', 'n2', 'm7']);
  });

  test('is at the end what is being sent, until the thread has it', () => {
    const thread = { messages: messages(1, 2), nextBefore: null };
    expect(keys(thread, [], [outgoing('a'), outgoing('b', 2), outgoing('c', 3)])).toEqual(['m1', 'm2', 'a', 'c']);
    expect(keys(undefined, [], [outgoing('a')])).toEqual(['a']);
  });

  test('is no reaction to a message that is shown, for it stands on that', () => {
    const reaction = (id: number, to: string): Message => message(id, { subtype: 'reaction', value: '👍', context_message_id: to });
    const thread = { messages: [message(1), reaction(2, 'wamid.1'), reaction(3, 'wamid.0')], nextBefore: null };
    expect(keys(thread, [], [])).toEqual(['m1', 'm3']);
  });
});
