import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StoredConversation } from '../../functions/conversations/contract/stored.ts';
import { applyMerged, applyMessage, inboxCellOf } from '../../functions/conversations/domain/conversation.ts';
import { conversationEntity, getSummary } from '../../functions/conversations/store/conversation.ts';
import { messageStatuses, type StoredMessage } from '../../functions/messaging/contract/stored.ts';
import { roles } from '../../shared/contract/route.ts';
import { type CampaignFixture, type Contact, startFixture } from '../campaigns/fixture.ts';
import { inboundText, type TestCompany } from '../support/company.ts';
import { recountAll } from '../support/fault-injection.ts';
import { seeded, shuffled } from '../support/random.ts';
import { listSchema } from './fixture.ts';

/** Contacts to whom only campaigns and other automatic messages went wait for no answer: a view of their own shows them until they, or a user, write. */
let fixture: CampaignFixture;
let company: TestCompany;
let people: Contact[];

beforeAll(async () => {
  fixture = await startFixture();
  company = await fixture.campaigner(1_000, { roles });
  people = await fixture.people(company, 4);
  await fixture.create(company, { name: 'Sale', template_id: fixture.templateId(company, 'sale'), parammatch: { 1: 'name' } });
  await fixture.testApp.drain();
  await fixture.deliverAll();
  await fixture.testApp.drain();
});
afterAll(() => fixture.stop());

const list = async (query: Record<string, string>) => {
  const answer = await fixture.testApp.call({ method: 'GET', path: '/api/v1/conversations', query, token: company.tokens.member });
  expect(answer.status).toBe(200);
  return listSchema.parse(answer.body);
};
const idsIn = async (query: Record<string, string>): Promise<number[]> =>
  (await list(query)).data.map(({ id }) => id).toSorted((a, b) => a - b);
const counts = async () =>
  (await fixture.testApp.call({ method: 'GET', path: '/api/v1/conversations/counts', token: company.tokens.member })).body as {
    data: Record<string, number>;
  };
const put = (id: number, body: Record<string, unknown>) =>
  fixture.testApp.call({ method: 'PUT', path: `/api/v1/conversations/${id}`, token: company.tokens.member, body });
const idOf = (nth: number): number => people[nth]?.id ?? 0;
const all = (): number[] => people.map(({ id }) => id).toSorted((a, b) => a - b);

describe('the recipients of a campaign', () => {
  test('are in no view of what is to be done and in none of their counts, but in their own view, the status open and every search', async () => {
    for (const view of ['open', 'unread', 'mine', 'unassigned', 'snoozed', 'closed']) expect(await idsIn({ view })).toEqual([]);
    expect((await counts()).data).toEqual({ open: 0, unread: 0, mine: 0, unassigned: 0, snoozed: 0, automatic: 4, closed: 0 });
    expect(await idsIn({ view: 'automatic' })).toEqual(all());
    expect(await idsIn({})).toEqual(all());
    expect(await idsIn({ status: 'open' })).toEqual(all());
    for (const view of ['open', 'unassigned', 'automatic'])
      expect(await idsIn({ view, search: people[0]?.phone ?? '' })).toEqual([idOf(0)]);
    expect((await list({ view: 'automatic' })).data[0]).toMatchObject({ is_automatic: true });
  });

  test('are in the open view the moment they write, a user writes to them, takes them over or marks them; and go back with what a user takes back', async () => {
    await fixture.testApp.call(inboundText(company, { from: people[0]?.phone ?? '', text: 'Is it still there?' }));
    await fixture.testApp.call({
      method: 'POST',
      path: '/api/v1/messages/template',
      token: company.tokens.member,
      body: { contact_id: idOf(1), template_name: 'sale', variables: ['Kim'] },
    });
    await put(idOf(2), { assigned_to: company.users.member });
    await fixture.testApp.drain();
    expect(await idsIn({ view: 'open' })).toEqual([idOf(0), idOf(1), idOf(2)].toSorted((a, b) => a - b));
    expect((await counts()).data).toMatchObject({ open: 3, unread: 1, mine: 1, unassigned: 2, automatic: 1 });
    expect((await list({ view: 'unread' })).data[0]).toMatchObject({ id: idOf(0), is_automatic: false });
    await put(idOf(2), { assigned_to: null });
    await put(idOf(3), { status: 'closed' });
    await fixture.testApp.drain();
    expect((await counts()).data).toMatchObject({ open: 2, automatic: 1, closed: 1 });
    await put(idOf(3), { status: 'open' });
    await fixture.testApp.drain();
    expect(await idsIn({ view: 'automatic' })).toEqual([idOf(2), idOf(3)].toSorted((a, b) => a - b));
  });

  test('are as a recount of all projections finds them; a row of before is open until it is recounted', async () => {
    const ids = new Set([company.id]);
    expect(await recountAll(fixture.testApp, ids)).toEqual([]);
    const summary = await getSummary(company.id, idOf(3), { consistent: true });
    const { onlyAutomatic: _unknown, ...before } = summary ?? ({} as StoredConversation);
    await conversationEntity.put({ ...before, rev: before.rev + 1 });
    await fixture.testApp.drain();
    expect(await idsIn({ view: 'open' })).toContain(idOf(3));
    expect(await recountAll(fixture.testApp, ids)).toMatchObject([
      { projection: 'conversation', fields: ['onlyAutomatic'], outcome: 'differs' },
    ]);
  });
});

