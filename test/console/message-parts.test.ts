import { describe, expect, test } from 'vitest';
import type { Message } from '../../client/client.ts';
import { captionOf } from '../../console/screens/inbox/message-data.ts';
import { lineOf } from '../../console/screens/inbox/message-words.ts';
import { offeredIn } from '../../console/screens/inbox/offered.ts';
import { formIn, quietLineOf, unsupportedOf } from '../../console/screens/inbox/received.ts';
import { advertisementIn, cardsIn, isOwnNumber, orderIn, productIn } from '../../console/screens/inbox/received-content.ts';
import { en } from '../../console/text/en/inbox.ts';

describe('what a message has beside its text', () => {
  const media = { url: null, mime: 'image/png', size: 1, sha256: null, caption: null, filename: 'IMG_1.png' };
  test('is a caption only where the contact gets one', () => {
    expect(captionOf({ media, value: 'IMG_1.png' })).toBe('');
    expect(captionOf({ media, value: 'Look' })).toBe('Look');
    expect(captionOf({ media: { ...media, caption: '' }, value: '' })).toBe('');
  });

  test('is names with numbers, and products with their sum', () => {
    const contacts: unknown[] = [
      {
        name: { formatted_name: 'Ada' },
        phones: [{ phone: '+49 151 1' }, { wa_id: '491512' }],
        emails: [{ email: 'ada@example.com' }],
        org: { company: 'Engines' },
      },
      'nothing',
    ];
    expect(cardsIn({ contacts: contacts as Record<string, unknown>[] })).toEqual([
      { name: 'Ada', phones: ['+49 151 1', '491512'], emails: ['ada@example.com'], company: 'Engines' },
    ]);
    const items = [
      { product_retailer_id: 'rye', quantity: 2, item_price: 4.5, currency: 'EUR' },
      { product_retailer_id: 'plum', quantity: 1, item_price: 3, currency: 'CHF' },
      { product_retailer_id: 'spelt', quantity: 1, item_price: 1, currency: 'EUR' },
      { product_retailer_id: 'gift' },
    ];
    expect(orderIn({ order: { product_items: items, text: 'Thanks' } })).toEqual({
      items: [
        { product: 'rye', quantity: 2, price: 4.5, currency: 'EUR' },
        { product: 'plum', quantity: 1, price: 3, currency: 'CHF' },
        { product: 'spelt', quantity: 1, price: 1, currency: 'EUR' },
        { product: 'gift', quantity: 1 },
      ],
      totals: [
        { total: 10, currency: 'EUR' },
        { total: 3, currency: 'CHF' },
      ],
      note: 'Thanks',
    });
  });
});

