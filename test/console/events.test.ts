import './fake-browser.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Event } from '../../client/client.ts';
import openapi from '../../openapi.json' with { type: 'json' };

vi.mock('../../console/data/read-again.ts', () => ({ readAgain: (name: string, ids?: readonly number[]) => reads.push([name, ids]) }));
vi.mock('../../console/data/conversations.ts', () => ({
  showConversations: (changed: ReadonlyMap<number, number>) => shown.push([...changed]),
}));
const { affected, applyEvents } = await import('../../console/data/events.ts');

let reads: unknown[];
let shown: unknown[];
/** Nothing came with the events but themselves. */
const nothing = { conversations: new Set<number>() };
beforeEach(() => {
  reads = [];
  shown = [];
});
afterEach(() => vi.restoreAllMocks());

const event = (type: string, subject: string, data: object = {}): Event => ({ type, subject, data }) as Event;

test('a message has its thread read again, and shows its conversation once that has the message', () => {
  applyEvents([event('message.received', 'conversation:7', { message_id: 70 })], nothing);
  expect(reads).toEqual([['listConversationMessages', [7]]]);
  expect(shown).toEqual([[[7, 70]]]);
});

test('what came with the events is read no more: neither its thread nor its conversation, and all others are', () => {
  const answered = { conversations: new Set([7]), thread: 7 };
  applyEvents([event('message.received', 'conversation:7', { message_id: 70 })], answered);
  expect([reads, shown]).toEqual([[], [[]]]);
  applyEvents([event('message.received', 'conversation:7', { message_id: 71 }), event('conversation.note', 'conversation:7')], answered);
  applyEvents([event('message.received', 'conversation:8', { message_id: 80 })], answered);
  expect(reads).toEqual([
    ['listConversationNotes', [7]],
    ['listConversationMessages', [8]],
  ]);
  expect(shown.at(-1)).toEqual([[8, 80]]);
});

test('of several events of a conversation the newest message counts, and each operation is read once', () => {
  applyEvents(
    [
      event('message.received', 'conversation:7', { message_id: 71 }),
      event('message.received', 'conversation:7', { message_id: 70 }),
      event('message.sent', 'conversation:8', { message_id: 99 }),
    ],
    nothing,
  );
  expect(reads.map((read) => (read as unknown[])[0])).toEqual(['listConversationMessages']);
  expect(shown).toEqual([
    [
      [7, 71],
      [8, 0],
    ],
  ]);
});

test('a note is read in its thread, and changes nothing of what lists show', () => {
  applyEvents([event('conversation.note', 'conversation:7')], nothing);
  expect(reads).toContainEqual(['listConversationNotes', [7]]);
  expect(shown).toEqual([[]]);
});

test('what is about no conversation has the lists of its family read again, and what no screen shows has nothing', () => {
  applyEvents([event('number.quality', 'number:1'), event('something.new', 'thing:1')], nothing);
  expect(reads).toEqual([
    ['listNumbers', undefined],
    ['getNumber', undefined],
    ['getMe', undefined],
    ['listAuditEntries', undefined],
  ]);
  expect(shown).toEqual([[]]);
});

test('each type of the feed says what of the pages it makes old', () => {
  const types = Object.keys(openapi.components.schemas.Event.discriminator.mapping);
  expect(types.length).toBeGreaterThan(50);
  expect(types.filter((type) => !(type in affected) && !((type.split('.')[0] ?? '') in affected))).toEqual([]);
});
