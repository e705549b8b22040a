import { afterAll, describe, expect, test } from 'vitest';
import { bodiesByKind } from '../../lib/generate/examples.ts';
import { refusedFields, startOutboundFixture } from './outbound-fixture.ts';

/** Kinds of messages beside texts, lists and templates: what the provider is sent, and what is refused before. */
const { fixture, company, post, sentFor } = await startOutboundFixture();
afterAll(() => fixture.stop());

/** The newest message of a conversation, as the API shows it. */
const shownIn = async (contactId: number): Promise<unknown> => {
  const listed = await fixture.testApp.call({
    method: 'GET',
    path: `/api/v1/conversations/${contactId}/messages`,
    token: company.tokens.member,
  });
  return (listed.body as { data: unknown[] }).data[0];
};

describe('contact cards', () => {
  const ada = {
    name: { formatted_name: 'Ada Lovelace', first_name: 'Ada' },
    phones: [{ phone: '+44 20 7946 0000', wa_id: '442079460000', type: 'WORK' }],
    emails: [{ email: 'ada@example.com' }],
    org: { company: 'Engines' },
    birthday: '1990-12-10',
  };
  const grace = { name: { formatted_name: 'Grace Hopper', last_name: 'Hopper' } };

  test('go whole, and their names are the text of the message', async () => {
    const { sent, stored } = await sentFor('contacts', { contacts: [ada, grace] });
    expect(sent).toEqual({ type: 'contacts', contacts: [ada, grace] });
    expect(stored).toMatchObject({ type: 1, subtype: 'contacts', value: 'Ada Lovelace, Grace Hopper', status: 2 });
    expect(await shownIn(stored?.contactId ?? 0)).toMatchObject({ content: { contacts: [ada, grace] } });
  });

  test.each<[string, unknown, string]>([
    ['no card', [], 'contacts'],
    ['too many', Array.from({ length: 258 }, () => grace), 'contacts'],
    [
      'more than fits into a message',
      Array.from({ length: 200 }, () => ({ ...ada, urls: [{ url: `https://a.example/${'x'.repeat(300)}` }] })),
      'contacts',
    ],
    ['a name without a part', [{ name: { formatted_name: 'Ada' } }], 'contacts.0.name'],
    ['no name', [{ phones: [] }], 'contacts.0.name'],
    ['a birthday that is no date', [{ ...grace, birthday: '10.12.1990' }], 'contacts.0.birthday'],
    ['a website that is none', [{ ...grace, urls: [{ url: 'example' }] }], 'contacts.0.urls.0.url'],
  ])('%s is refused', async (_, contacts, field) => {
    expect(refusedFields(await post('contacts', { contacts }))).toEqual([field]);
  });
});