describe('what a customer answers and does', () => {
  test.each<[string, string, [string, string][]]>([
    [
      'a flow',
      '{"flow_token":"t","day":"Tuesday","guests":2,"extras":["bread","cake"]}',
      [
        ['day', 'Tuesday'],
        ['guests', '2'],
        ['extras', 'bread, cake'],
      ],
    ],
    ['a form of the form builder', '{"screen_0_delivery_day_1":"0_Tuesday","screen_1_TextInput_0":""}', [['delivery day', '0_Tuesday']]],
    [
      'an address',
      '{"saved_address_id":"home","values":{"name":"Asha","in_pin_code":"400063"}}',
      [
        ['name', 'Asha'],
        ['in pin code', '400063'],
      ],
    ],
    ['what is no object', '"Sent"', []],
    ['what is no JSON', 'Sent', []],
  ])('is a form with its fields: %s', (_, value, expected) => {
    expect(formIn(value).map((each) => [each.name, each.value])).toEqual(expected);
  });

  test.each<[string, Partial<Message>, string | undefined]>([
    ['an edit', { subtype: 'edit', value: 'Now right' }, 'The contact changed a message: Now right'],
    ['a deletion', { subtype: 'revoke', value: '' }, 'The contact deleted a message'],
    ['a first look', { subtype: 'request_welcome', value: '' }, 'The contact opened the chat'],
    [
      'another number',
      { subtype: 'system', value: 'Ada changed.', content: { system: { type: 'user_changed_number', wa_id: '491512' } } },
      'The contact has another phone number: +491512',
    ],
    [
      'another id',
      { subtype: 'system', value: 'User A changed to B', content: { system: { type: 'user_changed_user_id' } } },
      'The contact has another id at WhatsApp',
    ],
    ['what is not known', { subtype: 'system', value: 'Something new.', content: { system: { type: 'other' } } }, 'Something new.'],
    ['a text', { subtype: 'text', value: 'Hello' }, undefined],
  ])('is one quiet line, and in a list too: %s', (_, given, expected) => {
    const message = { content: null, is_message_by_contact: 1, value: '', subtype: '', ...given };
    expect(quietLineOf(en, message)).toBe(expected);
    if (given.content === undefined) expect(lineOf(en, message)).toBe(expected ?? 'Hello');
  });

  test('is said of a message of another kind where the provider says the kind', () => {
    const error = { code: 131_051, title: 'Message type unknown', details: null };
    expect(unsupportedOf(en, { content: { unsupported: { type: 'poll_creation' } }, error })).toContain('poll creation');
    expect(unsupportedOf(en, { content: null, error })).toBe(en.unsupported);
    expect(unsupportedOf(en, { content: null, error: { ...error, code: 131_060 } })).toContain('phone');
  });

  test('names the advertisement, the product and the own number that it is about', () => {
    expect(advertisementIn({ referral: { headline: 'Bread', source_url: 'javascript:alert(1)' } })).toEqual({
      headline: 'Bread',
      body: '',
    });
    expect(advertisementIn(null)).toBeUndefined();
    expect(productIn({ context: { referred_product: { product_retailer_id: 'rye' } } })).toBe('rye');
    expect([isOwnNumber({ contacts: [{ origin: 'contact_request' }] }), isOwnNumber({ contacts: [{ origin: 'other' }] })]).toEqual([
      true,
      false,
    ]);
  });

  test('is a line of the list: the answers of a form, an order', () => {
    expect(lineOf(en, { value: '{"day":"Tuesday"}', subtype: 'nfm_reply', is_message_by_contact: 1 })).toBe('Answer to the form · Tuesday');
    expect(lineOf(en, { value: '', subtype: 'order', is_message_by_contact: 1 })).toBe('Order');
  });
});

describe('what we sent to be pressed', () => {
  const offered = (interactive: object) => offeredIn({ interactive: { ...interactive } });
  test.each<[string, object, object]>([
    [
      'quick replies',
      { type: 'button', action: { buttons: [{ reply: { title: 'Yes' } }, { reply: { title: 'No' } }] } },
      { labels: ['Yes', 'No'] },
    ],
    [
      'a link',
      { type: 'cta_url', footer: { text: 'F' }, action: { parameters: { display_text: 'Open' } } },
      { labels: ['Open'], footer: 'F' },
    ],
    ['a flow', { type: 'flow', action: { parameters: { flow_cta: 'Book' } } }, { labels: ['Book'] }],
    [
      'a list',
      { type: 'list', action: { button: 'Choose', sections: [{ rows: [{ title: 'A' }] }] } },
      { list: { name: 'Choose', rows: ['A'] } },
    ],
    ['a product', { type: 'product', action: { product_retailer_id: 'rye' } }, { products: 1 }],
    ['products', { type: 'product_list', action: { sections: [{ product_items: [{}, {}] }, { product_items: [{}] }] } }, { products: 3 }],
    [
      'a request',
      { type: 'location_request_message', action: { name: 'send_location' } },
      { kind: 'location_request_message', labels: [] },
    ],
    [
      'cards',
      {
        type: 'carousel',
        action: {
          cards: [
            { body: { text: 'Rye' }, action: { parameters: { display_text: 'Buy' } } },
            { action: { buttons: [{ quick_reply: { title: 'Yes' } }] } },
          ],
        },
      },
      {
        cards: [
          { text: 'Rye', labels: ['Buy'] },
          { text: '', labels: ['Yes'] },
        ],
      },
    ],
  ])('is read: %s', (_, interactive, expected) => expect(offered(interactive)).toMatchObject(expected));

  test('is nothing where there is no action', () => expect([offeredIn(null), offered({ type: 'button' })]).toEqual([undefined, undefined]));
});
