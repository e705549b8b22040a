import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { changeStreamContext } from '../../functions/app.ts';
import { contactsQuery } from '../../functions/contacts/contract/list.ts';
import { importRows } from '../../functions/contacts/service/imports/import-rows.ts';
import { type ContactsPage, listContacts } from '../../functions/contacts/service/list-contacts.ts';
import { isProblem } from '../../shared/contract/problems.ts';
import { type Caller, contactOf, type ContactsTestApp, newCompany, pageOf, refusalOf, startContacts } from './support.ts';
import { indexLagMs } from '../../functions/contacts/store/updated.ts';

let testApp: ContactsTestApp;
let me: Caller;
beforeAll(async () => {
  testApp = await startContacts([changeStreamContext]);
});
afterAll(() => testApp.stop());

const ids = async (query: Record<string, string | number>): Promise<number[]> => {
  const search = new URLSearchParams(Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]));
  return pageOf(await me.get(`?${search.toString()}`)).data.map(({ id }) => id);
};
const add = async (body: Record<string, unknown>): Promise<number> => contactOf(await me.post(body)).id;
const rules = (match: 'all' | 'any', ...given: unknown[]) => ({ filter_condition: JSON.stringify({ match, rules: given }) });

describe('GET /contacts finds', () => {
  const fourContacts = async (): Promise<void> => {
    me = await testApp.as(newCompany());
    await add({ phone: '+919876500001', name: 'Zoë Ångström', city: 'Pune', groups: ['red'], subscribed: false });
    await add({ phone: '+4915120000002', name: 'STRASSE 7', groups: ['red', 'blue'], custom: { age: 30, plan: 'gold' } });
    await add({ phone: '+4915120000003', name: 'नमस्ते', email: 'c@example.com', country_id: 392, groups: ['blue'] });
    await add({ phone: '+12025550104' });
    await testApp.drain();
  };
  beforeAll(fourContacts);

  it.each([
    ['zoe', [1]],
    ['ÅNGSTROM', [1]],
    ['oë  ång', [1]],
    ['straße', [2]],
    ['मस्', [3]],
    ['1512000000', [3, 2]],
    ['+49 (151) 2000', [3, 2]],
    ['0', [4, 3, 2, 1]],
    ['7', [2, 1]],
    ['nobody', []],
    ['%', []],
    ['9876500001 zo', []],
  ])('search %j: substrings of name or phone, ignoring case and accents', async (search, expected) => {
    expect(await ids({ search })).toEqual(expected);
    expect(pageOf(await me.get(`?search=${encodeURIComponent(search)}&limit=1`)).meta.total).toBe(expected.length);
  });

  it('search follows a changed name, a deletion and a restoration', async () => {
    await fourContacts();
    await me.put(4, { phone: '+12025550104', name: 'Zorro' });
    await me.delete(1);
    await testApp.drain();
    expect(await ids({ search: 'zo' })).toEqual([4]);
    await me.post({ phone: '+919876500001' });
    await testApp.drain();
    expect(await ids({ search: 'zo' })).toEqual([4, 1]);
  });

  it('group_id, tag_id and search combine with and, or with or if filter_condition is or', async () => {
    await fourContacts();
    expect(await ids({ group_id: 1 })).toEqual([2, 1]);
    expect(await ids({ group_id: 2, search: '4915' })).toEqual([3, 2]);
    expect(await ids({ group_id: 1, search: '0003' })).toEqual([]);
    expect(await ids({ group_id: 1, search: '0003', filter_condition: 'OR' })).toEqual([3, 2, 1]);
    expect(await ids({ group_id: 99 })).toEqual([]);
    const tag = await testApp.call({ method: 'POST', path: '/api/v1/tags', token: me.token, body: { name: 'vip' } });
    expect(tag.body).toMatchObject({ data: { id: 1, name: 'vip', color: '#6B7280' } });
    await me.post({ phone: '+12025550104', tags: [1] });
    await me.post({ phone: '+4915120000002', tags: [1] });
    await testApp.drain();
    expect(await ids({ tag_id: 1 })).toEqual([4, 2]);
    expect(await ids({ tag_id: 1, group_id: 1, filter_condition: 'and' })).toEqual([2]);
    await me.delete(2);
    await testApp.drain();
    expect(await ids({ tag_id: 1, group_id: 1, filter_condition: 'or' })).toEqual([4, 1]);
  });

  describe('by rules', () => {
    beforeAll(fourContacts);
    it.each([
      [rules('all', { field: 'city', op: 'eq', value: 'pune' }), [1]],
      [rules('all', { field: 'subscribed', op: 'eq', value: false }), [1]],
      [rules('all', { field: 'subscribed', op: 'neq', value: 'no' }), [4, 3, 2]],
      [rules('all', { field: 'country', op: 'in', value: ['DE', 'japan'] }), [3, 2]],
      [rules('all', { field: 'custom.age', op: 'gte', value: 30 }), [2]],
      [rules('all', { field: 'custom.plan', op: 'is_not_set' }), [4, 3, 1]],
      [rules('all', { field: 'name', op: 'starts_with', value: 'zoe' }), [1]],
      [rules('all', { field: 'name', op: 'not_contains', value: 'z' }), [4, 3, 2]],
      [rules('any', { field: 'email', op: 'is_set' }, { field: 'phone', op: 'contains', value: '202555' }), [4, 3]],
      [rules('all', { field: 'group_id', op: 'eq', value: 2 }, { field: 'email', op: 'is_set' }), [3]],
      [rules('all', { field: 'group_id', op: 'is_not_set' }), [4]],
      [
        rules(
          'all',
          { field: 'created_at', op: 'within_days', value: 1 },
          {
            match: 'any',
            rules: [
              { field: 'group_id', op: 'in', value: [1] },
              { field: 'phone', op: 'starts_with', value: '1' },
            ],
          },
        ),
        [4, 2, 1],
      ],
      [rules('all', { field: 'created_at', op: 'before', value: '2020-01-01' }), []],
      [rules('all', { field: 'last_inbound_at', op: 'is_set' }), []],
    ])('rules %j', async (query, expected) => {
      expect(await ids(query)).toEqual(expected);
    });
  });

  it.each([
    ['xor'],
    ['{'],
    ['{"match":"some","rules":[]}'],
    ['{"match":"all","rules":[]}'],
    ['{"match":"all","rules":[{"field":"nope","op":"eq","value":1}]}'],
    ['{"match":"all","rules":[{"field":"name","op":"like","value":"x"}]}'],
    ['{"match":"all","rules":[{"field":"custom.a\\u0000b","op":"eq","value":"x"}]}'],
    ['{"match":"all","rules":[{"field":"name","op":"eq","value":"a\\u0000b"}]}'],
    ['{"match":"all","rules":[{"field":"custom.age","op":"in","value":[9007199254740993]}]}'],
    ['{"match":"all","rules":[{"field":"subscribed","op":"contains","value":"x"}]}'],
    ['{"match":"all","rules":[{"field":"name","op":"eq"}]}'],
    ['{"match":"all","rules":[{"field":"name","op":"in","value":"x"}]}'],
    ['{"match":"all","rules":[{"field":"created_at","op":"before","value":"soon"}]}'],
    ['{"match":"all","rules":[{"match":"all","rules":[{"match":"all","rules":[]}]}]}'],
    [JSON.stringify({ match: 'all', rules: Array.from({ length: 21 }, () => ({ field: 'name', op: 'is_set' })) })],
  ])('filter_condition %s is rejected, naming the field', async (value) => {
    expect(refusalOf(await me.get(`?filter_condition=${encodeURIComponent(value)}`))).toEqual([
      422,
      'validation_failed',
      'filter_condition',
    ]);
  });

  it('a cursor is valid only for its own filters and company', async () => {
    const { next_cursor } = pageOf(await me.get('?group_id=1&limit=1')).meta;
    expect(await ids({ group_id: 1, limit: 1, cursor: next_cursor ?? '' })).toEqual([1]);
    expect((await me.get(`?group_id=2&limit=1&cursor=${next_cursor}`)).status).toBe(400);
    expect((await me.get('?cursor=abc')).status).toBe(400);
  });
});

