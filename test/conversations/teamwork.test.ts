import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { conversationNoteEntity } from '../../functions/conversations/store/note.ts';
import { roles } from '../../shared/contract/route.ts';
import { inboundText, newCompany, type TestCompany } from '../support/company.ts';
import { type Answer, type Call, ofOwnPage, withSession } from '../support/gateway-event.ts';
import { startTestApp } from '../support/test-app.ts';

/** What the users of a company share beside a conversation: notes, canned replies, who looks at it, and who takes it over. */
const testApp = await startTestApp();
afterAll(() => testApp.stop());
const company = await newCompany({ roles });
const other = await newCompany({ roles });

let people = 0;
const receive = async (target: TestCompany): Promise<{ id: number; phone: string }> => {
  const phone = String(4_930_700_000_000 + ++people);
  await testApp.call(inboundText(target, { from: phone, text: 'Hello?', at: testApp.clock.now() }));
  await testApp.drain();
  const { body } = await testApp.call({
    method: 'GET',
    path: '/api/v1/conversations',
    query: { search: phone },
    token: target.tokens.viewer,
  });
  return { id: z.object({ data: z.array(z.object({ id: z.int() })).min(1) }).parse(body).data[0]?.id ?? 0, phone };
};
const call = (method: Call['method'], path: string, body?: Call['body'], token = company.tokens.member): Promise<Answer> =>
  testApp.call({
    method,
    path: `/api/v1${path.startsWith('/canned-replies') ? '' : '/conversations'}${path}`,
    token,
    ...(body ? { body } : {}),
  });
const dataOf = <T>({ body }: Answer): T => (body as { data: T }).data;
const codeOf = ({ status, body }: Answer) => [status, (body as { code?: string }).code];
const eventsOf = async (subject: string) => {
  await testApp.drain();
  const answer = await testApp.call({ method: 'GET', path: '/api/v1/events', query: { after: '0', subject }, token: company.tokens.owner });
  return dataOf<{ type: string; data: Record<string, unknown>; by: { kind: string; user_id: number | null } }[]>(answer);
};

