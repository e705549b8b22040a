import { describe, expect, test } from 'vitest';
import type { Template } from '../../client/client.ts';
import {
  asName,
  componentsFor,
  type DraftButton,
  draftOf,
  editFor,
  emptyDraft,
  inAnotherLanguage,
  isOfPriceAlone,
  maxPriceFor,
  moved,
  nextVariable,
  withButton,
} from '../../console/screens/templates/template-draft.ts';

const button = (key: number, edit: Partial<DraftButton> = {}): DraftButton => ({
  key,
  type: 'QUICK_REPLY',
  text: `Reply ${key}`,
  url: '',
  phone: '',
  example: '',
  ...edit,
});

const template = (components: Template['components'], edit: Partial<Template> = {}): Template => ({
  id: 1,
  name: 'visit',
  language: 'en_US',
  status: 'APPROVED',
  category: 'UTILITY',
  components,
  parameter_format: 'positional',
  waba_id: null,
  provider_template_id: '1',
  rejected_reason: null,
  rejection_info: null,
  quality_score: null,
  upcoming_category: null,
  disable_date: null,
  edits_left: null,
  message_send_ttl_seconds: null,
  max_price: null,
  created_at: '2026-11-30T10:00:00Z',
  updated_at: '2026-11-30T10:00:00Z',
  ...edit,
});

describe('what was typed, in the provider’s form', () => {
  test('a template of a text alone is its body', () => {
    expect(componentsFor({ ...emptyDraft, body: ' Thank you ' })).toEqual([{ type: 'BODY', text: 'Thank you' }]);
  });

  test('numbered values have their examples in the order of the numbers, named ones by their names', () => {
    const draft = {
      ...emptyDraft,
      headerKind: 'TEXT' as const,
      header: 'For {{name}}',
      body: '{{2}} comes on {{1}}',
      footer: 'Reply STOP',
      buttons: [button(0, { text: 'Yes' }), button(1, { text: 'No' })],
      examples: { 'header:name': 'Ana', 'body:1': 'Monday', 'body:2': 'It' },
    };
    expect(componentsFor(draft)).toEqual([
      { type: 'HEADER', format: 'TEXT', text: 'For {{name}}', examples: { name: 'Ana' } },
      { type: 'BODY', text: '{{2}} comes on {{1}}', examples: ['Monday', 'It'] },
      { type: 'FOOTER', text: 'Reply STOP' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Yes' },
          { type: 'QUICK_REPLY', text: 'No' },
        ],
      },
    ]);
  });

  test('each kind of button has its own fields, and a link an example where it has a value', () => {
    const buttons = [
      button(0, { type: 'URL', text: 'Shop', url: 'https://alder.example' }),
      button(1, { type: 'URL', text: 'Order', url: 'https://alder.example/{{1}}', example: 'https://alder.example/12' }),
      button(2, { type: 'PHONE_NUMBER', text: 'Call', phone: '+49301234567' }),
      button(3, { type: 'COPY_CODE', text: '', example: 'SUMMER' }),
    ];
    expect(componentsFor({ ...emptyDraft, body: 'x', buttons })[1]).toEqual({
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: 'Shop', url: 'https://alder.example' },
        { type: 'URL', text: 'Order', url: 'https://alder.example/{{1}}', example: 'https://alder.example/12' },
        { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+49301234567' },
        { type: 'COPY_CODE', example: 'SUMMER' },
      ],
    });
  });

  test('a sample is the upload, or the one that the provider has; without one the header says its format alone', () => {
    const image = { ...emptyDraft, headerKind: 'IMAGE' as const, body: 'x' };
    expect(componentsFor(image)[0]).toEqual({ type: 'HEADER', format: 'IMAGE' });
    expect(componentsFor({ ...image, sample: { id: 'up_1', name: 'a.png' } })[0]).toEqual({
      type: 'HEADER',
      format: 'IMAGE',
      media_id: 'up_1',
    });
    expect(componentsFor({ ...image, sample: { handle: '4::a' } })[0]).toEqual({
      type: 'HEADER',
      format: 'IMAGE',
      example: { header_handle: ['4::a'] },
    });
  });
});

