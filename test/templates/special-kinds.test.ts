import { describe, expect, test } from 'vitest';
import { sendTemplateBody } from '../../functions/messaging/contract/send-template.ts';
import { composeTemplate } from '../../functions/messaging/domain/compose-template.ts';
import { type StoredTemplate, storedTemplate } from '../../functions/templates/contract/stored.ts';
import { templateBody } from '../../functions/templates/contract/template.ts';
import { toDraft, toProviderRequest } from '../../functions/templates/domain/draft.ts';
import { validateTemplate } from '../../functions/templates/domain/rules.ts';
import { sendRequest, templateRequest } from '../../lib/local/provider/schemas.ts';
import { checkTemplate } from '../../lib/local/provider/template-rules.ts';
import { checkTemplateSend } from '../../lib/local/provider/template-send.ts';
import { orderUpdate } from './fixture.ts';

const reply = { type: 'QUICK_REPLY', text: 'More' };
const url = { type: 'URL', text: 'Shop', url: 'https://a.example/{{1}}', example: ['x'] };
const image = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW'] } };
const cardText = { type: 'BODY', text: 'Only for {{1}} today.', example: { body_text: [['Ada']] } };
const buttons = (...list: object[]) => ({ type: 'BUTTONS', buttons: list });
const card = { components: [image, cardText, buttons(url, reply)] };
const body = { type: 'BODY', text: 'Our new bread.' };
const carousel = (...cards: object[]) => ({ category: 'MARKETING', components: [body, { type: 'CAROUSEL', cards }] });
const times = <T>(count: number, each: T): T[] => Array.from({ length: count }, () => each);
const offerOf = (text: string, expires = true) => ({
  type: 'LIMITED_TIME_OFFER',
  limited_time_offer: { text, has_expiration: expires },
});
const coupon = { type: 'COPY_CODE', example: 'CARIBE25' };
const offer = (over: object[] = [], own: object = offerOf('Until Sunday'), list: object[] = [coupon, url]) => ({
  category: 'MARKETING',
  components: [body, own, buttons(...list), ...over],
});
const withButtons = (...list: object[]) => ({ components: [body, buttons(...list)] });

const check = (over: Record<string, unknown>) => {
  const parsed = templateBody.parse(orderUpdate(over));
  const draft = toDraft(parsed);
  return { fields: Object.keys(validateTemplate(draft, parsed)), refused: checkTemplate(templateRequest.parse(toProviderRequest(draft))) };
};

describe('a special kind that breaks a rule is refused before it is submitted, and would be by the provider', () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ['one card', carousel(card), ['components.1.cards']],
    ['eleven cards', carousel(...times(11, card)), ['components.1.cards']],
    [
      'a card with fewer buttons than the first',
      carousel(card, { components: [image, cardText, buttons(url)] }),
      ['components.1.cards.1.components'],
    ],
    [
      'a card with its buttons in another order',
      carousel(card, { components: [image, cardText, buttons(reply, url)] }),
      ['components.1.cards.1.components'],
    ],
    [
      'a video among images',
      carousel(card, { components: [{ ...image, format: 'VIDEO' }, cardText, buttons(url, reply)] }),
      ['components.1.cards.1.components'],
    ],
    [
      'cards without a header',
      carousel(...times(2, { components: [cardText, buttons(reply)] })),
      ['components.1.cards.0.components', 'components.1.cards.1.components'],
    ],
    [
      'cards without buttons',
      carousel(...times(2, { components: [image, cardText] })),
      ['components.1.cards.0.components', 'components.1.cards.1.components'],
    ],
    [
      'cards of 161 characters',
      carousel(...times(2, { components: [image, { type: 'BODY', text: 'a'.repeat(161) }, buttons(reply)] })),
      ['components.1.cards.0.components', 'components.1.cards.1.components'],
    ],
    ['a carousel of UTILITY', { ...carousel(card, card), category: 'UTILITY' }, ['components.1.type']],
    ['an offer of UTILITY', { ...offer(), category: 'UTILITY' }, ['components.1.type']],
    ['an offer without a text', offer([], offerOf('')), ['components.1.limited_time_offer.text']],
    ['an offer of 17 characters', offer([], offerOf('a'.repeat(17))), ['components.1.limited_time_offer.text']],
    [
      'an offer with a body of 601',
      { ...offer(), components: [{ type: 'BODY', text: 'a'.repeat(601) }, offerOf('Until Sunday'), buttons(coupon, url)] },
      ['components.0.text'],
    ],
    ['an offer with a footer', offer([{ type: 'FOOTER', text: 'Bye' }]), ['components.3.type']],
    ['an offer with a header of text', offer([{ type: 'HEADER', format: 'TEXT', text: 'Hello' }]), ['components.3.format']],
    ['an offer whose code is not first', offer([], offerOf('Until Sunday'), [url, coupon]), ['components.2.buttons']],
    ['an offer that expires without a code', offer([], offerOf('Until Sunday'), [url]), ['components.2.buttons']],
    ['an offer without an address', offer([], offerOf('Until Sunday'), [coupon]), ['components.2.buttons']],
    [
      'an offer with a code of 16',
      offer([], offerOf('Until Sunday'), [{ type: 'COPY_CODE', example: 'a'.repeat(16) }, url]),
      ['components.2.buttons.0.example'],
    ],
    ['a coupon of 21', withButtons({ type: 'COPY_CODE', example: 'a'.repeat(21) }), ['components.1.buttons.0.example']],
    ['a catalog with another button', withButtons({ type: 'CATALOG', text: 'View catalog' }, reply), ['components.1.buttons']],
    ['two multi-product buttons', withButtons(...times(2, { type: 'MPM', text: 'View items' })), ['components.1.buttons']],
    [
      'a request for contact info in words of its own',
      withButtons({ type: 'REQUEST_CONTACT_INFO', text: 'Your number' }),
      ['components.1.buttons.0.text'],
    ],
    ['a short life of marketing', { category: 'MARKETING', message_send_ttl_seconds: 43_199 }, ['message_send_ttl_seconds']],
    ['a long life of utility', { category: 'UTILITY', message_send_ttl_seconds: 43_201 }, ['message_send_ttl_seconds']],
  ])('%s', (_what, over, fields) => {
    const { fields: found, refused } = check(over);
    expect(found).toEqual(fields);
    expect(refused).toMatchObject({ status: 400 });
  });
});

