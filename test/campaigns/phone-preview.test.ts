import { expect, test } from 'vitest';
import { componentsOf, filled, partsOf, placeholdersOf, placeholdersOfCard, type Values } from '../../console/components/template-parts.ts';
import {
  fieldsOf,
  type Fillings,
  isBeyondForm,
  isFilled,
  parametersOf,
  shownValues,
} from '../../console/screens/campaigns/campaign-values.ts';
import { fieldNames, parameters } from '../../functions/campaigns/contract/parameters.ts';
import { buildComponents } from '../../functions/campaigns/domain/parameters.ts';
import { contactFieldReader } from '../../functions/campaigns/service/eligibility.ts';
import { toContactRecord } from '../../functions/contacts/domain/contact-record.ts';
import type { Contact } from '../../functions/contacts/contract/stored.ts';
import { templateParameters } from '../../functions/templates/contract/parameters.ts';
import { storedTemplate } from '../../functions/templates/contract/stored.ts';
import { sendRequest } from '../../lib/local/provider/schemas.ts';
import { checkTemplateSend } from '../../lib/local/provider/template-send.ts';
import { showTemplate } from '../../lib/local/provider/template-text.ts';
import { type Random, seeded } from '../support/random.ts';
import { firstSeed, runSize } from '../support/run-size.ts';
import { atProviderOf, chance, pick, randomTemplate, typed } from './random-templates.ts';

const rowFields = { companyId: 1, id: 1, statusAt: 0, rev: 1, createdAt: 0, updatedAt: 0 };
type Given = ReturnType<typeof randomTemplate>;

/** What the provider's simulator shows the recipient of components that were sent; refused ones fail. */
const receivedOf = (given: Given, components: object[]) => {
  const template = { name: given.name, language: { code: given.language }, components };
  const request = sendRequest.parse(
    JSON.parse(JSON.stringify({ messaging_product: 'whatsapp', to: '4915300000001', type: 'template', template })),
  );
  if (request.type !== 'template') throw new Error('It is no template.');
  expect(checkTemplateSend(request.template, atProviderOf(given), 'v25.0'), JSON.stringify({ given, components })).toBeUndefined();
  return showTemplate(atProviderOf(given), request.template);
};

/** What the console's phone shows of a template with these values. */
const previewOf = (given: Given, values: Values) => {
  const { header, body, footer, cards } = partsOf(given);
  const textsOf = (of: { header?: string; body: string }, card?: number) => ({
    header: of.header === undefined ? undefined : filled(of.header, 'header', values, card),
    body: of.body === '' ? undefined : filled(of.body, 'body', values, card),
  });
  return {
    ...textsOf({ body, ...(header === undefined ? {} : { header }) }),
    footer,
    cards: cards.map((card, place) => textsOf(card, place)),
  };
};

const textsOf = ({ header, body, footer, cards }: ReturnType<typeof showTemplate>) => ({
  header,
  body,
  footer,
  cards: cards.map((card) => ({ header: card.header, body: card.body })),
});

const odd = [...typed, '', ' ', 'two\nlines', 'a\ttab', 'five     blanks', '\u00A0', 'Anna\r\n'];

const randomContact = (random: Random): Contact => {
  const maybe = (key: string) => (chance(random, 0.7) ? { [key]: pick(odd, random) } : {});
  return {
    companyId: 1,
    id: 7,
    rev: 1,
    phone: '4915112345678',
    subscribed: true,
    enabledAiBot: false,
    isOnWhatsapp: true,
    marketingBlocked: false,
    groupIds: [],
    tagIds: [],
    createdAt: 0,
    updatedAt: 0,
    ...maybe('name'),
    ...maybe('email'),
    ...maybe('city'),
    ...maybe('company'),
    ...(chance(random, 0.7) ? { country: pick(['DE', 'EG', 'US', 'CI'], random) } : {}),
    custom: chance(random, 0.7) ? { size: pick(['', 42, true, ...odd], random) } : {},
  };
};

const randomFillings = (ids: readonly string[], random: Random): Fillings =>
  Object.fromEntries(
    ids.map((id) => {
      const field = pick(['', 'name', 'city', 'company', 'email', 'phone', 'country', 'custom.size'], random);
      // the end of a link and a code have no blanks
      const text = id.startsWith('button') ? 'x7' : pick(odd, random);
      return [id, { field: id.startsWith('button') ? '' : field, text }];
    }),
  );

test('what the phone beside a campaign shows of a recipient is what the provider shows this recipient, for random templates and contacts', () => {
  const random = seeded(firstSeed);
  let [shown, leftOut] = [0, 0];
  for (let run = 0; shown < runSize(200, 10_000); run++) {
    const given = randomTemplate(run, random);
    const parts = partsOf(given);
    const wanted = placeholdersOf(parts);
    if (isBeyondForm(parts, wanted, false)) continue;
    const contact = randomContact(random);
    const until = { offer: { field: '', text: '2027-06-01T12:00' } };
    const fillings = {
      ...randomFillings(
        wanted.map(({ id }) => id),
        random,
      ),
      ...(parts.offer?.ends ? until : {}),
    };
    if (!isFilled(parts, fillings)) continue;
    const { paramvalues, parammatch, offer_ends_at } = parametersOf(wanted, fillings);
    const row = storedTemplate.parse({ ...rowFields, ...given, parameterFormat: given.parameter_format });
    const built = buildComponents(
      templateParameters(row),
      {
        values: parameters('Values.').parse(paramvalues),
        match: fieldNames('Fields.').parse(parammatch),
        offerEndsAt: offer_ends_at === undefined ? undefined : Date.parse(offer_ends_at),
      },
      contactFieldReader(contact),
    );
    if ('missing' in built) {
      // whom a value is missing is no recipient, and so in no preview
      leftOut++;
      continue;
    }
    const record = toContactRecord(contact, { groups: new Map(), tags: new Map() });
    const preview = previewOf(given, shownValues(fillings, fieldsOf(record)));
    expect(preview, JSON.stringify({ given, fillings, contact })).toEqual(textsOf(receivedOf(given, built.components)));
    shown++;
  }
  expect(leftOut).toBeGreaterThan(0);
});

test('what the preview beside the form of one message shows is what the provider shows, cards and named values too', () => {
  const random = seeded(firstSeed + 1);
  let shown = 0;
  for (let run = 0; shown < runSize(200, 10_000); run++) {
    const given = randomTemplate(run, random);
    const parts = partsOf(given);
    const wanted = [...placeholdersOf(parts), ...parts.cards.flatMap(placeholdersOfCard)];
    if (wanted.some(({ part }) => part === 'products')) continue;
    const values = Object.fromEntries(
      wanted.map(({ id, part }) => {
        if (part === 'offer') return [id, '2027-06-01T12:00'];
        // a field of one line takes no line break, and none of these is sent while one is empty
        return [id, part === 'body' || part === 'header' ? pick(typed, random).trim() || 'x' : 'https://a.example/x7'];
      }),
    );
    const format = given.parameter_format === 'NAMED' ? 'named' : 'positional';
    const received = receivedOf(given, componentsOf({ parameter_format: format }, parts, values));
    expect(previewOf(given, values), JSON.stringify({ given, values })).toEqual(textsOf(received));
    shown++;
  }
});
