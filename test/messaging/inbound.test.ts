import { afterAll, describe, expect, test } from 'vitest';
import { findContactId } from '../../functions/contacts/service/merge-identities.ts';
import { inboundMediaQueue } from '../../functions/messaging/contract/inbound-queue.ts';
import type { StoredMessage } from '../../functions/messaging/contract/stored.ts';
import { newCompany, providerEnvelope, providerPost, statusPost, type TestCompany } from '../support/company.ts';
import { only, resultOf, startFixture } from './fixture.ts';

const fixture = await startFixture({ env: { SWITCHBOARD_LOCAL: '1' } });
afterAll(() => fixture.stop());
const { world } = fixture;
let serial = 0;
const nextPhone = (): string => String(4_916_000_000_000 + ++serial);

/** The row of one inbound message of a new company. */
const storedAs = async (message: Record<string, unknown>, company?: TestCompany): Promise<StoredMessage> => {
  const target = company ?? (await fixture.company());
  const full = { from: nextPhone(), id: `wamid.kind-${++serial}`, timestamp: '1790000000', ...message };
  const { status } = await world.call(providerPost(target, providerEnvelope(target, { messages: [full] })));
  expect(status).toBe(200);
  const { failures } = await world.drain();
  expect(failures).toBe(0);
  return only((await fixture.messages(target.id)).filter(({ wamid }) => wamid === full.id));
};

const file = { id: '1003383421387256', mime_type: 'image/jpeg', sha256: 'SfInY0gGKTsJlUWbwxC1k+FAD0FZHvzwfpvO0zX0GUI=' };
const hash = '49f227634806293b0995459bc310b593e1400f41591efcf07e9bced335f41942';