describe('an interactive message', () => {
  const flow = { type: 'flow', flow_id: '123', button: 'Book', screen: 'FIRST' };
  const link = (name: string, more: object = {}) => ({
    image: `https://shop.example/${name}.jpg`,
    message: name,
    button_name: 'Buy',
    button_url: `https://shop.example/${name}`,
    ...more,
  });
  const replies = (...titles: string[]) => ({ button_name: undefined, button_url: undefined, buttons: titles.map((title) => ({ title })) });

  test.each<[string, Record<string, unknown>, Record<string, unknown>, Record<string, unknown>?]>([
    ['a request for the location', { type: 'location_request' }, { type: 'location_request_message', action: { name: 'send_location' } }],
    [
      'a request for the phone number',
      { type: 'contact_request' },
      { type: 'request_contact_info', action: { name: 'request_contact_info' } },
    ],
    [
      'a flow that opens a screen',
      { ...flow, flow_token: 'table-7', data: { day: 'Tuesday' } },
      {
        type: 'flow',
        action: {
          name: 'flow',
          parameters: {
            flow_message_version: '3',
            flow_id: '123',
            flow_cta: 'Book',
            flow_token: 'table-7',
            flow_action: 'navigate',
            flow_action_payload: { screen: 'FIRST', data: { day: 'Tuesday' } },
          },
        },
      },
    ],
    [
      'a draft whose endpoint says the screen',
      { type: 'flow', flow_name: 'booking', button: 'Book', flow_token: 't', mode: 'draft', flow_action: 'data_exchange' },
      {
        type: 'flow',
        action: {
          name: 'flow',
          parameters: {
            flow_message_version: '3',
            flow_name: 'booking',
            flow_cta: 'Book',
            flow_token: 't',
            mode: 'draft',
            flow_action: 'data_exchange',
          },
        },
      },
    ],
    [
      'a product',
      { type: 'product', catalog_id: 194, product_id: 'rye' },
      { type: 'product', footer: { text: 'F' }, action: { catalog_id: '194', product_retailer_id: 'rye' } },
      { footer: 'F' },
    ],
    [
      'products in sections',
      {
        type: 'product_list',
        catalog_id: '194',
        sections: [
          { title: 'Bread', product_ids: ['rye', 'spelt'] },
          { title: 'Cake', product_ids: ['plum'] },
        ],
      },
      {
        type: 'product_list',
        header: { type: 'text', text: 'H' },
        action: {
          catalog_id: '194',
          sections: [
            { title: 'Bread', product_items: [{ product_retailer_id: 'rye' }, { product_retailer_id: 'spelt' }] },
            { title: 'Cake', product_items: [{ product_retailer_id: 'plum' }] },
          ],
        },
      },
      { header: 'H' },
    ],
    ['the catalog', { type: 'catalog' }, { type: 'catalog_message', action: { name: 'catalog_message' } }],
    [
      'the catalog with a picture',
      { type: 'catalog', thumbnail_product_id: 'rye' },
      { type: 'catalog_message', action: { name: 'catalog_message', parameters: { thumbnail_product_retailer_id: 'rye' } } },
    ],
    [
      'an address form',
      { type: 'address', country: 'IN', values: { city: 'Pune' }, saved_addresses: [{ id: 'home', value: { name: 'Asha' } }] },
      {
        type: 'address_message',
        action: {
          name: 'address_message',
          parameters: { country: 'IN', values: { city: 'Pune' }, saved_addresses: [{ id: 'home', value: { name: 'Asha' } }] },
        },
      },
    ],
    [
      'a carousel with links',
      { type: 'carousel', cards: [link('a'), link('b')] },
      {
        type: 'carousel',
        action: {
          cards: ['a', 'b'].map((name, card_index) => ({
            card_index,
            type: 'cta_url',
            header: { type: 'image', image: { link: `https://shop.example/${name}.jpg` } },
            body: { text: name },
            action: { name: 'cta_url', parameters: { display_text: 'Buy', url: `https://shop.example/${name}` } },
          })),
        },
      },
    ],
    [
      'a carousel with quick replies',
      { type: 'carousel', cards: [link('a', replies('Yes')), link('b', replies('No'))] },
      {
        type: 'carousel',
        action: {
          cards: [
            ['a', 'card_1_btn_1', 'Yes'],
            ['b', 'card_2_btn_1', 'No'],
          ].map(([name, id, title], card_index) => ({
            card_index,
            type: 'cta_url',
            header: { type: 'image', image: { link: `https://shop.example/${name}.jpg` } },
            body: { text: name },
            action: { buttons: [{ type: 'quick_reply', quick_reply: { id, title } }] },
          })),
        },
      },
    ],
  ])('%s', async (_, interactive, expected, more = {}) => {
    const { sent, stored } = await sentFor('interactive', { message: 'Hello', ...more, interactive });
    expect(sent).toEqual({ type: 'interactive', interactive: { body: { text: 'Hello' }, ...expected } });
    expect(stored).toMatchObject({ type: 1, subtype: interactive['type'], value: 'Hello', status: 2 });
    expect(await shownIn(stored?.contactId ?? 0)).toMatchObject({ content: { interactive: sent['interactive'] } });
  });

  test('a flow carries a token that is unique to the request, unless the caller gives one', async () => {
    const tokens = [
      await sentFor('interactive', { message: 'A', interactive: flow }),
      await sentFor('interactive', { message: 'B', interactive: flow }),
    ].map(({ sent }) => (sent['interactive'] as { action: { parameters: { flow_token: string } } }).action.parameters.flow_token);
    expect(new Set(tokens).size).toBe(2);
    expect(tokens.every((token) => token.length > 15)).toBe(true);
  });

  const cards = (count: number, more: object = {}) => ({
    type: 'carousel',
    cards: Array.from({ length: count }, (_, nth) => link(`c${nth}`, more)),
  });
  test.each<[string, Record<string, unknown>, string[]]>([
    ['no type', { interactive: {} }, ['interactive.type']],
    ['an unknown type', { interactive: { type: 'poll' } }, ['interactive.type']],
    ['no text', { message: '', interactive: { type: 'catalog' } }, ['message']],
    ['a text too long', { message: 'x'.repeat(1_025), interactive: { type: 'catalog' } }, ['message']],
    ['a header where there is none', { header: 'H', interactive: { type: 'location_request' } }, ['header']],
    ['a footer where there is none', { footer: 'F', interactive: { type: 'contact_request' } }, ['footer']],
    ['a flow without an id', { interactive: { ...flow, flow_id: undefined } }, ['interactive.flow_id']],
    ['a flow with id and name', { interactive: { ...flow, flow_name: 'booking' } }, ['interactive.flow_name']],
    ['a flow without a screen', { interactive: { ...flow, screen: undefined } }, ['interactive.screen']],
    ['a screen that the endpoint says', { interactive: { ...flow, flow_action: 'data_exchange' } }, ['interactive.screen']],
    ['no data for the screen', { interactive: { ...flow, data: {} } }, ['interactive.data']],
    ['a label too long', { interactive: { ...flow, button: 'x'.repeat(31) } }, ['interactive.button']],
    [
      'a list of products without a header',
      { interactive: { type: 'product_list', catalog_id: '1', sections: [{ product_ids: ['a'] }] } },
      ['header'],
    ],
    [
      'more than 30 products',
      {
        header: 'H',
        interactive: {
          type: 'product_list',
          catalog_id: '1',
          sections: [1, 2].map((nth) => ({ title: `${nth}`, product_ids: Array.from({ length: 16 }, (_, id) => `p${id}`) })),
        },
      },
      ['interactive.sections'],
    ],
    [
      'sections without a title',
      {
        header: 'H',
        interactive: { type: 'product_list', catalog_id: '1', sections: [{ title: 'A', product_ids: ['a'] }, { product_ids: ['b'] }] },
      },
      ['interactive.sections.1.title'],
    ],
    ['an address elsewhere', { interactive: { type: 'address', country: 'DE' } }, ['interactive.country']],
    ['one card', { interactive: cards(1) }, ['interactive.cards']],
    ['eleven cards', { interactive: cards(11) }, ['interactive.cards']],
    [
      'a card with three line breaks',
      { interactive: cards(2, { message: 'a\nb\nc\nd' }) },
      ['interactive.cards.0.message', 'interactive.cards.1.message'],
    ],
    [
      'pictures and videos',
      { interactive: { type: 'carousel', cards: [link('a'), link('b', { image: undefined, video: 'https://shop.example/b.mp4' })] } },
      ['interactive.cards'],
    ],
    ['links and quick replies', { interactive: { type: 'carousel', cards: [link('a'), link('b', replies('No'))] } }, ['interactive.cards']],
    [
      'a card with both',
      { interactive: cards(2, { buttons: [{ title: 'A' }] }) },
      ['interactive.cards.0.buttons', 'interactive.cards.1.buttons'],
    ],
    ['the same id twice', { interactive: cards(2, { ...replies(), buttons: [{ id: 'a', title: 'A' }] }) }, ['interactive.cards']],
    [
      'a picture at a private address',
      { interactive: cards(2, { image: 'https://10.0.0.1/a.jpg' }) },
      ['interactive.cards.0.image', 'interactive.cards.1.image'],
    ],
  ])('%s is refused at its field', async (_, fields, errors) => {
    expect(refusedFields(await post('interactive', { message: 'Hello', ...fields }))).toEqual(errors);
  });

  test.each(Object.entries(bodiesByKind['sendInteractive'] ?? {}))(
    'the example %s of the reference is taken by the provider',
    async (kind, example) => {
      const { phone: _phone, ...fields } = example;
      expect(await sentFor('interactive', fields)).toMatchObject({ stored: { subtype: kind, status: 2 } });
    },
  );
});
