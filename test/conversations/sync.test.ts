import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { issueToken } from '../../functions/account/service/tokens.ts';
import { loggedEvent } from '../../functions/events/contract/event.ts';
import { presenceEntity } from '../../functions/conversations/store/presence.ts';
import { roles } from '../../shared/contract/route.ts';
import { newCompany, statusPost, type TestCompany, unwrap } from '../support/company.ts';
import { startProviderStub } from '../support/provider-stub.ts';
import { seeded } from '../support/random.ts';
import { startTestApp } from '../support/test-app.ts';
import { inboxOf, phoneOf } from './fixture.ts';

/** What a page that shows an inbox learns by one call, again and again. */
const stub = await startProviderStub();
const testApp = await startTestApp({ shards: 4, env: { PROVIDER_BASE_URL: stub.url } });
afterAll(async () => {
  await testApp.stop();
  await stub[Symbol.asyncDispose]();
});
const { receive, list } = inboxOf(testApp);

const answered = z.object({
  data: z.object({
    events: z.array(loggedEvent),
    counts: z.record(z.string(), z.int()),
    conversations: z.array(
      z.looseObject({
        id: z.int(),
        status: z.string(),
        unread_count: z.int(),
        last_message: z.looseObject({ id: z.int(), value: z.string() }),
      }),
    ),
    unlisted_ids: z.array(z.int()),
    other_ids: z.array(z.int()),
    thread: z
      .object({
        conversation_id: z.int(),
        version: z.string(),
        messages: z.array(z.looseObject({ id: z.int(), value: z.string(), status: z.int() })).nullable(),
        next_before_id: z.int().nullable(),
      })
      .nullable(),
    others: z.array(z.looseObject({ user: z.looseObject({ id: z.int() }), state: z.string() })),
  }),
  meta: z.object({ has_more: z.boolean(), next_cursor: z.string() }),
});
const callOf = (query: Record<string, string | number>, token: string) => ({ method: 'GET', path: '/api/v1/sync', query, token }) as const;
const sync = async (target: TestCompany, query: Record<string, string | number> = {}, token = target.tokens.member) => {
  const answer = await testApp.call(callOf(query, token));
  expect(answer.status, answer.raw).toBe(200);
  const { data, meta } = answered.parse(answer.body);
  return { ...data, cursor: meta.next_cursor, hasMore: meta.has_more };
};
const write = async (target: TestCompany, nth: number, text?: string): Promise<void> => {
  testApp.clock.advance(1_000);
  await receive(target, nth, testApp.clock.now(), text);
  await testApp.drain();
};
const idOf = async (target: TestCompany, nth: number): Promise<number> => {
  await write(target, nth);
  return (await list(target)).data[0]?.id ?? 0;
};

