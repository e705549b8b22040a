import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/gateway-event.ts';
import type { TestCompany } from '../support/company.ts';
import { only, problemOf, resultOf } from './stage.ts';
import { startTemplateStage, type TemplateStage } from './template-stage.ts';

/** What callers send, and what the provider (whose simulator judges every request) is sent for it. */
let stage: TemplateStage;
let company: TestCompany;
let phones = 0;
const newPhone = (): string => `49153${String(++phones).padStart(8, '0')}`;

const body = (text: string, more: object = {}) => ({ type: 'BODY', text, ...more });
const templates = [
  { name: 'hello', language: 'en', category: 'UTILITY', components: [body('Hello!')] },
  { name: 'order_update', language: 'en', category: 'UTILITY', components: [body('Hi {{1}}, your order {{2}} has shipped.')] },
  {
    name: 'named',
    language: 'en_US',
    category: 'UTILITY',
    parameter_format: 'NAMED',
    components: [body('Hi {{first_name}}, {{order}} is here.')],
  },
  { name: 'sale', language: 'en', category: 'MARKETING', components: [body('Hi {{1}}, our sale starts today.')] },
  {
    name: 'titled',
    language: 'en',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
      body('It is on its way, {{1}}.'),
      { type: 'FOOTER', text: 'Thanks' },
    ],
  },
  {
    name: 'invoice',
    language: 'en',
    category: 'UTILITY',
    components: [{ type: 'HEADER', format: 'DOCUMENT', example: { header_handle: ['4::x'] } }, body('Your invoice.')],
  },
  {
    name: 'buttons',
    language: 'en',
    category: 'UTILITY',
    components: [
      body('Choose.'),
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Yes' },
          { type: 'URL', text: 'Track', url: 'https://shop.example/track/{{1}}', example: ['abc'] },
          { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550001111' },
        ],
      },
    ],
  },
  {
    name: 'code',
    language: 'en',
    category: 'AUTHENTICATION',
    components: [
      body('*{{1}}* is your verification code.'),
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code' }] },
    ],
  },
  { name: 'resting', language: 'en', category: 'UTILITY', status: 'PAUSED', components: [body('Zzz.')] },
];

beforeAll(async () => {
  stage = await startTemplateStage();
  company = await stage.company();
  await stage.atProvider(
    company,
    templates.map((template) => ({ status: 'APPROVED', ...template })),
  );
  expect((await stage.api(company, 'POST', '/sync')).status).toBe(200);
  await stage.faults({ hold_statuses: true });
});
afterAll(() => stage.stop());

const post = (path: string, fields: Record<string, unknown>): Promise<Answer> =>
  stage.world.call({
    method: 'POST',
    path: `/api/v1/messages/${path}`,
    token: company.tokens.member,
    body: { phone: newPhone(), ...fields },
  });

/** The provider's payload for a send, without what every send has. */
const sentFor = async (path: string, fields: Record<string, unknown>) => {
  const phone = newPhone();
  const answer = await post(path, { phone, ...fields });
  expect(answer.status, answer.raw).toBe(200);
  const { payload, reference } = only(await stage.ledger(phone));
  const { messaging_product: _product, recipient_type: _type, to, biz_opaque_callback_data, ...rest } = payload;
  expect([to, biz_opaque_callback_data]).toEqual([`+${phone}`, reference]);
  const { message_id } = resultOf(answer);
  const stored = (await stage.messages(company.id)).find(({ id }) => id === message_id);
  return { sent: rest, stored, answer };
};

const refusedFields = (answer: Answer): string[] => {
  expect(answer.status, answer.raw).toBe(422);
  return Object.keys(problemOf(answer).errors ?? {});
};

