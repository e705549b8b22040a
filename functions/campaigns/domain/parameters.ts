import type { CardParameters, TemplateParameters } from '../../templates/contract/parameters.ts';
import type { StoredMedia } from '../../media/contract/stored.ts';
import type { CardValues, ParameterMap, StoredCampaign, TemplateProducts } from '../contract/stored.ts';

/** What a recipient's contact says to a placeholder; undefined: nothing. */
export type FieldReader = (field: string) => string | undefined;

export interface GivenParameters {
  values: ParameterMap;
  match: ParameterMap;
  /** Of one recipient; before everything else. */
  data?: ParameterMap | undefined;
  mediaUrl?: string | undefined;
  media?: StoredMedia | undefined;
  location?: StoredCampaign['location'];
  /** When the limited-time offer ends, epoch milliseconds. */
  offerEndsAt?: number | undefined;
  products?: TemplateProducts | undefined;
}

/** Whether the limited-time offer of a campaign has ended: then it goes to none of those who remain. */
export const isOfferOver = ({ offerEndsAt }: { offerEndsAt?: number | undefined }, nowMs: number): boolean =>
  offerEndsAt !== undefined && offerEndsAt <= nowMs;

type Component = {
  type: string;
  sub_type?: string;
  index?: string;
  parameters?: ({ type: string } & Record<string, unknown>)[];
  cards?: { card_index: number; components: Component[] }[];
};

/**
 * The components of a recipient's message: a placeholder's own value, else the contact's field, else the value for all (A39). `missing`
 * lists the places without a value.
 */
export const buildComponents = (
  needs: TemplateParameters,
  given: GivenParameters,
  field: FieldReader,
): { components: Component[] } | { missing: string[] } => {
  const { components, missing } = fill(needs, given, field);
  return missing.length > 0 ? { missing } : { components };
};

/** The same with the values for all, and with something that fits where only a contact or a later request can say it. */
export const sampleComponents = (needs: TemplateParameters, given: GivenParameters): Component[] =>
  fill(needs, given, () => undefined).components;

/** Places of the template that nothing can fill, whatever the contact is (A39). */
export const uncoveredPlaceholders = (needs: TemplateParameters, given: GivenParameters): string[] => {
  const isCovered = (sources: Sources, part: Part, name: string, place: number): boolean =>
    singleLine(valueByName(sources.values?.[part], name, place)) !== undefined ||
    [sources.match, sources.data].some((map) => valueByName(map?.[part], name, place) !== undefined);
  const uncovered: string[] = [];
  const look: Take = (sources, part, name, place) => {
    if (!isCovered(sources, part, name, place)) uncovered.push(placeOf(sources, part, name));
    return undefined;
  };
  placesOf(needs, given, look);
  return [
    ...uncovered,
    ...(needs.media && !headerFileOf(needs.media, given) ? ['header.media'] : []),
    ...(needs.offer && given.offerEndsAt === undefined ? ['offer'] : []),
    ...(needs.productButton !== undefined && !given.products ? ['products'] : []),
  ];
};

type Part = keyof CardValues;
/** Where the values of a template come from, or those of one of its cards. */
interface Sources {
  card: number | undefined;
  values: CardValues | undefined;
  match: CardValues | undefined;
  data: CardValues | undefined;
}
type Take = (sources: Sources, part: Part, name: string, place: number) => string | undefined;

const placeOf = ({ card }: Sources, part: Part, name: string): string =>
  [...(card === undefined ? [] : ['cards', card]), part, name].join('.');

/** Values that fit, of a place that has none. */
const sampleText = '0';
const sampleLink = 'https://example.com/any';

function fill(needs: TemplateParameters, given: GivenParameters, field: FieldReader): { components: Component[]; missing: string[] } {
  const missing: string[] = [];
  const take: Take = (sources, part, name, place) => {
    const found = valueOf(sources, part, name, place, field);
    if (found === undefined) missing.push(placeOf(sources, part, name));
    return found ?? (isLink(part, name) ? sampleLink : sampleText);
  };
  const { texts, cards } = placesOf(needs, given, take);
  const file = needs.media && headerFileOf(needs.media, given);
  if (needs.media && !file) missing.push('header.media');
  const shown = needs.media && (file ?? headerFileOf(needs.media, { mediaUrl: sampleLink, location: samplePlace }));
  if (needs.offer && given.offerEndsAt === undefined) missing.push('offer');
  if (needs.productButton !== undefined && !given.products) missing.push('products');
  const components: Component[] = [
    ...(shown ? [{ type: 'header', parameters: [shown] }] : []),
    ...texts,
    ...(needs.offer ? [offerComponent(given.offerEndsAt ?? sampleEnd)] : []),
    ...(cards.length > 0 ? [{ type: 'carousel', cards }] : []),
    ...(needs.productButton === undefined ? [] : [productsComponent(needs.productButton, given.products ?? sampleProducts)]),
  ];
  return { components, missing };
}

const samplePlace = { latitude: 0, longitude: 0, name: '-', address: '-' };
const sampleEnd = Date.UTC(2100, 0);
const sampleProducts = { sections: [{ title: '-', product_ids: ['-'] }] };

