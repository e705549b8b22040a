import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { changeStreamContext } from '../../functions/app.ts';
import { setConsent } from '../../functions/contacts/service/consent.ts';
import { type Caller, contactOf, newCompany, nextPhone, pageOf, refusalOf, startContacts } from './support.ts';

const testApp = await startContacts([changeStreamContext]);
afterAll(() => testApp.stop());

let me: Caller;
const fresh = async (): Promise<Caller> => (me = await testApp.as(newCompany()));

describe('PATCH /contacts/{id}', () => {
  it('adds and removes single groups and tags, changes the given fields and keeps all others', async () => {
    await fresh();
    const { id } = contactOf(await me.post({ phone: nextPhone(), name: 'Ana', city: 'Pune', groups: ['one', 'two'], custom: { a: '1' } }));
    const patched = contactOf(await me.patch(id, { add_groups: ['three'], remove_groups: ['ONE', 'unknown'], city: null }));
    expect(patched).toMatchObject({ name: 'Ana', city: null, custom: { a: '1' }, groups: [{ name: 'two' }, { name: 'three' }] });
    const [two] = patched.groups;
    expect(contactOf(await me.patch(id, { remove_groups: [two?.id], custom: { b: '2' } }))).toMatchObject({
      groups: [{ name: 'three' }],
      custom: { a: '1', b: '2' },
    });
    const before = contactOf(await me.patch(id, { add_groups: ['three'] }));
    expect(contactOf(await me.patch(id, { add_groups: ['three'], remove_groups: [] }))).toEqual(before);
    expect(refusalOf(await me.patch(id, { add_tags: [999] }))).toEqual([422, 'validation_failed', 'add_tags']);
    expect(refusalOf(await me.patch(id, { add_groups: [999] }))).toEqual([422, 'validation_failed', 'add_groups']);
    expect((await me.patch(id + 1_000, { name: 'Bo' })).status).toBe(404);
  });

  it('twenty groups added and twenty removed at once are all there, and all gone', async () => {
    await fresh();
    const names = Array.from({ length: 20 }, (_, n) => `group ${n}`);
    const { id } = contactOf(await me.post({ phone: nextPhone(), groups: names.map((name) => `old ${name}`) }));
    await Promise.all(names.map((name) => me.patch(id, { add_groups: [name], remove_groups: [`old ${name}`] })));
    const { groups } = contactOf(await me.get(`/${id}`));
    expect(groups.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });
});

const consentPage = z.object({ data: z.array(z.unknown()), meta: z.object({ next_cursor: z.string().nullable() }) });

describe('GET /contacts/{id}/consents', () => {
  it('has every change, newest first, by the API and by the recipient, once each and with its proof', async () => {
    await fresh();
    const { id } = contactOf(await me.post({ phone: nextPhone(), subscribed: true }));
    const history = async () => {
      await testApp.drain();
      return (await me.get(`/${id}/consents`)).body as { data: Record<string, unknown>[] };
    };
    const entry = (subscribed: boolean, source: string, evidence: string | null = null) => ({
      scope: 'all',
      subscribed,
      source,
      evidence,
      at: expect.any(String),
    });
    expect((await history()).data).toEqual([entry(true, 'api')]);
    const later = () => {
      testApp.clock.advance(1_000);
      return testApp.clock.now();
    };
    await setConsent(me.companyId, id, { subscribed: false, source: 'keyword', at: later(), evidence: 'wamid.1' });
    expect((await history()).data).toEqual([entry(false, 'keyword', 'wamid.1'), entry(true, 'api')]);
    later();
    await me.patch(id, { subscribed: true });
    later();
    await me.patch(id, { subscribed: false });
    await me.patch(id, { subscribed: false, name: 'Ana' });
    const all = [entry(false, 'api'), entry(true, 'api'), entry(false, 'keyword', 'wamid.1'), entry(true, 'api')];
    expect((await history()).data).toEqual(all);
    await setConsent(me.companyId, id, { marketingBlocked: true, source: 'provider', at: later(), evidence: 'notice' });
    expect((await history()).data).toEqual([{ ...entry(false, 'provider', 'notice'), scope: 'marketing' }, ...all]);
    // a page at a time, the same changes
    const paged: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data, meta } = consentPage.parse((await me.get(`/${id}/consents?limit=2${cursor && `&cursor=${cursor}`}`)).body);
      expect(data.length).toBeLessThanOrEqual(2);
      paged.push(...data);
      cursor = meta.next_cursor;
    }
    expect(paged).toEqual((await history()).data);
    expect((await me.get(`/${id}/consents?cursor=made-up`)).body).toMatchObject({ code: 'invalid_cursor' });
    expect((await me.get(`/${id + 1_000}/consents`)).status).toBe(404);
  });
});

