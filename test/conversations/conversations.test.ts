import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { updateNumber } from '../../functions/account/service/numbers.ts';
import { conversationEntity } from '../../functions/conversations/store/conversation.ts';
import { roles } from '../../shared/contract/route.ts';
import { unwrap, newCompany, providerEnvelope, providerPost, type TestCompany } from '../support/company.ts';
import type { Call } from '../support/gateway-event.ts';
import { startTestApp } from '../support/test-app.ts';
import { base, inboxOf, listSchema, phoneOf } from './fixture.ts';

const testApp = await startTestApp();
afterAll(() => testApp.stop());
const company = await newCompany({ roles });

const { receive, listOf, list } = inboxOf(testApp);
const messagesOf = async (target: TestCompany, id: number, query: NonNullable<Call['query']> = {}) => {
  const answer = await listOf(target, `/api/v1/conversations/${id}/messages`, query);
  expect(answer.status).toBe(200);
  return messagesSchema.parse(answer.body);
};
const wire = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

const messagesSchema = z.object({
  data: z.array(z.looseObject({ id: z.int(), value: z.string(), contact_id: z.int(), created_at: z.string() })),
  meta: z.object({ per_page: z.int(), has_more: z.boolean(), next_before_id: z.int().nullable() }),
});

// 23 people, one a minute; the first three write again, later
for (let nth = 0; nth < 23; nth++) await receive(company, nth, base + nth * 60_000);
for (let nth = 0; nth < 3; nth++) await receive(company, nth, base + (30 + nth) * 60_000, `Again ${nth}`);
await testApp.drain();
const expected = [2, 1, 0, ...Array.from({ length: 20 }, (_, index) => 22 - index)].map(phoneOf);

