import './fake-browser.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Conversation, Event as LoggedEvent, Message } from '../../client/client.ts';
import { systemLinesOf } from '../../console/data/system-lines.ts';
import { offerRevert, revertLast } from '../../console/data/revert.ts';
import { nameOfKey } from '../../console/app/keys.ts';
import { firstLater, laterProblem } from '../../console/screens/inbox/later.ts';
import { type Entry, firstUnread, isContinued } from '../../console/screens/inbox/thread-entries.ts';

const { pauseAfter, pollAnswered, pollFailed } = await import('../../console/data/connection.ts');
const { takingBack } = await import('../../console/data/conversation-changes.ts');
const { queryClient } = await import('../../console/data/queries.ts');
const { showPresence } = await import('../../console/data/presence.ts');
const { viewerOf } = await import('../../console/data/open-conversation.ts');
const { showTyping } = await import('../../console/data/typing.ts');
const { api } = await import('../../console/data/client.ts');
const { between } = await import('../../console/screens/inbox/between.ts');
const { fileProblem, takesCaption } = await import('../../console/data/uploads.ts');

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('the name of a key', () => {
  const pressed = (key: string, held: object = {}): string => nameOfKey({ key, ctrlKey: false, metaKey: false, shiftKey: false, ...held });
  test.each([
    ['a letter', pressed('e'), 'e'],
    ['a letter while capitals are locked', pressed('E'), 'e'],
    ['a letter with Shift, which is another key', pressed('E', { shiftKey: true }), 'shift+e'],
    ['a sign that is made with Shift', pressed('?', { shiftKey: true }), '?'],
    ['with Control', pressed('k', { ctrlKey: true }), 'mod+k'],
    ['with Command and Shift', pressed('K', { metaKey: true, shiftKey: true }), 'mod+k'],
    ['an arrow', pressed('ArrowDown', { shiftKey: true }), 'ArrowDown'],
  ])('of %s', (_, name, expected) => expect(name).toBe(expected));
});

describe('a change that can be taken back', () => {
  test('is taken back once, by its own button or by the key', () => {
    const revert = vi.fn<() => void>();
    const { run } = offerRevert(revert);
    revertLast();
    run();
    revertLast();
    expect(revert).toHaveBeenCalledTimes(1);
  });

  test('is the last one by the key, and each while its button is there', () => {
    const done: string[] = [];
    const first = offerRevert(() => done.push('first'));
    const second = offerRevert(() => done.push('second'));
    revertLast();
    first.run();
    second.run();
    expect(done).toEqual(['second', 'first']);
  });

  test('is no longer one by the key once its offer has ended', () => {
    const revert = vi.fn<() => void>();
    offerRevert(revert).end();
    revertLast();
    expect(revert).not.toHaveBeenCalled();
  });

  const before = { id: 7, status: 'open', assigned_to: 5, unread_count: 0 } as Conversation;
  test.each([
    [{ status: 'closed' as const }, { status: 'open' }],
    [{ assigned_to: null }, { assigned_to: 5 }],
    [{ unread: true as const }, 'read'],
    [{ snoozed_until: '2036-01-01T09:00:00.000Z' }, { status: 'open', snoozed_until: null }],
  ])('%j is taken back by %j', (change, expected) => expect(takingBack(before, change)).toEqual(expected));
});

describe('while the API gives no answer', () => {
  test('polls come less and less often, and at once as before after the first answer', () => {
    expect([0, 1, 2, 3, 4, 5, 50].map((failures) => pauseAfter(failures, 2_000))).toEqual([
      2_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ]);
    expect(pauseAfter(1, 30_000)).toBe(30_000);
  });

  test('what could not be read is read again after the first answer, and nothing else is', async () => {
    const reads: string[] = [];
    let isDown = true;
    const queryFn = async (name: string): Promise<string> => {
      reads.push(name);
      if (isDown && name === 'failed') throw new Error('No connection.');
      return name;
    };
    const read = (name: string) => queryClient.fetchQuery({ queryKey: [name], queryFn: () => queryFn(name), retry: false });
    await Promise.allSettled([read('failed'), read('fine')]);
    const isStale = (name: string): boolean => queryClient.getQueryState([name])?.isInvalidated ?? false;
    pollFailed();
    isDown = false;
    pollAnswered();
    expect([isStale('failed'), isStale('fine')]).toEqual([true, false]);
  });
});

