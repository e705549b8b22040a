import { afterAll, expect, test } from 'vitest';
import * as z from 'zod';
import { contactJob } from '../../functions/contacts/contract/job.ts';
import { contactRecord } from '../../functions/contacts/contract/contact.ts';
import { issueErpToken } from '../../functions/account/service/machine-tokens.ts';
import { startFixture } from '../campaigns/fixture.ts';
import { only } from '../messaging/fixture.ts';
import { unwrap } from '../support/company.ts';

/** A customer whose phone is hidden behind a user name, through everything that a company does with customers: by HTTP, with the provider's simulator. */
const fixture = await startFixture({ env: { SWITCHBOARD_LOCAL: '1' } });
afterAll(() => fixture.stop());
const { testApp } = fixture;

const phone = '4915112300001';
const id = z.looseObject({ id: z.int() });
const listed = z.looseObject({ id: z.int(), inbound: z.boolean().optional(), status: z.unknown(), value: z.string().nullable() });

test('a customer with a user name alone is exported, imported, filtered, written to, answered, and has a lead and an order: as one contact that loses nothing', async () => {
  const company = await fixture.campaigner();
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await testApp.call({
      method,
      path: `/api/v1${path}`,
      token: company.tokens.owner,
      ...(body === undefined ? {} : { body }),
    });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.raw}`);
    return (answer.body as { data: unknown }).data;
  };
  const contacts = async () => z.array(contactRecord).parse(await call('GET', '/contacts'));
  const isNamed = { match: 'all', rules: [{ field: 'username', op: 'eq', value: 'ana.sol' }] };
  await fixture.control('PUT', 'users', { phone, username: 'ana.sol' });
  const write = async (more: Record<string, unknown>) => {
    await fixture.inbound({ company_id: company.id, from: phone, name: 'Ana Sol', ...more });
    await fixture.deliverAll();
  };

  // writes: no phone comes
  await write({ text: 'Do you have cakes?' });
  const contact = only(await contacts());
  const userId = contact.user_id ?? '';
  expect(contact).toMatchObject({ name: 'Ana Sol', phone: '', username: 'ana.sol', reachable_by: 'user_id' });

  // is exported by a filter, and read back with a group
  const job = id.parse(await call('POST', '/contact-jobs', { filter: isNamed, export: 'csv' }));
  await testApp.drain();
  const done = contactJob.parse(await call('GET', `/contact-jobs/${job.id}`));
  const file = await (await fetch(only(done.files).url)).text();
  expect(file).toContain(userId);
  const [titles = '', row = ''] = file.trim().split(/\r?\n/);
  expect(titles).toMatch(/\bcity\b/);
  const changed = `user_id,city\n${userId},Lima\n`;
  for (const text of [`${titles}\n${row}\n`, changed]) {
    const created = z
      .object({ id: z.int(), upload: z.object({ url: z.string(), headers: z.record(z.string(), z.string()) }) })
      .parse(await call('POST', '/contacts/imports', { filename: 'people.csv', size: Buffer.byteLength(text) }));
    await fetch(created.upload.url, { method: 'PUT', headers: created.upload.headers, body: text });
    await call('POST', `/contacts/imports/${created.id}/start`);
    await testApp.drain();
    expect(await call('GET', `/contacts/imports/${created.id}`)).toMatchObject({
      status: 'completed',
      progress: { created: 0, failed: 0 },
    });
  }
  expect(only(await contacts())).toMatchObject({ id: contact.id, city: 'Lima', username: 'ana.sol' });

  // is the audience of a campaign by a filter, and answered
  const segment = id.parse(await call('POST', '/segments', { name: 'Named', filter: isNamed }));
  const campaign = await fixture.create(company, {
    name: 'Sale',
    audience_type: 'segment',
    segment_id: segment.id,
    template_id: fixture.templateId(company, 'sale'),
    parammatch: { 1: 'username' },
    paramvalues: { 1: 'friend' },
  });
  await testApp.drain();
  await fixture.deliverAll();
  expect((await fixture.counted(company, campaign)).byStats).toMatchObject({ read: 1, failed: 0 });
  await call('POST', '/messages/text', { contact_id: contact.id, message: 'We do.', window_policy: 'enforce' });
  await fixture.deliverAll();
  const sent = (await fixture.ledger()).map(({ to, type }) => [to, type]);
  expect(sent).toEqual([
    [userId, 'template'],
    [userId, 'text'],
  ]);

  // has a lead, and orders in the chat
  const pipeline = id.parse(await call('POST', '/crm/pipelines', { template: 'simple' }));
  const lead = id.parse(
    await call('POST', '/crm/leads', {
      contact_id: contact.id,
      pipeline_id: pipeline.id,
      title: 'A cake',
      creation_key: '3f0c6f0e-6a0f-4a6e-9b0e-3f6c0d6f0e6b',
    }),
  );
  await write({ type: 'order', order: { catalog_id: '1', product_items: [{ product_retailer_id: 'cake-1', quantity: 1 }] } });

  // shares the phone on request, with which a shop names the same customer
  const card = { origin: 'contact_request', name: { formatted_name: 'Ana Sol' }, phones: [{ phone: `+${phone}`, wa_id: phone }] };
  await write({ type: 'contacts', contacts: [card] });
  const erp = unwrap(await issueErpToken(company.id, {})).secret;
  const placed = { order_number: 'A-1', customer_name: 'Ana Sol', customer_phone: `+${phone}`, total_amount: 10 };
  await testApp.call({ method: 'POST', path: `/shop/webhooks/custom/${erp}`, body: { event: 'order.placed', data: placed } });
  await testApp.drain();
  const order = only(z.array(z.looseObject({ contact_id: z.int().nullable() })).parse(await call('GET', '/shop/orders')));
  expect(order.contact_id).toBe(contact.id);

  expect(only(await contacts())).toMatchObject({
    id: contact.id,
    phone,
    user_id: userId,
    username: 'ana.sol',
    reachable_by: 'phone',
    city: 'Lima',
  });
  expect(await call('GET', `/crm/leads/${lead.id}`)).toMatchObject({ contact: { id: contact.id, phone } });
  const messages = z.array(listed).parse(await call('GET', `/conversations/${contact.id}/messages`));
  expect(messages).toHaveLength(5);
  await call('POST', '/messages/text', { contact_id: contact.id, message: 'Thank you.' });
  await fixture.deliverAll();
  expect((await fixture.ledger(phone)).map(({ type }) => type)).toEqual(['text']);
});