describe('the list of conversations', () => {
  test('is newest message first over all shards, with the last message, unread count and window', async () => {
    const { data, meta } = await list(company, { limit: 100 });
    expect(data.map(({ contact }) => contact.phone)).toEqual(expected);
    expect(meta).toEqual({ current_page: 1, last_page: 1, per_page: 100, total: 23, next_cursor: null });
    expect(data[0]).toMatchObject({
      unread_count: 2,
      status: 'open',
      last_message: { value: 'Again 2', is_message_by_contact: 1, status: 3, ambiguous: false, error_code: null },
    });
    expect(data[0]?.id).toBe(data[0]?.contact.id);
  });

  test.each([1, 7, 20, 22, 23, 24])('pages of %i by number and by cursor show the same, each conversation once', async (limit) => {
    const byPage: string[] = [];
    const byCursor: string[] = [];
    let cursor: string | null = null;
    for (let page = 1; page <= Math.ceil(23 / limit); page++) {
      const numbered = await list(company, { limit, page });
      const next: z.output<typeof listSchema> = await list(company, cursor === null ? { limit } : { limit, cursor });
      expect(next.data).toEqual(numbered.data);
      byPage.push(...numbered.data.map(({ contact }) => contact.phone));
      byCursor.push(...next.data.map(({ contact }) => contact.phone));
      cursor = next.meta.next_cursor;
    }
    expect(cursor).toBeNull();
    expect(byPage).toEqual(expected);
    expect(byCursor).toEqual(expected);
  });

  test('tells a message that was cancelled from one that was not delivered', async () => {
    const own = await newCompany({ roles });
    await receive(own, 50, Date.now());
    await testApp.drain();
    const [{ id } = { id: 0 }] = (await list(own)).data;
    const body = { contact_id: id, message: 'Later', scheduled_at: new Date(Date.now() + 3_600_000).toISOString() };
    const sent = await testApp.call({ method: 'POST', path: '/api/v1/messages/text', token: own.tokens.member, body });
    const { data } = z.object({ data: z.object({ message_id: z.int() }) }).parse(sent.body);
    const path = `/api/v1/messages/${data.message_id}`;
    expect((await testApp.call({ method: 'DELETE', path, token: own.tokens.member, query: { contact_id: id } })).status).toBe(200);
    await testApp.drain();
    expect((await list(own)).data).toMatchObject([
      { last_message: { value: 'Later', status: 5, error_code: 'cancelled', ambiguous: false } },
    ]);
  });

  test('a page past the end is empty, however far', async () => {
    for (const page of [2, 3, 1_000, 1_000_000_000]) {
      const { data, meta } = await list(company, { limit: 100, page });
      expect([data, meta.total, meta.next_cursor]).toEqual([[], 23, null]);
    }
  });

  test('lastmessagetime keeps the strictly newer ones, and counts them', async () => {
    const all = await list(company, { lastmessagetime: wire(base + 19 * 60_000), limit: 100 });
    expect(all.data.map(({ contact }) => contact.phone)).toEqual(expected.slice(0, 6));
    expect(all.meta.total).toBe(6);
    const before = await list(company, { lastmessagetime: wire(base + 19 * 60_000 - 1_000), limit: 100 });
    expect(before.meta.total).toBe(7);
    expect((await list(company, { lastmessagetime: wire(base + 32 * 60_000) })).data).toEqual([]);
  });

  test.each([
    [{ lastmessagetime: 'yesterday' }, 'lastmessagetime'],
    [{ limit: 101 }, 'limit'],
    [{ limit: 0 }, 'limit'],
    [{ page: 0 }, 'page'],
  ])('%j is 422', async (query, field) => {
    const answer = await listOf(company, '/api/v1/conversations', query);
    expect(answer.status).toBe(422);
    expect((answer.body as { errors: Record<string, unknown> }).errors).toHaveProperty(field);
  });

  test('a cursor of another filter or company is 400', async () => {
    const { meta } = await list(company, { limit: 1 });
    const cursor = meta.next_cursor ?? '';
    expect((await listOf(company, '/api/v1/conversations', { cursor, lastmessagetime: wire(base) })).status).toBe(400);
    expect((await listOf(await newCompany({ roles }), '/api/v1/conversations', { cursor })).status).toBe(400);
  });

  test('a deleted contact leaves list and total with its messages; writing again brings it back', async () => {
    const other = await newCompany({ roles });
    for (let nth = 0; nth < 3; nth++) await receive(other, nth, base + nth * 1_000);
    await testApp.drain();
    const [first] = (await list(other)).data;
    const id = first?.id ?? 0;
    expect((await testApp.call({ method: 'DELETE', path: `/api/v1/contacts/${id}`, token: other.tokens.owner })).status).toBe(200);
    await testApp.drain({ disorder: { seed: 3, duplicate: 1 } });
    const after = await list(other);
    expect([after.data.map((each) => each.id).includes(id), after.data.length, after.meta.total]).toEqual([false, 2, 2]);
    expect((await listOf(other, `/api/v1/conversations/${id}/messages`)).status).toBe(404);
    const conversation = await conversationEntity.get({ companyId: other.id, contactId: id }, { consistent: true });
    for (const [path, body] of [[`${id}/read`], [`${id}`, { status: 'closed' }]] as const)
      expect(
        (
          await testApp.call({
            method: 'PUT',
            path: `/api/v1/conversations/${path}`,
            token: other.tokens.member,
            ...(body ? { body } : {}),
          })
        ).status,
      ).toBe(404);
    expect(await conversationEntity.get({ companyId: other.id, contactId: id }, { consistent: true })).toEqual(conversation);
    await receive(other, 2, base + 60_000, 'I am back');
    await testApp.drain();
    const back = await list(other);
    expect([back.data[0]?.id, back.meta.total]).toEqual([id, 3]);
    expect((await messagesOf(other, id)).data).toHaveLength(2);
  });

  test('a contact deleted before its first message was sent is in neither list nor total', async () => {
    const other = await newCompany({ roles });
    process.env['SWITCHBOARD_LOCAL'] = '1';
    unwrap(await updateNumber(other.id, 1, { base_url: 'http://127.0.0.1:1' }));
    delete process.env['SWITCHBOARD_LOCAL'];
    const body = { phone: phoneOf(40), message: 'Later', scheduled_at: new Date(testApp.clock.now() + 60_000).toISOString() };
    const sent = await testApp.call({ method: 'POST', path: '/api/v1/messages/text', token: other.tokens.owner, body });
    const id = (sent.body as { data: { contact_id: number } }).data.contact_id;
    await testApp.drain();
    expect((await testApp.call({ method: 'DELETE', path: `/api/v1/contacts/${id}`, token: other.tokens.owner })).status).toBe(200);
    await testApp.passTime(70);
    const { data, meta } = await list(other);
    expect([data, meta.total]).toEqual([[], 0]);
    await receive(other, 40, testApp.clock.now(), 'Here I am');
    await testApp.drain();
    expect([(await list(other)).data[0]?.id, (await list(other)).meta.total]).toEqual([id, 1]);
  });

  test('names and texts of any script come back as they were', async () => {
    const other = await newCompany({ roles });
    await receive(other, 0, base, 'नमस्ते 👩🏽‍🚀 \u202eمرحبا\u202c 𝄞', 'Zoë Ñandú 李小龍');
    await testApp.drain();
    const [only] = (await list(other)).data;
    expect(only).toMatchObject({ contact: { name: 'Zoë Ñandú 李小龍' }, last_message: { value: 'नमस्ते 👩🏽‍🚀 \u202eمرحبا\u202c 𝄞' } });
  });
});

