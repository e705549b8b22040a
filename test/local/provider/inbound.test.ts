import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { accessToken, openFixture, customer, text } from './fixture.ts';

const sender = { company_id: 1, from: `+${customer}`, name: 'Ann' };

const written: [string, Record<string, unknown>, Record<string, unknown>][] = [
  ['a text', { type: 'text', text: 'Hi' }, { type: 'text', text: { body: 'Hi' }, from: customer }],
  ['a text without a type', { text: 'Hi' }, { type: 'text', text: { body: 'Hi' } }],
  [
    'a button reply',
    { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
    { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } } },
  ],
  [
    'a list reply',
    { type: 'list_reply', list_reply: { id: 'a', title: 'A', description: 'First' } },
    { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: 'a' } } },
  ],
  [
    'a location',
    { type: 'location', location: { latitude: '1.5', longitude: 2 } },
    { type: 'location', location: { latitude: 1.5, longitude: 2 } },
  ],
  [
    'a quick reply of a template',
    { type: 'button', button: { text: 'Stop' } },
    { type: 'button', button: { text: 'Stop', payload: 'Stop' } },
  ],
  ['a reaction', { type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '👍' } }, { type: 'reaction' }],
  ['a contact', { type: 'contacts', contacts: [{ name: { formatted_name: 'B' } }] }, { type: 'contacts' }],
  ['an order', { type: 'order', order: { catalog_id: 1, product_items: [{ product_retailer_id: 'p' }] } }, { type: 'order' }],
  ['a filled flow', { type: 'nfm_reply', nfm_reply: { response_json: '{}' } }, { interactive: { type: 'nfm_reply' } }],
  [
    'a changed text',
    { type: 'edit', edit: { original_message_id: 'wamid.first', text: 'Now right' } },
    { type: 'edit', edit: { original_message_id: 'wamid.first', message: { type: 'text', text: { body: 'Now right' } } } },
  ],
  [
    'a deletion',
    { type: 'revoke', revoke: { original_message_id: 'wamid.first' } },
    { type: 'revoke', revoke: { original_message_id: 'wamid.first' } },
  ],
  [
    'news of a new device',
    { type: 'system', system: { type: 'customer_identity_changed', body: 'The identity changed.' } },
    { type: 'system', system: { type: 'customer_identity_changed' } },
  ],
  [
    'a text from an advertisement',
    { text: 'Hi', referral: { source_url: 'https://fb.me/1', headline: 'Bread' } },
    { type: 'text', referral: { source_type: 'ad', source_url: 'https://fb.me/1', headline: 'Bread' } },
  ],
  [
    'a poll',
    { type: 'unsupported', unsupported: { type: 'poll_creation' } },
    { type: 'unsupported', unsupported: { type: 'poll_creation' } },
  ],
  ['something unsupported', { type: 'unsupported' }, { type: 'unsupported', errors: [{ code: 131051 }] }],
  ['a voice note', { type: 'voice' }, { type: 'audio', audio: { voice: true } }],
  [
    'a picture by media',
    { type: 'media', media: { mime_type: 'image/png', caption: 'See' } },
    { type: 'image', image: { caption: 'See' } },
  ],
];

test.for(written)('a person sends %s', async ([, content, expected]) => {
  const { control, receiver, quiet } = await openFixture();
  const answer = await control('POST', 'inbound', { ...sender, ...content });
  expect(answer).toMatchObject({ status: 200, body: { data: { wamid: expect.stringMatching(/^wamid\./) } } });
  await quiet();
  expect(receiver.messages()).toMatchObject([{ ...expected, timestamp: expect.stringMatching(/^\d{10}$/) }]);
  expect(receiver.changes()[0]?.value).toMatchObject({ contacts: [{ profile: { name: 'Ann' }, wa_id: customer }] });
  expect(receiver.faulty).toEqual([]);
});

