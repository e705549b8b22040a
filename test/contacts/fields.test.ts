import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureContact } from '../../functions/contacts/service/contacts.ts';
import { importRows } from '../../functions/contacts/service/imports/import-rows.ts';
import { fieldEntity } from '../../functions/contacts/store/field.ts';
import { isProblem } from '../../shared/contract/problems.ts';
import { credential } from '../support/credentials.ts';
import { type Caller, contactOf, type ContactsTestApp, newCompany, nextPhone, refusalOf, startContacts } from './support.ts';

let testApp: ContactsTestApp;
let me: Caller;
beforeAll(async () => {
  testApp = await startContacts();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  const companyId = newCompany();
  me = await testApp.as(companyId, await credential({ companyId, role: 'admin' }));
});

const send = (method: string, path: string, body?: unknown) =>
  testApp.call({ method, path: `/api/v1${path}`, token: me.token, ...(body === undefined ? {} : { body }) });
const data = async (method: string, path: string, body?: unknown) => {
  const answer = await send(method, path, body);
  expect([answer.status, answer.raw]).toEqual([200, answer.raw]);
  return (answer.body as { data: never }).data;
};

describe('custom fields', () => {
  it('are defined with typed checks, in order of position; values are then checked by type', async () => {
    expect(
      await data('POST', '/fields', { key: 'size', type: 'select', options: ['S', 'L'], default_value: 'S', position: 9 }),
    ).toMatchObject({ id: 1, key: 'size', name: 'size', is_active: true });
    await data('POST', '/fields', { key: 'age', name: 'Age', type: 'number', position: 1, required: true });
    expect(await data('GET', '/fields')).toMatchObject([{ key: 'age', required: true }, { key: 'size' }]);
    expect(refusalOf(await send('POST', '/fields', { key: 'size' }))).toEqual([422, 'validation_failed', 'key']);
    expect(refusalOf(await send('POST', '/fields', { key: '1x' }))).toEqual([422, 'validation_failed', 'key']);
    expect(refusalOf(await send('POST', '/fields', { key: 'a', type: 'select' }))).toEqual([422, 'validation_failed', 'options']);
    expect(refusalOf(await send('POST', '/fields', { key: 'a', options: ['x'] }))).toEqual([422, 'validation_failed', 'options']);
    expect(refusalOf(await send('POST', '/fields', { key: 'a', type: 'number', default_value: 'x' }))).toEqual([
      422,
      'validation_failed',
      'default_value',
    ]);
    expect(refusalOf(await send('PUT', '/fields/1', { options: ['M'] }))).toEqual([422, 'validation_failed', 'default_value']);
    expect(await data('PUT', '/fields/1', { options: ['M'], default_value: null })).toMatchObject({ options: ['M'], default_value: null });
    expect(refusalOf(await me.post({ phone: '+4915120000001', fields: { size: 'S' } }))).toEqual([422, 'validation_failed', 'fields.size']);
    contactOf(await me.post({ phone: '+4915120000001', fields: { size: 'M', age: '7' }, groups: ['g'] }));
    expect(await data('GET', '/contacts/1/groups-and-fields')).toMatchObject({
      groups: [{ id: 1, name: 'g' }],
      fields: { size: 'M', age: 7 },
      definitions: [{ key: 'age' }, { key: 'size' }],
    });
    expect(await data('DELETE', '/fields/2')).toEqual({ id: 2, deleted: true });
    expect((await send('PUT', '/fields/2', { name: 'x' })).status).toBe(404);
    expect((await send('GET', '/contacts/2/groups-and-fields')).status).toBe(404);
  });

  it('give new contacts their default, however created, and existing contacts nothing', async () => {
    contactOf(await me.post({ phone: '+4915120000001' }));
    await data('POST', '/fields', { key: 'size', type: 'select', options: ['S', 'L'], default_value: 'S' });
    await data('POST', '/fields', { key: 'old', default_value: 'x', is_active: false });
    expect(contactOf(await me.post({ phone: '+4915120000001', name: 'Ana' })).custom).toEqual({});
    expect(contactOf(await me.post({ phone: '+4915120000002' })).custom).toEqual({ size: 'S' });
    expect(contactOf(await me.post({ phone: '+4915120000003', fields: { size: 'L' } })).custom).toEqual({ size: 'L' });
    expect(contactOf(await me.post({ phone: '+4915120000004', fields: { size: null } })).custom).toEqual({});
    await data('POST', '/contacts/bulk-sync', { contacts: [{ phone: '+4915120000005' }] });
    expect(contactOf(await me.get('/5')).custom).toEqual({ size: 'S' });
    await importRows(me.companyId, [{ is: 'phone' }], [['+4915120000006']], testApp.clock.now());
    expect(contactOf(await me.get('/6')).custom).toEqual({ size: 'S' });
    const met = await ensureContact(me.companyId, { phone: '4915120000007', source: 'inbound' });
    expect(met).toMatchObject({ created: true, contact: { custom: { size: 'S' } } });
  });

  it('that are required cannot be omitted for a new contact or removed by a request; bulk lists and inbound senders are still accepted', async () => {
    contactOf(await me.post({ phone: '+4915120000001', fields: { other: '1' } }));
    await data('POST', '/fields', { key: 'plan', required: true });
    await data('POST', '/fields', { key: 'size', required: true, default_value: 'S' });
    expect(refusalOf(await me.post({ phone: '+4915120000002' }))).toEqual([422, 'validation_failed', 'fields.plan']);
    expect(refusalOf(await me.post({ phone: '+4915120000002', custom: { plan: null, size: null } }))).toEqual([
      422,
      'validation_failed',
      'fields.plan',
      'fields.size',
    ]);
    // a contact from before the definition stays unchanged until it has a value
    expect((await me.post({ phone: '+4915120000001', name: 'Ana' })).status).toBe(200);
    const { id } = contactOf(await me.post({ phone: '+4915120000002', fields: { plan: 'gold' } }));
    expect(refusalOf(await me.post({ phone: '+4915120000002', fields: { plan: null } }))).toEqual([
      422,
      'validation_failed',
      'fields.plan',
    ]);
    expect(refusalOf(await me.put(id, { phone: '+4915120000002', fields: { size: 'L' } }))).toEqual([
      422,
      'validation_failed',
      'fields.plan',
    ]);
    expect(contactOf(await me.put(id, { phone: '+4915120000002', name: 'No fields named' })).custom).toEqual({ plan: 'gold', size: 'S' });
    expect(await data('POST', '/contacts/bulk-sync', { contacts: [{ phone: '+4915120000003' }] })).toMatchObject({ created_count: 1 });
    expect(isProblem(await ensureContact(me.companyId, { phone: '4915120000004', source: 'inbound' }))).toBe(false);
    const rows = [
      ['+4915120000005', ''],
      ['+4915120000006', 'free'],
    ];
    const columns = [{ is: 'phone' }, { is: 'custom', key: 'plan' }] as const;
    expect(await importRows(me.companyId, columns, rows, testApp.clock.now())).toEqual([
      { is: 'failed', errors: [{ column: 'custom.plan', reason: 'Is required.' }] },
      { is: 'created' },
    ]);
  });

  it('that are inactive keep their values, which may be repeated or removed; new values are rejected', async () => {
    contactOf(await me.post({ phone: '+4915120000001', fields: { plan: 'gold', size: 'S' } }));
    const [{ id }] = (await data('GET', '/fields')) as [{ id: number }];
    await data('PUT', `/fields/${id}`, { is_active: false, required: true });
    const { custom } = contactOf(await me.get('/1'));
    expect(custom).toEqual({ plan: 'gold', size: 'S' });
    expect(contactOf(await me.put(1, { phone: '+4915120000001', custom })).custom).toEqual(custom);
    expect(refusalOf(await me.post({ phone: '+4915120000001', fields: { plan: 'silver' } }))).toEqual([
      422,
      'validation_failed',
      'fields.plan',
    ]);
    expect(refusalOf(await me.post({ phone: '+4915120000002', fields: { plan: 'gold' } }))).toEqual([
      422,
      'validation_failed',
      'fields.plan',
    ]);
    expect(contactOf(await me.post({ phone: '+4915120000001', fields: { plan: null } })).custom).toEqual({ size: 'S' });
    expect(contactOf(await me.post({ phone: '+4915120000003' })).custom).toEqual({});
  });

  it('checks values of defined fields by their type', async () => {
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
    expect(contactOf(await me.post({ phone: nextPhone(), fields: good })).custom).toEqual({
      ...good,
      number: 12.5,
      boolean: true,
      datetime: '2026-11-21T11:00:00.000000Z',
    });
    const bad = { number: 'x', date: '2027-02-29', datetime: 'soon', boolean: 'perhaps', select: 'z', url: 'ftp://x', email: 'nobody' };
    const [status, , ...fields] = refusalOf(await me.post({ phone: nextPhone(), fields: bad }));
    expect([status, new Set(fields)]).toEqual([422, new Set(Object.keys(bad).map((key) => `fields.${key}`))]);
  });

  it('defines at most 100 fields, and keeps a contact within its size', async () => {
    const fields = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${from + i}`, 'x'.repeat(600)]));
    expect((await me.post({ phone: nextPhone(), fields: fields(0, 100) })).status).toBe(200);
    expect(refusalOf(await me.post({ phone: nextPhone(), fields: fields(100, 1) }))).toEqual([422, 'validation_failed', 'fields.f100']);
    const large = Object.fromEntries(Object.keys(fields(0, 100)).map((key) => [key, 'é'.repeat(1_000)]));
    expect(refusalOf(await me.post({ phone: nextPhone(), fields: large }))).toEqual([422, 'validation_failed', 'custom']);
  });
});
