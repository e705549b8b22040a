import { afterAll, describe, expect, test } from 'vitest';
import { contactIdOf } from '../support/contact-id.ts';
import { newCompany, providerEnvelope, providerPost, statusPost, type TestCompany } from '../support/company.ts';
import { inboundOf, only, resultOf, startFixture } from './fixture.ts';

const fixture = await startFixture({ env: { SWITCHBOARD_LOCAL: '1' } });
afterAll(() => fixture.stop());
const { testApp } = fixture;
const { nextPhone, storedAs } = inboundOf(fixture);

describe('the sender', () => {
  const text = (body: string) => ({ type: 'text', text: { body } });
  const contactsOf = async (company: TestCompany) =>
    (await testApp.dump()).filter((item) => item['kind'] === 'contact' && item['c'] === company.id);

  test('a sender known by user id alone becomes one contact, and is found by it again', async () => {
    const company = await newCompany();
    const first = await storedAs({ from: undefined, from_user_id: 'US.1349', ...text('One') }, company);
    const second = await storedAs({ from: undefined, from_user_id: 'US.1349', ...text('Two') }, company);
    expect(second.contactId).toBe(first.contactId);
    expect(only(await contactsOf(company))).toMatchObject({ u: 'US.1349', wa: true });
    expect(only(await contactsOf(company))['p']).toBeUndefined();
  });

  test('whose phone is seen later is the same contact, by either name from then on', async () => {
    const company = await newCompany();
    const from = nextPhone();
    const hidden = await storedAs({ from: undefined, from_user_id: 'US.7', ...text('Hidden') }, company);
    const seen = await storedAs({ from, from_user_id: 'US.7', ...text('Seen') }, company);
    const byPhone = await storedAs({ from, ...text('Phone') }, company);
    expect([seen.contactId, byPhone.contactId]).toEqual([hidden.contactId, hidden.contactId]);
    expect(only(await contactsOf(company))).toMatchObject({ p: from, u: 'US.7' });
  });

  test('a known phone learns its user id, and is then met without its phone', async () => {
    const company = await newCompany();
    const from = nextPhone();
    const first = await storedAs({ from, ...text('One') }, company);
    await storedAs({ from, from_user_id: 'US.8', ...text('Two') }, company);
    const third = await storedAs({ from: undefined, from_user_id: 'US.8', ...text('Three') }, company);
    expect(third.contactId).toBe(first.contactId);
  });

  test('the user id beside the message counts where the message has none', async () => {
    const company = await newCompany();
    const message = { id: 'wamid.side', from: nextPhone(), timestamp: '1790000000', ...text('Hi') };
    const contacts = [{ wa_id: message.from, user_id: 'US.9', profile: { name: 'Ana' } }];
    await testApp.call(providerPost(company, providerEnvelope(company, { contacts, messages: [message] })));
    await testApp.drain();
    expect(only(await contactsOf(company))).toMatchObject({ u: 'US.9', n: 'Ana' });
  });

  test('without phone and user id the message is archived, 200', async () => {
    const company = await newCompany();
    const message = { id: 'wamid.nobody', timestamp: '1790000000', from: '<WHATSAPP_USER_PHONE_NUMBER_ID>', ...text('Hi') };
    await testApp.call(providerPost(company, providerEnvelope(company, { messages: [message] })));
    await testApp.drain();
    expect(await fixture.messages(company.id)).toEqual([]);
    expect(await fixture.items(company.id, 'archived-update')).toHaveLength(1);
  });

  test('a changed number moves the contact once, however often it is posted; its conversation goes on', async () => {
    const company = await newCompany();
    const [old, fresh] = [nextPhone(), nextPhone()];
    const before = await storedAs({ from: old, ...text('Before') }, company);
    const system = {
      id: 'wamid.moved',
      from: old,
      timestamp: '1790000001',
      type: 'system',
      system: { type: 'user_changed_number', body: 'moved', wa_id: fresh },
    };
    for (let time = 0; time < 3; time++) {
      await testApp.call(providerPost(company, providerEnvelope(company, { messages: [system] })));
      await testApp.drain({ disorder: { seed: time, duplicate: 1 } });
    }
    const after = await storedAs({ from: fresh, ...text('After') }, company);
    expect(after.contactId).toBe(before.contactId);
    expect(only(await contactsOf(company))).toMatchObject({ p: fresh });
    expect(await contactIdOf(company.id, { phone: old })).toBeUndefined();
    expect((await fixture.messages(company.id)).filter(({ subtype }) => subtype === 'system')).toHaveLength(1);
  });

  test('a number that another contact has stays with it, and both are one customer from then on', async () => {
    const company = await newCompany();
    const [old, held] = [nextPhone(), nextPhone()];
    await storedAs({ from: old, ...text('A') }, company);
    const b = await storedAs({ from: held, ...text('B') }, company);
    const system = {
      id: 'wamid.held',
      from: old,
      timestamp: '1790000001',
      type: 'system',
      system: { type: 'user_changed_number', wa_id: held },
    };
    await testApp.call(providerPost(company, providerEnvelope(company, { messages: [system] })));
    await testApp.drain();
    expect(await contactIdOf(company.id, { phone: old })).toBeUndefined();
    expect(await contactIdOf(company.id, { phone: held })).toBe(b.contactId);
    expect((await contactsOf(company)).filter((contact) => contact['del'] === undefined)).toHaveLength(1);
  });

  test('a changed user id replaces the old one, which still leads to the contact in late messages', async () => {
    const company = await newCompany();
    const from = nextPhone();
    const { contactId } = await storedAs({ from, from_user_id: 'US.old', ...text('Hi') }, company);
    await storedAs({ from, type: 'system', system: { type: 'user_changed_user_id', user_id: 'US.new' } }, company);
    expect(await contactIdOf(company.id, { userId: 'US.new' })).toBe(contactId);
    expect(await contactIdOf(company.id, { userId: 'US.old' })).toBe(contactId);
    const late = await storedAs({ from, from_user_id: 'US.old', ...text('Late') }, company);
    expect([late.contactId, only(await contactsOf(company))['u']]).toEqual([contactId, 'US.new']);
  });
});