describe('update_from', () => {
  const wire = (at: number): string => new Date(at).toISOString().replace('T', ' ').slice(0, 19);

  it('lists changes since then, oldest first, so that a sync continues over pages without gaps or repetitions', async () => {
    me = await testApp.as(newCompany());
    for (let i = 0; i < 30; i++) await add({ phone: `+4915120000${100 + i}` });
    testApp.clock.advance(10_000);
    const from = wire(testApp.clock.now());
    for (const id of [7, 3, 21, 3, 15, 9]) {
      testApp.clock.advance(2_000);
      await me.post({ phone: `+4915120000${99 + id}`, name: `n ${testApp.clock.now()}` });
    }
    await testApp.drain();
    testApp.clock.advance(indexLagMs);
    expect(await ids({ update_from: from })).toEqual([7, 21, 3, 15, 9]);
    expect(pageOf(await me.get(`?update_from=${encodeURIComponent(from)}&limit=2`)).meta.total).toBe(5);
    for (const limit of [1, 2, 3, 100]) {
      const seen: number[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page = pageOf(await me.get(`?update_from=2020-01-01%2000:00:00&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`));
        seen.push(...page.data.map(({ id }) => id));
        expect(page.meta.total).toBe(30);
        cursor = page.meta.next_cursor;
      }
      expect(new Set(seen).size).toBe(30);
      expect(seen.slice(-5)).toEqual([7, 21, 3, 15, 9]);
    }
    expect(await ids({ update_from: from, page: 2, limit: 2 })).toEqual([3, 15]);
    expect(await ids({ update_from: from, search: '20000' + '108', limit: 2 })).toEqual([9]);
  });

  it('shows deleted contacts only with include_deleted, with the time', async () => {
    me = await testApp.as(newCompany());
    await add({ phone: '+4915120000001' });
    await add({ phone: '+4915120000002' });
    await me.delete(1);
    await testApp.drain();
    testApp.clock.advance(indexLagMs);
    expect(await ids({ update_from: '2020-01-01 00:00:00' })).toEqual([2]);
    const page = pageOf(await me.get('?update_from=2020-01-01%2000:00:00&include_deleted=1'));
    expect(page.data.map(({ id, deleted_at }) => [id, deleted_at !== undefined])).toEqual([
      [2, false],
      [1, true],
    ]);
    expect(page.meta.total).toBe(2);
    expect(await ids({ include_deleted: 1 })).toEqual([2]);
  });

  it('lists with only_deleted those that can be restored, the earliest deletion first and on each page, until they are', async () => {
    me = await testApp.as(newCompany());
    for (let nth = 1; nth <= 6; nth++) await add({ phone: `+491512000010${nth}`, name: `Only ${nth}`, city: 'Pune' });
    for (const id of [5, 2, 4]) {
      testApp.clock.advance(1_000);
      await me.delete(id);
    }
    await testApp.drain();
    testApp.clock.advance(indexLagMs);
    expect(await ids({ only_deleted: 'true' })).toEqual([5, 2, 4]);
    const page = pageOf(await me.get('?only_deleted=1&limit=2'));
    expect(page.data.map(({ id, deleted_at }) => [id, deleted_at !== undefined])).toEqual([
      [5, true],
      [2, true],
    ]);
    // those that were read so far
    expect(page.meta.total).toBe(2);
    expect(await ids({ only_deleted: 1, limit: 2, cursor: page.meta.next_cursor ?? '' })).toEqual([4]);
    const inPune = rules('all', { field: 'city', op: 'eq', value: 'Pune' });
    expect(await ids({ only_deleted: 1, ...inPune })).toEqual([5, 2, 4]);
    expect(await ids({ only_deleted: 1, search: 'Only' })).toEqual([]);
    expect(await ids({ only_deleted: 0 })).toEqual([6, 3, 1]);
    // one that became part of another is not among them
    const merge = { method: 'POST', path: '/api/v1/contacts/1/merge', token: me.token, body: { contact_id: 3 } };
    expect((await testApp.call(merge)).status).toBe(200);
    await testApp.drain();
    testApp.clock.advance(indexLagMs);
    expect(await ids({ only_deleted: 1 })).toEqual([5, 2, 4]);
    // a POST of its phone brings it back
    expect(await add({ phone: '+4915120000102' })).toBe(2);
    await testApp.drain();
    testApp.clock.advance(indexLagMs);
    expect(await ids({ only_deleted: 1 })).toEqual([5, 4]);
    const later = new Date(testApp.clock.now() + 1_000).toISOString().slice(0, 19).replace('T', ' ');
    expect(await ids({ only_deleted: 1, update_from: later })).toEqual([]);
  });

  it('skips no change that the index shows late: the last seconds are not listed yet', async () => {
    me = await testApp.as(newCompany());
    const [late, early] = [await add({ phone: '+4915120000001' }), await add({ phone: '+4915120000002' })];
    testApp.clock.advance(60_000);
    const from = wire(testApp.clock.now());
    await me.post({ phone: '+4915120000001', name: 'changed first' });
    testApp.clock.advance(1_000);
    await me.post({ phone: '+4915120000002', name: 'changed second' });
    // the index has the second change, and not yet the first: what it lists now would be the cursor
    expect(await ids({ update_from: from })).toEqual([]);
    testApp.clock.advance(indexLagMs);
    expect(await ids({ update_from: from })).toEqual([late, early]);
  });

  it.each(['yesterday', '2026-13-01 00:00:00', '2026-02-30 00:00:00', '2026-01-01', '1769000000'])('%s is rejected', async (value) => {
    me = await testApp.as(newCompany());
    expect(refusalOf(await me.get(`?update_from=${encodeURIComponent(value)}`))).toEqual([422, 'validation_failed', 'update_from']);
  });
});

