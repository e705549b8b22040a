import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { contactRecord } from '../../functions/contacts/contract/contact.ts';
import { exportContacts } from '../../functions/contacts/service/export-contacts.ts';
import { createPipeline } from '../../functions/crm/service/pipelines.ts';
import { csvLine } from '../../shared/runtime/csv-line.ts';
import { newCompany, providerEnvelope, providerPost, type TestCompany, unwrap } from '../support/company.ts';
import { inboundOf, only, startFixture } from './fixture.ts';

/** Customers who hide their phone behind a user name: to the company they are customers like any other. */
const fixture = await startFixture({ env: { SWITCHBOARD_LOCAL: '1' } });
afterAll(() => fixture.stop());
const { testApp } = fixture;
const { nextPhone } = inboundOf(fixture);

let posted = 0;
/** What the provider posts of a customer with a user name; `phone` only where it may be shown. */
const write = async (
  company: TestCompany,
  { userId, username, phone, at = 1_790_000_000 }: { userId: string; username?: string; phone?: string; at?: number },
): Promise<void> => {
  const message = {
    id: `wamid.name.${++posted}`,
    from: phone,
    from_user_id: userId,
    timestamp: String(at),
    type: 'text',
    text: { body: 'Hi' },
  };
  const contacts = [{ wa_id: phone, user_id: userId, profile: { name: 'Ana Sol', username } }];
  await testApp.call(providerPost(company, providerEnvelope(company, { contacts, messages: [message] })));
  await testApp.drain();
};
const list = async (company: TestCompany, query: Record<string, string> = {}) => {
  const answer = await testApp.call({ method: 'GET', path: '/api/v1/contacts', query, token: company.tokens.member });
  return z.object({ data: z.array(contactRecord) }).parse(answer.body).data;
};
const rule = (field: string, op: string, value?: string): Record<string, string> => ({
  filter_condition: JSON.stringify({ match: 'all', rules: [{ field, op, value }] }),
});

describe('a customer with a user name', () => {
  test('shows by user id and name, with or without a phone', async () => {
    const company = await newCompany({ roles: ['member'] });
    await write(company, { userId: 'US.1111111111', username: 'ana.sol' });
    expect(only(await list(company))).toMatchObject({
      name: 'Ana Sol',
      phone: '',
      user_id: 'US.1111111111',
      username: 'ana.sol',
      reachable_by: 'user_id',
    });
    const phone = nextPhone();
    await write(company, { userId: 'US.1111111111', username: 'ana.sol', phone });
    expect(only(await list(company))).toMatchObject({ phone, username: 'ana.sol', reachable_by: 'phone' });
  });

  test.each([{ phone: false }, { phone: true }])(
    'has the name that it had last, whatever comes late or twice (phone: $phone)',
    async (by) => {
      const company = await newCompany({ roles: ['member'] });
      const phone = nextPhone();
      const as = { userId: 'US.2222222222', ...(by.phone ? { phone } : {}) };
      await write(company, { ...as, username: 'first', at: 1_790_000_000 });
      await write(company, { ...as, username: 'third', at: 1_790_000_200 });
      await write(company, { ...as, username: 'second', at: 1_790_000_100 });
      await write(company, { ...as, username: 'third', at: 1_790_000_200 });
      await write(company, { ...as, at: 1_790_000_300 });
      expect(only(await list(company))).toMatchObject({ username: 'third' });
    },
  );

  test('is found by a part of the name after an @, by the whole user id, and by filters', async () => {
    const company = await newCompany({ roles: ['member'] });
    await write(company, { userId: 'US.3333333333', username: 'Ana.Sol' });
    await write(company, { userId: 'US.4444444444', username: 'ben', phone: nextPhone() });
    const found = async (query: Record<string, string>) => (await list(company, query)).map(({ username }) => username);
    expect(await found({ search: '@ana' })).toEqual(['Ana.Sol']);
    expect(await found({ search: '@ben' })).toEqual(['ben']);
    expect(await found({ search: 'US.3333333333' })).toEqual(['Ana.Sol']);
    expect(await found({ search: 'US.33333333' })).toEqual([]);
    expect(await found(rule('username', 'eq', 'ana.sol'))).toEqual(['Ana.Sol']);
    expect(await found(rule('user_id', 'is_set'))).toHaveLength(2);
    expect(await found(rule('phone', 'is_not_set'))).toEqual(['Ana.Sol']);
  });

  test('is answered by contact or by user id, and has leads: none of it names a phone', async () => {
    const company = await fixture.company({ roles: ['member'] });
    const call = (method: string, path: string, body?: Record<string, unknown>) =>
      testApp.call({ method, path: `/api/v1${path}`, token: company.tokens.member, ...(body ? { body } : {}) });
    const userId = 'US.9191919191';
    await write(company, { userId, username: 'ana', at: Math.floor(testApp.clock.now() / 1_000) });
    const { id } = only(await list(company));
    for (const to of [{ contact_id: id }, { user_id: userId }]) {
      const sent = await call('POST', '/messages/text', { ...to, message: 'Hello', window_policy: 'enforce' });
      expect([sent.status, sent.raw]).toEqual([200, expect.any(String)]);
    }
    await testApp.drain();
    expect((await fixture.ledger()).filter(({ to }) => to === userId)).toHaveLength(2);
    const pipeline = unwrap(await createPipeline(company.id, { template: 'simple' }));
    const lead = await call('POST', '/crm/leads', {
      contact_id: id,
      pipeline_id: pipeline.id,
      title: 'A cake',
      creation_key: '3f0c6f0e-6a0f-4a6e-9b0e-3f6c0d6f0e6a',
    });
    expect(lead).toMatchObject({ status: 200, body: { data: { contact: { id, name: 'Ana Sol', phone: '' } } } });
    await testApp.drain();
    expect((await call('GET', '/conversations')).body).toMatchObject({ data: [{ contact: { id, phone: '' } }] });
  });

  test('that an unsigned post names changes no name', async () => {
    const company = await newCompany({ roles: ['member'], appSecret: null });
    await write(company, { userId: 'US.5555555555', username: 'ana' });
    await write(company, { userId: 'US.5555555555', username: 'mallory', at: 1_790_000_500 });
    expect(only(await list(company)).username).not.toBe('mallory');
  });
});

