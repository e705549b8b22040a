import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { issueToken } from '../../functions/account/service/tokens.ts';
import { loggedEvent } from '../../functions/events/contract/event.ts';
import { newChanges, nextItem } from '../../functions/events/domain/log.ts';
import { eventsEntity } from '../../functions/events/store/events.ts';
import { roles } from '../../shared/contract/route.ts';
import { credential } from '../support/credentials.ts';
import { withSession } from '../support/gateway-event.ts';
import { inboundText, newCompany, type TestCompany, unwrap } from '../support/company.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let testApp: TestApp;
let company: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp({ shards: 4 });
  company = await newCompany({ roles });
  await testApp.drain();
});
afterAll(() => testApp.stop());

const page = z.object({ data: z.array(loggedEvent), meta: z.object({ has_more: z.boolean(), next_cursor: z.string() }) });
const list = async (query: Record<string, string | number> = {}, token = company.tokens.owner) => {
  const answer = await testApp.call({ method: 'GET', path: '/api/v1/events', query, token });
  expect(answer.status, answer.raw).toBe(200);
  return page.parse(answer.body);
};
const write = async (from: string, text: string): Promise<void> => {
  await testApp.call(inboundText(company, { from, text }));
  await testApp.drain();
};
const conversationOf = async (): Promise<number> => {
  const answer = await testApp.call({ method: 'GET', path: '/api/v1/conversations', token: company.tokens.owner });
  return z.object({ data: z.array(z.object({ id: z.int() })).min(1) }).parse(answer.body).data[0]?.id ?? 0;
};

