import { describe, expect, test } from 'vitest';
import type { Campaign, Conversation, Task, Template, WebhookEndpoint } from '../../client/client.ts';
import { needsOf, type ReadOfCompany } from '../../console/screens/home/needs.ts';
import { en } from '../../console/text/en/home.ts';

/** What Home says that waits for a user. */
const now = Date.parse('2026-11-29T12:00:00Z');
const at = (minutes: number): string => new Date(now + minutes * 60_000).toISOString();
const minutes = (ms: number): string => `${Math.round(ms / 60_000)} min`;
const needs = (read: ReadOfCompany) => needsOf(read, now, en, { count: String, since: minutes });

const waits = (id: number, since: number | null, closes: number): Conversation =>
  ({
    id,
    contact: { id, name: `Contact ${id}`, phone: '4915100000000', blocked: false },
    waiting_since: since === null ? null : at(-since),
    last_inbound_at: at(-(since ?? 5)),
    window: { open: closes > 0, expires_at: at(closes), number_id: 1 },
  }) as Conversation;

describe('what waits for a user', () => {
  test('nothing, where nothing was read, and where all is well', () => {
    expect(needs({})).toEqual([]);
    const endpoint = {
      id: 1,
      url: 'https://a.example/hook',
      status: 'active',
      disabled_reason: null,
      failing_since: null,
    } as WebhookEndpoint;
    expect(
      needs({ waiting: { rows: [waits(1, 10, 1_200)], hasMore: false }, endpoints: [endpoint], tasks: { rows: [], hasMore: false } }),
    ).toEqual([]);
  });

  test('contacts that wait for over an hour, the longest named, and more where the list goes on', () => {
    const rows = [waits(1, 90, 1_000), waits(2, 60, 1_000), waits(3, 59, 1_000)];
    expect(needs({ waiting: { rows, hasMore: false } })).toMatchObject([
      { id: 'waiting', isUrgent: true, words: expect.stringMatching(/^2 contacts wait .* 90 min$/) },
    ]);
    expect(needs({ waiting: { rows, hasMore: true } })[0]?.words).toMatch(/^2 or more/);
    expect(needs({ waiting: { rows: rows.slice(0, 1), hasMore: false } })[0]?.words).toMatch(/^1 contact waits/);
  });

  test('a conversation of before the times of waits were kept waits since its last message', () => {
    expect(needs({ waiting: { rows: [{ ...waits(1, null, 1_000), last_inbound_at: at(-120) }], hasMore: false } })).toHaveLength(1);
  });

  test('windows that close within three hours lead to the first to close; one that is closed is none', () => {
    const rows = [waits(1, 5, 170), waits(2, 5, 20), waits(3, 5, -1), waits(4, 5, 181)];
    expect(needs({ waiting: { rows, hasMore: false } })).toMatchObject([
      {
        id: 'closing',
        words: 'Contact 2 can be answered freely for 20 min more, and 1 other for less than three hours',
        link: { params: { id: 2 } },
      },
    ]);
  });

  test('endpoints, numbers, campaigns and templates in trouble, the urgent first; what a user stopped is not', () => {
    const endpoint = {
      id: 1,
      url: 'https://a.example/hook',
      status: 'active',
      disabled_reason: null,
      failing_since: at(-60),
    } as WebhookEndpoint;
    const number = { id: 3, phone: '15550100001', status: 'active', quality: 'YELLOW', restrictions: [] } as unknown as NonNullable<
      ReadOfCompany['numbers']
    >[number];
    const campaign = { id: 4, name: 'Sale', status: 'paused', pause_reason: 'number_restricted' } as Campaign;
    const template = { id: 5, name: 'offer', status: 'REJECTED', updated_at: at(-60) } as Template;
    const found = needs({
      endpoints: [endpoint, { ...endpoint, id: 2, status: 'disabled', disabled_reason: 'by_user', failing_since: null }],
      numbers: [number, { ...number, id: 6, quality: 'RED' }, { ...number, id: 7, status: 'inactive', quality: 'RED' } as typeof number],
      campaigns: [campaign, { ...campaign, id: 8, pause_reason: 'user' }],
      templates: [template, { ...template, id: 9, updated_at: at(-60 * 24 * 8) }],
      tasks: { rows: [{ id: 1 } as Task], hasMore: false },
    });
    expect(found.map(({ id }) => id)).toEqual(['endpoint-1', 'number-6', 'campaign-4', 'number-3', 'template-5', 'tasks']);
    expect(found.at(-1)?.words).toBe('1 task of yours is late');
  });

  test('a spend ceiling from four fifths on, urgent where hardly a message is left; none below, and none without one', () => {
    const ceiling = (limit: string, left: string) => ({ limit, left, resets_at: at(60) });
    const day = (limit: string, left: string) => needs({ ceilings: { day: ceiling(limit, left), month: null } });
    expect(needs({ ceilings: { day: null, month: null } })).toEqual([]);
    expect(day('200', '40.01')).toEqual([]);
    expect(day('200', '40')).toMatchObject([{ id: 'ceiling-day', isUrgent: false, words: '80 % of the day’s spend ceiling is used up' }]);
    expect(day('200', '1.99')).toMatchObject([{ isUrgent: true }]);
    expect(day('0', '0')).toMatchObject([{ isUrgent: true, words: expect.stringContaining('100 %') }]);
    expect(needs({ ceilings: { day: null, month: ceiling('9', '-0.4') } })).toMatchObject([{ id: 'ceiling-month', isUrgent: true }]);
  });
});
