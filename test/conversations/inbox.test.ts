import { afterAll, describe, expect, test } from 'vitest';
import { addNumber, listNumbers } from '../../functions/account/service/numbers.ts';
import { isProblem } from '../../shared/contract/problems.ts';
import { roles } from '../../shared/contract/route.ts';
import { inboundText, newCompany } from '../support/company.ts';
import { seeded } from '../support/random.ts';
import { startTestApp } from '../support/test-app.ts';
import { base, inboxOf, listSchema, phoneOf } from './fixture.ts';

/** What a team does with its conversations: read, close, assign, and the views that count them. */
const testApp = await startTestApp();
afterAll(() => testApp.stop());
const { receive, listOf, list } = inboxOf(testApp);

describe('a conversation', async () => {
  const other = await newCompany({ roles });
  await receive(other, 1, base);
  await receive(other, 2, base + 60_000);
  await testApp.drain();
  const [second, first] = (await list(other)).data.map((each) => each.id);
  const put = (path: string, body?: Record<string, unknown>) =>
    testApp.call({ method: 'PUT', path: `/api/v1/conversations/${path}`, token: other.tokens.member, ...(body ? { body } : {}) });

  test('that was read has nothing unread, again too, and what comes later counts anew', async () => {
    for (let time = 0; time < 2; time++) {
      const answer = await put(`${first}/read`);
      expect([answer.status, (answer.body as { data: { unread_count: number } }).data.unread_count]).toEqual([200, 0]);
    }
    await testApp.drain({ disorder: { seed: 5, duplicate: 1 } });
    expect((await list(other, { unread: 'true' })).data.map((each) => each.id)).toEqual([second]);
    await receive(other, 1, base + 120_000);
    await testApp.drain();
    expect((await list(other, { unread: 'true' })).data.map((each) => each.id)).toEqual([first, second]);
    expect((await list(other)).data[0]).toMatchObject({ unread_count: 1 });
  });

  test('read before the stream has counted its message stays read', async () => {
    const early = await newCompany({ roles });
    await receive(early, 1, base);
    await testApp.drain();
    await testApp.call(inboundText(early, { from: phoneOf(1), text: 'Quick', at: base + 1_000 }));
    const id = (await list(early)).data[0]?.id ?? 0;
    testApp.clock.advance(1_000);
    await testApp.call({ method: 'PUT', path: `/api/v1/conversations/${id}/read`, token: early.tokens.member });
    await testApp.drain();
    // the message was in the queue, not in the table, when the conversation was read: it is new
    expect((await list(early)).data[0]).toMatchObject({ unread_count: 1 });
  });

  test('is closed, assigned and unassigned; a person who writes opens it again', async () => {
    const user = other.users.member;
    expect((await put(`${second}`, { status: 'closed', assigned_to: user })).body).toMatchObject({
      data: { status: 'closed', assigned_to: user },
    });
    expect((await list(other, { status: 'closed' })).data.map((each) => each.id)).toEqual([second]);
    expect((await list(other, { assigned_to: user })).meta.total).toBe(1);
    expect((await put(`${second}`, { assigned_to: null })).body).toMatchObject({ data: { status: 'closed', assigned_to: null } });
    await receive(other, 2, base + 600_000);
    await testApp.drain();
    expect((await list(other, { status: 'closed' })).data).toEqual([]);
  });

  test('is closed or given to a user with others at once; ids of no conversation are named, a wrong user changes none', async () => {
    const bulk = (body: object) => testApp.call({ method: 'POST', path: '/api/v1/conversations/bulk', token: other.tokens.member, body });
    const ids = [second, first, 999_999, second];
    const closed = await bulk({ ids, status: 'closed', assigned_to: other.users.member });
    expect([closed.status, closed.body]).toMatchObject([200, { data: { updated: [second, first], not_found: [999_999] } }]);
    for (const row of (await list(other, { status: 'closed' })).data)
      expect(row).toMatchObject({ assigned_to: other.users.member, assigned_by: other.users.member });
    expect((await bulk({ ids, status: 'open', assigned_to: 999 })).status).toBe(422);
    expect((await list(other, { status: 'closed' })).data).toHaveLength(2);
    expect((await bulk({ ids, status: 'open', assigned_to: null })).body).toMatchObject({ data: { updated: [second, first] } });
    expect((await list(other, { status: 'closed' })).data).toEqual([]);
    for (const wrong of [{ ids: [] }, { ids: Array.from({ length: 101 }, (_, nth) => nth + 1) }, { status: 'closed' }])
      expect((await bulk(wrong)).status).toBe(422);
  });

  test.each([
    [{ assigned_to: 999 }, 'assigned_to'],
    [{ assigned_to: other.users.viewer }, 'assigned_to'],
    [{ status: 'gone' }, 'status'],
  ])('%j is 422', async (body, field) => {
    const answer = await put(`${second}`, body);
    expect([answer.status, Object.keys((answer.body as { errors: object }).errors)]).toEqual([422, [field]]);
  });

  test('of an unknown contact, or without a message, is 404', async () => {
    for (const path of ['9999/read', '9999']) expect((await put(path, path === '9999' ? { status: 'open' } : undefined)).status).toBe(404);
  });
});