describe('the messages of a conversation', async () => {
  const chatty = await newCompany({ roles });
  for (let nth = 0; nth < 5; nth++) await receive(chatty, 1, base + nth * 60_000, `Text ${nth}`);
  await testApp.drain();
  const id = (await list(chatty)).data[0]?.id ?? 0;
  const all = await messagesOf(chatty, id);

  test('are newest first', () => {
    expect(all.data.map(({ value }) => value)).toEqual(['Text 4', 'Text 3', 'Text 2', 'Text 1', 'Text 0']);
    expect(all.meta).toEqual({ per_page: 50, has_more: false, next_before_id: null });
  });

  test.each([
    [4, true],
    [5, false],
    [6, false],
  ])('has_more with limit %i of 5 is %s', async (limit, hasMore) => {
    const { data, meta } = await messagesOf(chatty, id, { limit });
    expect([data.length, meta.has_more, meta.next_before_id]).toEqual([Math.min(5, limit), hasMore, hasMore ? data.at(-1)?.id : null]);
  });

  test('before_id is exclusive, and leads through all without a gap', async () => {
    const seen: number[] = [];
    for (let before: number | null | undefined; before !== null; ) {
      const page: z.output<typeof messagesSchema> = await messagesOf(chatty, id, { limit: 2, ...(before ? { before_id: before } : {}) });
      seen.push(...page.data.map((each) => each.id));
      before = page.meta.next_before_id;
    }
    expect(seen).toEqual(all.data.map((each) => each.id));
    expect((await messagesOf(chatty, id, { before_id: all.data.at(-1)?.id ?? 0 })).data).toEqual([]);
    expect((await messagesOf(chatty, id, { before_id: 1 })).data).toEqual([]);
  });

  test('lastmessagetime keeps the strictly newer ones, also beside before_id', async () => {
    const newer = await messagesOf(chatty, id, { lastmessagetime: wire(base + 2 * 60_000) });
    expect(newer.data.map(({ value }) => value)).toEqual(['Text 4', 'Text 3']);
    const between = await messagesOf(chatty, id, { lastmessagetime: wire(base), before_id: all.data[1]?.id ?? 0 });
    expect(between.data.map(({ value }) => value)).toEqual(['Text 2', 'Text 1']);
    expect((await messagesOf(chatty, id, { lastmessagetime: wire(base + 4 * 60_000), before_id: all.data[1]?.id ?? 0 })).data).toEqual([]);
  });

  test('of another company or of nobody are 404, of a contact without any an empty list', async () => {
    expect((await listOf(company, `/api/v1/conversations/${id + 1_000}/messages`)).status).toBe(404);
    const stranger = await newCompany({ roles });
    expect((await listOf(stranger, `/api/v1/conversations/${id}/messages`)).status).toBe(404);
    const made = await testApp.call({
      method: 'POST',
      path: '/api/v1/contacts',
      token: stranger.tokens.owner,
      body: { phone: phoneOf(77), name: 'Quiet' },
    });
    const quiet = (made.body as { data: { id: number } }).data.id;
    expect((await messagesOf(stranger, quiet)).data).toEqual([]);
  });

  test.each([[{ limit: 201 }], [{ limit: 0 }], [{ before_id: 'x' }], [{ lastmessagetime: '2026' }]])('%j is 422', async (query) => {
    expect((await listOf(chatty, `/api/v1/conversations/${id}/messages`, query)).status).toBe(422);
  });

  test('a page of 200 long texts, more than one read of the table gives, is whole', async () => {
    const writer = await newCompany({ roles });
    const messages = Array.from({ length: 205 }, (_, nth) => ({
      from: phoneOf(1),
      id: `wamid.long-${nth}`,
      timestamp: String(base / 1_000 + nth),
      type: 'text',
      text: { body: `${nth} ${'long '.repeat(1_200)}` },
    }));
    expect((await testApp.call(providerPost(writer, providerEnvelope(writer, { messages })))).status).toBe(200);
    await testApp.drain();
    const contact = (await list(writer)).data[0]?.id ?? 0;
    const page = await messagesOf(writer, contact, { limit: 200 });
    expect([page.data.length, page.meta.has_more]).toEqual([200, true]);
    const rest = await messagesOf(writer, contact, { limit: 200, before_id: page.meta.next_before_id ?? 0 });
    expect([rest.data.length, rest.meta.has_more]).toEqual([5, false]);
  });
});