it('a page whose custom values one answer cannot hold is refused with the limit that fits, and read with it', async () => {
  const companyId = newCompany();
  me = await testApp.as(companyId);
  for (const digit of [1, 2, 3]) await add({ phone: `+491512000000${digit}`, custom: { note: '"'.repeat(100) } });
  // each quote is four bytes in the answer of a function
  const list = (limit: number, maxBytes: number) => listContacts(companyId, contactsQuery.parse({ limit }), undefined, maxBytes);
  expect(await list(3, 1_000)).toMatchObject({
    problem: 'validation_failed',
    errors: { limit: [expect.stringContaining('take a limit of 2 or less')] },
  });
  expect(await list(2, 1_000)).toMatchObject({ items: [{ id: 3 }, { id: 2 }] });
  expect(await list(3, 10_000)).toMatchObject({ items: [{ id: 3 }, { id: 2 }, { id: 1 }] });
});

it('deep pages by number equal those of a walk, over deletions and borders of 1,024 ids', async () => {
  me = await testApp.as(newCompany());
  const body = { method: 'POST', path: '/api/v1/contacts/bulk-sync', token: me.token } as const;
  for (let call = 0; call < 3; call++)
    await testApp.call({
      ...body,
      body: { contacts: Array.from({ length: 700 }, (_, i) => ({ phone: `+4915${1_000_000 + call * 700 + i}` })) },
    });
  for (const id of [2100, 2099, 1025, 1024, 1023, 1500, 900, 17]) await me.delete(id);
  await testApp.drain();
  const { total } = z.object({ meta: z.object({ total: z.int() }) }).parse((await me.get('')).body).meta;
  expect(total).toBe(2_092);
  const walked: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = pageOf(await me.get(`?limit=100${cursor ? `&cursor=${cursor}` : ''}`));
    walked.push(...page.data.map(({ id }) => id));
    cursor = page.meta.next_cursor;
  }
  expect(walked).toHaveLength(2_092);
  for (const page of [2, 6, 7, 10, 11, 12, 15, 20, 21, 22])
    expect(await ids({ page, limit: 100 })).toEqual(walked.slice((page - 1) * 100, page * 100));
  expect(await ids({ page: 700, limit: 3 })).toEqual([]);
});

