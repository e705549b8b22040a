import { expect, test } from 'vitest';
import { componentsOf, partsOf, placeholdersOf, placeholdersOfCard, type Values } from '../../console/components/template-parts.ts';
import { sendTemplateBody } from '../../functions/messaging/contract/send-template.ts';
import { composeTemplate } from '../../functions/messaging/domain/compose-template.ts';
import { storedTemplate } from '../../functions/templates/contract/stored.ts';

/** The form of the console sends what the API takes: a value for each place of the template, in the provider's form. */
const body = (text: string) => ({ type: 'BODY', text });
const header = (format: string) => ({ type: 'HEADER', format });
const buttons = (...list: object[]) => ({ type: 'BUTTONS', buttons: list });
const link = { type: 'URL', text: 'Look', url: 'https://garden.example/{{1}}' };
const card = (text: string, format = 'IMAGE') => ({
  components: [header(format), body(text), buttons(link, { type: 'QUICK_REPLY', text: 'More' })],
});
const carousel = (...cards: object[]) => ({ type: 'CAROUSEL', cards });
const offer = { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Sunday only', has_expiration: true } };

const sentBy = (components: { type: string }[], values: Values = {}) => {
  const parts = partsOf({ components });
  const wanted = [...placeholdersOf(parts), ...parts.cards.flatMap(placeholdersOfCard)];
  const given = Object.fromEntries(wanted.map(({ id, part }) => [id, part === 'media' ? 'https://garden.example/a.jpg' : `a ${id}`]));
  return componentsOf({ parameter_format: 'positional' }, parts, { ...given, ...values });
};

test.each<[string, { type: string }[], Values?]>([
  ['a carousel', [body('Hi {{1}}'), carousel(card('Roses {{1}}'), card('Herbs {{1}}'))]],
  ['a carousel of products', [body('Hi'), carousel(card('A', 'PRODUCT'), card('B', 'PRODUCT'))]],
  ['an offer with a code', [body('Hi'), offer, buttons({ type: 'COPY_CODE', text: 'Copy' }, link)], { offer: '2027-04-01T18:30' }],
  ['products', [body('Hi'), buttons({ type: 'MPM', text: 'View' })]],
  ['a document', [header('DOCUMENT'), body('Hi {{1}}')]],
])('what the form sends of %s fits the template', (_, components, values) => {
  const template = storedTemplate.parse({
    companyId: 1,
    id: 1,
    name: 'any',
    language: 'en',
    category: 'MARKETING',
    status: 'APPROVED',
    parameterFormat: 'POSITIONAL',
    components,
    statusAt: 0,
    rev: 0,
    createdAt: 0,
    updatedAt: 0,
  });
  const input = sendTemplateBody.parse({ phone: '+4915123456789', template_name: 'any', components: sentBy(components, values) });
  expect(composeTemplate(template, input, () => true)).toMatchObject({ ok: true });
});