describe('every kind is stored as what it is', () => {
  test.each([
    [
      'an image with words',
      { type: 'image', image: { ...file, caption: 'Taj Mahal' } },
      {
        type: 2,
        subtype: 'image',
        value: 'Taj Mahal',
        media: { kind: 'image', mime: 'image/jpeg', sha256: hash, caption: 'Taj Mahal', providerId: file.id },
      },
    ],
    [
      'a video',
      { type: 'video', video: { ...file, mime_type: 'video/mp4' } },
      { type: 2, subtype: 'video', value: '', media: { kind: 'video', mime: 'video/mp4' } },
    ],
    ['a sound', { type: 'audio', audio: { ...file, voice: false } }, { type: 2, subtype: 'audio', media: { kind: 'audio' } }],
    ['a voice note', { type: 'audio', audio: { ...file, voice: true } }, { type: 2, subtype: 'voice', media: { kind: 'audio' } }],
    [
      'a document',
      { type: 'document', document: { ...file, filename: 'receipt.pdf', caption: 'mine' } },
      { type: 2, subtype: 'document', value: 'mine', media: { kind: 'document', filename: 'receipt.pdf' } },
    ],
    ['a document without a name', { type: 'document', document: file }, { type: 2, subtype: 'document', value: '' }],
    ['a sticker', { type: 'sticker', sticker: { ...file, animated: false } }, { type: 2, subtype: 'sticker' }],
    [
      'a place',
      { type: 'location', location: { latitude: 37.44221496582, longitude: -122.16165924072, name: 'Philz Coffee' } },
      { type: 3, subtype: 'location', value: '37.44221496582,-122.16165924072', content: { location: { name: 'Philz Coffee' } } },
    ],
    ['the place 0,0', { type: 'location', location: { latitude: 0, longitude: 0 } }, { type: 3, value: '0,0' }],
    [
      'people',
      {
        type: 'contacts',
        contacts: [{ name: { formatted_name: 'Barbara J. Johnson' }, phones: [{ phone: '+1 415' }] }, { name: { first_name: 'Li' } }],
      },
      { type: 1, subtype: 'contacts', value: 'Barbara J. Johnson, Li', content: { contacts: [{ phones: [{ phone: '+1 415' }] }, {}] } },
    ],
    [
      "a template's button",
      { type: 'button', button: { payload: 'OP_YES', text: 'Yes' }, context: { id: 'wamid.asked', from: '1' } },
      { type: 1, subtype: 'button', value: 'Yes', contextWamid: 'wamid.asked', content: { button: { payload: 'OP_YES' } } },
    ],
    [
      'a reply button',
      { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'b1', title: 'Change' } } },
      { type: 1, subtype: 'button_reply', value: 'Change', content: { button_reply: { id: 'b1' } } },
    ],
    [
      'a row of a list',
      { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: 'r1', title: 'Express', description: 'Next day' } } },
      { type: 1, subtype: 'list_reply', value: 'Express', content: { list_reply: { id: 'r1', description: 'Next day' } } },
    ],
    [
      'a filled form',
      { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"a":"1"}' } } },
      { type: 5, subtype: 'nfm_reply', value: '{"a":"1"}' },
    ],
    [
      'a filled form that is no text',
      { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { name: 'address_message', response_json: { a: 1 } } } },
      { type: 5, value: '{"a":1}' },
    ],
    [
      'another answer',
      { type: 'interactive', interactive: { type: 'call_permission_reply', call_permission_reply: { response: 'accept' } } },
      { type: 1, subtype: 'call_permission_reply', content: { interactive: { call_permission_reply: { response: 'accept' } } } },
    ],
    [
      'an interactive message without its object',
      { type: 'interactive', errors: [{ code: 131000, title: 'Unsupported webhook payload' }] },
      { type: 1, subtype: 'unsupported', error: { code: 131000, title: 'Unsupported webhook payload' } },
    ],
    [
      'a reaction',
      { type: 'reaction', reaction: { message_id: 'wamid.ours', emoji: '👍🏽' } },
      { type: 1, subtype: 'reaction', value: '👍🏽', contextWamid: 'wamid.ours' },
    ],
    [
      'a reaction taken back',
      { type: 'reaction', reaction: { message_id: 'wamid.ours' } },
      { type: 1, subtype: 'reaction_removed', value: '', contextWamid: 'wamid.ours' },
    ],
    [
      'a reaction taken back, the other form',
      { type: 'reaction', reaction: { message_id: 'wamid.ours', emoji: '' } },
      { type: 1, subtype: 'reaction_removed', value: '', contextWamid: 'wamid.ours' },
    ],
    [
      'an order',
      { type: 'order', order: { catalog_id: '1', text: 'Love these!', product_items: [{ product_retailer_id: 'x', quantity: 2 }] } },
      { type: 1, subtype: 'order', value: 'Love these!', content: { order: { catalog_id: '1', product_items: [{ quantity: 2 }] } } },
    ],
    [
      'what the provider does not pass on',
      {
        type: 'unsupported',
        errors: [{ code: 131051, title: 'Message type unknown', error_data: { details: 'Not supported.' } }],
        unsupported: { type: 'poll_creation' },
      },
      {
        type: 1,
        subtype: 'unsupported',
        value: '',
        error: { code: 131051, title: 'Message type unknown', details: 'Not supported.' },
        content: { unsupported: { type: 'poll_creation' } },
      },
    ],
    ['the older form of it', { type: 'unsupported', errors: [{ code: 131051 }] }, { subtype: 'unsupported', error: { code: 131051 } }],
    [
      'an edit',
      { type: 'edit', edit: { original_message_id: 'wamid.first', message: { type: 'text', text: { body: 'Now right' } } } },
      { type: 1, subtype: 'edit', value: 'Now right', contextWamid: 'wamid.first' },
    ],
    [
      'a message taken back',
      { type: 'revoke', revoke: { original_message_id: 'wamid.first' } },
      { type: 1, subtype: 'revoke', value: '', contextWamid: 'wamid.first' },
    ],
    ['a first look at the chat', { type: 'request_welcome' }, { type: 1, subtype: 'request_welcome', value: '' }],
    [
      'a changed identity',
      { type: 'system', system: { type: 'customer_identity_changed', body: 'User identity changed' }, identity: { hash: 'x' } },
      { type: 1, subtype: 'system', value: 'User identity changed', content: { identity: { hash: 'x' } } },
    ],
    [
      'a text from an advertisement',
      { type: 'text', text: { body: 'Hi' }, referral: { source_id: '9', ctwa_clid: 'A' } },
      { subtype: 'text', value: 'Hi', content: { referral: { source_id: '9', ctwa_clid: 'A' } } },
    ],
    [
      'a forwarded text',
      { type: 'text', text: { body: 'Hi' }, context: { forwarded: true } },
      { subtype: 'text', content: { context: { forwarded: true } } },
    ],
    [
      'a text of a group',
      { type: 'text', text: { body: 'All?' }, group_id: 'HBgL' },
      { subtype: 'text', value: 'All?', content: { group_id: 'HBgL' } },
    ],
    ['an image whose object is odd', { type: 'image', image: 7 }, { type: 1, subtype: 'image', value: '' }],
  ])('%s', async (_, message, expected) => {
    expect(await storedAs(message)).toMatchObject({ inbound: true, status: 3, ...expected });
  });

  test('a message too large for its row is archived whole beside it', async () => {
    const company = await newCompany();
    const contacts = Array.from({ length: 257 }, (_, nth) => ({ name: { formatted_name: `Person ${nth}` }, vcard: 'v'.repeat(2_000) }));
    const row = await storedAs({ type: 'contacts', contacts }, company);
    expect(row).toMatchObject({ subtype: 'contacts' });
    expect(row.content).toBeUndefined();
    const stored = (await fixture.items(company.id, 'archived-update')).sort((a, b) => Number(a['part']) - Number(b['part']));
    expect(JSON.parse(stored.map((part) => part['body']).join(''))).toMatchObject({ contacts });
  });

  test('a message about a contact or another message neither opens the window nor counts as unread', async () => {
    const company = await newCompany();
    const from = nextPhone();
    await storedAs({ from, type: 'system', system: { type: 'customer_identity_changed', body: 'x' } }, company);
    await storedAs({ from, type: 'reaction', reaction: { message_id: 'wamid.ours' } }, company);
    const conversation = only(await fixture.items(company.id, 'conversation'));
    expect([conversation['unread'], conversation['lastInboundAt']]).toEqual([0, undefined]);
    await storedAs({ from, type: 'reaction', reaction: { message_id: 'wamid.ours', emoji: '👍' } }, company);
    expect(only(await fixture.items(company.id, 'conversation'))).toMatchObject({ unread: 1, lastInboundAt: 1_790_000_000_000 });
  });
});