describe('texts, quick replies and calls to action', () => {
  test('a text, with its link shown', async () => {
    const { sent, stored } = await sentFor('text', { message: 'See https://example.com 🎉' });
    expect(sent).toEqual({ type: 'text', text: { preview_url: true, body: 'See https://example.com 🎉' } });
    expect(stored).toMatchObject({ type: 1, subtype: 'text', value: 'See https://example.com 🎉', status: 2 });
  });

  test('header and footer of a plain text become paragraphs', async () => {
    const { sent } = await sentFor('text', { message: 'B', header: 'A', footer: 'C' });
    expect(sent).toEqual({ type: 'text', text: { preview_url: false, body: 'A\n\nB\n\nC' } });
  });

  test('quick replies with header and footer; ids that were left out are made', async () => {
    const { sent, stored } = await sentFor('text', {
      message: 'Choose',
      header: 'H',
      footer: 'F',
      buttons: [{ id: 'a', title: 'One' }, { title: 'Two' }, { id: 3, title: 'Three' }],
    });
    expect(sent).toEqual({
      type: 'interactive',
      interactive: {
        type: 'button',
        header: { type: 'text', text: 'H' },
        body: { text: 'Choose' },
        footer: { text: 'F' },
        action: {
          buttons: [
            { type: 'reply', reply: { id: 'a', title: 'One' } },
            { type: 'reply', reply: { id: 'btn_2', title: 'Two' } },
            { type: 'reply', reply: { id: '3', title: 'Three' } },
          ],
        },
      },
    });
    expect(stored).toMatchObject({ type: 1, subtype: 'buttons', value: 'Choose' });
  });

  test('a call to action', async () => {
    const { sent } = await sentFor('text', { message: 'Look', button_name: 'Open', button_url: 'https://example.com/x' });
    expect(sent).toMatchObject({
      interactive: { type: 'cta_url', action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://example.com/x' } } },
    });
  });

  test('buttons that come as a JSON text in a query, and in brackets', async () => {
    for (const query of [{ buttons: '[{"id":"a","title":"One"}]' }, { 'buttons[0][id]': 'a', 'buttons[0][title]': 'One' }]) {
      const phone = newPhone();
      const answer = await stage.world.call({
        method: 'GET',
        path: '/api/v1/messages/text',
        token: company.tokens.member,
        query: { phone, message: 'Choose', ...query },
      });
      expect(answer.status, answer.raw).toBe(200);
      expect(answer.headers).toMatchObject({ deprecation: expect.stringMatching(/^@\d+$/), sunset: expect.any(String) });
      expect(only(await stage.ledger(phone)).payload).toMatchObject({
        interactive: { action: { buttons: [{ reply: { id: 'a', title: 'One' } }] } },
      });
    }
  });

  const button = (title: string, id?: string) => ({ title, ...(id ? { id } : {}) });
  test.each<[string, Record<string, unknown>, string[]]>([
    ['nothing to send', {}, ['message']],
    ['a text too long', { message: 'x'.repeat(4_097) }, ['message']],
    ['a text too long with its paragraphs', { message: 'x'.repeat(4_090), header: 'abcdefgh' }, ['message']],
    ['a text too long for buttons', { message: 'x'.repeat(1_025), buttons: [button('A')] }, ['message']],
    ['buttons without a text', { buttons: [button('A')] }, ['message']],
    ['four buttons', { message: 'x', buttons: ['A', 'B', 'C', 'D'].map((title) => button(title)) }, ['buttons']],
    ['a title too long', { message: 'x', buttons: [button('x'.repeat(21))] }, ['buttons.0.title']],
    ['a button without a title', { message: 'x', buttons: [{ id: 'a' }] }, ['buttons.0.title']],
    ['an id too long', { message: 'x', buttons: [button('A', 'i'.repeat(257))] }, ['buttons.0.id']],
    ['the same id twice', { message: 'x', buttons: [button('A', 'i'), button('B', 'i')] }, ['buttons']],
    ['an id that another gets by default', { message: 'x', buttons: [button('A', 'btn_2'), button('B')] }, ['buttons']],
    ['the same title twice', { message: 'x', buttons: [button('A', 'i'), button('A', 'j')] }, ['buttons']],
    ['buttons and a link', { message: 'x', buttons: [button('A')], button_name: 'N', button_url: 'https://example.com' }, ['buttons']],
    ['a link without a label', { message: 'x', button_url: 'https://example.com' }, ['button_name']],
    ['a label without a link', { message: 'x', button_name: 'Open' }, ['button_url']],
    ['a label too long', { message: 'x', button_name: 'x'.repeat(21), button_url: 'https://example.com' }, ['button_name']],
    ['a link that is no https', { message: 'x', button_name: 'N', button_url: 'http://example.com' }, ['button_url']],
    ['a header too long', { message: 'x', header: 'h'.repeat(61) }, ['header']],
    ['a footer too long', { message: 'x', footer: 'h'.repeat(61) }, ['footer']],
    ['a file that is a text', { message: 'x', image: 'hello' }, ['image']],
    ['buttons that are a text', { message: 'x', buttons: 'A' }, ['buttons']],
    ['a time that is none', { message: 'x', scheduled_at: 'soon' }, ['scheduled_at']],
    ['a time long past', { message: 'x', scheduled_at: '2020-01-01T00:00:00Z' }, ['scheduled_at']],
    ['a zone that is none', { message: 'x', timezone: 'Mars/Base' }, ['timezone']],
  ])('%s is refused at its field', async (_, fields, errors) => {
    expect(refusedFields(await post('text', fields))).toEqual(errors);
  });
});

describe('lists', () => {
  const rows = (count: number, from = 0) =>
    Array.from({ length: count }, (_, index) => ({ id: `r${from + index}`, title: `Row ${from + index}` }));
  const list = (sections: unknown[], button = 'Open') => ({ message: 'Pick', action: { button, sections } });

  test('sections and rows, header and footer', async () => {
    const { sent, stored } = await sentFor('list', {
      ...list([
        { title: 'First', rows: [{ id: 'a', title: 'A', description: 'The first' }] },
        { title: 'Second', rows: rows(9) },
      ]),
      header: 'H',
      footer: 'F',
    });
    expect(sent).toMatchObject({
      type: 'interactive',
      interactive: {
        type: 'list',
        header: { type: 'text', text: 'H' },
        body: { text: 'Pick' },
        footer: { text: 'F' },
        action: {
          button: 'Open',
          sections: [{ title: 'First', rows: [{ id: 'a', title: 'A', description: 'The first' }] }, { title: 'Second' }],
        },
      },
    });
    expect(stored).toMatchObject({ type: 1, subtype: 'list', value: 'Pick' });
  });

  test('the action as a JSON text in a query', async () => {
    const query = { phone: newPhone(), message: 'Pick', action: JSON.stringify(list([{ rows: rows(1) }]).action) };
    const answer = await stage.world.call({ method: 'GET', path: '/api/v1/messages/list', token: company.tokens.member, query });
    expect(answer.status, answer.raw).toBe(200);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ['no action', { message: 'x' }, ['action']],
    ['no text', { action: list([{ rows: rows(1) }]).action }, ['message']],
    ['no sections', list([]), ['action.sections']],
    [
      'eleven sections',
      list(Array.from({ length: 11 }, (_, index) => ({ title: `S${index}`, rows: rows(1, index) }))),
      ['action.sections'],
    ],
    ['a section without rows', list([{ rows: [] }]), ['action.sections.0.rows']],
    [
      'eleven rows in all',
      list([
        { title: 'A', rows: rows(6) },
        { title: 'B', rows: rows(5, 6) },
      ]),
      ['action.sections'],
    ],
    [
      'the same row id twice',
      list([
        { title: 'A', rows: rows(1) },
        { title: 'B', rows: rows(1) },
      ]),
      ['action.sections'],
    ],
    ['two sections, one without a title', list([{ title: 'A', rows: rows(1) }, { rows: rows(1, 1) }]), ['action.sections.1.title']],
    ['a button too long', list([{ rows: rows(1) }], 'b'.repeat(21)), ['action.button']],
    ['a section title too long', list([{ title: 't'.repeat(25), rows: rows(1) }]), ['action.sections.0.title']],
    ['a row title too long', list([{ rows: [{ id: 'a', title: 't'.repeat(25) }] }]), ['action.sections.0.rows.0.title']],
    [
      'a row description too long',
      list([{ rows: [{ id: 'a', title: 't', description: 'd'.repeat(73) }] }]),
      ['action.sections.0.rows.0.description'],
    ],
    ['a row id too long', list([{ rows: [{ id: 'i'.repeat(201), title: 't' }] }]), ['action.sections.0.rows.0.id']],
  ])('%s is refused at its field', async (_, fields, errors) => {
    expect(refusedFields(await post('list', fields))).toEqual(errors);
  });
});

describe('templates', () => {
  const text = (...values: string[]) => values.map((value) => ({ type: 'text', text: value }));
  const order = { template_name: 'order_update' };

  test.each<[string, Record<string, unknown>, unknown, string]>([
    ['without parameters', { template_name: 'hello' }, undefined, 'Hello!'],
    [
      'components',
      { ...order, components: [{ type: 'BODY', parameters: text('Ada', 'A1') }] },
      [{ type: 'body', parameters: text('Ada', 'A1') }],
      'Hi Ada, your order A1 has shipped.',
    ],
    [
      'variables by order',
      { ...order, variables: ['Ada', 7] },
      [{ type: 'body', parameters: text('Ada', '7') }],
      'Hi Ada, your order 7 has shipped.',
    ],
    [
      'variables by number',
      { ...order, variables: { 2: 'A1', 1: 'Ada' } },
      [{ type: 'body', parameters: text('Ada', 'A1') }],
      'Hi Ada, your order A1 has shipped.',
    ],
    [
      'components before variables',
      { ...order, components: [{ type: 'body', parameters: text('Ada', 'A1') }], variables: ['no'] },
      [{ type: 'body', parameters: text('Ada', 'A1') }],
      'Hi Ada, your order A1 has shipped.',
    ],
    [
      'named ones by name',
      { template_name: 'named', template_language: 'en_US', variables: { order: 'A1', first_name: 'Ada' } },
      [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Ada', parameter_name: 'first_name' },
            { type: 'text', text: 'A1', parameter_name: 'order' },
          ],
        },
      ],
      'Hi Ada, A1 is here.',
    ],
    [
      'named ones in another order',
      {
        template_name: 'named',
        language: 'en_US',
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'A1', parameter_name: 'order' },
              { type: 'text', text: 'Ada', parameter_name: 'first_name' },
            ],
          },
        ],
      },
      [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'A1', parameter_name: 'order' },
            { type: 'text', text: 'Ada', parameter_name: 'first_name' },
          ],
        },
      ],
      'Hi Ada, A1 is here.',
    ],
    [
      'a header of text',
      { template_name: 'titled', header_variables: ['A1'], variables: ['Ada'] },
      [
        { type: 'header', parameters: text('A1') },
        { type: 'body', parameters: text('Ada') },
      ],
      'It is on its way, Ada.',
    ],
    [
      'a header of a document',
      { template_name: 'invoice', document: 'https://files.example/in%20voice.pdf' },
      [
        {
          type: 'header',
          parameters: [{ type: 'document', document: { link: 'https://files.example/in%20voice.pdf', filename: 'in voice.pdf' } }],
        },
      ],
      'Your invoice.',
    ],
    [
      'buttons, the suffix of an address also where the whole was given',
      {
        template_name: 'buttons',
        components: [
          { type: 'button', sub_type: 'URL', index: 1, parameters: text('https://shop.example/track/xyz') },
          { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'YES' }] },
        ],
      },
      [
        { type: 'button', sub_type: 'url', index: '1', parameters: text('xyz') },
        { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'YES' }] },
      ],
      'Choose.',
    ],
    [
      'an authentication code, which goes into its button too',
      { template_name: 'code', variables: ['123456'] },
      [
        { type: 'body', parameters: text('123456') },
        { type: 'button', sub_type: 'url', index: '0', parameters: text('123456') },
      ],
      '*123456* is your verification code.',
    ],
  ])('%s', async (_, fields, components, value) => {
    const { sent, stored, answer } = await sentFor('template', fields);
    expect(sent['template']).toEqual({
      name: fields['template_name'],
      language: { code: fields['template_language'] ?? fields['language'] ?? 'en' },
      ...(components === undefined ? {} : { components }),
    });
    expect(stored).toMatchObject({ subtype: 'template', value, type: fields['template_name'] === 'invoice' ? 2 : 1 });
    const isLegacy = ['variables', 'header_variables', 'language'].some((field) => field in fields);
    expect('deprecation' in answer.headers).toBe(isLegacy);
    expect(resultOf(answer).warnings).toEqual([]);
  });

  test('by GET, components as a JSON text or in brackets', async () => {
    for (const query of [
      { components: JSON.stringify([{ type: 'body', parameters: text('Ada', 'A1') }]) },
      {
        'components[0][type]': 'body',
        'components[0][parameters][0][type]': 'text',
        'components[0][parameters][0][text]': 'Ada',
        'components[0][parameters][1][type]': 'text',
        'components[0][parameters][1][text]': 'A1',
      },
      { 'variables[]': ['Ada', 'A1'] },
      { 'variables[1]': 'Ada', 'variables[2]': 'A1' },
    ]) {
      const path = '/api/v1/messages/template';
      const answer = await stage.world.call({
        method: 'GET',
        path,
        token: company.tokens.member,
        query: { phone: newPhone(), ...order, ...query },
      });
      expect(answer.status, `${JSON.stringify(query)} ${answer.raw}`).toBe(200);
    }
  });

  const bodyOf = (...values: string[]) => ({ components: [{ type: 'body', parameters: text(...values) }] });
  const url = (...values: string[]) => ({ type: 'button', sub_type: 'url', index: '1', parameters: text(...values) });
  test.each<[string, Record<string, unknown>, string[]]>([
    ['one parameter too few', { ...order, ...bodyOf('a') }, ['components']],
    ['one too many', { ...order, ...bodyOf('a', 'b', 'c') }, ['components']],
    ['none', order, ['components']],
    ['too few variables', { ...order, variables: ['a'] }, ['components', 'variables']],
    ['a variable that is no placeholder', { ...order, variables: { 1: 'a', name: 'b' } }, ['variables', 'components']],
    ['an empty parameter', { ...order, ...bodyOf('a', ' ') }, ['components']],
    ['a line break in a parameter', { ...order, ...bodyOf('a', 'b\nc') }, ['components']],
    ['five blanks in a parameter', { ...order, ...bodyOf('a', 'b     c') }, ['components']],
    [
      'a body beyond the limit',
      { ...order, components: [{ type: 'body', parameters: [{ type: 'image', image: {} }, ...text('b')] }] },
      ['components'],
    ],
    ['an unknown component', { ...order, components: [...bodyOf('a', 'b').components, { type: 'tail' }] }, ['components.1.type']],
    [
      'a named parameter of another name',
      {
        template_name: 'named',
        language: 'en_US',
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'x', parameter_name: 'a' },
              { type: 'text', text: 'y', parameter_name: 'order' },
            ],
          },
        ],
      },
      ['components'],
    ],
    ['a header without its document', { template_name: 'invoice' }, ['components']],
    ['a header of another kind', { template_name: 'invoice', image: 'https://files.example/a.png' }, ['image', 'components']],
    ['a document inside', { template_name: 'invoice', document: 'https://169.254.169.254/a.pdf' }, ['document', 'components']],
    [
      'two files',
      { template_name: 'invoice', document: 'https://files.example/a.pdf', video: 'https://files.example/a.mp4' },
      ['components', 'document', 'video'],
    ],
    ['an address without its suffix', { template_name: 'buttons' }, ['components']],
    [
      'a parameter for a phone button',
      { template_name: 'buttons', components: [url('a'), { type: 'button', sub_type: 'url', index: 2, parameters: text('x') }] },
      ['components'],
    ],
    [
      'a button that is not there',
      { template_name: 'buttons', components: [url('a'), { type: 'button', sub_type: 'url', index: 7, parameters: text('x') }] },
      ['components'],
    ],
    ['a button given twice', { template_name: 'buttons', components: [url('a'), url('b')] }, ['components']],
    ['a code too long', { template_name: 'code', variables: ['1234567890123456'] }, ['components', 'variables']],
    [
      'a code that differs in its button',
      {
        template_name: 'code',
        components: [...bodyOf('1234').components, { type: 'button', sub_type: 'url', index: 0, parameters: text('9999') }],
      },
      ['components'],
    ],
  ])('%s is refused before the provider is asked', async (_, fields, errors) => {
    const before = (await stage.ledger()).length;
    expect(refusedFields(await post('template', fields)).toSorted()).toEqual(errors.filter((field) => field !== '').toSorted());
    expect((await stage.ledger()).length).toBe(before);
  });

  test('an unknown name, another language and a paused template have codes of their own', async () => {
    expect(problemOf(await post('template', { template_name: 'nothing' })).code).toBe('template_not_found');
    const other = problemOf(await post('template', { template_name: 'named' }));
    expect([other.code, other.details?.['languages']]).toEqual(['template_not_found', ['en_US']]);
    const paused = problemOf(await post('template', { template_name: 'resting' }));
    expect([paused.code, paused.details?.['status']]).toEqual(['template_not_approved', 'PAUSED']);
  });

  test('marketing goes to nobody who unsubscribed; other templates do', async () => {
    const phone = newPhone();
    await stage.world.call({ method: 'POST', path: '/api/v1/contacts', token: company.tokens.member, body: { phone, subscribed: false } });
    expect(problemOf(await post('template', { phone, template_name: 'sale', variables: ['Ada'] })).code).toBe('recipient_opted_out');
    expect((await post('template', { phone, template_name: 'hello' })).status).toBe(200);
    expect(await stage.ledger(phone)).toHaveLength(1);
  });
});

describe('a closed window', () => {
  test('is a warning, unless the call or the company demands an open one; then templates are suggested', async () => {
    expect(resultOf(await post('text', { message: 'Hi' })).warnings).toHaveLength(1);
    const refused = problemOf(await post('text', { message: 'Hi', window_policy: 'enforce' }));
    expect(refused.code).toBe('window_closed');
    expect(refused.details?.['suggested_templates']).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'hello', category: 'UTILITY' })]),
    );
    expect((await post('template', { template_name: 'hello', window_policy: 'enforce' })).status).toBe(200);
  });
});