describe('what happened', () => {
  test('begins at the end of the log, and then brings an event with the conversation as it is after it', async () => {
    const company = await newCompany({ roles });
    const id = await idOf(company, 1);
    const first = await sync(company);
    expect(first).toMatchObject({
      events: [],
      conversations: [],
      thread: null,
      others: [],
      hasMore: false,
      counts: { open: 1, unread: 1 },
    });
    expect(await sync(company, { after: first.cursor })).toEqual(first);
    await write(company, 1, 'Are you there?');
    const next = await sync(company, { after: first.cursor });
    expect(next.events.map(({ type, subject }) => [type, subject])).toEqual([['message.received', `conversation:${id}`]]);
    const single = await testApp.call({ method: 'GET', path: `/api/v1/conversations/${id}`, token: company.tokens.viewer });
    expect(next.conversations).toEqual([z.object({ data: z.unknown() }).parse(single.body).data]);
    expect(next.conversations[0]).toMatchObject({ id, unread_count: 2, last_message: { value: 'Are you there?' } });
    expect((await sync(company, { after: next.cursor })).events).toEqual([]);
  });

  test('of random changes and random looks every event comes once and in order, and no conversation is older than its events', async () => {
    const company = await newCompany({ roles });
    const random = seeded(46);
    const ids = [await idOf(company, 1), await idOf(company, 2), await idOf(company, 3)];
    let { cursor } = await sync(company);
    const start = cursor;
    const seen: string[] = [];
    const look = async (): Promise<void> => {
      const { events, conversations, cursor: next } = await sync(company, { after: cursor, limit: 1 + Math.floor(random() * 4) });
      cursor = next;
      for (const { id, type, subject, data } of events) {
        seen.push(id);
        const conversation = conversations.find((each) => subject === `conversation:${each.id}`);
        expect(conversation, `${type} ${subject}`).toBeDefined();
        if (type === 'message.received') expect(conversation?.last_message.id).toBeGreaterThanOrEqual(Number(data['message_id']));
      }
    };
    for (let turn = 0; turn < 40; turn++) {
      const nth = Math.floor(random() * ids.length);
      if (random() < 0.6) await receive(company, nth + 1, testApp.clock.now(), `Turn ${turn}`);
      else {
        const body = random() < 0.5 ? { status: 'closed' } : { unread: true };
        await testApp.call({ method: 'PUT', path: `/api/v1/conversations/${ids[nth]}`, body, token: company.tokens.member });
      }
      testApp.clock.advance(1_000);
      if (random() < 0.5) await testApp.drain();
      if (random() < 0.4) await look();
    }
    await testApp.drain();
    for (let before = -1; seen.length > before; ) {
      before = seen.length;
      await look();
    }
    const answer = await testApp.call({
      method: 'GET',
      path: '/api/v1/events',
      query: { after: start, limit: 100 },
      token: company.tokens.member,
    });
    const all = z
      .object({ data: z.array(z.object({ id: z.string() })) })
      .parse(answer.body)
      .data.map(({ id }) => id);
    expect(all.length).toBeGreaterThan(30);
    expect(seen).toEqual(all);
  });

  test('names conversations beyond twenty, and those that no list shows any more, in place of leaving them out', async () => {
    const company = await newCompany({ roles });
    const gone = await idOf(company, 100);
    const { cursor } = await sync(company);
    for (let nth = 0; nth < 23; nth++) await receive(company, nth, testApp.clock.now() + nth * 1_000);
    await testApp.call({ method: 'PUT', path: `/api/v1/conversations/${gone}`, body: { status: 'closed' }, token: company.tokens.member });
    await testApp.drain();
    await testApp.call({ method: 'DELETE', path: `/api/v1/contacts/${gone}`, token: company.tokens.owner });
    await testApp.drain();
    const { events, conversations, unlisted_ids, other_ids, hasMore } = await sync(company, { after: cursor });
    expect(hasMore).toBe(false);
    const changed = new Set(events.flatMap(({ subject }) => /^conversation:(\d+)$/.exec(subject)?.[1] ?? []).map(Number));
    const named = [...conversations.map(({ id }) => id), ...unlisted_ids, ...other_ids];
    expect(new Set(named)).toEqual(changed);
    expect(named).toHaveLength(24);
    expect(conversations.length).toBeLessThanOrEqual(20);
    expect([...unlisted_ids, ...other_ids]).toContain(gone);
  });

  test('shows nothing of another company, and of an event only what the scopes of the token may read', async () => {
    const [company, other] = [await newCompany({ roles }), await newCompany({ roles })];
    const foreign = await idOf(other, 1);
    const { cursor } = await sync(company);
    await write(other, 1, 'A secret of the other company');
    const own = await idOf(company, 1);
    expect((await sync(company, { after: cursor })).conversations.map(({ id }) => id)).toEqual([own]);
    const answer = await testApp.call(callOf({ after: '0', conversation_id: foreign, state: 'typing' }, company.tokens.owner));
    expect(answer.raw).not.toContain('A secret of the other company');
    expect((await sync(company, { conversation_id: 99_999, state: 'viewing' })).thread).toBeNull();
    expect(await presenceEntity.get({ companyId: company.id, contactId: 99_999, userId: company.users.member })).toBeUndefined();
    const { secret } = unwrap(await issueToken(company.id, { user_id: company.users.owner, scopes: ['conversations:read'], life_days: 1 }));
    const types = (await sync(company, { after: '0' }, secret)).events.map(({ type }) => type.split('.')[0]);
    expect(new Set(types)).toEqual(new Set(['message']));
    const without = unwrap(await issueToken(company.id, { user_id: company.users.owner, scopes: ['profile:read'], life_days: 1 }));
    expect((await testApp.call(callOf({}, without.secret))).status).toBe(403);
  });
});