describe('the sender', () => {
  const text = (body: string) => ({ type: 'text', text: { body } });
  const contactsOf = async (company: TestCompany) =>
    (await world.dump()).filter((item) => item['kind'] === 'contact' && item['c'] === company.id);

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
    await world.call(providerPost(company, providerEnvelope(company, { contacts, messages: [message] })));
    await world.drain();
    expect(only(await contactsOf(company))).toMatchObject({ u: 'US.9', n: 'Ana' });
  });

  test('without phone and user id the message is archived, 200', async () => {
    const company = await newCompany();
    const message = { id: 'wamid.nobody', timestamp: '1790000000', from: '<WHATSAPP_USER_PHONE_NUMBER_ID>', ...text('Hi') };
    await world.call(providerPost(company, providerEnvelope(company, { messages: [message] })));
    await world.drain();
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
      await world.call(providerPost(company, providerEnvelope(company, { messages: [system] })));
      await world.drain({ disorder: { seed: time, duplicate: 1 } });
    }
    const after = await storedAs({ from: fresh, ...text('After') }, company);
    expect(after.contactId).toBe(before.contactId);
    expect(only(await contactsOf(company))).toMatchObject({ p: fresh });
    expect(await findContactId(company.id, { phone: old })).toBeUndefined();
    expect((await fixture.messages(company.id)).filter(({ subtype }) => subtype === 'system')).toHaveLength(1);
  });

  test('a number that another contact has is not taken from it', async () => {
    const company = await newCompany();
    const [old, held] = [nextPhone(), nextPhone()];
    const a = await storedAs({ from: old, ...text('A') }, company);
    const b = await storedAs({ from: held, ...text('B') }, company);
    const system = {
      id: 'wamid.held',
      from: old,
      timestamp: '1790000001',
      type: 'system',
      system: { type: 'user_changed_number', wa_id: held },
    };
    await world.call(providerPost(company, providerEnvelope(company, { messages: [system] })));
    await world.drain();
    expect(await findContactId(company.id, { phone: old })).toBe(a.contactId);
    expect(await findContactId(company.id, { phone: held })).toBe(b.contactId);
  });

  test('a changed user id replaces the old one', async () => {
    const company = await newCompany();
    const from = nextPhone();
    const { contactId } = await storedAs({ from, from_user_id: 'US.old', ...text('Hi') }, company);
    await storedAs({ from, type: 'system', system: { type: 'user_changed_user_id', user_id: 'US.new' } }, company);
    expect(await findContactId(company.id, { userId: 'US.new' })).toBe(contactId);
    expect(await findContactId(company.id, { userId: 'US.old' })).toBeUndefined();
  });
});