describe('a new user id that comes without phone and sender', () => {
  const text = (body: string) => ({ type: 'text', text: { body } });
  const changed = {
    from: undefined,
    type: 'system',
    system: { type: 'user_changed_user_id', previous_user_id: 'US.one', user_id: 'US.two' },
  };
  const contactsOf = async (company: TestCompany) =>
    (await testApp.dump()).filter((item) => item['kind'] === 'contact' && item['c'] === company.id && item['del'] === undefined);

  test('is its contact’s from then on: one contact, which keeps its stop of marketing', async () => {
    const company = await newCompany();
    const { contactId } = await storedAs({ from: undefined, from_user_id: 'US.one', ...text('Hi') }, company);
    await testApp.call({
      method: 'PATCH',
      path: `/api/v1/contacts/${contactId}`,
      token: company.tokens.owner,
      body: { subscribed: false },
    });
    await storedAs(changed, company);
    const next = await storedAs({ from: undefined, from_user_id: 'US.two', ...text('Again') }, company);
    expect(next.contactId).toBe(contactId);
    expect(only(await contactsOf(company))).toMatchObject({ u: 'US.two', un: true });
  });

  test('comes before anything that the contact wrote: what was written under the former id joins it', async () => {
    const company = await newCompany();
    const first = await storedAs(changed, company);
    const late = await storedAs({ from: undefined, from_user_id: 'US.one', ...text('Late') }, company);
    const next = await storedAs({ from: undefined, from_user_id: 'US.two', ...text('Next') }, company);
    expect([late.contactId, next.contactId]).toEqual([first.contactId, first.contactId]);
    expect(only(await contactsOf(company))).toMatchObject({ u: 'US.two' });
  });

  test('comes after the first message under it: both contacts become one', async () => {
    const company = await newCompany();
    await storedAs({ from: undefined, from_user_id: 'US.one', ...text('One') }, company);
    await storedAs({ from: undefined, from_user_id: 'US.two', ...text('Two') }, company);
    await storedAs(changed, company);
    expect(only(await contactsOf(company))).toMatchObject({ u: 'US.two' });
  });
});

