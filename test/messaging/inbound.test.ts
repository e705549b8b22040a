import { afterAll, describe, expect, test } from 'vitest';
import { inboundMediaQueue } from '../../functions/messaging/contract/inbound-queue.ts';
import { newCompany, providerPost, statusPost, type TestCompany } from '../support/company.ts';
import { inboundOf, only, resultOf, startFixture } from './fixture.ts';

const fixture = await startFixture({ env: { SWITCHBOARD_LOCAL: '1' } });
afterAll(() => fixture.stop());
const { testApp } = fixture;
const { nextPhone, storedAs } = inboundOf(fixture);

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
    [
      'a document whose name turns the direction of its letters',
      { type: 'document', document: { ...file, filename: 'in\u202evoice\u2066fdp.exe\n' } },
      { type: 2, subtype: 'document', media: { kind: 'document', filename: 'invoicefdp.exe' } },
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
    await testApp.call(post);
    await testApp.call(post);
    await testApp.drain();
    expect(only(await fixture.messages(company.id))).toMatchObject({
      inbound: false,
      status: 2,
      value: 'From my phone',
      wamid: 'wamid.echo',
    });
    await testApp.call(statusPost(company, { id: 'wamid.echo', status: 'read', recipient_id: to }));
    await testApp.drain();
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
      await testApp.call(statusPost(company, { id, recipient_id: phone, ...status }));
    await testApp.drain();
    const outbound = only((await fixture.messages(company.id)).filter(({ inbound }) => !inbound));
    expect(outbound).toMatchObject({ status: 4, pricing: { billable: true, model: 'PMP', type: 'regular' } });
  });

  test('of a contact known by user id alone finds the message', async () => {
    const company = await newCompany();
    const message = await storedAs({ from: undefined, from_user_id: 'US.42', type: 'text', text: { body: 'Hi' } }, company);
    await testApp.call(
      statusPost(company, { id: message.wamid ?? '', status: 'read', recipient_id: undefined, recipient_user_id: 'US.42' }),
    );
    await testApp.drain();
    expect(await fixture.items(company.id, 'parked-status')).toEqual([]);
  });
});

describe('updates of numbers and accounts', () => {
  const numberAfter = async (company: TestCompany, field: string, value: Record<string, unknown>) => {
    await testApp.call(providerPost(company, { entry: [{ id: company.number.wabaId, time: 1_790_000_000, changes: [{ field, value }] }] }));
    await testApp.drain();
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
    const { body } = await testApp.call({ method: 'GET', path, token: company.tokens.owner });
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
    expect(testApp.deadLettersOf(inboundMediaQueue)).toEqual([]);
  });
});
