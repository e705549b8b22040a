import { afterAll, expect, test } from 'vitest';
import * as z from 'zod';
import { sendRequest, type SentTemplate } from '../../lib/local/provider/schemas.ts';
import { showTemplate } from '../../lib/local/provider/template-text.ts';
import type { Contact } from '../../functions/contacts/contract/stored.ts';
import { contactFieldReader } from '../../functions/campaigns/service/eligibility.ts';
import { fieldNames, parameters } from '../../functions/campaigns/contract/parameters.ts';
import { buildComponents } from '../../functions/campaigns/domain/parameters.ts';
import { composeRecipientContent } from '../../functions/messaging/service/campaign-recipients.ts';
import { renderContent, type RenderedContent } from '../../functions/messaging/service/render-content.ts';
import { templateParameters } from '../../functions/templates/contract/parameters.ts';
import { storedTemplate } from '../../functions/templates/contract/stored.ts';
import { checkTemplateSend } from '../../lib/local/provider/template-send.ts';
import { only } from '../messaging/fixture.ts';
import { newPhone } from '../messaging/outbound-fixture.ts';
import { type Random, seeded } from '../support/random.ts';
import { firstSeed, runSize } from '../support/run-size.ts';
import { refusalOf, startTemplateFixture } from '../templates/fixture.ts';
import { atProviderOf as stored, chance, pick, randomTemplate, typed, wordsOf as words } from './random-templates.ts';

const fixture = await startTemplateFixture();
afterAll(() => fixture.stop());

const shownHeader = z.object({ text: z.string().nullable() }).nullable();
const shownButtons = z.array(z.looseObject({ text: z.string().nullable(), url: z.string().nullable(), code: z.string().nullable() }));
const rendered = z.object({
  data: z.looseObject({
    text: z.string(),
    header: shownHeader,
    body: z.string().nullable(),
    footer: z.string().nullable(),
    buttons: shownButtons,
    cards: z.array(z.object({ header: shownHeader, body: z.string().nullable(), buttons: shownButtons })),
    components: z.array(z.looseObject({ type: z.string() })),
  }),
});
type Rendered = z.output<typeof rendered>['data'];

const fillOf = z.object({ paramvalues: parameters('Values.'), parammatch: fieldNames('Fields.').optional() });
const rowFields = { companyId: 1, id: 1, statusAt: 0, rev: 1, createdAt: 0, updatedAt: 0 };

/** Values for some placeholders, fields of the contact for the others. */
const randomFill = (random: Random) => {
  const part = (values: () => string) => ({ 1: values(), 2: values(), 3: values(), 4: values() });
  const value = () => pick(typed, random);
  const field = () => pick(['name', 'email', 'city', 'company', 'phone', 'custom.size'], random);
  const buttons = () => ({ 0: 'x', 1: value().replace(/\s/g, ''), 2: 'x7', 3: 'CODE7' });
  const cards = Array.from({ length: 10 }, (_, index) => ({
    header: { link: `https://a.example/${index}.jpg`, product_id: `rye ${index}`, catalog_id: '1' },
    body: { 1: value(), 2: value() },
    buttons: { 0: 'x', 1: value().replace(/\s/g, '') },
  }));
  const matched = Array.from({ length: 10 }, () => (chance(random, 0.5) ? { header: { link: field() }, body: { 1: field() } } : {}));
  return {
    paramvalues: { body: part(value), header: part(value), buttons: buttons(), cards },
    ...(chance(random, 0.8) ? { parammatch: { body: part(field), header: { 1: field() }, cards: matched } } : {}),
  };
};

type RenderedPart = Pick<Rendered | RenderedContent, 'header' | 'body' | 'buttons'>;
const partOf = ({ header, body, buttons }: RenderedPart) => ({
  header: header?.text ?? undefined,
  body: body ?? undefined,
  buttons: buttons.map(({ text, url, code }) => `${text ?? ''} ${url ?? code ?? ''}`),
});
const linesOf = ({ footer, cards, ...part }: Rendered | RenderedContent) => ({
  ...partOf(part),
  footer: footer ?? undefined,
  cards: cards.map(partOf),
});

/** What an offer and a multi-product button take beside values. */
const offerEndsAt = Date.UTC(2027, 5);
const products = { sections: [{ title: 'Bread', product_ids: ['rye', 'oat'] }] };