describe('PUT /contacts/{id}', () => {
  it('clears plain fields that are omitted, replaces given groups, tags and custom fields, and keeps consent and bot', async () => {
    await fresh();
    const number = nextPhone();
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

  it('changes the phone: the former one is free, the new one finds the contact', async () => {
    await fresh();
    const [old, next] = [nextPhone(), nextPhone()];
    const { id } = contactOf(await me.post({ phone: old }));
    expect(contactOf(await me.put(id, { phone: next }))).toMatchObject({ id, phone: next });
    expect(contactOf(await me.post({ phone: next }))).toMatchObject({ id, created: false });
    expect(contactOf(await me.post({ phone: old }))).toMatchObject({ created: true });
  });

  it('accepts another variant of its own phone', async () => {
    await fresh();
    const { id } = contactOf(await me.post({ phone: '5215512345678' }));
    expect(contactOf(await me.put(id, { phone: '525512345678' })).phone).toBe('525512345678');
    expect(contactOf(await me.post({ phone: '5215512345678' })).id).toBe(id);
  });

  it('rejects the phone of another contact and changes nothing', async () => {
    await fresh();
    const [mine, theirs] = [nextPhone(), nextPhone()];
    const { id } = contactOf(await me.post({ phone: mine, name: 'Ana' }));
    await me.post({ phone: theirs });
    expect(refusalOf(await me.put(id, { phone: theirs, name: 'Bo' }))).toEqual([422, 'validation_failed', 'phone']);
    expect(contactOf(await me.get(`/${id}`))).toMatchObject({ phone: mine, name: 'Ana' });
  });

  it('gives a phone to one of two contacts that request it in parallel', async () => {
    await fresh();
    const wanted = nextPhone();
    const ids = [contactOf(await me.post({ phone: nextPhone() })).id, contactOf(await me.post({ phone: nextPhone() })).id];
    const statuses = (await Promise.all(ids.map((id) => me.put(id, { phone: wanted })))).map((answer) => answer.status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 422]);
  });

  it('requires a phone', async () => {
    await fresh();
    const { id } = contactOf(await me.post({ phone: nextPhone() }));
    expect(refusalOf(await me.put(id, { name: 'x' }))).toEqual([422, 'validation_failed', 'phone']);
  });
});

describe('DELETE /contacts/{id}', () => {
  it('hides the contact everywhere; a second delete is 404', async () => {
    await fresh();
    const { id } = contactOf(await me.post({ phone: nextPhone() }));
    const answer = await me.delete(id);
    expect([answer.status, answer.body]).toEqual([200, { status: 'success', message: expect.any(String), data: { id, deleted: true } }]);
    expect((await me.get(`/${id}`)).status).toBe(404);
    expect((await me.put(id, { phone: nextPhone() })).status).toBe(404);
    expect((await me.delete(id)).status).toBe(404);
    expect(pageOf(await me.get('')).data).toEqual([]);
  });

  it('a POST of the phone restores the contact with its values, outside its groups, and never subscribed again', async () => {
    await fresh();
    const number = nextPhone();
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
    testApp.clock.advance(31 * 86_400_000);
    expect(contactOf(await me.post({ phone: number }))).toMatchObject({ id: before.id, created: false });
  });

  it('after 30 days the phone creates a new contact', async () => {
    await fresh();
    const number = nextPhone();
    const { id } = contactOf(await me.post({ phone: number }));
    await me.delete(id);
    testApp.clock.advance(31 * 86_400_000);
    const again = contactOf(await me.post({ phone: number }));
    expect(again.created).toBe(true);
    expect(again.id).toBeGreaterThan(id);
  });

  it('another contact may get the phone of a deleted one', async () => {
    await fresh();
    const freed = nextPhone();
    const gone = contactOf(await me.post({ phone: freed })).id;
    const { id } = contactOf(await me.post({ phone: nextPhone() }));
    await me.delete(gone);
    expect(contactOf(await me.put(id, { phone: freed })).phone).toBe(freed);
    expect(contactOf(await me.post({ phone: freed })).id).toBe(id);
  });

  it('one of several parallel deletes succeeds', async () => {
    await fresh();
    const { id } = contactOf(await me.post({ phone: nextPhone() }));
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => me.delete(id)))).map((answer) => answer.status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404]);
  });
});