describe('rows that are selected by Shift', () => {
  const all = [7, 3, 9, 1, 4];
  test.each([
    [3, 1, [3, 9, 1]],
    [1, 3, [3, 9, 1]],
    [4, 4, [4]],
    [undefined, 9, [9]],
    [99, 9, [9]],
  ])('from %j to %j are %j', (from, to, expected) => expect(between(all, from, to)).toEqual(expected));
});

describe('a time to send free text later', () => {
  const now = Date.parse('2026-11-26T12:00:00Z');
  test('is neither over nor behind the end of the window', () => {
    const until = '2026-11-27T12:00:00Z';
    expect(laterProblem('2026-11-26T11:59:00Z', until, now)).toBe('early');
    expect(laterProblem('', until, now)).toBe('early');
    expect(laterProblem('2026-11-26T13:00:00Z', until, now)).toBeUndefined();
    expect(laterProblem('2026-12-24T18:00:00Z', until, now)).toBe('late');
  });

  test('is at first in an hour, or shortly before the window closes', () => {
    const first = (until: string): number => Date.parse(firstLater(until, now)) - now;
    expect(first('2026-11-27T12:00:00Z')).toBe(60 * 60_000);
    expect(first('2026-11-26T12:30:00Z')).toBe(25 * 60_000);
  });
});

const message = (id: number, changes: Partial<Message> = {}): Message =>
  ({
    id,
    subtype: 'text',
    value: `Message ${id}`,
    is_message_by_contact: 1,
    sent_by: null,
    template_name: null,
    created_at: new Date(Date.parse('2026-11-26T12:00:00Z') + id * 60_000).toISOString(),
    ...changes,
  }) as Message;
const entry = (id: number, changes: Partial<Message> = {}): Entry => ({ kind: 'message', message: message(id, changes) });

describe('a message goes on with the one above it', () => {
  const ours = (userId: number): Partial<Message> => ({
    is_message_by_contact: 0,
    sent_by: { via: 'api', user_id: userId, token_id: null, campaign_id: null },
  });
  test.each([
    ['from the contact within two minutes', entry(2), entry(1), true],
    ['from the contact later', entry(4), entry(1), false],
    ['from the other side', entry(2), entry(1, ours(5)), false],
    ['from the same user', entry(2, ours(5)), entry(1, ours(5)), true],
    ['from another user', entry(2, ours(6)), entry(1, ours(5)), false],
  ])('%s: %s', (_, below, above, expected) => expect(isContinued(below, above)).toBe(expected));
});

describe('the first message that is new', () => {
  const all = [message(1), message(2, { is_message_by_contact: 0 }), message(3), message(4)];
  test.each([
    [0, undefined],
    [1, 4],
    [2, 3],
    [3, 1],
    [4, undefined],
  ])('of %i unread ones', (unread, expected) => expect(firstUnread(all, unread)).toBe(expected));
});

describe('what was done to a conversation', () => {
  const event = (id: number, userId: number | null, status: string, user: number | null, more: object = {}): LoggedEvent =>
    ({
      id: String(id),
      type: 'conversation.updated',
      at: `2026-11-26T12:0${id}:00Z`,
      by: { kind: userId === null ? 'customer' : 'user', user_id: userId, credential_id: null },
      data: { status, assigned_to: user, ...more },
    }) as unknown as LoggedEvent;
  const whats = (...given: Parameters<typeof systemLinesOf>): unknown[] =>
    systemLinesOf(...given).map(({ what, userId, assignee }) => [what, userId, assignee]);

  test('is what each event changed beside the one before; reading alone changes nothing of it', () => {
    const events = [event(1, 5, 'open', null), event(2, 5, 'open', 6), event(3, 5, 'closed', 6), event(4, null, 'open', 6)];
    expect(whats(events, true)).toEqual([
      ['assigned', 5, 6],
      ['closed', 5, 6],
      ['opened', null, 6],
    ]);
  });

  test('is one line where it is put away, put away for longer, and comes back; closing it is said as that alone', () => {
    const until = (hour: number) => ({ snoozed_until: `2026-11-27T0${hour}:00:00.000000Z` });
    const back = { snoozed_until: null };
    const events = [
      event(1, 5, 'open', null, until(8)),
      event(2, 5, 'open', null, until(9)),
      event(3, null, 'open', null, back),
      event(4, 5, 'closed', null, back),
      event(5, 5, 'open', null, until(8)),
      event(6, 5, 'closed', null, back),
    ];
    expect(systemLinesOf(events, true).map(({ what, isByCustomer, until: at }) => [what, isByCustomer, at?.slice(11, 13)])).toEqual([
      ['snoozed', false, '08'],
      ['snoozed', false, '09'],
      ['back', true, undefined],
      ['closed', false, undefined],
      ['snoozed', false, '08'],
      ['closed', false, undefined],
    ]);
  });

  test('is not said of the oldest event where others came before it', () => {
    expect(whats([event(1, 5, 'closed', 6), event(2, 5, 'open', null)], false)).toEqual([
      ['opened', 5, null],
      ['unassigned', 5, null],
    ]);
  });
});

