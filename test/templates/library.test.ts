import { afterAll, afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { problemOf } from '../messaging/fixture.ts';
import { newPhone } from '../messaging/outbound-fixture.ts';
import { providerError, refusalOf, startTemplateFixture, templateOf } from './fixture.ts';

const fixture = await startTemplateFixture();
afterEach(() => fixture.line());
afterAll(() => fixture.stop());

const found = z.object({
  data: z.object({
    templates: z.array(z.looseObject({ name: z.string(), language: z.string(), topic: z.string().nullable() })),
    is_complete: z.boolean(),
  }),
});
type Company = Awaited<ReturnType<typeof fixture.company>>;
const search = async (company: Company, query: Record<string, string>): Promise<string[]> => {
  const answer = await fixture.api(company, 'GET', '/library', { query });
  return found.parse(answer.body).data.templates.map(({ name, language }) => `${name} ${language}`);
};
const track = { type: 'url', url: { base_url: 'https://a.example/{{1}}', url_suffix_example: 'https://a.example/A-1' } };
const fromLibrary = (over: Record<string, unknown> = {}) => ({
  name: 'our_delivery',
  language: 'en_US',
  category: 'UTILITY',
  library_template_name: 'delivery_update_1',
  library_template_button_inputs: [track],
  ...over,
});
const creates = (): number => fixture.calls.filter(({ method }) => method === 'POST').length;

describe('the library of the provider', () => {
  test('is shown by words, topic, industry, use and language, and says whether that is all', async () => {
    const company = await fixture.company();
    expect(await search(company, {})).toHaveLength(4);
    expect(await search(company, { search: 'bestellung' })).toEqual(['delivery_update_1 de']);
    expect(await search(company, { topic: 'PAYMENTS' })).toEqual(['low_balance_warning_1 en_US', 'payment_received_1 en_US']);
    expect(await search(company, { industry: 'financial_services' })).toEqual(['low_balance_warning_1 en_US']);
    expect(await search(company, { use_case: 'DELIVERY_UPDATE', language: 'en-US' })).toEqual(['delivery_update_1 en_US']);
    expect(await search(company, { search: 'nothing like it' })).toEqual([]);
    expect(found.parse((await fixture.api(company, 'GET', '/library')).body).data.is_complete).toBe(true);
    expect((await fixture.api(company, 'GET', '')).body).toMatchObject({ data: [] });
  });

  test('is not shown where the provider does not answer, or refuses: the answer says so', async () => {
    const company = await fixture.company();
    fixture.line(() => 'lose-request');
    expect(problemOf(await fixture.api(company, 'GET', '/library')).code).toBe('temporarily_unavailable');
    fixture.line(() => ({ status: 400, body: providerError(100) }));
    expect(problemOf(await fixture.api(company, 'GET', '/library')).code).toBe('provider_rejected');
    expect(refusalOf(await fixture.api(company, 'GET', '/library', { query: { number_id: '9' } }))).toEqual([
      422,
      'validation_failed',
      'number_id',
    ]);
  });
});

describe('a template from the library', () => {
  test('is approved at once, has the texts of the library and is sent like any other', async () => {
    const company = await fixture.company();
    const extra = { add_track_package_link: true };
    const made = templateOf(await fixture.create(company, fromLibrary({ library_template_body_inputs: extra })));
    const submitted = fixture.calls.find(({ method }) => method === 'POST');
    expect(JSON.parse(submitted?.body ?? '')).toMatchObject({
      library_template_name: 'delivery_update_1',
      library_template_body_inputs: extra,
    });
    expect(made).toMatchObject({
      name: 'our_delivery',
      status: 'APPROVED',
      category: 'UTILITY',
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'Order update' },
        { type: 'BODY', text: 'Hi {{1}}, your order {{2}} is on its way and should arrive on {{3}}.' },
        { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track the order', url: 'https://a.example/{{1}}' }] },
      ],
    });
    const phone = newPhone();
    const text = (value: string) => ({ type: 'text', text: value });
    const components = [
      { type: 'body', parameters: [text('Ada'), text('A-1'), text('Monday')] },
      { type: 'button', sub_type: 'url', index: 0, parameters: [text('A-1')] },
    ];
    const body = { phone, template_name: 'our_delivery', template_language: 'en_US', components };
    const sent = await fixture.testApp.call({ method: 'POST', path: '/api/v1/messages/template', token: company.tokens.member, body });
    expect(sent.status, sent.raw).toBe(200);
    expect(await fixture.ledger(phone)).toHaveLength(1);
  });

  test('is made once, also where the answer of the provider was lost', async () => {
    const company = await fixture.company();
    fixture.line(({ method }) => (method === 'POST' ? 'lose-answer' : 'pass'));
    const first = await fixture.create(company, fromLibrary(), 'library-1');
    expect(templateOf(first)).toMatchObject({ status: 'APPROVED' });
    expect((await fixture.create(company, fromLibrary(), 'library-1')).body).toEqual(first.body);
    expect(creates()).toBe(1);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ['a name that the library has not', { library_template_name: 'no_such' }, ['library_template_name']],
    ['a language that the library has not', { language: 'fr' }, ['library_template_name']],
    ['another category', { category: 'MARKETING' }, ['category']],
    ['no input for its button', { library_template_button_inputs: undefined }, ['library_template_button_inputs']],
    [
      'an input of another kind',
      { library_template_button_inputs: [{ type: 'PHONE_NUMBER', phone_number: '+49' }] },
      ['library_template_button_inputs'],
    ],
    ['an input without its address', { library_template_button_inputs: [{ type: 'URL' }] }, ['library_template_button_inputs']],
    [
      'an address with a variable and no example',
      { library_template_button_inputs: [{ type: 'URL', url: { base_url: 'https://a.example/{{1}}' } }] },
      ['library_template_button_inputs'],
    ],
    ['components beside it', { components: [{ type: 'BODY', text: 'Hello.' }] }, ['components']],
    ['an unknown part of the body', { library_template_body_inputs: { add_picture: true } }, ['library_template_body_inputs']],
    [
      'inputs without a library template',
      { library_template_name: undefined, components: [{ type: 'BODY', text: 'Hi.' }] },
      ['library_template_button_inputs'],
    ],
    [
      'neither components nor a library template',
      { library_template_name: undefined, library_template_button_inputs: undefined },
      ['components'],
    ],
    ['a name that no template may have', { name: 'Our Delivery' }, ['name']],
  ])('with %s is refused before the provider is called to make it', async (_what, over, fields) => {
    const company = await fixture.company();
    fixture.line();
    expect(refusalOf(await fixture.create(company, fromLibrary(over)))).toEqual([422, 'validation_failed', ...fields]);
    expect(creates()).toBe(0);
  });

  test('that the provider refuses leaves nothing behind, and its name is free', async () => {
    const company = await fixture.company();
    fixture.line(({ method }) => (method === 'POST' ? { status: 400, body: providerError(100) } : 'pass'));
    expect(problemOf(await fixture.create(company, fromLibrary())).code).toBe('provider_rejected');
    fixture.line();
    expect(templateOf(await fixture.create(company, fromLibrary()))).toMatchObject({ status: 'APPROVED' });
    expect(problemOf(await fixture.create(company, fromLibrary())).code).toBe('template_exists');
  });
});
