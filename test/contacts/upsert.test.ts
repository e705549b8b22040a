import { afterAll, describe, expect, it } from 'vitest';
import { storedContact } from '../../functions/contacts/contract/stored.ts';
import { type Caller, contactOf, newCompany, nextPhone, pageOf, putTag, refusalOf, startContacts } from './support.ts';

const testApp = await startContacts();
afterAll(() => testApp.stop());

let me: Caller;
const fresh = async (): Promise<Caller> => (me = await testApp.as(newCompany()));

describe('POST /contacts', () => {
  it('creates a contact with defaults, nulls for absent values, and the country of its phone', async () => {
    await fresh();
    const contact = contactOf(await me.post({ phone: '+91 98765 43210' }));
    expect(contact).toEqual({
      id: 1,
      name: null,
      phone: '919876543210',
      user_id: null,
      username: null,
      reachable_by: 'phone',
      email: null,
      city: null,
      country: 'India',
      company: null,
      subscribed: true,
      is_on_whatsapp: false,
      enabled_ai_bot: false,
      marketing_blocked: false,
      blocked: false,
      groups: [],
      tags: [],
      custom: {},
      created_at: contact.created_at,
      updated_at: contact.created_at,
      created: true,
    });
    expect(contactOf(await me.get('/1'))).toEqual({ ...contact, created: undefined });
  });

  it('accepts every field, under both names where there are two, and names in any script', async () => {
    await fresh();
    await putTag(me.companyId, 7, 'vip');
    const contact = contactOf(
      await me.post({
        phone: nextPhone(),
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
    expect(contactOf(await me.post({ phone: nextPhone(), company: 'Other' })).company).toBe('Other');
  });

  it('updates the contact of a known phone: given keys change, absent ones stay, null clears, groups and tags are added', async () => {
    await fresh();
    const number = nextPhone();
    await putTag(me.companyId, 1, 'a');
    await putTag(me.companyId, 2, 'b');
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
    const number = nextPhone();
    const first = contactOf(await me.post({ phone: number, name: 'Ana', custom: { a: 'b' } }));
    testApp.clock.advance(5_000);
    expect(contactOf(await me.post({ phone: number, name: 'Ana', custom: { a: 'b' } })).updated_at).toBe(first.updated_at);
  });

  it('stores the default of the consent, and source and time when it is set or changed', async () => {
    await fresh();
    const number = nextPhone();
    const consent = async () => {
      const item = (await testApp.dump()).find((each) => each['kind'] === 'contact' && each['p'] === number);
      return storedContact.parse(item).consent;
    };
    await me.post({ phone: number });
    const byDefault = { source: 'api', at: expect.any(Number), isDefault: true };
    expect(await consent()).toEqual(byDefault);
    await me.post({ phone: number, subscribed: true });
    expect(await consent()).toEqual(byDefault);
    await me.post({ phone: number, subscribed: false });
    const first = await consent();
    expect(first).toEqual({ source: 'api', at: expect.any(Number) });
    testApp.clock.advance(1_000);
    await me.post({ phone: number, subscribed: false, name: 'Ana' });
    expect(await consent()).toEqual(first);
  });

  it('creates one contact for many parallel calls, with the values of all of them', async () => {
    await fresh();
    const number = nextPhone();
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

  it('many different parallel calls for one phone all succeed', async () => {
    await fresh();
    const number = nextPhone();
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => me.post({ phone: number, name: `name ${i}` })));
    expect(new Set(answers.map((answer) => contactOf(answer).id)).size).toBe(1);
  });

  it('accepts group ids of the company, and creates one group per name ignoring case', async () => {
    await fresh();
    const [id = 0] = contactOf(await me.post({ phone: nextPhone(), groups: ['Straße'] })).groups.map((group) => group.id);
    expect(contactOf(await me.post({ phone: nextPhone(), groups: id })).groups).toEqual([{ id, name: 'Straße' }]);
    expect(contactOf(await me.post({ phone: nextPhone(), groups: [id, ' STRAße '] })).groups).toEqual([{ id, name: 'Straße' }]);
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
  ])('%j is rejected, naming %s, and creates nothing', async (body, field) => {
    await fresh();
    expect(refusalOf(await me.post(body))).toEqual([422, 'validation_failed', field]);
    expect(pageOf(await me.get('')).data).toEqual([]);
  });

  it('names every invalid reference at once, and creates no group or field for a rejected request', async () => {
    await fresh();
    const body = { phone: nextPhone(), groups: ['new', 77], tags: [88], custom: { fresh: 'x' } };
    expect(refusalOf(await me.post(body))).toEqual([422, 'validation_failed', 'groups', 'tags']);
    const mine = (await testApp.dump()).filter(
      (item) => String(item['pk']).startsWith(`C#${me.companyId}#`) && !String(item['pk']).endsWith('#REQUESTS'),
    );
    expect(mine).toEqual([]);
  });
});