describe('notes of a conversation', () => {
  test('are listed newest first with their author, page by page, and are in no list of messages', async () => {
    const { id } = await receive(company);
    const made: number[] = [];
    for (const body of ['First', 'Second', 'Third']) made.push(dataOf<{ id: number }>(await call('POST', `/${id}/notes`, { body })).id);
    const first = await call('GET', `/${id}/notes?limit=2`);
    expect(first.body).toMatchObject({
      data: [
        { id: made[2], body: 'Third', conversation_id: id, author: { id: company.users.member } },
        { id: made[1], body: 'Second' },
      ],
      meta: { has_more: true, next_before_id: made[1] },
    });
    const second = await call('GET', `/${id}/notes?limit=2&before_id=${made[1]}`);
    expect(second.body).toMatchObject({ data: [{ id: made[0], body: 'First' }], meta: { has_more: false, next_before_id: null } });
    const messages = await call('GET', `/${id}/messages`);
    expect(dataOf<unknown[]>(messages)).toHaveLength(1);
    expect(messages.raw).not.toContain('Third');
  });

  test('come with the messages in one answer where they are wanted, as their own list has them', async () => {
    const { id } = await receive(company);
    for (const body of ['First', 'Second']) await call('POST', `/${id}/notes`, { body });
    const notesIn = ({ body }: Answer) => (body as { notes?: unknown }).notes;
    const answer = await call('GET', `/${id}/messages?notes=true`, undefined, company.tokens.viewer);
    expect(notesIn(answer)).toEqual(dataOf(await call('GET', `/${id}/notes`)));
    expect(dataOf<unknown[]>(answer)).toEqual(dataOf(await call('GET', `/${id}/messages`)));
    expect(notesIn(await call('GET', `/${id}/messages?notes=false`))).toBeUndefined();
    expect(codeOf(await call('GET', '/99999/messages?notes=true'))).toEqual([404, 'not_found']);
  });

  test('keep the last text; a deleted one leaves no text behind, and the log says who did what', async () => {
    const { id } = await receive(company);
    const note = dataOf<{ id: number }>(await call('POST', `/${id}/notes`, { body: 'Wants a quote' }));
    await call('PUT', `/${id}/notes/${note.id}`, { body: 'Wants two quotes' }, company.tokens.admin);
    expect(dataOf(await call('GET', `/${id}/notes`))).toMatchObject([{ body: 'Wants two quotes', author: { id: company.users.member } }]);
    expect((await call('DELETE', `/${id}/notes/${note.id}`, undefined, company.tokens.owner)).status).toBe(200);
    expect(dataOf(await call('GET', `/${id}/notes`))).toEqual([]);
    expect(codeOf(await call('DELETE', `/${id}/notes/${note.id}`))).toEqual([404, 'not_found']);
    expect(codeOf(await call('PUT', `/${id}/notes/${note.id}`, { body: 'x' }))).toEqual([404, 'not_found']);
    expect(await conversationNoteEntity.get({ companyId: company.id, contactId: id, id: note.id })).toMatchObject({ body: '' });
    const events = (await eventsOf(`conversation:${id}`)).filter(({ type }) => type === 'conversation.note');
    expect(events.map(({ data, by }) => [data['state'], by.user_id])).toEqual([
      ['created', company.users.member],
      ['updated', company.users.admin],
      ['deleted', company.users.owner],
    ]);
    expect(JSON.stringify(events)).not.toContain('quote');
  });

  test('are of one company and of one conversation, about a message of it at most', async () => {
    const [mine, second, foreign] = [await receive(company), await receive(company), await receive(other)];
    const note = dataOf<{ id: number }>(await call('POST', `/${mine.id}/notes`, { body: 'Mine' }));
    expect(codeOf(await call('DELETE', `/${second.id}/notes/${note.id}`))).toEqual([404, 'not_found']);
    expect(codeOf(await call('POST', '/99999/notes', { body: 'Nowhere' }))).toEqual([404, 'not_found']);
    expect(codeOf(await call('GET', `/${mine.id}/notes`, undefined, other.tokens.owner))).toEqual(
      foreign.id === mine.id ? [200, undefined] : [404, 'not_found'],
    );
    expect(codeOf(await call('POST', `/${mine.id}/notes`, { body: 'x', message_id: 12 }))).toEqual([422, 'validation_failed']);
    expect(codeOf(await call('POST', `/${mine.id}/notes`, { body: 'x' }, company.tokens.viewer))).toEqual([403, 'insufficient_scope']);
  });
});

describe('canned replies', () => {
  test('are listed by shortcut; setting one again replaces its text, deleting it twice is 404', async () => {
    for (const [shortcut, text] of [
      ['hours', 'From 9 to 17.'],
      ['bye', 'Goodbye.'],
      ['hours', 'From 8 to 16.'],
    ])
      expect((await call('PUT', `/canned-replies/${shortcut}`, { text })).status).toBe(200);
    const listed = async (token: string) =>
      dataOf<{ shortcut: string; text: string }[]>(await call('GET', '/canned-replies', undefined, token));
    expect(await listed(company.tokens.viewer)).toMatchObject([
      { shortcut: 'bye', text: 'Goodbye.' },
      { shortcut: 'hours', text: 'From 8 to 16.' },
    ]);
    expect(await listed(other.tokens.owner)).toEqual([]);
    expect(codeOf(await call('PUT', '/canned-replies/Not%20one', { text: 'x' }))[0]).toBeOneOf([404, 422]);
    expect((await call('DELETE', '/canned-replies/bye')).status).toBe(200);
    expect(codeOf(await call('DELETE', '/canned-replies/bye'))).toEqual([404, 'not_found']);
  });
});