describe('a template in the builder', () => {
  const components = [
    { type: 'HEADER', format: 'TEXT', text: 'For {{1}}', example: { header_text: ['Ana'] } },
    { type: 'BODY', text: 'On {{2}}, {{1}} comes.', example: { body_text: [['it', 'Monday']] } },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'See', url: 'https://a.example/{{1}}', example: ['https://a.example/1'] }] },
  ];

  test('is what it was made of, and becomes the same again', () => {
    const draft = draftOf(template(components));
    expect(draft?.examples).toEqual({ 'header:1': 'Ana', 'body:1': 'it', 'body:2': 'Monday' });
    expect(draft && componentsFor(draft)).toEqual([
      { type: 'HEADER', format: 'TEXT', text: 'For {{1}}', examples: ['Ana'] },
      { type: 'BODY', text: 'On {{2}}, {{1}} comes.', examples: ['it', 'Monday'] },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'See', url: 'https://a.example/{{1}}', example: 'https://a.example/1' }] },
    ]);
  });

  test('with named values has their examples by name', () => {
    const example = { body_text_named_params: [{ param_name: 'day', example: 'Monday' }] };
    expect(draftOf(template([{ type: 'BODY', text: 'On {{day}}.', example }]))?.examples).toEqual({ 'body:day': 'Monday' });
  });

  test.each([
    [
      'cards',
      [
        { type: 'BODY', text: 'x' },
        { type: 'CAROUSEL', cards: [] },
      ],
      {},
    ],
    [
      'a place above the text',
      [
        { type: 'HEADER', format: 'LOCATION' },
        { type: 'BODY', text: 'x' },
      ],
      {},
    ],
    [
      'a button of another kind',
      [
        { type: 'BODY', text: 'x' },
        { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Go' }] },
      ],
      {},
    ],
    ['codes', [{ type: 'BODY' }], { category: 'AUTHENTICATION' }],
  ])('is not there with %s, so that nothing of it is lost', (_, given, edit) => {
    expect(draftOf(template(given, edit))).toBeUndefined();
  });

  test('in another language keeps its parts and links, and none of its texts and samples', () => {
    const draft = draftOf(template(components));
    expect(draft && inAnotherLanguage(draft, 'de')).toEqual({
      name: 'visit',
      language: 'de',
      category: 'UTILITY',
      headerKind: 'TEXT',
      header: '',
      sample: undefined,
      body: '',
      footer: '',
      buttons: [{ key: 0, type: 'URL', text: '', url: 'https://a.example/{{1}}', phone: '', example: 'https://a.example/1' }],
      examples: {},
      maxPrice: '',
      currency: '',
    });
  });
});

test('a value that is brought in is the next number, and of named ones a name', () => {
  expect(['', 'a {{1}} b', '{{3}} and {{1}}', 'for {{name}}'].map(nextVariable)).toEqual(['1', '2', '4', 'value_2']);
});

test('a name has small letters, digits and underscores, however it is typed', () => {
  expect(asName('Visit Reminder – 2!')).toBe('visit_reminder_2');
});

describe('the buttons', () => {
  const link = button(0, { type: 'URL' });
  test('take a reply beside the other replies, and another one at the end', () => {
    const keys = (buttons: readonly DraftButton[]): number[] => buttons.map(({ key }) => key);
    expect(keys(withButton([button(5), link], 'QUICK_REPLY'))).toEqual([5, 6, 0]);
    expect(keys(withButton([link], 'QUICK_REPLY'))).toEqual([1, 0]);
    expect(keys(withButton([button(5)], 'URL'))).toEqual([5, 6]);
  });

  test('are moved by one place, and not beyond the first or the last', () => {
    const all = [button(0), button(1), button(2)];
    const keys = (key: number, by: 1 | -1): number[] => moved(all, key, by).map((each) => each.key);
    expect([keys(1, -1), keys(1, 1), keys(0, -1), keys(2, 1)]).toEqual([
      [1, 0, 2],
      [0, 2, 1],
      [0, 1, 2],
      [0, 1, 2],
    ]);
  });
});

describe('a max price', () => {
  const sale = template([{ type: 'BODY', text: 'Our sale starts.' }], {
    category: 'MARKETING',
    max_price: { amount: '0.05', currency: 'EUR' },
  });
  const draft = draftOf(sale) ?? emptyDraft;

  test('is of marketing alone, and has a decimal point', () => {
    const typed = { ...emptyDraft, category: 'MARKETING' as const, maxPrice: ' 0,05 ', currency: 'EUR' };
    expect(maxPriceFor(typed)).toEqual({ amount: '0.05', currency: 'EUR' });
    expect(maxPriceFor({ ...typed, category: 'UTILITY' })).toBeNull();
    expect(maxPriceFor({ ...typed, maxPrice: ' ' })).toBeNull();
  });

  test('is changed by itself without a review, and with the text where that changes too', () => {
    const dearer = { ...draft, maxPrice: '0.07' };
    expect(isOfPriceAlone(draft, dearer)).toBe(true);
    expect(editFor(draft, dearer)).toEqual({ max_price: { amount: '0.07', currency: 'EUR' } });
    const both = { ...dearer, body: 'Our sale ends.' };
    expect(isOfPriceAlone(draft, both)).toBe(false);
    expect(editFor(draft, both)).toEqual({
      components: [{ type: 'BODY', text: 'Our sale ends.' }],
      max_price: { amount: '0.07', currency: 'EUR' },
    });
  });

  test('that is not changed is not sent again', () => {
    expect(editFor(draft, { ...draft, body: 'Our sale ends.' })).toEqual({ components: [{ type: 'BODY', text: 'Our sale ends.' }] });
  });

  test('stays in another language', () => {
    expect(maxPriceFor(inAnotherLanguage(draft, 'de'))).toEqual({ amount: '0.05', currency: 'EUR' });
  });
});
