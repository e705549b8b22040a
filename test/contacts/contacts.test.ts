import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedContact } from '../../functions/contacts/contract/stored.ts';
import { fieldEntity } from '../../functions/contacts/store/field.ts';
import { tagEntity } from '../../functions/contacts/store/tag.ts';
import { type Caller, contactOf, type ContactsWorld, newCompany, pageOf, refusalOf, startContacts } from './support.ts';

let world: ContactsWorld;
let me: Caller;
beforeAll(async () => {
  world = await startContacts();
});
afterAll(() => world.stop());

const fresh = async (): Promise<Caller> => (me = await world.as(newCompany()));
const tag = async (companyId: number, id: number, name: string): Promise<void> => {
  await tagEntity.put({ companyId, id, name, color: '#6B7280', createdAt: 0, updatedAt: 0 });
};
let phones = 919_800_000_000;
const phone = (): string => String(++phones);

describe('POST /contacts', () => {
  it('creates a contact with defaults, nulls for what is absent, and the country of its phone', async () => {
    await fresh();
    const contact = contactOf(await me.post({ phone: '+91 98765 43210' }));
    expect(contact).toEqual({
      id: 1,
      name: null,
      phone: '919876543210',
      email: null,
      city: null,
      country: 'India',
      company: null,
      subscribed: true,
      is_on_whatsapp: false,
      enabled_ai_bot: false,
      marketing_blocked: false,
      groups: [],
      tags: [],
      custom: {},
      created_at: contact.created_at,
      updated_at: contact.created_at,
      created: true,
    });
    expect(contactOf(await me.get('/1'))).toEqual({ ...contact, created: undefined });
  });

  it('takes every field, under both names where there are two, and names in any script', async () => {
    await fresh();
    await tag(me.companyId, 7, 'vip');
    const contact = contactOf(
      await me.post({
        phone: phone(),
        name: '  नमस्ते 👩‍👩‍👧 Ünïcødé  ',
        email: 'a.b+c@example.com',
        city: '東京',
        country_id: 392,
        company_name: 'شركة',
        company: 'ignored',
        subscribed: 0,
        enabled_ai_bot: 1,
        groups: 'Zürich, ACME',
        tags: [7],
        custom: { plan: 'gold', city: 'x' },
        fields: { plan: 'platinum' },
      }),
    );
    expect(contact).toMatchObject({
      name: 'नमस्ते 👩‍👩‍👧 Ünïcødé',
      email: 'a.b+c@example.com',
      city: '東京',
      country: 'Japan',
      company: 'شركة',
      subscribed: false,
      enabled_ai_bot: true,
      tags: [{ id: 7, name: 'vip', color: '#6B7280' }],
      custom: { plan: 'platinum', city: 'x' },
    });
    expect(contact.groups.map((group) => group.name).sort()).toEqual(['ACME', 'Zürich']);
    expect(contactOf(await me.post({ phone: phone(), company: 'Other' })).company).toBe('Other');
  });

  it('updates the contact of a known phone: given keys change, absent stay, null clears, groups and tags are added', async () => {
    await fresh();
    const number = phone();
    await tag(me.companyId, 1, 'a');
    await tag(me.companyId, 2, 'b');
    const first = contactOf(
      await me.post({
        phone: number,
        name: 'Ana',
        city: 'Pune',
        groups: ['one'],
        tags: [1],
        custom: { a: '1', b: '2' },
        subscribed: false,
      }),
    );
    const second = contactOf(
      await me.post({ phone: number, city: null, groups: ['two', 'ONE'], tags: [2], custom: { a: null, c: '3' }, email: 'x@example.com' }),
    );
    expect(second).toMatchObject({ id: first.id, created: false, name: 'Ana', city: null, email: 'x@example.com', subscribed: false });
    expect(second.groups.map((group) => group.name)).toEqual(['one', 'two']);
    expect(second.tags.map((each) => each.id)).toEqual([1, 2]);
    expect(second.custom).toEqual({ b: '2', c: '3' });
    expect(second.created_at).toBe(first.created_at);
    expect(second.updated_at > first.updated_at).toBe(true);
  });

  it.each([
    ['5215512345678', '525512345678'],
    ['541123456789', '5491123456789'],
    ['5541987654321', '554187654321'],
  ])('finds the contact of %s by %s', async (one, other) => {
    await fresh();
    const first = contactOf(await me.post({ phone: one }));
    expect(contactOf(await me.post({ phone: other }))).toMatchObject({ id: first.id, phone: one, created: false });
  });

  it('moves updated_at only when something changed', async () => {
    await fresh();
    const number = phone();
    const first = contactOf(await me.post({ phone: number, name: 'Ana', custom: { a: 'b' } }));
    world.clock.advance(5_000);
    expect(contactOf(await me.post({ phone: number, name: 'Ana', custom: { a: 'b' } })).updated_at).toBe(first.updated_at);
  });

  it('keeps who set the consent and when, only when it is set or changed', async () => {
    await fresh();
    const number = phone();
    const consent = async () => {
      const item = (await world.dump()).find((each) => each['kind'] === 'contact' && each['p'] === number);
      return storedContact.parse(item).consent;
    };
    await me.post({ phone: number });
    expect(await consent()).toBeUndefined();
    await me.post({ phone: number, subscribed: true });
    expect(await consent()).toBeUndefined();
    await me.post({ phone: number, subscribed: false });
    const first = await consent();
    expect(first).toEqual({ source: 'api', at: expect.any(Number) });
    world.clock.advance(1_000);
    await me.post({ phone: number, subscribed: false, name: 'Ana' });
    expect(await consent()).toEqual(first);
  });

  it('makes one contact of many calls at once, and loses none of what they say', async () => {
    await fresh();
    const number = phone();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => me.post({ phone: number, groups: [`group ${i % 3}`], custom: { [`key${i}`]: String(i) } })),
    );
    const contacts = answers.map(contactOf);
    expect(new Set(contacts.map((contact) => contact.id)).size).toBe(1);
    expect(contacts.filter((contact) => contact.created)).toHaveLength(1);
    const stored = contactOf(await me.get(`/${contacts[0]?.id}`));
    expect(Object.keys(stored.custom)).toHaveLength(12);
    expect(stored.groups.map((group) => group.name).sort()).toEqual(['group 0', 'group 1', 'group 2']);
    expect(pageOf(await me.get('')).data).toHaveLength(1);
  });

  it('a crowd of different calls for one phone all succeed', async () => {
    await fresh();
    const number = phone();
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => me.post({ phone: number, name: `name ${i}` })));
    expect(new Set(answers.map((answer) => contactOf(answer).id)).size).toBe(1);
  });

  it('takes group ids of the company, and makes one group of one name in any case', async () => {
    await fresh();
    const [id = 0] = contactOf(await me.post({ phone: phone(), groups: ['Straße'] })).groups.map((group) => group.id);
    expect(contactOf(await me.post({ phone: phone(), groups: id })).groups).toEqual([{ id, name: 'Straße' }]);
    expect(contactOf(await me.post({ phone: phone(), groups: [id, ' STRAße '] })).groups).toEqual([{ id, name: 'Straße' }]);
  });

  it('checks values of defined fields by their type', async () => {
    await fresh();
    const base = { companyId: me.companyId, required: false, isActive: true, createdAt: 0, updatedAt: 0 };
    await Promise.all(
      (['number', 'date', 'datetime', 'boolean', 'select', 'url', 'email'] as const).map((type, i) =>
        fieldEntity.put({ ...base, id: i + 1, key: type, name: type, type, options: type === 'select' ? ['x', 'y'] : [], position: i }),
      ),
    );
    const good = {
      number: '12.5',
      date: '2028-02-29',
      datetime: '2026-11-21T12:00:00+01:00',
      boolean: 'yes',
      select: 'y',
      url: 'https://example.com/a',
      email: 'a@example.com',
    };
    expect(contactOf(await me.post({ phone: phone(), fields: good })).custom).toEqual({
      ...good,
      number: 12.5,
      boolean: true,
      datetime: '2026-11-21T11:00:00.000000Z',
    });
    const bad = { number: 'x', date: '2027-02-29', datetime: 'soon', boolean: 'perhaps', select: 'z', url: 'ftp://x', email: 'nobody' };
    const [status, , ...fields] = refusalOf(await me.post({ phone: phone(), fields: bad }));
    expect([status, new Set(fields)]).toEqual([422, new Set(Object.keys(bad).map((key) => `fields.${key}`))]);
  });

  it.each([
    [{}, 'phone'],
    [{ phone: null }, 'phone'],
    [{ phone: '1234567' }, 'phone'],
    [{ phone: '1234567890123456' }, 'phone'],
    [{ phone: 919876543210 }, 'phone'],
    [{ phone: '919876543210', name: 5 }, 'name'],
    [{ phone: '919876543210', name: 'x'.repeat(256) }, 'name'],
    [{ phone: '919876543210', name: 'a\u0000b' }, 'name'],
    [{ phone: '919876543210', email: 'nobody' }, 'email'],
    [{ phone: '919876543210', country_id: 999 }, 'country_id'],
    [{ phone: '919876543210', country_id: 'IN' }, 'country_id'],
    [{ phone: '919876543210', subscribed: 'yes' }, 'subscribed'],
    [{ phone: '919876543210', enabled_ai_bot: 2 }, 'enabled_ai_bot'],
    [{ phone: '919876543210', groups: [99] }, 'groups'],
    [{ phone: '919876543210', groups: [0] }, 'groups'],
    [{ phone: '919876543210', groups: ['x'.repeat(101)] }, 'groups'],
    [{ phone: '919876543210', groups: { a: 1 } }, 'groups'],
    [{ phone: '919876543210', tags: [99] }, 'tags'],
    [{ phone: '919876543210', tags: 'vip' }, 'tags'],
    [{ phone: '919876543210', tags: ['vip'] }, 'tags.0'],
    [{ phone: '919876543210', custom: { '1a': 'x' } }, 'custom.1a'],
    [{ phone: '919876543210', fields: { a: 'x'.repeat(2_001) } }, 'fields.a'],
    [{ phone: '919876543210', fields: { a: { b: 1 } } }, 'fields.a'],
    [{ phone: '919876543210', fields: 'a=b' }, 'fields'],
  ])('%j is refused by naming %s, and makes nothing', async (body, field) => {
    await fresh();
    expect(refusalOf(await me.post(body))).toEqual([422, 'validation_failed', field]);
    expect(pageOf(await me.get('')).data).toEqual([]);
  });

  it('names every wrong reference at once, and makes no group or field for a refused request', async () => {
    await fresh();
    const body = { phone: phone(), groups: ['new', 77], tags: [88], custom: { fresh: 'x' } };
    expect(refusalOf(await me.post(body))).toEqual([422, 'validation_failed', 'groups', 'tags']);
    const mine = (await world.dump()).filter((item) => String(item['pk']).startsWith(`C#${me.companyId}#`));
    expect(mine).toEqual([]);
  });

  it('defines at most 100 fields, and keeps a contact within its size', async () => {
    await fresh();
    const fields = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${from + i}`, 'x'.repeat(600)]));
    expect((await me.post({ phone: phone(), fields: fields(0, 100) })).status).toBe(200);
    expect(refusalOf(await me.post({ phone: phone(), fields: fields(100, 1) }))).toEqual([422, 'validation_failed', 'fields.f100']);
    const large = Object.fromEntries(Object.keys(fields(0, 100)).map((key) => [key, 'é'.repeat(1_000)]));
    expect(refusalOf(await me.post({ phone: phone(), fields: large }))).toEqual([422, 'validation_failed', 'custom']);
  });
});

describe('PUT /contacts/{id}', () => {
  it('replaces: plain fields not given are cleared, sets are replaced where given, consent and bot stay', async () => {
    await fresh();
    const number = phone();
    const { id } = contactOf(
      await me.post({
        phone: number,
        name: 'Ana',
        email: 'a@example.com',
        city: 'Pune',
        country_id: 250,
        company: 'X',
        subscribed: false,
        enabled_ai_bot: true,
        groups: ['one', 'two'],
        custom: { a: '1' },
      }),
    );
    const bare = contactOf(await me.put(id, { phone: number }));
    expect(bare).toMatchObject({ name: null, email: null, city: null, company: null, country: 'India' });
    expect(bare).toMatchObject({ subscribed: false, enabled_ai_bot: true, custom: { a: '1' } });
    expect(bare.groups).toHaveLength(2);
    expect(contactOf(await me.put(id, { phone: number, groups: ['three'], custom: { b: '2' } }))).toMatchObject({
      groups: [{ name: 'three' }],
      custom: { b: '2' },
    });
    expect(contactOf(await me.put(id, { phone: number, groups: [] })).groups).toEqual([]);
  });

  it('moves the phone: the old one is free, the new one finds the contact', async () => {
    await fresh();
    const [old, next] = [phone(), phone()];
    const { id } = contactOf(await me.post({ phone: old }));
    expect(contactOf(await me.put(id, { phone: next }))).toMatchObject({ id, phone: next });
    expect(contactOf(await me.post({ phone: next }))).toMatchObject({ id, created: false });
    expect(contactOf(await me.post({ phone: old }))).toMatchObject({ created: true });
  });

  it('takes another variant of its own phone', async () => {
    await fresh();
    const { id } = contactOf(await me.post({ phone: '5215512345678' }));
    expect(contactOf(await me.put(id, { phone: '525512345678' })).phone).toBe('525512345678');
    expect(contactOf(await me.post({ phone: '5215512345678' })).id).toBe(id);
  });

  it('refuses the phone of another contact and changes nothing', async () => {
    await fresh();
    const [mine, theirs] = [phone(), phone()];
    const { id } = contactOf(await me.post({ phone: mine, name: 'Ana' }));
    await me.post({ phone: theirs });
    expect(refusalOf(await me.put(id, { phone: theirs, name: 'Bo' }))).toEqual([422, 'validation_failed', 'phone']);
    expect(contactOf(await me.get(`/${id}`))).toMatchObject({ phone: mine, name: 'Ana' });
  });

  it('gives one phone to one of two contacts that want it at once', async () => {
    await fresh();
    const wanted = phone();
    const ids = [contactOf(await me.post({ phone: phone() })).id, contactOf(await me.post({ phone: phone() })).id];
    const statuses = (await Promise.all(ids.map((id) => me.put(id, { phone: wanted })))).map((answer) => answer.status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 422]);
  });

  it('needs a phone', async () => {
    await fresh();
    const { id } = contactOf(await me.post({ phone: phone() }));
    expect(refusalOf(await me.put(id, { name: 'x' }))).toEqual([422, 'validation_failed', 'phone']);
  });
});

describe('DELETE /contacts/{id}', () => {
  it('hides the contact everywhere; a second delete finds nothing', async () => {
    await fresh();
    const { id } = contactOf(await me.post({ phone: phone() }));
    const answer = await me.delete(id);
    expect([answer.status, answer.body]).toEqual([200, { status: 'success', message: expect.any(String), data: { id, deleted: true } }]);
    expect((await me.get(`/${id}`)).status).toBe(404);
    expect((await me.put(id, { phone: phone() })).status).toBe(404);
    expect((await me.delete(id)).status).toBe(404);
    expect(pageOf(await me.get('')).data).toEqual([]);
  });

  it('a POST of the phone restores the same contact with what it was, outside its groups, and never re-subscribed', async () => {
    await fresh();
    const number = phone();
    const before = contactOf(await me.post({ phone: number, name: 'Ana', subscribed: false, groups: ['one'], custom: { a: '1' } }));
    await me.delete(before.id);
    const after = contactOf(await me.post({ phone: number, city: 'Pune' }));
    expect(after).toMatchObject({
      id: before.id,
      created: false,
      name: 'Ana',
      city: 'Pune',
      subscribed: false,
      groups: [],
      custom: { a: '1' },
    });
    expect(after.created_at).toBe(before.created_at);
    expect(contactOf(await me.get(`/${before.id}`)).id).toBe(before.id);
    world.clock.advance(31 * 86_400_000);
    expect(contactOf(await me.post({ phone: number }))).toMatchObject({ id: before.id, created: false });
  });

  it('after 30 days the phone makes a new contact', async () => {
    await fresh();
    const number = phone();
    const { id } = contactOf(await me.post({ phone: number }));
    await me.delete(id);
    world.clock.advance(31 * 86_400_000);
    const again = contactOf(await me.post({ phone: number }));
    expect(again.created).toBe(true);
    expect(again.id).toBeGreaterThan(id);
  });

  it('another contact may take the phone of a deleted one', async () => {
    await fresh();
    const freed = phone();
    const gone = contactOf(await me.post({ phone: freed })).id;
    const { id } = contactOf(await me.post({ phone: phone() }));
    await me.delete(gone);
    expect(contactOf(await me.put(id, { phone: freed })).phone).toBe(freed);
    expect(contactOf(await me.post({ phone: freed })).id).toBe(id);
  });

  it('one of several deletes at once succeeds', async () => {
    await fresh();
    const { id } = contactOf(await me.post({ phone: phone() }));
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => me.delete(id)))).map((answer) => answer.status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404]);
  });
});

describe('GET /contacts', () => {
  it('pages newest first by number and by cursor, over deleted ones and block borders', async () => {
    await fresh();
    const ids: number[] = [];
    for (let i = 0; i < 75; i++) ids.push(contactOf(await me.post({ phone: phone() })).id);
    for (const id of ids.filter((each) => each % 7 === 0 || (each > 30 && each < 60))) await me.delete(id);
    const live = ids.filter((id) => !(id % 7 === 0 || (id > 30 && id < 60))).reverse();
    for (const limit of [1, 7, 20, 32, 100]) {
      const byNumber: number[] = [];
      for (let page = 1; page <= Math.ceil(live.length / limit); page++)
        byNumber.push(...pageOf(await me.get(`?page=${page}&limit=${limit}`)).data.map((contact) => contact.id));
      expect(byNumber).toEqual(live);
      const byCursor: number[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page = pageOf(await me.get(`?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`));
        byCursor.push(...page.data.map((contact) => contact.id));
        cursor = page.meta.next_cursor;
      }
      expect(byCursor).toEqual(live);
    }
    expect(pageOf(await me.get('')).data).toHaveLength(20);
    expect(pageOf(await me.get('?page=2&per_page=45')).data).toEqual([]);
    expect(pageOf(await me.get('?page=999999999')).data).toEqual([]);
  });

  it('links keep the query and never show the token', async () => {
    await fresh();
    await me.post({ phone: phone() });
    const { links } = pageOf(await world.call({ method: 'GET', path: `/api/v1/contacts?limit=5&token=${me.token}` }));
    expect(links).toEqual({
      first: 'https://api.example.test/api/v1/contacts?limit=5&page=1',
      last: 'https://api.example.test/api/v1/contacts?limit=5&page=1',
      prev: null,
      next: null,
    });
  });

  it.each(['page=0', 'page=x', 'limit=0', 'limit=101', 'per_page=-1'])('%s is refused by name', async (query) => {
    await fresh();
    expect(refusalOf(await me.get(`?${query}`))).toEqual([422, 'validation_failed', query.split('=')[0]]);
  });

  it('refuses a cursor that is not its own', async () => {
    const other = await world.as(newCompany());
    await other.post({ phone: phone() });
    await other.post({ phone: phone() });
    const { meta } = pageOf(await other.get('?limit=1'));
    await fresh();
    expect(refusalOf(await me.get(`?cursor=${meta.next_cursor}`))).toEqual([400, 'invalid_cursor']);
    expect(refusalOf(await me.get('?cursor=nonsense'))).toEqual([400, 'invalid_cursor']);
  });
});

describe('records of another company', () => {
  it('are not found, and cannot be named', async () => {
    const other = await world.as(newCompany());
    const { id, groups } = contactOf(await other.post({ phone: phone(), groups: ['theirs'] }));
    await tag(other.companyId, 5, 'theirs');
    await fresh();
    const missing = await me.get('/4711');
    for (const answer of [
      await me.get(`/${id}`),
      await me.put(id, { phone: phone() }),
      await me.delete(id),
      await me.get('/0'),
      await me.get('/x'),
    ]) {
      expect(answer.status).toBe(404);
      expect({ ...(answer.body as object), request_id: '' }).toEqual({ ...(missing.body as object), request_id: '' });
    }
    expect(refusalOf(await me.post({ phone: phone(), groups: [groups[0]?.id] }))).toEqual([422, 'validation_failed', 'groups']);
    expect(refusalOf(await me.post({ phone: phone(), tags: [5] }))).toEqual([422, 'validation_failed', 'tags']);
    expect(contactOf(await other.get(`/${id}`)).id).toBe(id);
  });

  it('the same phone is a contact of its own in each company', async () => {
    const other = await world.as(newCompany());
    const number = phone();
    await other.post({ phone: number, name: 'Theirs' });
    await fresh();
    expect(contactOf(await me.post({ phone: number }))).toMatchObject({ created: true, name: null });
  });
});
