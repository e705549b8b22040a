import type { TemplateButton, TemplateComponent } from '../contract/stored.ts';
import type { TemplateDraft } from './draft.ts';

/** The provider's rules for carousels, limited-time offers, catalogs and requests for contact info, beside those of every template. */

export type AddComplaint = (field: string, reason: string) => void;

export const checkSpecialKinds = (draft: TemplateDraft, say: AddComplaint): void => {
  const at = (type: string): number => draft.components.findIndex((each) => each.type === type);
  for (const type of ['CAROUSEL', 'LIMITED_TIME_OFFER'] as const)
    if (at(type) >= 0 && draft.category !== 'MARKETING') say(`components.${at(type)}.type`, `A ${type} is for MARKETING templates.`);
  if (at('LIMITED_TIME_OFFER') >= 0) checkOffer(draft.components, say);
  const buttons = draft.components[at('BUTTONS')]?.buttons ?? [];
  const lone = buttons.find(({ type }) => type === 'CATALOG' || type === 'MPM');
  if (lone && buttons.length > 1) say(`components.${at('BUTTONS')}.buttons`, `A ${lone.type} button stands alone.`);
};

/** The button's text is the provider's own. */
export const checkContactRequest = ({ text }: TemplateButton, field: string, say: AddComplaint): void => {
  if (text !== undefined && text !== 'Share Contact Info') say(`${field}.text`, 'Must be "Share Contact Info", or be left out.');
};

/** What is wrong with the cards of a carousel as such, by field. */
export const cardProblems = ({ cards = [] }: TemplateComponent): [field: string, reason: string][] => {
  const problems: [string, string][] = [];
  if (cards.length < 2 || cards.length > 10) problems.push(['cards', 'There must be 2 to 10 cards.']);
  const [first] = cards;
  for (const [index, card] of cards.entries()) {
    const field = `cards.${index}.components`;
    for (const reason of cardReasons(card.components)) problems.push([field, reason]);
    if (first && formOf(card.components) !== formOf(first.components))
      problems.push([field, 'All cards have the same components, and the same kinds of buttons in the same order.']);
  }
  return problems;
};

const maxOfferText = 16;
const maxOfferBody = 600;
const maxOfferCode = 15;
const maxCardBody = 160;

function cardReasons(components: readonly TemplateComponent[]): string[] {
  const part = (type: string): TemplateComponent | undefined => components.find((each) => each.type === type);
  const known = ['HEADER', 'BODY', 'BUTTONS'];
  const buttons = part('BUTTONS')?.buttons?.length ?? 0;
  return [
    ...(components.every(({ type }) => known.includes(type)) ? [] : ['A card has a HEADER, a BODY and BUTTONS.']),
    ...(new Set(components.map(({ type }) => type)).size === components.length ? [] : ['A card has each component once.']),
    ...(['IMAGE', 'VIDEO', 'PRODUCT'].includes(part('HEADER')?.format ?? '') ? [] : ['A card needs a HEADER with an IMAGE or a VIDEO.']),
    ...((part('BODY')?.text ?? '').length > maxCardBody ? [`The body of a card has at most ${maxCardBody} characters.`] : []),
    ...(buttons < 1 || buttons > 2 ? ['A card has 1 or 2 buttons.'] : []),
  ];
}

/** What must be the same in all cards. */
const formOf = (components: readonly TemplateComponent[]): string =>
  components
    .map(({ type, format, buttons }) => [type, format ?? '', ...(buttons ?? []).map((button) => button.type)].join(' '))
    .toSorted()
    .join(', ');

function checkOffer(components: readonly TemplateComponent[], say: AddComplaint): void {
  const at = (type: string): number => components.findIndex((each) => each.type === type);
  const field = `components.${at('LIMITED_TIME_OFFER')}.limited_time_offer`;
  const { text, has_expiration: expires } = offerIn(components[at('LIMITED_TIME_OFFER')]);
  if (typeof text !== 'string' || text === '' || text.length > maxOfferText)
    say(`${field}.text`, `A limited-time offer needs a text of at most ${maxOfferText} characters.`);
  if ((components[at('BODY')]?.text ?? '').length > maxOfferBody)
    say(`components.${at('BODY')}.text`, `With a limited-time offer the body has at most ${maxOfferBody} characters.`);
  if (at('FOOTER') >= 0) say(`components.${at('FOOTER')}.type`, 'A template with a limited-time offer has no FOOTER.');
  const header = components[at('HEADER')];
  if (header && header.format !== 'IMAGE' && header.format !== 'VIDEO')
    say(`components.${at('HEADER')}.format`, 'With a limited-time offer the header is an IMAGE or a VIDEO.');
  checkOfferButtons(components[at('BUTTONS')]?.buttons ?? [], at('BUTTONS'), expires === true, say);
}

function checkOfferButtons(buttons: readonly TemplateButton[], at: number, expires: boolean, say: AddComplaint): void {
  const field = at < 0 ? 'components' : `components.${at}.buttons`;
  const place = buttons.findIndex(({ type }) => type === 'COPY_CODE');
  if (place > 0 || (place < 0 && expires)) say(field, 'A limited-time offer that expires needs a COPY_CODE button, as the first.');
  if (!buttons.some(({ type }) => type === 'URL')) say(field, 'A limited-time offer needs a URL button.');
  if (([buttons[place]?.example].flat()[0] ?? '').length > maxOfferCode)
    say(`${field}.${place}.example`, `The code of a limited-time offer has at most ${maxOfferCode} characters.`);
}

function offerIn(component: TemplateComponent | undefined): { text?: unknown; has_expiration?: unknown } {
  const offer = component?.['limited_time_offer'];
  return typeof offer === 'object' && offer !== null ? offer : {};
}
