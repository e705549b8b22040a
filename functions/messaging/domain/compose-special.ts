import type { StoredTemplate } from '../../templates/contract/stored.ts';
import { offerExpires, templateCards } from '../../templates/contract/parameters.ts';
import type { AddError, SentCard, SentComponent, SentParameter } from './sent-component.ts';

/** What carousels, limited-time offers and products need in a send, in the provider's form. */

/** Checks what fills one card, and gives it in the provider's form. */
export type ComposeCard = (card: StoredTemplate, given: readonly SentComponent[], note: AddError) => SentComponent[];

/** The carousel with each card of the template once, by its place. None: the template has no carousel. */
export const cardsOf = (stored: StoredTemplate, given: readonly SentComponent[], compose: ComposeCard, note: AddError): SentComponent[] => {
  const expected = templateCards(stored);
  const sent = given.filter(({ type }) => type === 'carousel').flatMap(({ cards = [] }) => cards);
  if (sent.length !== expected.length) {
    note('components', `The template has ${expected.length} cards, ${sent.length} were given.`);
    return [];
  }
  if (expected.length === 0) return [];
  const byPlace = new Map<number, SentCard>(sent.map((card, place) => [Number(card.card_index ?? place), card]));
  const cards = expected.flatMap((card, index) => {
    const filling = byPlace.get(index);
    const noteCard: AddError = (field, reason) => note(field, `Card ${index}: ${reason}`);
    if (filling) return [{ card_index: index, components: compose(card, filling.components, noteCard) }];
    note('components', `The card with the card_index ${index} was not given.`);
    return [];
  });
  return [{ type: 'carousel', cards }];
};

/** An offer that expires says when, in epoch milliseconds. */
export const checkOffer = (stored: StoredTemplate, given: readonly SentComponent[], note: AddError): void => {
  const sent = given.find(({ type }) => type === 'limited_time_offer');
  const expires = offerExpires(stored);
  if (expires === undefined && sent) note('components', 'The template has no limited-time offer.');
  const [parameter] = sent?.parameters ?? [];
  const at = (parameter?.['limited_time_offer'] as { expiration_time_ms?: unknown } | undefined)?.expiration_time_ms;
  if (expires && !(Number.isSafeInteger(at) && Number(at) > 0))
    note('components', 'The limited-time offer needs a parameter with limited_time_offer.expiration_time_ms.');
};

/** A card that shows a product names it. */
export const checkProduct = ({ product }: SentParameter, note: AddError): void => {
  const { product_retailer_id: id, catalog_id: catalog } = recordOf(product);
  if (!isName(id) || !isName(catalog)) note('components', 'The product of the header needs product_retailer_id and catalog_id.');
};

/** The products of a multi-product button: 1 to 30 in 1 to 10 sections. */
export const productsParameter = (parameter: SentParameter | undefined, at: string, note: AddError): SentParameter[] | undefined => {
  const { thumbnail_product_retailer_id: thumbnail, sections } = recordOf(parameter?.['action']);
  const counts = (Array.isArray(sections) ? sections : []).map((section) => {
    const items = recordOf(section)['product_items'];
    return Array.isArray(items) ? items.length : 0;
  });
  const count = counts.reduce((sum, each) => sum + each, 0);
  if (parameter && isName(thumbnail) && counts.length > 0 && counts.length <= 10 && !counts.includes(0) && count <= 30) return [parameter];
  note('components', `${at} needs an action with thumbnail_product_retailer_id and 1 to 10 sections of 1 to 30 products in all.`);
  return undefined;
};

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';
