import { templateRequest } from '../../lib/local/provider/schemas.ts';
import type { Random } from '../support/random.ts';

/** What people type, and what a template must not take for its own. */
export const typed = [
  'Ada',
  'O’Brien',
  '{{1}}',
  '{{2}} ',
  '$&',
  '$1',
  'नमस्ते',
  '👩‍👩‍👧',
  'a\\nb',
  '<b>',
  '  two  blanks ',
  'Ångström',
  '0',
  'مرحبا',
  '"',
];
export const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)] ?? (list[0] as T);
export const chance = (random: Random, share: number): boolean => random() < share;

/** A text with variables from 1 or by name, some of them twice. */
const textWith = (count: number, isNamed: boolean, random: Random): string => {
  const name = (index: number): string => (isNamed ? (['first', 'order_2', 'city', 'x'][index] ?? 'y') : String(index + 1));
  const inOrder = Array.from({ length: count }, (_, index) => `{{${name(index)}}}`);
  // a translation may need the second one first
  const places = chance(random, 0.3) ? inOrder.toReversed() : inOrder;
  const repeated = count > 0 && chance(random, 0.3) ? [...places, places[0]] : places;
  return `Dear ${repeated.map((place) => `${place} ${pick(['and then', 'with\n', '*for*', '-'], random)} `).join('')}bye.`;
};

const buttonsOf = (random: Random): object[] => [
  { type: 'QUICK_REPLY', text: 'Yes' },
  ...(chance(random, 0.6) ? [{ type: 'URL', text: 'Shop', url: 'https://a.example/{{1}}', example: ['x'] }] : []),
  ...(chance(random, 0.3) ? [{ type: 'URL', text: 'Home', url: 'https://a.example/' }] : []),
  ...(chance(random, 0.3) ? [{ type: 'COPY_CODE', text: 'Copy offer code', example: 'A1' }] : []),
];

/** What a template has beside texts and buttons: a carousel, a limited-time offer, products, or most often nothing. */
const specialParts = (random: Random, text: (most: number) => string): object[] | undefined => {
  const kind = pick(
    ['carousel', 'products of a carousel', 'offer', 'offer without an end', 'products', 'catalog', '', '', '', '', ''],
    random,
  );
  const header = { type: 'HEADER', format: kind === 'carousel' ? pick(['IMAGE', 'VIDEO'], random) : 'PRODUCT' };
  const hasBody = chance(random, 0.7);
  const buttons = { type: 'BUTTONS', buttons: buttonsOf(random).slice(0, 2) };
  const card = () => ({ components: [header, ...(hasBody ? [{ type: 'BODY', text: text(2) }] : []), buttons] });
  const cardCount = 2 + Math.floor(random() * 9);
  const url = { type: 'URL', text: 'Shop', url: 'https://a.example/{{1}}', example: ['x'] };
  const offer = (expires: boolean) => [
    { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Until Sunday', has_expiration: expires } },
    { type: 'BUTTONS', buttons: expires ? [{ type: 'COPY_CODE', example: 'A1' }, url] : [url] },
  ];
  switch (kind) {
    case 'carousel':
    case 'products of a carousel':
      return [{ type: 'CAROUSEL', cards: Array.from({ length: cardCount }, card) }];
    case 'offer':
      return offer(true);
    case 'offer without an end':
      return offer(false);
    case 'products':
      return [{ type: 'BUTTONS', buttons: [{ type: 'MPM', text: 'View items' }] }];
    case 'catalog':
      return [{ type: 'BUTTONS', buttons: [{ type: 'CATALOG', text: 'View catalog' }] }];
    default:
      return undefined;
  }
};

/** A template of texts and buttons, or one of the special ones. */
export const randomTemplate = (index: number, random: Random) => {
  const isNamed = chance(random, 0.4);
  const text = (most: number) => textWith(Math.floor(random() * (most + 1)), isNamed, random);
  const special = specialParts(random, text);
  return {
    name: `random_${index}`,
    language: pick(['en', 'en_US', 'de'], random),
    category: special ? 'MARKETING' : pick(['UTILITY', 'MARKETING'], random),
    status: 'APPROVED',
    parameter_format: isNamed ? 'NAMED' : 'POSITIONAL',
    components: [
      ...(chance(random, 0.5) && !special ? [{ type: 'HEADER', format: 'TEXT', text: text(1) }] : []),
      { type: 'BODY', text: text(4) },
      ...(chance(random, 0.4) && !special ? [{ type: 'FOOTER', text: 'Reply STOP to end.' }] : []),
      ...(special ?? (chance(random, 0.5) ? [{ type: 'BUTTONS', buttons: buttonsOf(random) }] : [])),
    ],
  };
};

/** The same as the provider's simulator has it. */
export const atProviderOf = (template: ReturnType<typeof randomTemplate>) => ({
  ...template,
  id: '1',
  waba_id: '1',
  rejected_reason: 'NONE',
  created_at: 0,
  edits: [],
  components: templateRequest.shape.components.parse(template.components),
});

export const wordsOf = (random: Random): string => pick(typed, random).trim() || 'x';