describe('a special kind within the rules passes, here and at the provider', () => {
  test.each<[string, Record<string, unknown>]>([
    ['two cards', carousel(card, card)],
    ['ten cards without texts', carousel(...times(10, { components: [image, buttons(reply)] }))],
    [
      'cards of products',
      carousel(
        ...times(2, {
          components: [
            { type: 'HEADER', format: 'PRODUCT' },
            { type: 'BUTTONS', buttons: [{ type: 'SPM', text: 'View' }] },
          ],
        }),
      ),
    ],
    ['an offer with an end', offer()],
    ['an offer with a picture', offer([image])],
    ['an offer without an end or a code', offer([], offerOf('While it lasts', false), [url])],
    ['a coupon of 20', withButtons({ type: 'COPY_CODE', example: 'a'.repeat(20) })],
    ['a catalog', withButtons({ type: 'CATALOG', text: 'View catalog' })],
    ['many products', withButtons({ type: 'MPM', text: 'View items' })],
    ['a request for contact info', withButtons({ type: 'REQUEST_CONTACT_INFO' })],
    ['the same with the words of the provider', withButtons({ type: 'REQUEST_CONTACT_INFO', text: 'Share Contact Info' })],
    ['the longest life of marketing', { category: 'MARKETING', message_send_ttl_seconds: 2_592_000 }],
  ])('%s', (_what, over) => expect(check(over)).toEqual({ fields: [], refused: undefined }));
});

const stored = (over: Record<string, unknown>): StoredTemplate =>
  storedTemplate.parse({
    companyId: 1,
    id: 1,
    name: 'pair',
    language: 'en',
    category: 'MARKETING',
    status: 'APPROVED',
    parameterFormat: 'POSITIONAL',
    statusAt: 0,
    rev: 1,
    createdAt: 0,
    updatedAt: 0,
    ...over,
  });
const atProvider = ({ name, language, category, status, parameterFormat, components }: StoredTemplate) => ({
  id: '1',
  waba_id: '1',
  name,
  language,
  category,
  status,
  parameter_format: parameterFormat,
  components: templateRequest.shape.components.parse(components),
  rejected_reason: 'NONE',
  created_at: 0,
  edits: [],
});