describe('who wrote is known', () => {
  const text = (body: string) => ({ type: 'text', text: { body } });
  const contactOf = async (company: TestCompany, id: number): Promise<Record<string, unknown>> => {
    const { body } = await testApp.call({ method: 'GET', path: `/api/v1/contacts/${id}`, token: company.tokens.owner });
    return (body as { data: Record<string, unknown> }).data;
  };
  const post = async (company: TestCompany, field: string, value: Record<string, unknown>): Promise<void> => {
    const envelope = providerEnvelope(company, value);
    const [entry] = envelope['entry'] as { changes: { field: string }[] }[];
    if (entry?.changes[0]) entry.changes[0].field = field;
    expect((await testApp.call(providerPost(company, envelope))).status).toBe(200);
    expect((await testApp.drain()).failures).toBe(0);
  };

  test('a contact that was made without a name learns it from its first message, and keeps one that it has', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    const sent = resultOf(await fixture.send(company, `+${from}`, 'Hello'));
    const message = (id: string) => ({ id, from, timestamp: '1790000000', ...text('Hi') });
    for (const name of ['Wanjiru K', 'Another'])
      await post(company, 'messages', { contacts: [{ wa_id: from, profile: { name } }], messages: [message(`wamid.named-${name}`)] });
    expect(await contactOf(company, sent.contact_id)).toMatchObject({ phone: from, name: 'Wanjiru K' });
  });

  test('a user id that the provider changes goes with its contact, so that the conversation goes on', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    const { contactId } = await storedAs({ from, from_user_id: 'US.1000359109', ...text('One') }, company);
    const user_id = { previous: 'US.1000359109', current: 'US.2000359109' };
    await post(company, 'user_id_update', { user_id_update: [{ wa_id: from, user_id }] });
    const next = await storedAs({ from: undefined, from_user_id: 'US.2000359109', ...text('Two') }, company);
    expect(next.contactId).toBe(contactId);
  });

  test('a status that names phone and user id joins them', async () => {
    const company = await fixture.company();
    const to = nextPhone();
    const sent = resultOf(await fixture.send(company, `+${to}`, 'An offer'));
    const status = { id: sent.message_wamid ?? '', status: 'delivered', recipient_id: to, recipient_user_id: 'US.77' };
    await testApp.call(statusPost(company, status));
    await testApp.drain();
    const answer = await storedAs({ from: undefined, from_user_id: 'US.77', ...text('Yes please') }, company);
    expect(answer.contactId).toBe(sent.contact_id);
  });

  test('a phone that a sender shares on request is the contact’s', async () => {
    const company = await fixture.company();
    const { contactId } = await storedAs({ from: undefined, from_user_id: 'CO.1', ...text('Hola') }, company);
    const shared = [
      { origin: 'contact_request', name: { first_name: 'Juan' }, phones: [{ phone: '+57 300 1234567', wa_id: '573001234567' }] },
    ];
    const row = await storedAs({ from: undefined, from_user_id: 'CO.1', type: 'contacts', contacts: shared }, company);
    expect(row.contactId).toBe(contactId);
    expect(await contactOf(company, contactId)).toMatchObject({ phone: '573001234567' });
  });

  test('a user id beside another phone than the sender’s is not the sender’s', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    const messages = [{ id: 'wamid.beside', from, timestamp: '1790000000', ...text('Hi') }];
    await post(company, 'messages', { contacts: [{ wa_id: nextPhone(), user_id: 'US.other' }], messages });
    expect(await contactIdOf(company.id, { userId: 'US.other' })).toBeUndefined();
  });

  test('an edit and a revocation change the message that they name, and it says so', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    const original = await storedAs({ from, ...text('I want 2 boxes') }, company);
    const edit = { original_message_id: original.wamid, message: { type: 'text', text: { body: 'I want 20 boxes' } } };
    await storedAs({ from, timestamp: '1790000009', type: 'edit', edit }, company);
    const view = async () => {
      const path = `/api/v1/conversations/${original.contactId}/messages`;
      const { body } = await testApp.call({ method: 'GET', path, token: company.tokens.owner });
      return (body as { data: Record<string, unknown>[] }).data.find(({ id }) => id === original.id);
    };
    expect(await view()).toMatchObject({ value: 'I want 20 boxes', edited_at: expect.any(String), revoked_at: null });
    await storedAs({ from, timestamp: '1790000010', type: 'revoke', revoke: { original_message_id: original.wamid } }, company);
    expect(await view()).toMatchObject({ value: '', content: null, media: null, revoked_at: expect.any(String) });
  });

  test('the new file of an edited picture is that of the original, and the list names what its last message is', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    const bytes = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const form = new FormData();
    form.set('messaging_product', 'whatsapp');
    form.set('file', new Blob([bytes], { type: 'image/png' }), 'b.png');
    const upload = await fetch(`${fixture.provider.url}/v19.0/${company.number.phoneNumberId}/media`, {
      method: 'POST',
      headers: { authorization: `Bearer token-of-company-${company.id}` },
      body: form,
    });
    const { id } = (await upload.json()) as { id: string };
    const original = await storedAs(
      { from, type: 'image', image: { id: '1003383421387256', mime_type: 'image/jpeg', caption: 'Old' } },
      company,
    );
    const message = { type: 'image', image: { id, mime_type: 'image/png', caption: 'New' } };
    await storedAs({ from, timestamp: '1790000009', type: 'edit', edit: { original_message_id: original.wamid, message } }, company);
    const call = (path: string) => testApp.call({ method: 'GET', path: `/api/v1/conversations${path}`, token: company.tokens.owner });
    const { data } = (await call(`/${original.contactId}/messages`)).body as { data: Record<string, unknown>[] };
    expect(data.find((each) => each['id'] === original.id)).toMatchObject({
      value: 'New',
      edited_at: expect.any(String),
      media: { url: expect.any(String), size: bytes.length, mime: 'image/png' },
    });
    await storedAs({ from, timestamp: '1790000010', type: 'revoke', revoke: { original_message_id: original.wamid } }, company);
    expect((await call(`/${original.contactId}`)).body).toMatchObject({ data: { last_message: { value: '', subtype: 'revoke' } } });
  });

  test('a call is in the conversation with how it ended, and a message of a group opens no window', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    const call = { id: 'wacid.1', from, to: company.number.phone, direction: 'USER_INITIATED', timestamp: '1790000000' };
    await post(company, 'calls', { calls: [{ ...call, event: 'connect' }] });
    await post(company, 'calls', { calls: [{ ...call, event: 'terminate', status: 'FAILED', timestamp: '1790000030' }] });
    const rows = (await fixture.messages(company.id)).filter(({ wamid }) => wamid === 'wacid.1');
    expect(rows).toMatchObject([{ subtype: 'call', content: { call: { event: 'terminate', status: 'FAILED' } } }]);
    const grouped = await storedAs({ from: nextPhone(), group_id: '555', ...text('Hello all') }, company);
    const { body } = await testApp.call({ method: 'GET', path: '/api/v1/conversations', token: company.tokens.owner });
    const listed = (body as { data: { id: number; unread_count: number; window: unknown }[] }).data;
    expect(listed.find(({ id }) => id === grouped.contactId)).toMatchObject({ unread_count: 0, window: { open: false } });
  });

  test('a message of an unknown kind has the provider’s reason', async () => {
    const errors = [{ code: 131051, title: 'Unsupported message type', error_data: { details: 'Message type is not supported.' } }];
    expect(await storedAs({ type: 'unknown', errors })).toMatchObject({
      subtype: 'unknown',
      error: { code: 131051, details: 'Message type is not supported.' },
    });
  });
});
