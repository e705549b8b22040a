import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeStreamContext } from '../../functions/app.ts';
import { ensureSender } from '../../functions/contacts/service/ensure-sender.ts';
import type { Answer } from '../support/gateway-event.ts';
import { onTable } from '../support/sdk-hooks.ts';
import { type Caller, contactOf, type ContactsTestApp, newCompany, pageOf, refusalOf, startContacts } from './support.ts';

let testApp: ContactsTestApp;
let me: Caller;
beforeAll(async () => {
  testApp = await startContacts([changeStreamContext]);
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  me = await testApp.as(newCompany());
});

const send = (method: string, path: string, body?: unknown) =>
  testApp.call({ method, path: `/api/v1${path}`, token: me.token, ...(body === undefined ? {} : { body }) });
const data = async (method: string, path: string, body?: unknown) => {
  const answer = await send(method, path, body);
  expect([answer.status, answer.raw]).toEqual([200, answer.raw]);
  return (answer.body as { data: never }).data;
};
const counts = async (): Promise<number[]> => {
  await testApp.drain();
  const { data: groups } = (await data('GET', '/groups')) as { data: { contacts_count: number }[] };
  return groups.map(({ contacts_count }) => contacts_count);
};

describe('groups', () => {
  it('are listed with live counts, and with their newest 100 contacts when asked', async () => {
    await data('POST', '/groups', { name: ' Leads ' });
    await data('POST', '/groups', { name: 'Empty' });
    await data('POST', '/contacts/bulk-sync', {
      contacts: Array.from({ length: 130 }, (_, i) => ({ phone: `+4915120000${100 + i}` })),
      group_id: 1,
    });
    expect(await counts()).toEqual([130, 0]);
    expect(await data('GET', '/groups?limit=1')).toMatchObject({
      current_page: 1,
      total: 2,
      per_page: 1,
      last_page: 2,
      data: [{ id: 1, name: 'Leads' }],
    });
    const shown = (await data('GET', '/groups?showContacts=yes')) as {
      data: { contacts: { id: number }[]; contacts_truncated: boolean }[];
    };
    expect(shown.data.map(({ contacts, contacts_truncated }) => [contacts.length, contacts[0]?.id, contacts_truncated])).toEqual([
      [100, 130, true],
      [0, undefined, false],
    ]);
    const { next_cursor } = (await data('GET', '/groups?limit=1')) as { next_cursor: string };
    expect(await data('GET', `/groups?limit=1&cursor=${next_cursor}`)).toMatchObject({ data: [{ id: 2 }], next_cursor: null });
  });

  it('counts follow joining, leaving, deletion and restoration', async () => {
    const { id } = contactOf(await me.post({ phone: '+4915120000001', groups: ['a', 'b'] }));
    contactOf(await me.post({ phone: '+4915120000002', groups: ['b'] }));
    expect(await counts()).toEqual([1, 2]);
    await me.put(id, { phone: '+4915120000001', groups: ['b'] });
    expect(await counts()).toEqual([0, 2]);
    await me.delete(id);
    expect(await counts()).toEqual([0, 1]);
    await me.post({ phone: '+4915120000001' });
    expect(await counts()).toEqual([0, 1]);
  });

  it('have unique names ignoring case, also after a rename; the name of a deleted group is free', async () => {
    await data('POST', '/groups', { name: 'Straße' });
    await data('POST', '/groups', { name: 'Other' });
    expect(refusalOf(await send('POST', '/groups', { name: 'straße' }))).toEqual([422, 'validation_failed', 'name']);
    expect(refusalOf(await send('PUT', '/groups/2', { name: 'STRAßE' }))).toEqual([422, 'validation_failed', 'name']);
    expect(await data('PUT', '/groups/1', { name: 'STRAßE' })).toMatchObject({ id: 1, name: 'STRAßE' });
    expect(await data('PUT', '/groups/1', { name: 'New' })).toMatchObject({ id: 1, name: 'New' });
    expect(await data('POST', '/groups', { name: 'straße' })).toMatchObject({ name: 'straße' });
    await data('DELETE', '/groups/1');
    expect(await data('POST', '/groups', { name: 'new' })).toMatchObject({ name: 'new' });
    for (const name of ['', ' ', 'x'.repeat(101), 5])
      expect(refusalOf(await send('POST', '/groups', { name }))).toEqual([422, 'validation_failed', 'name']);
  });

  it('are named by a text that is their id, as forms and files send it, unless another group has it as its name', async () => {
    const first = (await data('POST', '/groups', { name: 'Leads' })) as { id: number };
    const second = (await data('POST', '/groups', { name: 'Regulars' })) as { id: number };
    const numbered = (await data('POST', '/groups', { name: String(first.id) })) as { id: number };
    const idsOf = (answer: Answer): number[] => contactOf(answer).groups.map(({ id }) => id);
    // the name wins over the id
    expect(idsOf(await me.post({ phone: '+4915120000001', groups: String(first.id) }))).toEqual([numbered.id]);
    expect(idsOf(await me.post({ phone: '+4915120000002', groups: `${second.id}, leads` }))).toEqual([first.id, second.id]);
    const third = await me.post({ phone: '+4915120000003', groups: [String(second.id), first.id, '987654', '07'] });
    expect(contactOf(third).groups.map(({ name }) => name)).toEqual(['Leads', 'Regulars', '987654', '07']);
    const { id } = contactOf(third);
    expect(idsOf(await me.patch(id, { remove_groups: `${second.id},987654` }))).toEqual([first.id, expect.any(Number)]);
    const change = { remove_groups: ['07'], add_groups: [String(second.id)] };
    await data('POST', '/contact-jobs', { contact_ids: [id], change });
    await testApp.drain();
    expect(idsOf(await me.get(`/${id}`))).toEqual([first.id, second.id]);
  });

  it('deleting one removes it from its contacts everywhere, and its id is never reused', async () => {
    const { id } = contactOf(await me.post({ phone: '+4915120000001', groups: ['gone', 'stays'] }));
    await testApp.drain();
    expect(await data('DELETE', '/groups/1')).toEqual({ id: 1, deleted: true });
    expect(contactOf(await me.get(`/${id}`)).groups).toEqual([{ id: 2, name: 'stays' }]);
    expect(pageOf(await me.get('?group_id=1')).data).toEqual([]);
    expect(refusalOf(await me.post({ phone: '+4915120000001', groups: [1] }))).toEqual([422, 'validation_failed', 'groups']);
    expect((await send('DELETE', '/groups/1')).status).toBe(404);
    expect((await send('PUT', '/groups/1', { name: 'x' })).status).toBe(404);
    expect(contactOf(await me.post({ phone: '+4915120000001', groups: ['gone'] })).groups.map((group) => group.id)).not.toContain(1);
    await testApp.drain();
  });

  it.each([
    ['the first contact joined', 1],
    ['a further contact joined', 2],
  ])('one can be deleted at any moment after %s, and no projection restores it', async (_, contacts) => {
    for (let n = 1; n < contacts; n++) await me.post({ phone: `+491512000000${n}`, groups: ['gone'] });
    await testApp.drain();
    let moments = 0;
    for (const moment of ['before', 'after'] as const)
      for (let call = 1, isReached = true; isReached; call++) {
        testApp.clock.advance(60_000);
        const { id } = contactOf(await me.post({ phone: '+4915120000009', groups: [`gone ${moment} ${call}`, 'gone'] }));
        const [group, joined] = contactOf(await me.get(`/${id}`)).groups.toSorted((a, b) => b.id - a.id);
        let calls = 0;
        let deleted: Answer[] = [];
        using _deletion = onTable(async ({ command, when }) => {
          if (/Put|Update|Transact|Statement/.test(command) && when === moment && ++calls === call)
            deleted = [await send('DELETE', `/groups/${group?.id}`), await send('DELETE', `/groups/${joined?.id}`)];
        });
        await testApp.drain();
        isReached = deleted.length > 0;
        if (isReached) moments++;
        calls = Number.NEGATIVE_INFINITY;
        if (!isReached) deleted = [await send('DELETE', `/groups/${group?.id}`), await send('DELETE', `/groups/${joined?.id}`)];
        expect([deleted.map(({ status }) => status), deleted.map(({ raw }) => raw)]).toEqual([[200, 200], expect.anything()]);
        await testApp.drain();
        expect(await data('GET', '/groups?showContacts=yes')).toMatchObject({ data: [] });
        for (const each of [group, joined]) {
          expect((await send('DELETE', `/groups/${each?.id}`)).status).toBe(404);
          expect(pageOf(await me.get(`?group_id=${each?.id}`)).data).toEqual([]);
        }
        await me.delete(id);
        await testApp.drain();
      }
    // the projections of one change are written in one request
    expect(moments).toBeGreaterThan(1);
  });
});

