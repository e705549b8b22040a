import { expect, test } from 'vitest';
import { accessToken, openFixture, customer, phoneNumberId, text } from './fixture.ts';

const buttons = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ type: 'reply', reply: { id: `b${index}`, title: `Button ${index}` } }));
const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `r${index}`, title: `Row ${index}` }));
const interactive = (content: Record<string, unknown>) => ({ type: 'interactive', interactive: { body: { text: 'Choose' }, ...content } });
const products = (count: number) => Array.from({ length: count }, (_, nth) => ({ product_retailer_id: `p${nth}` }));
const toBuy = { name: 'cta_url', parameters: { display_text: 'Buy', url: 'https://example.com' } };
const quickReply = (id: string) => ({ buttons: [{ type: 'quick_reply', quick_reply: { id, title: 'Yes' } }] });
const card = (card_index: number, action: object = toBuy, more: object = {}) => ({
  card_index,
  type: 'cta_url',
  header: { type: 'image', image: { link: 'https://example.com/a.jpg' } },
  body: { text: 'A card' },
  action,
  ...more,
});
const carousel = (...cards: object[]) => interactive({ type: 'carousel', action: { cards } });
const many = (length: number) => 'x'.repeat(length);

const accepted: [string, Record<string, unknown>][] = [
  ['a text', text],
  ['a text without a type', { text: { body: 'Hello' } }],
  ['a phone with spaces, dashes and brackets', { ...text, to: '+1 (650) 555-0111' }],
  ['a phone without a plus', { ...text, to: customer }],
  ['an image by link', { type: 'image', image: { link: 'https://example.com/a.jpg', caption: 'A' } }],
  ['audio as a voice note', { type: 'audio', audio: { link: 'https://example.com/a.ogg', voice: true } }],
  ['a document', { type: 'document', document: { link: 'https://example.com/a.pdf', filename: 'a.pdf' } }],
  ['a sticker', { type: 'sticker', sticker: { link: 'https://example.com/a.webp' } }],
  ['a location with coordinates as strings', { type: 'location', location: { latitude: '37.44', longitude: '-122.16' } }],
  ['contacts', { type: 'contacts', contacts: [{ name: { formatted_name: 'A B', first_name: 'A' } }] }],
  ['a reaction', { type: 'reaction', reaction: { message_id: 'wamid.abc', emoji: '👍' } }],
  ['reply buttons in capitals', interactive({ type: 'BUTTON', action: { buttons: buttons(3) } })],
  ['a list of ten rows', interactive({ type: 'list', action: { button: 'Open', sections: [{ rows: rows(10) }] } })],
  [
    'a link button',
    interactive({ type: 'cta_url', action: { name: 'cta_url', parameters: { display_text: 'See', url: 'https://example.com' } } }),
  ],
  ['a request for the phone number', interactive({ type: 'request_contact_info', action: { name: 'request_contact_info' } })],
  ['a product', interactive({ type: 'product', action: { catalog_id: '1', product_retailer_id: 'rye' } })],
  ['the catalog', interactive({ type: 'catalog_message', action: { name: 'catalog_message' } })],
  [
    'products',
    interactive({
      type: 'product_list',
      header: { type: 'text', text: 'Bread' },
      action: { catalog_id: '1', sections: [{ product_items: products(30) }] },
    }),
  ],
  ['cards with links', carousel(card(0), card(1))],
  ['cards with quick replies', carousel(card(0, quickReply('a')), card(1, quickReply('b')))],
  ['a location request', interactive({ type: 'location_request_message', action: { name: 'send_location' } })],
  [
    'a flow',
    interactive({
      type: 'flow',
      action: { name: 'flow', parameters: { flow_message_version: '3', flow_id: '1', flow_cta: 'Book', mode: 'published' } },
    }),
  ],
];

test.for(accepted)('accepted: %s', async ([, message]) => {
  const { send } = await openFixture();
  const answer = await send(message);
  expect(answer.body.error).toBeUndefined();
  expect(answer.status).toBe(200);
  expect(answer.body.contacts?.[0]).toMatchObject({ wa_id: customer });
  const id = answer.body.messages?.[0]?.id ?? '';
  expect(id).toMatch(/^wamid\.[A-Za-z0-9+/]+=*$/);
  expect(Buffer.from(id.slice(6), 'base64').toString('latin1')).toContain(customer);
});