describe('the event log', () => {
  test('says what happened, to which record and by whom: a customer, a user, the product; and holds no text and no phone', async () => {
    const { meta } = await list();
    await write('4915110000001', 'A secret text');
    const id = await conversationOf();
    const path = `/api/v1/conversations/${id}`;
    const { users, tokens } = company;
    await testApp.call({ method: 'PUT', path, token: tokens.member, body: { assigned_to: users.admin } });
    await testApp.call({ method: 'PUT', path, token: tokens.admin, body: { status: 'closed' } });
    await testApp.drain();
    await write('4915110000001', 'Open again');
    const { data } = await list({ after: meta.next_cursor });
    expect(
      data.map(({ type, subject, by, data: { status, assigned_to } }) => [type, subject, by.kind, by.user_id, status, assigned_to]),
    ).toEqual([
      ['message.received', `conversation:${id}`, 'customer', null, undefined, undefined],
      ['conversation.updated', `conversation:${id}`, 'user', users.member, 'open', users.admin],
      ['conversation.updated', `conversation:${id}`, 'user', users.admin, 'closed', users.admin],
      ['message.received', `conversation:${id}`, 'customer', null, undefined, undefined],
      ['conversation.updated', `conversation:${id}`, 'customer', null, 'open', users.admin],
    ]);
    const stored = JSON.stringify((await testApp.dump({ kind: 'events' })).map(({ events }) => events));
    expect(stored).not.toMatch(/A secret text|4915110000001/);
  });

  test('is polled for half a read unit and the write of the rate limit while nothing happens', async () => {
    const { meta } = await list();
    const used = await testApp.meter(() => list({ after: meta.next_cursor }));
    expect(used).toMatchObject({ rru: 0.5, wru: 1, calls: 2 });
  });

  test('is followed without a gap or a repetition, whatever the size of the pages, and read backwards to the same', async () => {
    const { meta } = await list();
    for (let nth = 0; nth < 12; nth++) await testApp.call(inboundText(company, { from: `49151200000${nth % 3}0`, text: `No. ${nth}` }));
    await testApp.drain();
    const all = (await list({ after: meta.next_cursor, limit: 100 })).data.map(({ id }) => id);
    expect(all).toHaveLength(12);
    const seen: string[] = [];
    for (let after = meta.next_cursor, more = true; more; ) {
      const next = await list({ after, limit: 5 });
      seen.push(...next.data.map(({ id }) => id));
      ({ next_cursor: after, has_more: more } = next.meta);
    }
    expect(seen).toEqual(all);
    const back: string[] = [];
    for (let before = `${Number(all.at(-1)?.split('.')[0]) + 1}`; back.length < 12; ) {
      const former = await list({ before, limit: 5 });
      back.unshift(...former.data.map(({ id }) => id));
      before = former.meta.next_cursor;
    }
    expect(back.slice(-12)).toEqual(all);
  });

  test('is filtered by type, family and record, and the cursor moves past what is left out', async () => {
    const { meta } = await list();
    await write('4915130000001', 'One');
    await write('4915130000002', 'Two');
    await testApp.call({ method: 'POST', path: '/api/v1/tokens', token: company.tokens.owner, body: { name: 'new' } });
    await testApp.drain();
    const after = meta.next_cursor;
    const messages = await list({ after, types: 'message.*' });
    expect(messages.data.map(({ type }) => type)).toEqual(['message.received', 'message.received']);
    const [first] = messages.data;
    expect((await list({ after, subject: first?.subject ?? '' })).data.map(({ id }) => id)).toEqual([first?.id]);
    const created = await list({ after, types: 'credential.created,user.*' });
    expect(created.data).toMatchObject([
      { type: 'credential.created', by: { kind: 'user', user_id: company.users.owner }, data: { fields: expect.any(Array) } },
    ]);
    expect((await list({ after: created.meta.next_cursor })).data).toEqual([]);
    for (const query of [{ types: 'x' }, { subject: 'y' }, { after: '-1' }, { after: 'evil' }, { limit: 0 }])
      expect((await testApp.call({ method: 'GET', path: '/api/v1/events', query, token: company.tokens.owner })).status).toBe(422);
  });

  test('shows a caller the types that its scopes read, and of the account to admins only', async () => {
    const typesOf = async (token: string) => new Set((await list({ limit: 100 }, token)).data.map(({ type }) => type.split('.')[0]));
    expect(await typesOf(company.tokens.owner)).toContain('credential');
    expect(await typesOf(company.tokens.viewer)).toEqual(new Set(['message', 'conversation', 'number']));
    const narrow = unwrap(await issueToken(company.id, { user_id: company.users.owner, scopes: ['profile:read'] })).secret;
    expect(await typesOf(narrow)).toEqual(new Set());
    const other = await newCompany();
    await testApp.drain();
    expect((await list({ limit: 100 }, other.tokens.owner)).data.filter(({ type }) => type.startsWith('message'))).toEqual([]);
  });

  test('says at once what a user changes of a contact, a lead or a task, and nothing of the contacts that programs change', async () => {
    const { meta } = await list();
    const { users, tokens } = company;
    const secret = await credential({ kind: 'session', companyId: company.id, userId: users.owner, role: 'owner' });
    const call = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body: Record<string, unknown> | undefined, by?: string) => {
      const request = { method, path: `/api/v1${path}`, ...(body ? { body } : {}) };
      const answer = await testApp.call(by === undefined ? withSession(request, secret) : { ...request, token: by });
      expect(answer.status, answer.raw).toBeLessThan(300);
      await testApp.drain();
      return z
        .object({ data: z.looseObject({ id: z.int().default(0) }) })
        .catch({ data: { id: 0 } })
        .parse(answer.body).data.id;
    };
    const theirs = await call('POST', '/contacts', { phone: '+4915110000078', name: 'Of a program' }, tokens.member);
    await call('PATCH', `/contacts/${theirs}`, { name: 'Of a program again' }, tokens.member);
    const id = await call('POST', '/contacts', { phone: '+4915110000077', name: 'Vera' });
    await call('PATCH', `/contacts/${id}`, { name: 'Vera Santos' });
    // what comes after a user's change is not theirs
    await call('PATCH', `/contacts/${id}`, { city: 'Lagos' }, tokens.member);
    await write('4915110000077', 'STOP');
    const pipeline = await call('POST', '/crm/pipelines', { name: 'Sales', template: 'sales' });
    const lead = await call('POST', '/crm/leads', { contact_id: id, pipeline_id: pipeline, title: 'Table', creation_key: randomUUID() });
    await call('PATCH', `/crm/leads/${lead}`, { version: 1, title: 'Oak table' });
    const task = await call('POST', `/crm/leads/${lead}/tasks`, { type: 'call', title: 'Ring', due_at: '2030-01-01T09:00:00Z' });
    await call('DELETE', `/contacts/${theirs}`, undefined);
    const { data } = await list({
      after: meta.next_cursor,
      types: 'contact.created,contact.updated,contact.deleted,lead.*,task.*',
      limit: 100,
    });
    expect(data.map(({ type, subject, by }) => [type, subject, by.kind, by.user_id])).toEqual(
      [
        ['contact.created', `contact:${id}`],
        ['contact.updated', `contact:${id}`],
        ['lead.created', `lead:${lead}`],
        ['lead.updated', `lead:${lead}`],
        ['task.created', `task:${task}`],
        ['contact.deleted', `contact:${theirs}`],
      ].map((line) => [...line, 'user', users.owner]),
    );
    expect(JSON.stringify(data)).not.toMatch(/Vera|Oak|Ring|4915110000077/);
  });

  test('ends after thirty days, and begins anew behind the last cursor that anyone has', async () => {
    const { meta } = await list();
    testApp.clock.advance(31 * 86_400_000);
    expect((await list({ after: '0' }, company.tokens.owner)).data).toEqual([]);
    await testApp.call(inboundText(company, { from: '4915140000001', text: 'Later', at: testApp.clock.now() }));
    await testApp.drain();
    expect((await list({ after: meta.next_cursor })).data.map(({ type }) => type)).toContain('message.received');
    expect((await testApp.dump({ kind: 'events' })).every((item) => typeof item['ttl'] === 'number')).toBe(true);
    expect(eventsEntity.key({ companyId: 1, place: 2 }).pk).toBe('C#1#EVENTS');
  });
});

describe('an item of the log', () => {
  const change = (sequence: number, size = 1) => ({
    sequence: String(sequence),
    writtenAt: 1_000,
    events: [{ type: 'a.b', subject: 'a:1', data: { text: 'x'.repeat(size) }, by: { kind: 'system' as const } }],
  });

  test('takes what fits about 4 KB, whole changes only, and has the checkpoint of the last of them', () => {
    const { item, rest } = nextItem(1, 7, { checkpoints: {} }, 'shard-1', [change(1, 2_000), change(2, 500), change(3, 2_000), change(4)]);
    expect([item.place, item.events.length, rest.length]).toEqual([7, 2, 2]);
    expect(newChanges(item, 'shard-1', [change(2), change(3)]).map(({ sequence }) => sequence)).toEqual(['3']);
    expect(newChanges(item, 'shard-2', [change(2)])).toHaveLength(1);
    expect(nextItem(1, 1, { checkpoints: {} }, 's', [change(1, 9_000), change(2)]).rest).toHaveLength(1);
  });
});