describe('what the business wrote from its own phone', () => {
  test('stands in the conversation as sent, once, and moves with its statuses', async () => {
    const company = await newCompany();
    const to = nextPhone();
    const value = {
      metadata: { phone_number_id: company.number.phoneNumberId },
      message_echoes: [
        { from: company.number.phone, to, id: 'wamid.echo', timestamp: '1790000000', type: 'text', text: { body: 'From my phone' } },
      ],
    };
    const post = providerPost(company, { entry: [{ id: '1', changes: [{ field: 'smb_message_echoes', value }] }] });
    await world.call(post);
    await world.call(post);
    await world.drain();
    expect(only(await fixture.messages(company.id))).toMatchObject({
      inbound: false,
      status: 2,
      value: 'From my phone',
      wamid: 'wamid.echo',
    });
    await world.call(statusPost(company, { id: 'wamid.echo', status: 'read', recipient_id: to }));
    await world.drain();
    expect(only(await fixture.messages(company.id))).toMatchObject({ status: 4 });
    expect(only(await fixture.items(company.id, 'conversation'))).toMatchObject({ unread: 0 });
  });
});

describe('what a status brings', () => {
  const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'marketing' };

  test('the price is stored once, from whichever status has it', async () => {
    const company = await fixture.company();
    await fixture.faults({ hold_statuses: true });
    const phone = nextPhone();
    const { message_wamid } = resultOf(await fixture.send(company, phone, 'Hello'));
    const id = message_wamid ?? '';
    for (const status of [
      { status: 'read' },
      { status: 'sent', pricing },
      { status: 'delivered', pricing: { ...pricing, category: 'other' } },
    ])
      await world.call(statusPost(company, { id, recipient_id: phone, ...status }));
    await world.drain();
    const outbound = only((await fixture.messages(company.id)).filter(({ inbound }) => !inbound));
    expect(outbound).toMatchObject({ status: 4, pricing: { billable: true, model: 'PMP', type: 'regular' } });
  });

  test('of a contact known by user id alone finds the message', async () => {
    const company = await newCompany();
    const message = await storedAs({ from: undefined, from_user_id: 'US.42', type: 'text', text: { body: 'Hi' } }, company);
    await world.call(statusPost(company, { id: message.wamid ?? '', status: 'read', recipient_id: undefined, recipient_user_id: 'US.42' }));
    await world.drain();
    expect(await fixture.items(company.id, 'parked-status')).toEqual([]);
  });
});

describe('updates of numbers and accounts', () => {
  const numberAfter = async (company: TestCompany, field: string, value: Record<string, unknown>) => {
    await world.call(providerPost(company, { entry: [{ id: company.number.wabaId, time: 1_790_000_000, changes: [{ field, value }] }] }));
    await world.drain();
    expect((await fixture.items(company.id, 'archived-update')).map((item) => item['field'])).toContain(field);
    return only(await fixture.items(company.id, 'business-number'));
  };

  test("quality and limit are the number's; another number's are not", async () => {
    const company = await newCompany();
    const update = { display_phone_number: `+${company.number.phone}`, event: 'FLAGGED', current_limit: 'TIER_10K' };
    expect(await numberAfter(company, 'phone_number_quality_update', update)).toMatchObject({ quality: 'RED', messagingLimit: 'TIER_10K' });
    expect(await numberAfter(company, 'phone_number_quality_update', { ...update, event: 'UNFLAGGED' })).toMatchObject({
      quality: 'GREEN',
    });
    expect(
      await numberAfter(company, 'phone_number_quality_update', { display_phone_number: '15550001111', event: 'FLAGGED' }),
    ).toMatchObject({
      quality: 'GREEN',
    });
  });

  test('the state of the account is stored at its numbers', async () => {
    const company = await newCompany();
    const ban = (state: string) => ({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: state } });
    expect(await numberAfter(company, 'account_update', ban('SCHEDULE_FOR_DISABLE'))).toMatchObject({
      accountState: 'SCHEDULE_FOR_DISABLE',
    });
    expect(await numberAfter(company, 'account_update', ban('REINSTATE'))).toMatchObject({ accountState: 'ACTIVE' });
    expect(await numberAfter(company, 'account_update', { event: 'PARTNER_ADDED' })).toMatchObject({ accountState: 'ACTIVE' });
  });
});

