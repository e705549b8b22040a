import type { StoredTemplate, TemplateButton, TemplateComponent } from './stored.ts';

/** What a template needs to be sent. Read by whatever fills templates: direct sends, campaigns, notices. */

export const findComponent = (stored: StoredTemplate, type: string): TemplateComponent | undefined =>
  stored.components.find((each) => each.type.toUpperCase() === type);
export const templateButtons = (stored: StoredTemplate): TemplateButton[] => findComponent(stored, 'BUTTONS')?.buttons ?? [];

/** Names or numbers of the placeholders of a text, each once, in order. */
export const placeholdersOf = (text: string | undefined): string[] => [
  ...new Set([...(text ?? '').matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((match) => match[1] ?? '')),
];

/** Whether a send must say when the limited-time offer of a template ends; undefined: it has no such offer. */
export const offerExpires = (stored: StoredTemplate): boolean | undefined => {
  const offer = findComponent(stored, 'LIMITED_TIME_OFFER');
  return offer && (offer['limited_time_offer'] as { has_expiration?: unknown } | undefined)?.has_expiration === true;
};

/** Each card of a carousel as a template of its own. */
export const templateCards = (stored: StoredTemplate): StoredTemplate[] =>
  (findComponent(stored, 'CAROUSEL')?.cards ?? []).map(({ components }) => ({ ...stored, components }));

export const bodyPlaceholders = (stored: StoredTemplate): string[] =>
  stored.category === 'AUTHENTICATION' ? ['1'] : inPlaceholderOrder(placeholdersOf(findComponent(stored, 'BODY')?.text), stored);
export const inPlaceholderOrder = (names: string[], stored: StoredTemplate): string[] =>
  stored.parameterFormat === 'NAMED' ? names : names.toSorted((a, b) => Number(a) - Number(b));

/** Buttons whose value a send gives as a text, by index. */
export type ButtonParameters = { index: number; kind: 'url' | 'copy_code' }[];

/** What a send must supply for a card of a carousel; a `product` is named in place of a file. */
export interface CardParameters {
  header: 'image' | 'video' | 'product' | undefined;
  body: string[];
  buttons: ButtonParameters;
}

/** What a send of a template must supply: placeholders by name, the kind of the header's file, buttons by index. */
export interface TemplateParameters {
  body: string[];
  header: string[];
  media: 'image' | 'video' | 'document' | 'location' | undefined;
  buttons: ButtonParameters;
  /** Of a carousel, in order. */
  cards: CardParameters[];
  /** `ends`: a limited-time offer that says until when; undefined: none, or one without an end. */
  offer: 'ends' | undefined;
  /** The button that shows products, by index. */
  productButton: number | undefined;
}

export const templateParameters = (stored: StoredTemplate): TemplateParameters => {
  const header = findComponent(stored, 'HEADER');
  const format = (header?.format ?? 'TEXT').toLowerCase();
  const productButton = templateButtons(stored).findIndex((button) => sendTypeOf(button) === 'mpm');
  return {
    body: bodyPlaceholders(stored),
    header: format === 'text' ? inPlaceholderOrder(placeholdersOf(header?.text), stored) : [],
    media: format === 'image' || format === 'video' || format === 'document' || format === 'location' ? format : undefined,
    buttons: buttonParameters(stored),
    cards: templateCards(stored).map(cardParameters),
    offer: offerExpires(stored) ? 'ends' : undefined,
    productButton: productButton < 0 ? undefined : productButton,
  };
};

function cardParameters(card: StoredTemplate): CardParameters {
  const format = (findComponent(card, 'HEADER')?.format ?? '').toLowerCase();
  return {
    header: format === 'image' || format === 'video' || format === 'product' ? format : undefined,
    body: bodyPlaceholders(card),
    buttons: buttonParameters(card),
  };
}

function buttonParameters(stored: StoredTemplate): ButtonParameters {
  const isCode = stored.category === 'AUTHENTICATION';
  return templateButtons(stored).flatMap((button, index) => {
    const kind = sendTypeOf(button);
    const isOwn = needsParameter(button) && !isCode && button.type.toUpperCase() !== 'OTP';
    return isOwn && (kind === 'url' || kind === 'copy_code') ? [{ index, kind } as const] : [];
  });
}

/** One-time-password buttons are addressed as URL buttons. */
export function sendTypeOf(button: TemplateButton): string {
  const type = button.type.toLowerCase();
  return type === 'otp' ? 'url' : type;
}

export function needsParameter(button: TemplateButton): boolean {
  const type = button.type.toUpperCase();
  return type === 'OTP' || type === 'COPY_CODE' || type === 'MPM' || (type === 'URL' && placeholdersOf(button.url).length > 0);
}