describe('the open conversation', () => {
  test('brings its newest messages once, and again when one of them has another state', async () => {
    const company = await newCompany({ roles });
    const id = await idOf(company, 1);
    const open = { conversation_id: id };
    const first = await sync(company, open);
    expect(first.thread).toMatchObject({ conversation_id: id, messages: [{ value: 'From 1' }], next_before_id: null });
    const version = first.thread?.version ?? '';
    expect((await sync(company, { ...open, version })).thread).toEqual({ ...first.thread, messages: null });
    const body = { contact_id: id, message: 'Yes' };
    expect((await testApp.call({ method: 'POST', path: '/api/v1/messages/text', body, token: company.tokens.member })).status).toBe(200);
    await testApp.drain();
    const sent = (await sync(company, { ...open, version })).thread;
    expect(sent?.messages).toMatchObject([{ value: 'Yes', status: 2 }, { value: 'From 1' }]);
    const wamid = String(sent?.messages?.[0]?.['fb_message_id']);
    const status = { id: wamid, status: 'read', recipient_id: phoneOf(1), timestamp: String(Math.floor(testApp.clock.now() / 1_000)) };
    await testApp.call(statusPost(company, status));
    await testApp.drain();
    const read = (await sync(company, { ...open, version: sent?.version ?? '' })).thread;
    expect(read?.messages).toMatchObject([{ value: 'Yes', status: 4 }, {}]);
    expect((await sync(company, { ...open, version: read?.version ?? '' })).thread?.messages).toBeNull();
  });

  test('has its messages left out where they are not wanted, but never those of an event', async () => {
    const company = await newCompany({ roles });
    const id = await idOf(company, 1);
    const { cursor, thread } = await sync(company, { conversation_id: id });
    const open = { conversation_id: id, version: thread?.version ?? '', messages: 'false' };
    expect((await sync(company, { after: cursor, ...open })).thread).toEqual({ ...thread, messages: null });
    await write(company, 2);
    expect((await sync(company, { after: cursor, ...open })).thread?.messages).toBeNull();
    await write(company, 1, 'And now?');
    expect((await sync(company, { after: cursor, ...open })).thread?.messages).toMatchObject([{ value: 'And now?' }, { value: 'From 1' }]);
    // without a version there is none that they could be the same as
    expect((await sync(company, { conversation_id: id, messages: 'false' })).thread?.messages).toHaveLength(2);
  });

  test('has at most twenty messages, and says where those before them begin', async () => {
    const company = await newCompany({ roles });
    const id = await idOf(company, 1);
    for (let nth = 0; nth < 20; nth++) await receive(company, 1, testApp.clock.now() + nth * 1_000, `Message ${nth}`);
    await testApp.drain();
    const { thread } = await sync(company, { conversation_id: id });
    expect(thread?.messages).toHaveLength(20);
    const query = { before_id: thread?.next_before_id ?? 0 };
    const answer = await testApp.call({ method: 'GET', path: `/api/v1/conversations/${id}/messages`, query, token: company.tokens.viewer });
    expect(answer.body).toMatchObject({ data: [{ value: 'From 1' }] });
  });

  test('shows colleagues what the caller does for half a minute after the last look, and leaves no event', async () => {
    const company = await newCompany({ roles });
    const id = await idOf(company, 1);
    const open = { conversation_id: id };
    const { cursor } = await sync(company, { ...open, state: 'viewing' });
    expect((await sync(company, open, company.tokens.admin)).others).toMatchObject([
      { user: { id: company.users.member }, state: 'viewing' },
    ]);
    expect((await sync(company, { ...open, state: 'typing' })).others).toEqual([]);
    expect((await sync(company, open, company.tokens.admin)).others).toMatchObject([{ state: 'typing' }]);
    for (let look = 0; look < 12; look++) {
      testApp.clock.advance(10_000);
      await sync(company, { ...open, state: 'typing' });
      expect((await sync(company, open, company.tokens.admin)).others).toMatchObject([{ state: 'typing' }]);
    }
    testApp.clock.advance(31_000);
    await testApp.drain();
    expect(await sync(company, { after: cursor, ...open }, company.tokens.admin)).toMatchObject({ others: [], events: [] });
  });
});

describe('a look when nothing happened', () => {
  test('costs the write of the rate limit and a unit and a half; with an open conversation half a one more, and with its messages two', async () => {
    const company = await newCompany({ roles });
    const id = await idOf(company, 1);
    const { cursor, thread } = await sync(company, { conversation_id: id, state: 'viewing' });
    const open = { conversation_id: id, version: thread?.version ?? '', state: 'viewing' };
    const bare = await testApp.meter(() => testApp.call(callOf({ after: cursor }, company.tokens.member)));
    expect([bare.wru, bare.rru]).toEqual([1, 1.5]);
    const without = await testApp.meter(() => testApp.call(callOf({ after: cursor, ...open, messages: 'false' }, company.tokens.member)));
    expect([without.wru, without.rru]).toEqual([1, 2]);
    const used = await testApp.meter(() => testApp.call(callOf({ after: cursor, ...open }, company.tokens.member)));
    expect(used.wru).toBe(1);
    expect(used.rru).toBeLessThanOrEqual(3.5);
  });
});