const refused: [string, Record<string, unknown>, number, RegExp][] = [
  ['no recipient', { ...text, to: undefined }, 100, /parameter to is required/],
  ['a malformed phone', { ...text, to: 'nobody' }, 131009, /to/],
  ['itself', { ...text, to: '15550783881' }, 131021, /sender/],
  ['another product', { ...text, messaging_product: 'other' }, 100, /messaging_product/],
  ['an unknown type', { type: 'telegram' }, 131051, /telegram/],
  ['no content for the type', { type: 'image' }, 131008, /'image' is mandatory/],
  ['a text without body', { type: 'text', text: {} }, 131008, /text\['body'\]/],
  ['a text of 4097 characters', { type: 'text', text: { body: many(4097) } }, 100, /at most 4096/],
  ['a caption of 1025 characters', { type: 'image', image: { link: 'https://example.com/a', caption: many(1025) } }, 100, /1024/],
  ['media with neither id nor link', { type: 'video', video: {} }, 131008, /'id' or 'link'/],
  ['a caption on audio', { type: 'audio', audio: { link: 'https://example.com/a', caption: 'A' } }, 100, /Unexpected key/],
  ['no buttons', interactive({ type: 'button', action: { buttons: [] } }), 131009, /Min allowed buttons: 1/],
  ['four buttons', interactive({ type: 'button', action: { buttons: buttons(4) } }), 131009, /Max allowed buttons: 3/],
  [
    'a button title of 21 characters',
    interactive({ type: 'button', action: { buttons: [{ type: 'reply', reply: { id: 'a', title: many(21) } }] } }),
    131009,
    /Button title/,
  ],
  [
    'two buttons of one id',
    interactive({ type: 'button', action: { buttons: [...buttons(1), { type: 'reply', reply: { id: 'b0', title: 'Other' } }] } }),
    131009,
    /Duplicated/,
  ],
  [
    'eleven rows over two sections',
    interactive({
      type: 'list',
      action: {
        button: 'Open',
        sections: [
          { title: 'A', rows: rows(6) },
          { title: 'B', rows: rows(5) },
        ],
      },
    }),
    131009,
    /Total row count/,
  ],
  [
    'a list with an image above',
    interactive({
      type: 'list',
      header: { type: 'image', image: { link: 'https://example.com/a' } },
      action: { button: 'Open', sections: [{ rows: rows(1) }] },
    }),
    131009,
    /Header type/,
  ],
  ['an unknown interactive type', interactive({ type: 'puzzle', action: {} }), 100, /interactive\['type'\]/],
  ['a reference of 513 characters', { ...text, biz_opaque_callback_data: many(513) }, 100, /512/],
  ['a location beyond the pole', { type: 'location', location: { latitude: 91, longitude: 0 } }, 131009, /latitude/],
  ['one card', carousel(card(0)), 131009, /cards count/],
  ['cards in another order', carousel(card(1), card(0)), 131009, /card_index/],
  ['cards with mixed buttons', carousel(card(0), card(1, quickReply('a'))), 131009, /same buttons/],
  ['cards whose buttons have one id', carousel(card(0, quickReply('a')), card(1, quickReply('a'))), 131009, /Duplicated button ids/],
  [
    'cards with a file by its id',
    carousel(...[0, 1].map((nth) => card(nth, toBuy, { header: { type: 'image', image: { id: '1' } } }))),
    131009,
    /link/,
  ],
  ['cards with a long text', carousel(...[0, 1].map((nth) => card(nth, toBuy, { body: { text: many(161) } }))), 131009, /Card body/],
  [
    'cards with three line breaks',
    carousel(...[0, 1].map((nth) => card(nth, toBuy, { body: { text: 'a\nb\nc\nd' } }))),
    131009,
    /line breaks/,
  ],
  ['cards without a button', carousel(...[0, 1].map((nth) => card(nth, {}))), 131009, /one URL button/],
  [
    'products without a header',
    interactive({ type: 'product_list', action: { catalog_id: '1', sections: [{ product_items: products(1) }] } }),
    131009,
    /Header/,
  ],
  [
    '31 products',
    interactive({
      type: 'product_list',
      header: { type: 'text', text: 'A' },
      action: { catalog_id: '1', sections: [{ product_items: products(31) }] },
    }),
    131009,
    /products count/,
  ],
  ['a contact with a formatted name only', { type: 'contacts', contacts: [{ name: { formatted_name: 'A' } }] }, 131009, /one more part/],
];