describe('tags', () => {
  it('are created, updated, listed and deleted; names are unique ignoring case', async () => {
    expect(await data('POST', '/tags', { name: 'VIP', color: '#00ff00' })).toEqual({ id: 1, name: 'VIP', color: '#00ff00' });
    expect(await data('POST', '/tags', { name: 'West' })).toEqual({ id: 2, name: 'West', color: '#6B7280' });
    expect(refusalOf(await send('POST', '/tags', { name: 'vip' }))).toEqual([422, 'validation_failed', 'name']);
    expect(refusalOf(await send('POST', '/tags', { name: 'x', color: 'red' }))).toEqual([422, 'validation_failed', 'color']);
    expect(refusalOf(await send('PUT', '/tags/1', {}))).toEqual([422, 'validation_failed', 'name']);
    expect(refusalOf(await send('PUT', '/tags/2', { name: 'VIP' }))).toEqual([422, 'validation_failed', 'name']);
    expect(await data('PUT', '/tags/1', { name: 'vip' })).toMatchObject({ name: 'vip', color: '#00ff00' });
    expect(await data('PUT', '/tags/1', { color: '#0000FF' })).toEqual({ id: 1, name: 'vip', color: '#0000FF' });
    contactOf(await me.post({ phone: '+4915120000001', tags: [1, 2] }));
    expect(await data('DELETE', '/tags/1')).toEqual({ id: 1, deleted: true });
    expect(await data('GET', '/tags')).toEqual([{ id: 2, name: 'West', color: '#6B7280' }]);
    expect(contactOf(await me.get('/1')).tags).toEqual([{ id: 2, name: 'West', color: '#6B7280' }]);
    expect((await send('DELETE', '/tags/1')).status).toBe(404);
  });
});