describe('the inbox', async () => {
  const other = await newCompany({ roles });
  const { member, admin } = other.users;
  const random = seeded(21);
  for (let nth = 0; nth < 24; nth++) await receive(other, nth, base + nth * 60_000);
  await testApp.drain();
  const put = (id: number, body: Record<string, unknown>) =>
    testApp.call({ method: 'PUT', path: `/api/v1/conversations/${id}`, token: other.tokens.admin, body });
  const all = (await list(other, { limit: 100 })).data.map(({ id }) => id);
  const pickOf = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  for (const id of all) {
    if (random() < 0.5) await testApp.call({ method: 'PUT', path: `/api/v1/conversations/${id}/read`, token: other.tokens.member });
    if (random() < 0.6) await put(id, { assigned_to: pickOf([member, admin]) });
    if (random() < 0.3) await put(id, { status: 'closed' });
    if (random() < 0.3) await put(id, { unread: true });
  }
  await testApp.drain({ disorder: { seed: 3, duplicate: 0.5, reorder: true } });
  const rows = (await list(other, { limit: 100 })).data;
  const counts = async (token: string) =>
    (await testApp.call({ method: 'GET', path: '/api/v1/conversations/counts', token })).body as { data: Record<string, number> };

  const isOpen = (row: Record<string, unknown>): boolean => row['status'] === 'open';
  const isShown: Record<string, (row: Record<string, unknown>) => boolean> = {
    open: isOpen,
    unread: (row) => isOpen(row) && Number(row['unread_count']) > 0,
    mine: (row) => isOpen(row) && row['assigned_to'] === member,
    unassigned: (row) => isOpen(row) && row['assigned_to'] === null,
    closed: (row) => row['status'] === 'closed',
  };

  test.each(Object.keys(isShown))('view %s shows and counts exactly its conversations, page by page', async (view) => {
    const expected = rows.filter((row) => isShown[view]?.(row)).map(({ id }) => id);
    expect(expected.length).toBeGreaterThan(1);
    const query = { view, limit: 2 };
    const seen: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const answer = await testApp.call({
        method: 'GET',
        path: '/api/v1/conversations',
        token: other.tokens.member,
        query: { ...query, ...(cursor ? { cursor } : {}) },
      });
      const page = listSchema.parse(answer.body);
      expect(page.meta.total).toBe(expected.length);
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.meta.next_cursor;
    }
    expect(seen).toEqual(expected);
    expect((await counts(other.tokens.member)).data[view]).toBe(expected.length);
  });

  test('shows nothing where view and filter exclude each other, and refuses the cursor of another user', async () => {
    expect((await list(other, { view: 'unassigned', assigned_to: member })).data).toEqual([]);
    expect((await list(other, { view: 'open', status: 'closed' })).meta.total).toBe(0);
    const call = (token: string, query: Record<string, string | number>) =>
      testApp.call({ method: 'GET', path: '/api/v1/conversations', token, query: { view: 'mine', limit: 1, ...query } });
    const cursor = listSchema.parse((await call(other.tokens.member, {})).body).meta.next_cursor ?? '';
    expect((await call(other.tokens.admin, { cursor })).status).toBe(400);
  });

  test('a conversation says who assigned it; marked unread it is so until it is read', async () => {
    const [id = 0] = all;
    const get = async () =>
      (await listOf(other, `/api/v1/conversations/${id}`)).body as { data: { unread_count: number; assigned_by: number | null } };
    await put(id, { assigned_to: null });
    await put(id, { assigned_to: member });
    expect((await get()).data).toMatchObject({ id, assigned_to: member, assigned_by: admin });
    await testApp.call({ method: 'PUT', path: `/api/v1/conversations/${id}/read`, token: other.tokens.member });
    expect((await get()).data.unread_count).toBe(0);
    await put(id, { unread: true });
    expect((await get()).data.unread_count).toBe(1);
    await testApp.call({ method: 'PUT', path: `/api/v1/conversations/${id}/read`, token: other.tokens.member });
    expect((await get()).data.unread_count).toBe(0);
    expect((await listOf(other, '/api/v1/conversations/99999')).status).toBe(404);
  });
});

