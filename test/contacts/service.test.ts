import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contactCards, contactExists, contactIdByPhone, ensureContact } from '../../functions/contacts/service/contacts.ts';
import { ensureSender } from '../../functions/contacts/service/ensure-sender.ts';
import { contactIdOf } from '../support/contact-id.ts';
import { isProblem } from '../../shared/contract/problems.ts';
import { type Caller, contactOf, type ContactsTestApp, newCompany, startContacts } from './support.ts';

let testApp: ContactsTestApp;
beforeAll(async () => {
  testApp = await startContacts();
});
afterAll(() => testApp.stop());

const ensured = async (...args: Parameters<typeof ensureContact>) => {
  const outcome = await ensureContact(...args);
  if (isProblem(outcome)) throw new Error(outcome.problem);
  return outcome;
};
const fresh = (): Promise<Caller> => testApp.as(newCompany());

describe('ensureContact', () => {
  it('creates a contact for an inbound sender, with the profile name, known to be on WhatsApp', async () => {
    const me = await fresh();
    const { contact, created } = await ensured(me.companyId, { phone: '919876543210', name: ' Ana ', source: 'inbound' });
    expect(created).toBe(true);
    expect(contactOf(await me.get(`/${contact.id}`))).toMatchObject({
      name: 'Ana',
      is_on_whatsapp: true,
      subscribed: true,
      country: 'India',
    });
  });

  it('sets a name only if there is none', async () => {
    const me = await fresh();
    const phone = '919876543210';
    await ensured(me.companyId, { phone, source: 'api' });
    expect((await ensured(me.companyId, { phone, name: 'Ana', source: 'inbound' })).contact.name).toBe('Ana');
    expect((await ensured(me.companyId, { phone, name: 'Bo', source: 'inbound' })).contact.name).toBe('Ana');
  });

  it('finds the contact by the variant of the provider, and writes nothing when nothing is new', async () => {
    const me = await fresh();
    const { contact } = await ensured(me.companyId, { phone: '525512345678', name: 'Ana', source: 'inbound' });
    const cost = await testApp.meter(() => ensured(me.companyId, { phone: '5215512345678', name: 'Ana', source: 'inbound' }));
    expect([cost.wru, cost.rru]).toEqual([0, 1]);
    expect(await contactIdByPhone(me.companyId, '5215512345678')).toBe(contact.id);
  });

  it('restores a deleted contact without subscribing it', async () => {
    const me = await fresh();
    const { id } = contactOf(await me.post({ phone: '919876543210', subscribed: false, groups: ['one'] }));
    await me.delete(id);
    expect(await contactIdByPhone(me.companyId, '919876543210')).toBeUndefined();
    expect(await contactExists(me.companyId, id)).toBe(false);
    const { contact, created } = await ensured(me.companyId, { phone: '919876543210', source: 'inbound' });
    expect([contact.id, created]).toEqual([id, false]);
    expect(contactOf(await me.get(`/${id}`))).toMatchObject({ subscribed: false, groups: [] });
    expect(await contactIdByPhone(me.companyId, '919876543210')).toBe(id);
  });

  it('restores a deleted contact without its user id, which another contact got meanwhile', async () => {
    const me = await fresh();
    const { companyId } = me;
    const [old, other] = [
      { phone: '919876543210', userId: 'IN.1' },
      { phone: '919876543211', userId: 'IN.1' },
    ];
    const id = (await ensureSender(companyId, old)).contactId;
    await me.delete(id);
    const otherId = (await ensureSender(companyId, other)).contactId;
    expect(otherId).not.toBe(id);
    expect((await ensured(companyId, { phone: old.phone, source: 'api' })).contact.id).toBe(id);
    expect(await contactIdOf(companyId, { phone: old.phone })).toBe(id);
    expect(await contactIdOf(companyId, { userId: 'IN.1' })).toBe(otherId);
    await me.delete(id);
    expect(await contactIdOf(companyId, { userId: 'IN.1' })).toBe(otherId);
  });

  it('restores a deleted contact by user id without its phone, which another contact got meanwhile', async () => {
    const me = await fresh();
    const { companyId } = me;
    const id = (await ensureSender(companyId, { phone: '919876543210', userId: 'IN.2' })).contactId;
    await me.delete(id);
    const other = contactOf(await me.post({ phone: '919876543211' }));
    expect((await me.put(other.id, { phone: '919876543210' })).status).toBe(200);
    expect((await ensureSender(companyId, { userId: 'IN.2' })).contactId).toBe(id);
    expect(await contactIdOf(companyId, { phone: '919876543210' })).toBe(other.id);
    expect(await contactIdOf(companyId, { userId: 'IN.2' })).toBe(id);
  });

  it('creates one contact for many parallel calls', async () => {
    const me = await fresh();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        ensured(me.companyId, { phone: i % 2 ? '5491123456789' : '541123456789', source: i % 3 ? 'inbound' : 'api', name: `n${i}` }),
      ),
    );
    expect(new Set(all.map(({ contact }) => contact.id)).size).toBe(1);
    expect(all.filter(({ created }) => created)).toHaveLength(1);
  });

  it('succeeds while the table throttles', async () => {
    const me = await fresh();
    let throttled = 0;
    using _fault = testApp.onTable(({ command, when }) => {
      if (when === 'before' && command === 'TransactWriteItems' && throttled++ < 2)
        throw Object.assign(new Error('busy'), {
          name: 'ThrottlingException',
          $fault: 'client',
          $metadata: {},
          $retryable: { throttling: true },
        });
    });
    expect((await ensured(me.companyId, { phone: '919876543210', source: 'inbound' })).created).toBe(true);
    expect(throttled).toBeGreaterThan(2);
  });

  it('a lost response of the table creates no second contact', async () => {
    const me = await fresh();
    let lost = 0;
    using _fault = testApp.onTable(({ command, when }) => {
      if (when === 'after' && command === 'TransactWriteItems' && lost++ === 0)
        throw Object.assign(new Error('lost'), { name: 'TimeoutError', $metadata: {} });
    });
    const { contact } = await ensured(me.companyId, { phone: '919876543210', source: 'inbound' });
    expect(contactOf(await me.post({ phone: '919876543210' }))).toMatchObject({ id: contact.id, created: false });
  });
});

describe('contactCards', () => {
  it('returns live contacts in the order of the ids', async () => {
    const me = await fresh();
    for (const phone of ['919876543210', '919876543211', '919876543212'])
      await me.post({ phone, ...(phone.endsWith('1') ? {} : { name: phone }) });
    await me.delete(1);
    expect(await contactCards(me.companyId, [3, 1, 99, 2])).toEqual([
      { id: 3, name: '919876543212', phone: '919876543212' },
      { id: 2, name: null, phone: '919876543211' },
    ]);
  });
});