test('what is rendered is what the provider takes and shows, for random templates and contacts', () => {
  const random = seeded(firstSeed);
  const kinds = new Set<string>();
  for (let run = 0; run < runSize(300, 10_000); run++) {
    const given = randomTemplate(run, random);
    const { paramvalues, parammatch } = fillOf.parse(randomFill(random));
    const contact = {
      phone: newPhone(),
      name: words(random),
      city: words(random),
      company: words(random),
      email: 'a@example.com',
      custom: { size: words(random) },
    } as unknown as Contact;
    const row = storedTemplate.parse({ ...rowFields, ...given, parameterFormat: given.parameter_format });
    const filled = buildComponents(
      templateParameters(row),
      { values: paramvalues, match: parammatch ?? {}, offerEndsAt, products },
      contactFieldReader(contact),
    );
    if ('missing' in filled) throw new Error(`${filled.missing.join()} ${JSON.stringify({ given, paramvalues, parammatch })}`);
    const shown = renderContent(row, filled.components);
    const composed = composeRecipientContent(row, filled.components);
    if ('errors' in shown || !composed.ok) throw new Error(JSON.stringify({ shown, given }));
    const received: unknown = JSON.parse(
      JSON.stringify({ messaging_product: 'whatsapp', to: '4915300000001', ...composed.message.payload }),
    );
    const request = sendRequest.parse(received);
    if (request.type !== 'template') throw new Error('It is no template.');
    expect(checkTemplateSend(request.template, stored(given), 'v25.0')).toBeUndefined();
    const atProvider = showTemplate(stored(given), request.template);
    expect({ ...linesOf(shown), text: shown.text }, JSON.stringify({ given, paramvalues, parammatch })).toEqual({
      ...atProvider,
      text: atProvider.body,
    });
    for (const { type } of shown.components) kinds.add(type);
  }
  expect([...kinds].toSorted()).toEqual(['body', 'button', 'carousel', 'header', 'limited_time_offer']);
});

test('renderTemplate answers what the provider receives of the send that follows', async () => {
  const random = seeded(firstSeed);
  const company = await fixture.company();
  const runs = runSize(8, 40);
  const templates = Array.from({ length: runs }, (_, index) => randomTemplate(index, random));
  await fixture.atProvider(company, templates);
  expect((await fixture.api(company, 'POST', '/sync')).status).toBe(200);
  await fixture.faults({ hold_statuses: true });
  const call = (path: string, body: Record<string, unknown>) =>
    fixture.testApp.call({ method: 'POST', path: `/api/v1${path}`, token: company.tokens.owner, body });
  const listed = z.object({ data: z.array(z.looseObject({ id: z.int(), name: z.string() })) });
  const { data: rows } = listed.parse((await fixture.api(company, 'GET', '', { query: { limit: '100' } })).body);
  const made = await call('/contacts', {
    phone: newPhone(),
    name: words(random),
    city: words(random),
    company: 'C',
    email: 'a@example.com',
  });
  const contact = z.object({ data: z.object({ id: z.int() }) }).parse(made.body).data.id;
  for (const template of templates) {
    const fill = { contact_id: contact, offer_ends_at: new Date(offerEndsAt).toISOString(), products, ...randomFill(random) };
    const answer = await call(`/templates/${rows.find(({ name }) => name === template.name)?.id}/render`, fill);
    expect(answer.status, `${answer.raw} ${JSON.stringify({ template, fill })}`).toBe(200);
    const { data } = rendered.parse(answer.body);
    const phone = newPhone();
    const send = { phone, template_name: template.name, template_language: template.language, components: data.components };
    const sent = await call('/messages/template', send);
    expect(sent.status, sent.raw).toBe(200);
    const { payload } = only(await fixture.ledger(phone));
    const content = payload['template'] as SentTemplate;
    expect(content.components ?? []).toEqual(data.components);
    const shown = showTemplate(stored(template), content);
    expect({ ...linesOf(data), text: data.text }).toEqual({ ...shown, text: shown.body });
  }
});

test('a header shows the file or the place that it is given', async () => {
  const company = await fixture.company();
  const withHeader = (format: string) => ({
    ...randomTemplate(0, seeded(1)),
    name: format.toLowerCase(),
    components: [
      { type: 'HEADER', format },
      { type: 'BODY', text: 'Hello there.' },
    ],
  });
  await fixture.atProvider(company, [withHeader('IMAGE'), withHeader('LOCATION')]);
  await fixture.api(company, 'POST', '/sync');
  const render = async (id: number, body: Record<string, unknown>) =>
    rendered.parse((await fixture.api(company, 'POST', `/${id}/render`, { body })).body).data.components;
  const link = 'https://files.example/a.jpg';
  const location = { latitude: 48.1, longitude: 11.6, name: 'Shop', address: 'Main Street 1' };
  expect(await render(1, { media_url: link })).toEqual([{ type: 'header', parameters: [{ type: 'image', image: { link } }] }]);
  expect(await render(2, { location })).toEqual([{ type: 'header', parameters: [{ type: 'location', location }] }]);
});

test('what a send would refuse is refused, and names what is missing', async () => {
  const company = await fixture.company();
  await fixture.atProvider(company, [
    { ...randomTemplate(0, seeded(1)), components: [{ type: 'BODY', text: 'Hi {{1}}, welcome.' }], parameter_format: 'POSITIONAL' },
  ]);
  await fixture.api(company, 'POST', '/sync');
  fixture.line();
  const render = (body: Record<string, unknown>) => fixture.api(company, 'POST', '/1/render', { body });
  expect(refusalOf(await render({}))).toEqual([422, 'validation_failed', 'paramvalues']);
  expect(refusalOf(await render({ contact_id: 77 }))).toEqual([422, 'validation_failed', 'contact_id']);
  expect(refusalOf(await render({ components: [] }))).toEqual([422, 'validation_failed', 'components']);
  expect(fixture.calls.filter(({ path }) => path.includes('/messages'))).toEqual([]);
});