/** What the product makes of it, and whether the provider takes that; what is refused is given to the provider as it is. */
const send = (template: StoredTemplate, components: object[]) => {
  const input = sendTemplateBody.parse({ phone: '+4915112345678', template_name: 'pair', components });
  const composed = composeTemplate(template, input, () => true);
  const content = composed.ok ? composed.message.payload?.['template'] : { name: 'pair', language: { code: 'en' }, components };
  const request = sendRequest.parse({ messaging_product: 'whatsapp', to: '4915112345678', type: 'template', template: content });
  if (request.type !== 'template') throw new Error('It is no template.');
  return {
    ok: composed.ok,
    sent: composed.ok ? (content as { components?: object[] }).components : undefined,
    refused: checkTemplateSend(request.template, atProvider(template), 'v25.0'),
  };
};

const say = (text: string) => ({ type: 'text', text });
const picture = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://files.example/a.jpg' } }] };
const filled = (index?: number, suffix: string[] = ['rye']) => ({
  ...(index === undefined ? {} : { card_index: index }),
  components: [
    picture,
    { type: 'BODY', parameters: [say('Ada')] },
    ...suffix.map((text) => ({ type: 'button', sub_type: 'URL', index: 0, parameters: [say(text)] })),
  ],
});
const cards = (...list: object[]) => [{ type: 'carousel', cards: list }];
const pair = stored(carousel(card, card));
const sale = stored(offer());
const until = (value: unknown) => ({
  type: 'limited_time_offer',
  parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: value } }],
});
const codeAndSuffix = (code: string) => [
  { type: 'button', sub_type: 'copy_code', index: 0, parameters: [{ type: 'coupon_code', coupon_code: code }] },
  { type: 'button', sub_type: 'url', index: 1, parameters: [say('rye')] },
];
const shelf = stored(withButtons({ type: 'MPM', text: 'View items' }));
const products = (...counts: number[]) => ({
  type: 'button',
  sub_type: 'mpm',
  index: 0,
  parameters: [
    {
      type: 'action',
      action: {
        thumbnail_product_retailer_id: 'rye',
        sections: counts.map((count) => ({ title: 'Bread', product_items: times(count, { product_retailer_id: 'rye' }) })),
      },
    },
  ],
});

describe('what fills a special kind is checked before it is sent, as the provider does', () => {
  test.each<[string, StoredTemplate, object[]]>([
    ['one card of two', pair, cards(filled())],
    ['the same card twice', pair, cards(filled(0), filled(0))],
    ['a card without the suffix of its address', pair, cards(filled(), filled(1, []))],
    ['a card without its picture', pair, cards(filled(), { components: filled().components.slice(1) })],
    ['no cards', pair, []],
    ['an offer without its end', sale, codeAndSuffix('A1')],
    ['an offer whose end is no number', sale, [until('soon'), ...codeAndSuffix('A1')]],
    ['products without a section', shelf, [products()]],
    ['31 products', shelf, [products(16, 15)]],
    ['eleven sections', shelf, [products(...times(11, 1))]],
    ['no products', shelf, []],
  ])('refused: %s', (_what, template, components) => {
    expect(send(template, components)).toMatchObject({ ok: false, refused: { status: 400 } });
  });

  test('a code of a limited-time offer has at most 15 characters', () => {
    expect(send(sale, [until(1_800_000_000_000), ...codeAndSuffix('a'.repeat(16))]).ok).toBe(false);
  });

  test.each<[string, StoredTemplate, object[], object[]]>([
    [
      'cards, in the order of the template',
      pair,
      cards(filled(1, ['https://a.example/oat']), filled(0)),
      [
        {
          type: 'carousel',
          cards: ['rye', 'oat'].map((suffix, index) => ({
            card_index: index,
            components: [
              picture,
              { type: 'body', parameters: [say('Ada')] },
              { type: 'button', sub_type: 'url', index: '0', parameters: [say(suffix)] },
            ],
          })),
        },
      ],
    ],
    ['an offer with its end', sale, [until(1_800_000_000_000), ...codeAndSuffix('A1')], [until(1_800_000_000_000)]],
    ['30 products', shelf, [products(20, 10)], [{ type: 'button', sub_type: 'mpm', index: '0' }]],
    ['a catalog, which needs nothing', stored(withButtons({ type: 'CATALOG', text: 'View catalog' })), [], []],
    ['a request for contact info, which takes nothing', stored(withButtons({ type: 'REQUEST_CONTACT_INFO' })), [], []],
  ])('taken: %s', (_what, template, components, sent) => {
    const result = send(template, components);
    expect(result).toMatchObject({ ok: true, refused: undefined });
    expect(result.sent ?? []).toMatchObject(components.length === 0 ? [] : [...sent, ...(result.sent ?? []).slice(sent.length)]);
  });
});