test.for(refused)('refused: %s', async ([, message, code, complaint]) => {
  const { send, control } = await openFixture();
  const { status, body } = await send(message);
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ code, type: 'OAuthException', fbtrace_id: expect.any(String) });
  expect(`${body.error?.message} ${body.error?.error_data?.details}`).toMatch(complaint);
  expect((await control('GET', 'messages')).body.data).toEqual([]);
});

test('a token nobody has is 401, one of another number is refused, an unknown number does not exist', async () => {
  const { control, call, send, receiver } = await openFixture();
  await control('PUT', 'numbers', {
    company_id: 2,
    waba_id: '2',
    phone_number_id: '22',
    display_phone_number: '15550000002',
    access_token: 'other',
    app_secret: 's',
    webhook_url: receiver.url,
  });
  expect(await send(text, 'nobody')).toMatchObject({ status: 401, body: { error: { code: 190, type: 'OAuthException' } } });
  expect(await send(text, 'other')).toMatchObject({ status: 403, body: { error: { code: 10 } } });
  expect(await call('POST', '/v19.0/999/messages', text)).toMatchObject({
    status: 400,
    body: { error: { code: 100, error_subcode: 33, type: 'GraphMethodException' } },
  });
  expect((await control('GET', 'messages')).body.data).toEqual([]);
});

test('the ledger keeps what was accepted, oldest first, with the reference and the version asked for', async () => {
  const { call, control } = await openFixture();
  for (const [index, version] of ['v19.0', 'v24.0', 'v26.0'].entries()) {
    await call('POST', `/${version}/${phoneNumberId}/messages`, {
      messaging_product: 'whatsapp',
      to: `+1650555020${index}`,
      ...text,
      biz_opaque_callback_data: `ref-${index}`,
    });
  }
  const all = await control('GET', 'messages');
  expect(all.body.data).toMatchObject([
    {
      to: '16505550200',
      type: 'text',
      reference: 'ref-0',
      version: 'v19.0',
      phone_number_id: phoneNumberId,
      payload: { text: { body: 'Hello' } },
    },
    { to: '16505550201', reference: 'ref-1', version: 'v24.0' },
    { to: '16505550202', reference: 'ref-2', version: 'v26.0' },
  ]);
  expect((await control('GET', 'messages?phone=%2B16505550201')).body.data).toMatchObject([{ reference: 'ref-1' }]);
  const first = await control('GET', 'messages?limit=2');
  expect(first.body).toMatchObject({ data: [{ reference: 'ref-0' }, { reference: 'ref-1' }], paging: { cursors: { after: '2' } } });
  expect((await control('GET', 'messages?limit=2&after=2')).body.data).toMatchObject([{ reference: 'ref-2' }]);
  expect((await control('GET', 'messages?company_id=7')).body.data).toEqual([]);
  expect((await call('POST', `/v27.0/${phoneNumberId}/messages`, text)).status).toBe(400);
});

test('a registered rate counts a sliding second and refuses what exceeds it', async () => {
  const { send, control } = await openFixture({ rate: 5 });
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(text)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(answers.find(({ status }) => status !== 200)?.body.error).toMatchObject({ code: 130429, error_subcode: 2494055 });
  expect((await control('GET', 'messages')).body.data).toHaveLength(5);
});

test('marking as read succeeds and is not a message', async () => {
  const { call, control } = await openFixture();
  const receipt = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.abc', typing_indicator: { type: 'text' } };
  expect(await call('POST', `/v19.0/${phoneNumberId}/messages`, receipt, accessToken)).toEqual({ status: 200, body: { success: true } });
  expect((await control('GET', 'messages')).body.data).toEqual([]);
});

test('a business-scoped user id is a recipient, and gets its answer without a phone', async () => {
  const { send } = await openFixture();
  const { body } = await send({ ...text, to: undefined, recipient: 'US.13491208655302741918' });
  expect(body.contacts).toEqual([{ input: 'US.13491208655302741918', user_id: 'US.13491208655302741918' }]);
  expect((await send({ ...text, to: undefined, recipient: 'somebody' })).body.error?.code).toBe(131009);
});