describe('who looks at a conversation', () => {
  test('is shown to the others for half a minute, never to themselves, and leaves no event', async () => {
    const { id } = await receive(company);
    const present = async (state: string, token = company.tokens.member) =>
      dataOf<{ others: { user: { id: number }; state: string }[] }>(await call('PUT', `/${id}/presence`, { state }, token)).others;
    const before = await eventsOf(`conversation:${id}`);
    expect(await present('viewing')).toEqual([]);
    expect(await present('viewing')).toEqual([]);
    expect(await present('typing', company.tokens.viewer)).toMatchObject([{ user: { id: company.users.member }, state: 'viewing' }]);
    expect(await present('viewing')).toMatchObject([{ user: { id: company.users.viewer }, state: 'typing' }]);
    await present('left', company.tokens.viewer);
    expect(await present('viewing')).toEqual([]);
    testApp.clock.advance(31_000);
    expect(await present('viewing', company.tokens.viewer)).toEqual([]);
    expect(await eventsOf(`conversation:${id}`)).toEqual(before);
    expect(codeOf(await call('PUT', '/99999/presence', { state: 'viewing' }))).toEqual([404, 'not_found']);
  });

  test('costs two writes and a read unit and a half a call', async () => {
    const { id } = await receive(company);
    const used = await testApp.meter(() => call('PUT', `/${id}/presence`, { state: 'viewing' }));
    expect(used.wru).toBe(2);
    expect(used.rru).toBeLessThanOrEqual(1.5);
  });
});

describe('the first answer', () => {
  const shown = async (id: number) => {
    await testApp.drain();
    return dataOf<{ assigned_to: number | null; assigned_by: number | null }>(await call('GET', `/${id}`));
  };
  const settings = async (assign_on_reply: string) =>
    expect(
      (await testApp.call({ method: 'PUT', path: '/api/v1/company', body: { settings: { assign_on_reply } }, token: company.tokens.owner }))
        .status,
    ).toBe(200);
  const reply = (phone: string): Call => ({ method: 'POST', path: '/api/v1/messages/text', body: { phone, message: 'Yes.' } });
  const send = async (answer: Call): Promise<void> => expect((await testApp.call(answer)).status).toBe(200);

  test('assigns the conversation to who sent it, if the company wants that and no user has it; a later one changes nothing', async () => {
    const { id, phone } = await receive(company);
    await send({ ...reply(phone), token: company.tokens.member });
    expect(await shown(id)).toMatchObject({ assigned_to: null });
    await settings('all');
    await send({ ...reply(phone), token: company.tokens.member });
    expect(await shown(id)).toMatchObject({ assigned_to: company.users.member, assigned_by: company.users.member });
    await send({ ...reply(phone), token: company.tokens.admin });
    expect(await shown(id)).toMatchObject({ assigned_to: company.users.member });
    const assigned = (await eventsOf(`conversation:${id}`)).filter(({ data }) => data['assigned_to'] === company.users.member);
    expect(assigned).toMatchObject([{ type: 'conversation.updated', by: { kind: 'user', user_id: company.users.member } }]);
  });

  test('by a token assigns nothing where only sessions shall, and a first message to a contact who never wrote is no answer', async () => {
    await settings('sessions');
    const { id, phone } = await receive(company);
    await send({ ...reply(phone), token: company.tokens.admin });
    expect(await shown(id)).toMatchObject({ assigned_to: null });
    const signedIn = await testApp.call({
      method: 'POST',
      path: '/api/v1/sessions',
      headers: ofOwnPage,
      body: { token: company.tokens.admin },
    });
    const secret = /swb_session=([^;]*);/.exec(signedIn.headers['set-cookie'] ?? '')?.[1] ?? '';
    await send(withSession(reply(phone), secret));
    expect(await shown(id)).toMatchObject({ assigned_to: company.users.admin });
    const silent = String(4_930_700_900_000);
    await send(withSession(reply(silent), secret));
    await testApp.drain();
    const { body } = await testApp.call({
      method: 'GET',
      path: '/api/v1/conversations',
      query: { search: silent },
      token: company.tokens.viewer,
    });
    expect(body).toMatchObject({ data: [{ assigned_to: null }] });
    await settings('none');
  });
});