describe('a file', () => {
  const file = (name: string, type: string, megabytes: number) => ({ name, type, size: megabytes * 1024 * 1024 });
  test.each([
    ['a picture', file('a.png', 'image/png', 1), true],
    ['a song', file('a.mp3', 'audio/mpeg', 1), false],
    ['a sticker by its name', file('a.webp', '', 0.1), false],
  ])('has a text below it or not: %s', (_, given, expected) => expect(takesCaption(given)).toBe(expected));

  test.each([
    ['a picture', file('a.png', 'image/png', 5), undefined],
    ['a picture that is too large', file('a.png', 'image/png', 6), { problem: 'size', mostMegabytes: 5 }],
    ['a video that is too large', file('a.mp4', 'video/mp4', 17), { problem: 'size', mostMegabytes: 16 }],
    ['a document by its name', file('a.pdf', '', 90), undefined],
    ['a program', file('a.exe', 'application/x-msdownload', 1), { problem: 'type' }],
  ])('is checked before it is attached: %s', (_, given, expected) => expect(fileProblem(given)).toEqual(expected));
});

describe('presence', () => {
  const listeners = new Map<string, () => void>();
  const open = (state: 'typing' | 'viewing' = 'viewing') => {
    vi.useFakeTimers();
    listeners.clear();
    const on = (name: string, listener: () => void): void => void listeners.set(name, listener);
    const page = { visibilityState: 'visible', addEventListener: on, removeEventListener: () => undefined };
    vi.stubGlobal('addEventListener', on);
    vi.stubGlobal('removeEventListener', () => undefined);
    vi.stubGlobal('document', page);
    const sent: string[] = [];
    // what the look says that begins then
    vi.stubGlobal('dispatchEvent', () => sent.push(viewerOf(7)?.state() ?? 'nothing'));
    vi.spyOn(api, 'setPresence').mockImplementation(async (input) => {
      sent.push((input as { body: { state: string } }).body.state);
      return { data: { others: [] } } as never;
    });
    const presence = showPresence(
      7,
      () => state,
      () => undefined,
    );
    return { sent, page, presence };
  };

  test('is shown of a user who stays, and of none who passes by', () => {
    const passing = open();
    vi.advanceTimersByTime(900);
    expect(viewerOf(7)?.state()).toBeUndefined();
    passing.presence.end();
    expect(passing.sent).toEqual([]);
    const staying = open();
    vi.advanceTimersByTime(1_100);
    expect(viewerOf(7)?.state()).toBe('viewing');
    staying.presence.end();
    expect(staying.sent).toEqual(['viewing', 'left']);
    expect(viewerOf(7)).toBeUndefined();
  });

  test('ends with the page, and while it is hidden no look says that its user is there', () => {
    const { sent, page, presence } = open('typing');
    presence.show();
    page.visibilityState = 'hidden';
    listeners.get('visibilitychange')?.();
    expect(viewerOf(7)?.state()).toBeUndefined();
    page.visibilityState = 'visible';
    listeners.get('visibilitychange')?.();
    listeners.get('pagehide')?.();
    expect(sent).toEqual(['typing', 'left', 'typing', 'left']);
    presence.end();
  });
});

test('the contact sees that an agent writes: said once in 25 seconds, for each conversation, and without a word where it fails', () => {
  vi.useFakeTimers();
  const sent: number[] = [];
  vi.spyOn(api, 'sendTypingIndicator').mockImplementation(async (input) => {
    sent.push((input as { params: { id: number } }).params.id);
    throw new Error('The window is closed.');
  });
  for (let letter = 0; letter < 60; letter++) {
    showTyping(7);
    vi.advanceTimersByTime(1_000);
  }
  showTyping(8);
  expect(sent).toEqual([7, 7, 7, 8]);
});
