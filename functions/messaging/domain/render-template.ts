import { findComponent, sendTypeOf, templateButtons, templateCards } from '../../templates/contract/parameters.ts';
import type { StoredTemplate, TemplateButton } from '../../templates/contract/stored.ts';
import { fillPlaceholders } from './compose-template.ts';
import type { SentComponent } from './sent-component.ts';

/** A button as the recipient sees it; null: it has no such part. */
export interface RenderedButton {
  type: string;
  text: string | null;
  url: string | null;
  phone_number: string | null;
  code: string | null;
}

/** A template, or a card of it, as the recipient reads it. */
export interface RenderedCard {
  header: { format: string; text: string | null; link: string | null } | null;
  body: string | null;
  buttons: RenderedButton[];
}

export interface RenderedTemplate extends RenderedCard {
  footer: string | null;
  cards: RenderedCard[];
}

/** The texts that a recipient reads of a template and the components that are sent with it. */
export const renderTemplateText = (stored: StoredTemplate, sent: readonly SentComponent[]): RenderedTemplate => {
  const filled = sent.find(({ type }) => type === 'carousel')?.cards ?? [];
  return {
    ...cardOf(stored, sent),
    footer: findComponent(stored, 'FOOTER')?.text ?? null,
    cards: templateCards(stored).map((card, index) =>
      cardOf(card, filled.find(({ card_index: place }) => place === index)?.components ?? []),
    ),
  };
};

function cardOf(stored: StoredTemplate, sent: readonly SentComponent[]): RenderedCard {
  const part = (type: string): SentComponent | undefined => sent.find((each) => each.type === type);
  const body = findComponent(stored, 'BODY');
  const text = body?.text ?? (stored.category === 'AUTHENTICATION' ? '{{1}}' : undefined);
  return {
    header: headerOf(stored, part('header')),
    body: text === undefined ? null : fillPlaceholders(text, stored, part('body')),
    buttons: templateButtons(stored).map((button, index) =>
      buttonOf(
        button,
        sent.find((each) => each.type === 'button' && Number(each.index) === index),
      ),
    ),
  };
}

function headerOf(stored: StoredTemplate, sent: SentComponent | undefined): RenderedCard['header'] {
  const header = findComponent(stored, 'HEADER');
  if (!header) return null;
  const format = (header.format ?? 'TEXT').toUpperCase();
  if (format === 'TEXT') return { format, text: fillPlaceholders(header.text ?? '', stored, sent), link: null };
  const link = (sent?.parameters?.[0]?.[format.toLowerCase()] as { link?: unknown } | undefined)?.link;
  return { format, text: null, link: typeof link === 'string' ? link : null };
}

function buttonOf(button: TemplateButton, sent: SentComponent | undefined): RenderedButton {
  const [parameter] = sent?.parameters ?? [];
  const suffix = typeof parameter?.['text'] === 'string' ? parameter['text'] : '';
  const code = parameter?.['coupon_code'];
  return {
    type: button.type.toUpperCase(),
    text: button.text ?? null,
    url: sendTypeOf(button) === 'url' && button.url !== undefined ? button.url.replace(/\{\{\s*\w+\s*\}\}/, () => suffix) : null,
    phone_number: button.phone_number ?? null,
    code: typeof code === 'string' ? code : null,
  };
}