describe('a file of contacts', () => {
  const imported = async (company: TestCompany, file: string) => {
    const call = (method: string, path: string, body?: unknown) =>
      testApp.call({
        method,
        path: `/api/v1/contacts/imports${path}`,
        token: company.tokens.member,
        ...(body === undefined ? {} : { body }),
      });
    const job = z
      .object({ data: z.object({ id: z.int(), upload: z.object({ url: z.string(), headers: z.record(z.string(), z.string()) }) }) })
      .parse((await call('POST', '', { filename: 'people.csv', size: Buffer.byteLength(file) })).body).data;
    const put = await fetch(job.upload.url, { method: 'PUT', headers: job.upload.headers, body: Buffer.from(file) });
    expect(put.status).toBe(200);
    const preview = (await call('GET', `/${job.id}/preview`)).body;
    await call('POST', `/${job.id}/start`);
    await testApp.drain();
    return { preview, job: (await call('GET', `/${job.id}`)).body };
  };

  test('that was exported is read back, and changes who has no phone by the user id', async () => {
    const company = await newCompany({ roles: ['member'] });
    await write(company, { userId: 'US.6666666666', username: 'ana' });
    await write(company, { userId: 'US.7777777777', username: 'ben', phone: nextPhone() });
    let text = '';
    for await (const part of exportContacts(company.id)) text += part.text;
    expect(text).toContain('user_id,username,reachable_by');
    expect((await imported(company, text)).job).toMatchObject({
      data: { status: 'completed', progress: { rows: 2, unchanged: 2, failed: 0 } },
    });

    const rows = [
      ['user_id', 'city', 'groups', 'subscribed'],
      ['US.6666666666', 'Lima', 'VIP', 'false'],
      ['US.7777777777', 'Quito', 'VIP', ''],
      ['US.6666666666', 'Cusco', 'Friends', ''],
      ['US.8888888888', 'Bogota', '', ''],
    ];
    const { preview, job } = await imported(company, rows.map((row) => csvLine(row)).join(''));
    expect(preview).toMatchObject({
      data: {
        rows: [
          { becomes: 'updated' },
          { becomes: 'updated' },
          { becomes: 'updated' },
          { becomes: 'failed', reasons: expect.stringContaining('user id') },
        ],
      },
    });
    expect(job).toMatchObject({ data: { progress: { rows: 4, created: 0, updated: 3, failed: 1 } } });
    const [second, first] = await list(company);
    expect(first).toMatchObject({
      username: 'ana',
      city: 'Cusco',
      subscribed: false,
      phone: '',
      groups: expect.arrayContaining([expect.objectContaining({ name: 'VIP' }), expect.objectContaining({ name: 'Friends' })]),
    });
    expect(second).toMatchObject({ username: 'ben', city: 'Quito', groups: [{ name: 'VIP' }] });
    expect(await list(company)).toHaveLength(2);
  });
});