const refused: [string, Record<string, unknown>, string][] = [
  ['an unknown company', { company_id: 9, text: 'Hi' }, 'company_id'],
  ['no sender', { from: undefined, text: 'Hi' }, 'from'],
  ['a sender that is no phone', { from: 'Ann', text: 'Hi' }, 'from'],
  ['an unknown type', { type: 'smell' }, 'type'],
  ['no type and no content', {}, 'type'],
  ['a text without text', { type: 'text' }, 'text'],
  ['an edit without a text', { type: 'edit', edit: { original_message_id: 'wamid.first' } }, 'edit.text'],
  ['a deletion of nothing', { type: 'revoke' }, 'revoke'],
  ['a location without longitude', { type: 'location', location: { latitude: 1 } }, 'location.longitude'],
];

test.for(refused)('400 naming the field: %s', async ([, content, field]) => {
  const { control, receiver, quiet } = await openFixture();
  expect(await control('POST', 'inbound', { ...sender, ...content })).toMatchObject({ status: 400, body: { error: { field } } });
  await quiet();
  expect(receiver.posts).toEqual([]);
});

test('a reply quotes the last message to that person', async () => {
  const { control, receiver, send, quiet } = await openFixture();
  const { body } = await send(text);
  await control('POST', 'inbound', { ...sender, button_reply: { id: 'a', title: 'A' } });
  await quiet();
  expect(receiver.messages()).toMatchObject([{ context: { from: '15550783881', id: body.messages?.[0]?.id } }]);
});

test('a person known by user id alone has no phone in the webhook', async () => {
  const { control, receiver, quiet } = await openFixture({ webhook_version: 'v24.0' });
  await control('POST', 'inbound', { company_id: 1, user_id: 'US.123', name: 'Ann', text: 'Hi' });
  await quiet();
  expect(receiver.messages()).toMatchObject([{ from_user_id: 'US.123' }]);
  expect(receiver.messages()[0]).not.toHaveProperty('from');
});

test('received media is downloadable, and its hash is base64 in the webhook and hexadecimal in the answer', async () => {
  const { control, receiver, call, quiet } = await openFixture();
  const bytes = Buffer.from('%PDF-1.4 a document');
  await control('POST', 'inbound', {
    ...sender,
    type: 'document',
    media: { mime_type: 'application/pdf', data_base64: bytes.toString('base64') },
  });
  await quiet();
  const { document } = z
    .looseObject({ document: z.object({ id: z.string(), sha256: z.string(), mime_type: z.string(), filename: z.string() }) })
    .parse(receiver.messages()[0]);
  const hash = createHash('sha256').update(bytes);
  const answer = await call('GET', `/v19.0/${document.id}`);
  expect(document.sha256).toBe(hash.copy().digest('base64'));
  expect(answer.body).toMatchObject({ sha256: hash.digest('hex'), file_size: bytes.length, mime_type: 'application/pdf', id: document.id });
  const file = await fetch(String(answer.body.url), { headers: { authorization: `Bearer ${accessToken}` } });
  expect(Buffer.from(await file.arrayBuffer())).toEqual(bytes);
});

test('after a stop, marketing fails with 131050 until the person resumes', async () => {
  const { control, receiver, send, quiet } = await openFixture();
  const sale = { name: 'sale', language: 'en', category: 'MARKETING', components: [{ type: 'BODY', text: 'Our sale starts today.' }] };
  await control('PUT', 'templates', { waba_id: '600700800900100', templates: [sale] });
  const message = { type: 'template', template: { name: 'sale', language: { code: 'en' } } };
  await control('POST', 'inbound', { ...sender, type: 'marketing_stop' });
  await send(message);
  await quiet();
  expect(receiver.changes()[0]).toMatchObject({
    field: 'user_preferences',
    value: { user_preferences: [{ value: 'stop', wa_id: customer }] },
  });
  expect(receiver.statuses()).toMatchObject([{ status: 'failed', errors: [{ code: 131050 }] }]);
  await control('POST', 'inbound', { ...sender, type: 'marketing_resume' });
  await send(message);
  await quiet();
  expect(receiver.statuses().at(-1)?.status).toBe('read');
});