describe('the file of a message', () => {
  test('is fetched with the token, stored, and shown by a signed link that returns its bytes', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    const bytes = Buffer.from('a small picture, really');
    await fixture.inbound({
      company_id: company.id,
      from,
      type: 'image',
      media: { data_base64: bytes.toString('base64'), caption: 'Look' },
    });
    await fixture.deliverAll();
    const { media, contactId } = only(await fixture.messages(company.id));
    expect(media).toMatchObject({ size: bytes.length, caption: 'Look' });
    expect(media?.key).toBeDefined();
    const path = `/api/v1/conversations/${contactId}/messages`;
    const { body } = await world.call({ method: 'GET', path, token: company.tokens.owner });
    const [shown] = (body as { data: { media: { url: string; size: number; sha256: string; caption: string } }[] }).data;
    expect(shown?.media).toMatchObject({ size: bytes.length, caption: 'Look', sha256: media?.sha256 });
    const answer = await fetch(shown?.media.url ?? '');
    expect([answer.status, Buffer.from(await answer.arrayBuffer()).equals(bytes)]).toEqual([200, true]);
  });

  test('that the provider no longer has is noted; the message stays, and nothing comes again', async () => {
    const company = await fixture.company();
    const row = await storedAs({ type: 'image', image: { ...file, id: '999999999999999' } }, company);
    expect(row.media?.key).toBeUndefined();
    expect(row.note).toMatchObject({ code: 'media_gone' });
    expect(world.deadLettersOf(inboundMediaQueue)).toEqual([]);
  });
});

describe('who wrote is known', () => {
  const text = (body: string) => ({ type: 'text', text: { body } });
  const contactOf = async (company: TestCompany, id: number): Promise<Record<string, unknown>> => {
    const { body } = await world.call({ method: 'GET', path: `/api/v1/contacts/${id}`, token: company.tokens.owner });
    return (body as { data: Record<string, unknown> }).data;
  };
  const post = async (company: TestCompany, field: string, value: Record<string, unknown>): Promise<void> => {
    const envelope = providerEnvelope(company, value);
    const [entry] = envelope['entry'] as { changes: { field: string }[] }[];
    if (entry?.changes[0]) entry.changes[0].field = field;
    expect((await world.call(providerPost(company, envelope))).status).toBe(200);
    expect((await world.drain()).failures).toBe(0);
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
    await world.call(statusPost(company, status));
    await world.drain();
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
    expect(await findContactId(company.id, { userId: 'US.other' })).toBeUndefined();
  });

  test('an edit and a revocation change the message that they name, and it says so', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    const original = await storedAs({ from, ...text('I want 2 boxes') }, company);
    const edit = { original_message_id: original.wamid, message: { type: 'text', text: { body: 'I want 20 boxes' } } };
    await storedAs({ from, timestamp: '1790000009', type: 'edit', edit }, company);
    const view = async () => {
      const path = `/api/v1/conversations/${original.contactId}/messages`;
      const { body } = await world.call({ method: 'GET', path, token: company.tokens.owner });
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
    const original = await storedAs({ from, type: 'image', image: { ...file, caption: 'Old' } }, company);
    const message = { type: 'image', image: { id, mime_type: 'image/png', caption: 'New' } };
    await storedAs({ from, timestamp: '1790000009', type: 'edit', edit: { original_message_id: original.wamid, message } }, company);
    const call = (path: string) => world.call({ method: 'GET', path: `/api/v1/conversations${path}`, token: company.tokens.owner });
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
    const { body } = await world.call({ method: 'GET', path: '/api/v1/conversations', token: company.tokens.owner });
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