describe('the conversations of a number, and those that wait for an answer', async () => {
  const company = await newCompany({ roles });
  const added = await addNumber(company.id, {
    phone: '15559990001',
    phone_number_id: '109990001',
    waba_id: company.number.wabaId,
    access_token: 'token-of-the-second-number',
    app_secret: company.appSecret,
  });
  if (isProblem(added)) throw new Error(JSON.stringify(added));
  const second = added.number;
  const numbers = await listNumbers(company.id);
  if (isProblem(numbers)) throw new Error(JSON.stringify(numbers));
  const first = numbers.find(({ phone }) => phone === company.number.phone)?.id ?? 0;
  const atSecond = { ...company, number: { ...company.number, phone: '15559990001', phoneNumberId: '109990001' } };
  const random = seeded(44);
  const count = 40;
  const expected = new Map<string, { number: number; waiting: boolean }>();
  for (let nth = 0; nth < count; nth++) {
    const isSecond = random() < 0.3;
    await receive(isSecond ? atSecond : company, nth, base + nth * 1_000);
    expected.set(phoneOf(nth), { number: isSecond ? second.id : first, waiting: true });
  }
  await testApp.drain();
  const all = (await list(company, { limit: '100' })).data;
  for (const { contact } of all) {
    if (random() < 0.5) continue;
    const body = { contact_id: contact.id, message: 'An answer' };
    const answer = await testApp.call({ method: 'POST', path: '/api/v1/messages/text', token: company.tokens.member, body });
    expect(answer.status).toBe(200);
    const known = expected.get(contact.phone);
    if (known) expected.set(contact.phone, { ...known, waiting: false });
  }
  await testApp.drain();
  const wanted = (numberId: number | undefined, waiting: boolean | undefined): string[] =>
    [...expected]
      .filter(([, each]) => (numberId === undefined || each.number === numberId) && (waiting === undefined || each.waiting === waiting))
      .map(([phone]) => phone)
      .toSorted();

  test.each([
    [first, undefined],
    [second.id, undefined],
    [undefined, true],
    [undefined, false],
    [second.id, true],
    [second.id, false],
    [999, true],
  ])('number %j, waiting %j: exactly these, however they are paged', async (numberId, waiting) => {
    const query = {
      ...(numberId === undefined ? {} : { number_id: String(numberId) }),
      ...(waiting === undefined ? {} : { waiting: String(waiting) }),
    };
    const whole = await list(company, { ...query, limit: '100' });
    expect(whole.data.map(({ contact }) => contact.phone).toSorted()).toEqual(wanted(numberId, waiting));
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(company, { ...query, limit: '3', ...(cursor === '' ? {} : { cursor }) });
      paged.push(...page.data.map(({ contact }) => contact.phone));
      cursor = page.meta.next_cursor;
    }
    expect(paged).toEqual(whole.data.map(({ contact }) => contact.phone));
  });

  test('a view goes with them, and what is put away stays away', async () => {
    const [one] = (await list(company, { view: 'open', waiting: 'true' })).data;
    const path = `/api/v1/conversations/${one?.id}`;
    const until = new Date(testApp.clock.now() + 3_600_000).toISOString();
    await testApp.call({ method: 'PUT', path, token: company.tokens.member, body: { snoozed_until: until } });
    await testApp.drain();
    const ids = async (query: Record<string, string>) =>
      (await list(company, { limit: '100', waiting: 'true', ...query })).data.map(({ id }) => id);
    expect(await ids({ view: 'open' })).not.toContain(one?.id);
    expect(await ids({ view: 'snoozed' })).toEqual([one?.id]);
  });

  test.each([
    ['number_id', 'all'],
    ['tag_id', 'vip'],
    ['waiting', 'perhaps'],
  ])('a wrong %s is refused by name', async (field, value) => {
    const answer = await listOf(company, '/api/v1/conversations', { [field]: value });
    expect([answer.status, answer.raw]).toEqual([422, expect.stringContaining(field)]);
  });
});