describe('a filter without an index, over more contacts than one call scans', () => {
  const atMost = 100;
  const query = (given: Record<string, string>) => contactsQuery.parse({ limit: '10', ...given });
  const cities = ['Pune', 'Kyoto', 'Recife'];
  const inCity = (city: string) => rules('all', { field: 'city', op: 'eq', value: city });
  const follow = async (given: Record<string, string>) => {
    const pages: ContactsPage[] = [];
    for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined; ) {
      const page = await listContacts(me.companyId, query({ ...given, ...(cursor === undefined ? {} : { cursor }) }), atMost);
      if (isProblem(page)) throw new Error(page.problem);
      pages.push(page);
      cursor = page.nextCursor;
    }
    return pages;
  };
  beforeAll(async () => {
    me = await testApp.as(newCompany());
    const columns = [{ is: 'phone' }, { is: 'city' }, { is: 'name' }] as const;
    const people = Array.from({ length: 300 }, (_, i) => [`+4915120000${100 + i}`, cities[i % 3] ?? '', i === 7 ? 'Rare' : '']);
    await importRows(me.companyId, columns, people, testApp.clock.now());
    for (const id of [300, 299, 298, 4]) await me.delete(id);
    await testApp.drain();
    testApp.clock.advance(indexLagMs);
  });

  it('returns pages that miss no contact, repeat none and end with the right total', async () => {
    for (const order of [{}, { update_from: '2020-01-01 00:00:00' }]) {
      const pages = await follow({ ...inCity('Pune'), ...order });
      const seen = pages.flatMap(({ items }) => items.map(({ id }) => id));
      const expected = Array.from({ length: 100 }, (_, i) => 298 - 3 * i).filter((id) => ![298, 4].includes(id));
      expect(seen).toEqual('update_from' in order ? expected.toReversed() : expected);
      expect(pages.map(({ isPartial }) => isPartial)).toEqual(pages.map((_, nth) => nth < pages.length - 1));
      expect(pages.at(-1)?.total).toBe(98);
    }
  });

  it('returns an empty page with a cursor for a range without matches, and ends', async () => {
    const pages = await follow(rules('all', { field: 'name', op: 'eq', value: 'rare' }));
    expect(pages.map(({ items }) => items.map(({ id }) => id))).toEqual([[], [], [8]]);
    expect(pages.at(-1)).toMatchObject({ total: 1, isPartial: false, nextCursor: undefined });
  });

  it('reads no more than the first of them for a page that many fulfil', async () => {
    let read = 0;
    using _hook = testApp.onTable(({ when, output }) => {
      if (when === 'after') read += (output?.['Items'] as unknown[] | undefined)?.length ?? 0;
    });
    const page = await listContacts(me.companyId, query(inCity('Pune')), 250);
    expect(page).toMatchObject({ isPartial: true, items: { length: 10 } });
    expect(read).toBeGreaterThan(100);
    expect(read).toBeLessThan(170);
  });

  it('accepts page numbers within the scan of one call, and rejects those beyond with a reason', async () => {
    const second = await listContacts(me.companyId, query({ ...inCity('Pune'), page: '2' }), atMost);
    expect(isProblem(second) ? second.problem : second.items.map(({ id }) => id)).toEqual([
      265, 262, 259, 256, 253, 250, 247, 244, 241, 238,
    ]);
    expect(await listContacts(me.companyId, query({ ...inCity('Pune'), page: '9' }), atMost)).toMatchObject({
      problem: 'validation_failed',
    });
  });

  it('by last change it counts the contacts so far where both ends are far, and ends with the right total', async () => {
    testApp.clock.advance(60_000);
    const from = testApp.clock.now();
    const columns = [{ is: 'phone' }, { is: 'name' }] as const;
    await importRows(
      me.companyId,
      columns,
      Array.from({ length: 150 }, (_, i) => [`+4915120000${120 + i}`, `n ${i}`]),
      from,
    );
    await testApp.drain();
    testApp.clock.advance(indexLagMs);
    const near = await listContacts(me.companyId, query({ update_from: '2020-01-01 00:00:00' }), atMost);
    const middle = { update_from: new Date(from).toISOString().replace('T', ' ').slice(0, 23) };
    expect(near).toMatchObject({ total: 296, isPartial: false });
    const pages = await follow(middle);
    const seen = pages.flatMap(({ items }) => items.map(({ id }) => id));
    expect(new Set(seen).size).toBe(150);
    expect(pages.map(({ total }) => total)).toEqual(pages.map((_, nth) => Math.min(150, (nth + 1) * 10)));
    expect(pages.map(({ isPartial }) => isPartial)).toEqual(pages.map((_, nth) => nth < pages.length - 1));
    expect(await listContacts(me.companyId, query({ ...middle, page: '12' }), atMost)).toMatchObject({ problem: 'validation_failed' });
  });

  it('by last change it includes deleted contacts with include_deleted', async () => {
    const pages = await follow({ ...inCity('Pune'), update_from: '2020-01-01 00:00:00', include_deleted: '1' });
    const deleted = pages.flatMap(({ items }) => items).filter((contact) => contact.deleted_at !== undefined);
    expect(new Set(deleted.map(({ id }) => id))).toEqual(new Set([298, 4]));
    const whole = await listContacts(me.companyId, query({ ...inCity('Pune'), update_from: '2020-01-01 00:00:00', include_deleted: '1' }));
    expect(whole).toMatchObject({ total: 100 });
  });
});