/** Every place of a template and its cards that takes a text, with what `take` says of it. */
function placesOf(needs: TemplateParameters, { values, match, data }: GivenParameters, take: Take) {
  const top: Sources = { card: undefined, values, match, data };
  return {
    texts: textComponents(needs, (part, name, place) => take(top, part, name, place) ?? ''),
    cards: needs.cards.map(({ header, ...texts }, index) => {
      const sources = { card: index, values: values.cards?.[index], match: match.cards?.[index], data: data?.cards?.[index] };
      const own = (part: Part, name: string, place: number): string => take(sources, part, name, place) ?? '';
      const shown = header === undefined ? [] : [{ type: 'header', parameters: [cardHeader(header, own)] }];
      return { card_index: index, components: [...shown, ...textComponents({ header: [], ...texts }, own)] };
    }),
  };
}

function textComponents(
  { header, body, buttons }: Pick<TemplateParameters, 'header' | 'body' | 'buttons'>,
  value: (part: Part, name: string, place: number) => string,
): Component[] {
  const texts = (part: 'body' | 'header', names: readonly string[]) =>
    names.map((name, index) => ({
      type: 'text',
      text: value(part, name, index),
      ...(/^\d+$/.test(name) ? {} : { parameter_name: name }),
    }));
  return [
    ...(header.length > 0 ? [{ type: 'header', parameters: texts('header', header) }] : []),
    ...(body.length > 0 ? [{ type: 'body', parameters: texts('body', body) }] : []),
    ...buttons.map(({ index, kind }) => {
      const text = value('buttons', String(index), index);
      const parameter = kind === 'copy_code' ? { type: 'coupon_code', coupon_code: text } : { type: 'text', text };
      return { type: 'button', sub_type: kind, index: String(index), parameters: [parameter] };
    }),
  ];
}

function cardHeader(kind: NonNullable<CardParameters['header']>, value: (part: Part, name: string, place: number) => string) {
  if (kind !== 'product') return { type: kind, [kind]: { link: value('header', 'link', 0) } };
  const product = { product_retailer_id: value('header', 'product_id', 0), catalog_id: value('header', 'catalog_id', 1) };
  return { type: kind, product };
}

const offerComponent = (endsAt: number): Component => ({
  type: 'limited_time_offer',
  parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: endsAt } }],
});

const productsComponent = (index: number, { sections, thumbnail_product_id: thumbnail }: TemplateProducts): Component => ({
  type: 'button',
  sub_type: 'mpm',
  index: String(index),
  parameters: [
    {
      type: 'action',
      action: {
        thumbnail_product_retailer_id: thumbnail ?? sections[0]?.product_ids[0],
        sections: sections.map(({ title, product_ids: ids }) => ({
          title,
          product_items: ids.map((id) => ({ product_retailer_id: id })),
        })),
      },
    },
  ],
});

/** Contact fields that parammatch may name. */
export const isContactField = (field: string): boolean =>
  ['name', 'username', 'phone', 'email', 'city', 'country', 'company'].includes(field) ||
  /^custom\.[A-Za-z][A-Za-z0-9_ ]{0,49}$/.test(field);

function valueOf({ values, match, data }: Sources, part: Part, name: string, place: number, field: FieldReader) {
  const own = singleLine(valueByName(data?.[part], name, place));
  if (own !== undefined) return own;
  const wanted = valueByName(match?.[part], name, place);
  const ofContact = wanted === undefined ? undefined : singleLine(field(wanted));
  // a field that is no address shows no picture
  const fits = ofContact !== undefined && (!isLink(part, name) || /^https?:\/\/\S+$/i.test(ofContact));
  return fits ? ofContact : singleLine(valueByName(values?.[part], name, place));
}

/** The file of a card. */
const isLink = (part: Part, name: string): boolean => part === 'header' && name === 'link';

/** By name, or by number in the order of the text. */
const valueByName = (map: Readonly<Record<string, string>> | undefined, name: string, place: number): string | undefined =>
  map === undefined ? undefined : (map[name] ?? (/^\d+$/.test(name) ? undefined : map[String(place + 1)]));

/** The provider takes no line breaks, tabs or runs of blanks in a parameter; nothing but blanks is nothing. */
const singleLine = (value: string | undefined): string | undefined => value?.replace(/\s+/g, ' ').trim() || undefined;

function headerFileOf(
  kind: NonNullable<TemplateParameters['media']>,
  { mediaUrl, media, location }: Pick<GivenParameters, 'mediaUrl' | 'media' | 'location'>,
): { type: string } | undefined {
  if (kind === 'location') return location && ({ type: kind, location } as { type: string });
  if (media) {
    if (media.kind !== kind) return undefined;
    const named = kind === 'document' && media.filename ? { filename: media.filename } : {};
    return { type: kind, [kind]: { id: media.providerId ?? 'to-be-uploaded', ...named } } as { type: string };
  }
  return mediaUrl === undefined ? undefined : ({ type: kind, [kind]: { link: mediaUrl } } as { type: string });
}