describe('a sender with a provider user id', () => {
  const met = async (contact: Parameters<typeof ensureSender>[1]) => (await ensureSender(me.companyId, contact)).contactId;

  it('is one contact by user id, gets the phone, and is then found by both', async () => {
    const first = await met({ userId: 'US.1', name: 'Ana' });
    expect(contactOf(await me.get(`/${first}`))).toMatchObject({ phone: '', name: 'Ana', is_on_whatsapp: true });
    expect(await met({ userId: 'US.1' })).toBe(first);
    expect(await met({ userId: 'US.1', phone: '4915120000001' })).toBe(first);
    expect(contactOf(await me.post({ phone: '+4915120000001' }))).toMatchObject({ id: first, country: 'Germany' });
    const all = await Promise.all(Array.from({ length: 10 }, () => met({ userId: 'US.2' })));
    expect(new Set(all).size).toBe(1);
  });

  it('with one contact by phone and another by user id becomes the contact with the phone, found by both from then on', async () => {
    const { id } = contactOf(await me.post({ phone: '+4915120000001' }));
    const other = await met({ userId: 'US.1' });
    expect(await met({ phone: '4915120000001', userId: 'US.1' })).toBe(id);
    expect(other).not.toBe(id);
    expect(await met({ userId: 'US.1' })).toBe(id);
    expect(contactOf(await me.get(`/${other}`))).toMatchObject({ id, phone: '4915120000001', name: null });
  });
});

it('countries are listed with the values for country_id', async () => {
  const countries: { id: number; name: string; code: string }[] = await data('GET', '/countries');
  expect(countries).toContainEqual({ id: 356, name: 'India', code: 'IN' });
  expect(countries.length).toBeGreaterThan(240);
});
