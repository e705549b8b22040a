import type { Template } from '../../client/client.ts';

/** A template, or one card of a carousel, as people see it. */
export interface TemplateParts {
  header?: string;
  /** IMAGE, VIDEO or DOCUMENT; of a card also PRODUCT. */
  media?: string;
  body: string;
  footer?: string;
  buttons: readonly { text: string; type: string; url?: string }[];
  cards: readonly TemplateParts[];
  /** A limited-time offer, and whether a send says until when. */
  offer?: { text: string; ends: boolean };
}

export interface Placeholder {
  /** `body:1`, `header:name`, `button:0`; of a card with its place before it: `0.body:1`. */
  id: string;
  name: string;
  part: 'header' | 'body' | 'link' | 'code' | 'products' | 'media' | 'product' | 'catalog' | 'offer';
}

export type Values = Readonly<Record<string, string>>;

/** What a component has depends on its type, and is read with care: it is the provider's. */
type Fields = Readonly<Record<string, unknown>>;

const words = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = <T = Fields>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : []);

export const partsOf = ({ components }: { readonly components: readonly object[] }): TemplateParts => {
  const named = (type: string): Fields | undefined => (components as readonly Fields[]).find((each) => each['type'] === type);
  const [header, body, footer, buttons, carousel, offer] = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER'].map(
    named,
  );
  const format = words(header?.['format']) || 'TEXT';
  return {
    ...(header && format === 'TEXT' ? { header: words(header['text']) } : {}),
    ...(header && format !== 'TEXT' && format !== 'LOCATION' ? { media: format } : {}),
    body: words(body?.['text']),
    ...(footer ? { footer: words(footer['text']) } : {}),
    buttons: listOf(buttons?.['buttons']).map((each) => ({
      text: words(each['text']),
      type: words(each['type']),
      ...(each['url'] === undefined ? {} : { url: words(each['url']) }),
    })),
    cards: listOf<{ components?: object[] }>(carousel?.['cards']).map((card) => partsOf({ components: card.components ?? [] })),
    ...(offer ? { offer: offerIn(offer) } : {}),
  };
};

const offerIn = (component: Fields): { text: string; ends: boolean } => {
  const { text, has_expiration: ends } = (component['limited_time_offer'] ?? {}) as Fields;
  return { text: words(text), ends: ends === true };
};

const namesIn = (text: string): string[] => [...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name ?? ''))];

/** What has to be filled in before the template can be sent, in the order of reading; that of the cards by `placeholdersOfCard`. */
export const placeholdersOf = (parts: TemplateParts): Placeholder[] => [
  ...ofTexts(parts),
  ...(parts.offer?.ends ? [{ id: 'offer', name: parts.offer.text, part: 'offer' as const }] : []),
];

/** What has to be filled in of one card. */
export const placeholdersOfCard = (parts: TemplateParts, card: number): Placeholder[] =>
  ofTexts(parts).map((each) => ({ ...each, id: `${card}.${each.id}` }));

const ofTexts = ({ header = '', media, body, buttons }: TemplateParts): Placeholder[] => [
  ...ofMedia(media),
  ...namesIn(header).map((name) => ({ id: `header:${name}`, name, part: 'header' as const })),
  ...namesIn(body).map((name) => ({ id: `body:${name}`, name, part: 'body' as const })),
  ...buttons.flatMap(({ text, ...button }, index) => {
    const part = partOf(button);
    return part === undefined ? [] : [{ id: `button:${index}`, name: text, part }];
  }),
];

const ofMedia = (media: string | undefined): Placeholder[] => {
  if (media === undefined) return [];
  if (media !== 'PRODUCT') return [{ id: 'media', name: media, part: 'media' }];
  return (['product', 'catalog'] as const).map((part) => ({ id: part, name: media, part }));
};

/** What a button takes: the end of its link, a coupon code, or the products that it shows. */
const partOf = ({ type, url = '' }: { type: string; url?: string }): 'link' | 'code' | 'products' | undefined => {
  if (type === 'COPY_CODE') return 'code';
  if (type === 'MPM') return 'products';
  return url.includes('{{') ? 'link' : undefined;
};

/** A text with what was filled in so far. */
export const filled = (text: string, part: 'header' | 'body', values: Values, card?: number): string =>
  text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => values[idIn(card, `${part}:${name}`)] || whole);

const idIn = (card: number | undefined, id: string): string => (card === undefined ? id : `${card}.${id}`);

/** The values in the provider's form. */
export const componentsOf = ({ parameter_format: format }: Pick<Template, 'parameter_format'>, parts: TemplateParts, values: Values) => {
  const isNamed = format === 'named';
  const cards = parts.cards.map((card, index) => ({ card_index: index, components: filledIn(card, isNamed, values, index) }));
  return [
    ...filledIn(parts, isNamed, values),
    ...(parts.offer?.ends ? [offerComponent(values['offer'] ?? '')] : []),
    ...(cards.length > 0 ? [{ type: 'carousel', cards }] : []),
  ];
};

const filledIn = (parts: TemplateParts, isNamed: boolean, values: Values, card?: number) => {
  const value = (id: string): string => values[idIn(card, id)] ?? '';
  // numbered values go by their numbers, wherever they stand in the text
  const inOrder = (names: string[]): string[] => (isNamed ? names : names.toSorted((a, b) => Number(a) - Number(b)));
  const texts = (part: 'header' | 'body', text: string) =>
    inOrder(namesIn(text)).map((name) => ({ type: 'text', text: value(`${part}:${name}`), ...(isNamed ? { parameter_name: name } : {}) }));
  const header = parts.media === undefined ? texts('header', parts.header ?? '') : [headerOf(parts.media.toLowerCase(), value)];
  const body = texts('body', parts.body);
  const buttons = parts.buttons.flatMap((button, index) => {
    const part = partOf(button);
    if (part === undefined) return [];
    return [{ type: 'button', index: String(index), ...buttonOf(part, button.text, value(`button:${index}`)) }];
  });
  return [
    ...(header.length > 0 ? [{ type: 'header', parameters: header }] : []),
    ...(body.length > 0 ? [{ type: 'body', parameters: body }] : []),
    ...buttons,
  ];
};

const headerOf = (kind: string, value: (id: string) => string) =>
  kind === 'product'
    ? { type: kind, product: { product_retailer_id: value('product'), catalog_id: value('catalog') } }
    : { type: kind, [kind]: { link: value('media') } };

const buttonOf = (part: 'link' | 'code' | 'products', name: string, given: string) => {
  if (part === 'link') return { sub_type: 'url', parameters: [{ type: 'text', text: given }] };
  if (part === 'code') return { sub_type: 'copy_code', parameters: [{ type: 'coupon_code', coupon_code: given }] };
  const ids = given.split(/[\s,]+/).filter((each) => each !== '');
  const sections = [{ title: name, product_items: ids.map((id) => ({ product_retailer_id: id })) }];
  return { sub_type: 'mpm', parameters: [{ type: 'action', action: { thumbnail_product_retailer_id: ids[0], sections } }] };
};

/** `until` as a field of the browser gives it, in the time of the reader. */
const offerComponent = (until: string) => ({
  type: 'limited_time_offer',
  parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: new Date(until).getTime() } }],
});