describe('finding conversations', async () => {
  const other = await newCompany({ roles });
  const people = ['Zoë Ñandú', 'Ana Müller', 'MÜLLER, Bea', '李小龍', 'Иван', ''];
  for (const [nth, name] of people.entries()) await receive(other, nth, base + nth * 60_000, 'Hi', name);
  await testApp.drain();
  const names = async (query: NonNullable<Call['query']>) => (await list(other, query)).data.map(({ contact }) => contact.phone.slice(-1));

  test.each([
    ['muller', ['2', '1']],
    ['MÜLLER', ['2', '1']],
    ['nandu', ['0']],
    ['小龍', ['3']],
    ['иван', ['4']],
    ['nobody', []],
    ['lle', ['2', '1']],
    [`+${phoneOf(4)}`, ['4']],
    [phoneOf(0).slice(0, 10), ['5', '4', '3', '2', '1', '0']],
    ['%', []],
  ])('by a part of the name or phone: %s', async (search, expected) => {
    expect(await names({ search })).toEqual(expected);
    expect((await list(other, { search })).meta.total).toBe(expected.length);
  });

  test.each([
    ['some wor', ['2']],
    ['SEARCHED words', ['2']],
    ['words refund', []],
    ['earched', []],
  ])('by words of messages: %s', async (text, expected) => {
    if (!(await names({ text: 'searched' })).length) {
      await receive(other, 2, base + 2 * 60_000 + 1_000, 'Some words to be searched', people[2]);
      await receive(other, 2, base + 2 * 60_000 + 2_000, 'Another', people[2]);
      await testApp.drain();
    }
    expect(await names({ text })).toEqual(expected);
    expect(await names({ text, search: 'nandu' })).toEqual([]);
    expect(await names({ text, view: 'closed' })).toEqual([]);
  });

  test('pages of a search by number and by cursor show each once, beside lastmessagetime', async () => {
    const search = phoneOf(0).slice(0, 10);
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: z.output<typeof listSchema> = await list(other, { search, limit: 2, ...(cursor ? { cursor } : {}) });
      expect(page.meta.total).toBe(6);
      seen.push(...page.data.map(({ contact }) => contact.phone.slice(-1)));
      cursor = page.meta.next_cursor;
    }
    expect(seen).toEqual(['5', '4', '3', '2', '1', '0']);
    expect(await names({ search, limit: 2, page: 2 })).toEqual(['3', '2']);
    expect(await names({ search, lastmessagetime: wire(base + 3 * 60_000) })).toEqual(['5', '4']);
    const first = await list(other, { search, limit: 2 });
    expect((await listOf(other, '/api/v1/conversations', { search: 'other', cursor: first.meta.next_cursor ?? '' })).status).toBe(400);
  });
});

describe('words in a conversation', async () => {
  const other = await newCompany({ roles });
  for (const [nth, text] of ['The delivery is late', 'Lieferung später', 'ist später besser?', '明日の配達', 'x'.repeat(4_000)].entries())
    await receive(other, 1, base + nth * 60_000, text);
  await testApp.drain();
  const id = (await list(other)).data[0]?.id ?? 0;

  test.each([
    ['deliv', ['The delivery is late']],
    ['late DELIVERY', ['The delivery is late']],
    ['spater', ['ist später besser?', 'Lieferung später']],
    ['配達', ['明日の配達']],
    ['elivery', []],
    ['late nothing', []],
  ])('%s: each word is the beginning of one', async (search, expected) => {
    expect((await messagesOf(other, id, { search })).data.map(({ value }) => value)).toEqual(expected);
  });

  test('are paged like the rest', async () => {
    const first = await messagesOf(other, id, { search: 'spater', limit: 1 });
    expect(first.meta.has_more).toBe(true);
    const second = await messagesOf(other, id, { search: 'spater', limit: 1, before_id: first.meta.next_before_id ?? 0 });
    expect([second.data.map(({ value }) => value), second.meta.has_more]).toEqual([['Lieferung später'], false]);
  });
});