describe('the conversations of a tag', async () => {
  const company = await newCompany({ roles });
  const count = 60;
  for (let nth = 0; nth < count; nth++) await receive(company, nth, base + nth * 1_000);
  await testApp.drain();
  const all = (await list(company, { limit: '100' })).data;
  const call = (method: string, path: string, body?: unknown) => testApp.call({ method, path, token: company.tokens.member, body });
  const tagOf = async (name: string, has: (nth: number) => boolean): Promise<{ id: number; phones: string[] }> => {
    const { data } = (await call('POST', '/api/v1/tags', { name })).body as { data: { id: number } };
    const chosen = all.filter((_, nth) => has(nth));
    for (const { contact } of chosen)
      expect((await call('PATCH', `/api/v1/contacts/${contact.id}`, { add_tags: [data.id] })).status).toBe(200);
    return { id: data.id, phones: chosen.map(({ contact }) => contact.phone) };
  };
  const [few, most] = [await tagOf('few', (nth) => nth % 7 === 0), await tagOf('most', (nth) => nth % 6 !== 0)];
  await testApp.drain();

  test.each([
    ['few contacts have, read one by one', few],
    ['most contacts have, walked through', most],
  ])('that %s: exactly these, newest first, however they are paged', async (_, { id, phones }) => {
    const query = { tag_id: String(id) };
    expect((await list(company, { ...query, limit: '100' })).data.map(({ contact }) => contact.phone)).toEqual(phones);
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(company, { ...query, limit: '4', ...(cursor === '' ? {} : { cursor }) });
      paged.push(...page.data.map(({ contact }) => contact.phone));
      cursor = page.meta.next_cursor;
    }
    expect(paged).toEqual(phones);
  });

  test('goes with a view, a search and who waits', async () => {
    const [first = '', second = ''] = few.phones;
    const closed = all.find(({ contact }) => contact.phone === first)?.id;
    await call('PUT', `/api/v1/conversations/${closed}`, { status: 'closed' });
    await testApp.drain();
    const phones = async (query: Record<string, string>): Promise<string[]> =>
      (await list(company, { tag_id: String(few.id), limit: '100', ...query })).data.map(({ contact }) => contact.phone);
    expect(await phones({ view: 'closed' })).toEqual([first]);
    expect(await phones({ view: 'open' })).toEqual(few.phones.slice(1));
    expect(await phones({ search: second })).toEqual([second]);
    expect(await phones({ waiting: 'false' })).toEqual([]);
  });

  test('shows none of another company, and none once it is deleted', async () => {
    const other = await newCompany({ roles });
    expect((await list(other, { tag_id: String(most.id) })).data).toEqual([]);
    expect((await testApp.call({ method: 'DELETE', path: `/api/v1/tags/${most.id}`, token: company.tokens.admin })).status).toBe(200);
    expect((await list(company, { tag_id: String(most.id) })).data).toEqual([]);
  });
});