describe('the rule', () => {
  let at = 1_790_000_000_000;
  const messageOf = (more: Partial<StoredMessage>): StoredMessage => ({
    companyId: 1,
    contactId: 7,
    id: ++at,
    inbound: false,
    type: 1,
    subtype: 'text',
    value: '',
    status: messageStatuses.sent,
    rev: 1,
    attempt: 0,
    createdAt: at,
    updatedAt: at,
    ...more,
  });
  const campaign = { campaign: { id: 1, batch: 0 } };
  const system = { sentBy: { via: 'system' as const } };
  const kinds: Record<string, Partial<StoredMessage>> = {
    campaign,
    system,
    user: { sentBy: { via: 'api', userId: 5 } },
    token: { sentBy: { via: 'api', tokenId: 9 } },
    'of before': {},
    customer: { inbound: true },
    'opened chat': { inbound: true, subtype: 'request_welcome' },
  };
  const cellOf = (names: readonly string[]): string => {
    let row: StoredConversation | undefined;
    for (const name of names) row = applyMessage(row, messageOf(kinds[name] ?? {}));
    return row ? inboxCellOf(row) : '';
  };

  test('is the same in whatever order messages are applied: automatic where every one of them is', () => {
    const random = seeded(7);
    const names = Object.keys(kinds);
    for (let round = 0; round < 200; round++) {
      const some = Array.from({ length: 1 + Math.floor(random() * 5) }, () => names[Math.floor(random() * names.length)] ?? '');
      const isAll = some.every((name) => ['campaign', 'system'].includes(name));
      const cell = isAll ? 'automatic' : some.includes('customer') ? 'open_unread' : 'open';
      for (let order = 0; order < 3; order++) expect([some, cellOf(shuffled(some, random))]).toEqual([some, cell]);
    }
  });

  test('holds for merged contacts together', () => {
    const rowOf = (contactId: number, ...names: string[]): StoredConversation | undefined =>
      names.reduce<StoredConversation | undefined>((row, name) => applyMessage(row, messageOf({ contactId, ...kinds[name] })), undefined);
    const merged = (row: StoredConversation | undefined, is: StoredConversation | undefined) =>
      is && inboxCellOf(applyMerged(row, undefined, is, 7));
    expect(merged(undefined, rowOf(8, 'campaign'))).toBe('automatic');
    expect(merged(rowOf(7, 'system'), rowOf(8, 'campaign'))).toBe('automatic');
    expect(merged(rowOf(7, 'user'), rowOf(8, 'campaign'))).toBe('open');
    expect(merged(rowOf(7, 'campaign'), rowOf(8, 'user'))).toBe('open');
    expect(merged(rowOf(7, 'campaign'), rowOf(8, 'customer'))).toBe('open_unread');
  });
});
