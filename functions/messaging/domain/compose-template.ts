import type { FieldErrors } from '../../../shared/contract/problems.ts';
import type { MessageContent } from '../contract/content.ts';
import type { SendTemplateInput } from '../contract/send-template.ts';
import type { StoredMedia } from '../../media/contract/stored.ts';
import { messageTypes } from '../contract/stored.ts';
import { unknownMediaId } from './content.ts';
import {
  bodyPlaceholders,
  templateButtons,
  findComponent,
  inPlaceholderOrder,
  needsParameter,
  offerExpires,
  placeholdersOf,
  sendTypeOf,
} from '../../templates/contract/parameters.ts';
import type { StoredTemplate, TemplateButton } from '../../templates/contract/stored.ts';
import type { Composition } from './compose-text.ts';
import { cardsOf, checkOffer, checkProduct, productsParameter } from './compose-special.ts';
import type { AddError, SentComponent, SentParameter } from './sent-component.ts';
import { deprecatedFieldsOf, fromDeprecatedFields } from './deprecated-template-fields.ts';

/**
 * A template with its parameters, checked against the stored components before the provider is called. `components` are in the provider's
 * form; the deprecated fields are converted to them. `isPublic`: whether a URL may be passed to the provider. `media`: an uploaded header.
 */
export const composeTemplate = (
  stored: StoredTemplate,
  input: SendTemplateInput,
  isPublic: (address: string) => boolean,
  media?: StoredMedia,
): Composition => {
  const errors: FieldErrors = {};
  const note = (field: string, reason: string): void => void (errors[field] ??= []).push(reason);
  const components = (input.components ?? fromDeprecatedFields(stored, input, isPublic, note)).map(normalizeWithCards);
  const given = media ? withHeaderFile(components, media, note) : components;
  const isLegacy = input.components === undefined || input.components === null;
  checkUnknownComponents(given, note);
  const { header, body, buttons } = partsOf(stored, given, isPublic, note);
  checkOffer(stored, given, note);
  const cards = cardsOf(
    stored,
    given,
    (card, parts, noteCard) => {
      const filled = partsOf(card, parts, isPublic, noteCard);
      return [...(filled.header ? [filled.header] : []), ...(filled.body ? [filled.body] : []), ...filled.buttons];
    },
    note,
  );
  const others = given.filter(({ type }) => !['header', 'body', 'button', 'footer', 'carousel'].includes(type));
  const errorCount = Object.keys(errors).length;
  if (errorCount > 0) {
    // the components came from a deprecated field: the error names both
    const [field] = isLegacy ? deprecatedFieldsOf(input) : [];
    return { ok: false, errors: field && errors['components'] && !errors[field] ? { ...errors, [field]: errors['components'] } : errors };
  }
  const sent = [...(header ? [header] : []), ...(body ? [body] : []), ...others, ...cards, ...buttons];
  const text = findComponent(stored, 'BODY')?.text ?? (stored.category === 'AUTHENTICATION' ? '{{1}}' : '');
  const template = { name: stored.name, language: { code: stored.language }, ...(sent.length > 0 ? { components: sent } : {}) };
  const format = findComponent(stored, 'HEADER')?.format ?? 'TEXT';
  return {
    ok: true,
    message: {
      type: ['IMAGE', 'VIDEO', 'DOCUMENT'].includes(format) ? messageTypes.media : messageTypes.text,
      subtype: 'template',
      value: fillPlaceholders(text, stored, body),
      payload: { type: 'template', template, ...(stored.bid ? byMarketingApi : {}) },
      media,
    },
  };
};

/**
 * A template with a max price goes by the marketing messages API, and by no other: what fell back to the other one would be charged at the list price, which
 * may be above the max price. https://developers.facebook.com/documentation/business-messaging/whatsapp/marketing-messages/send-marketing-messages
 */
const byMarketingApi = { product_policy: 'STRICT' } as const;

/**
 * The same message at a part or a multiple of the max price of its template, in percent; one without a max price as it is.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/marketing-messages/pricing
 */
export const atPercent = (message: MessageContent, percent: number): MessageContent =>
  message.payload?.['product_policy'] === undefined
    ? message
    : { ...message, payload: { ...message.payload, bid_spec: { per_message_bid_multiplier: percent / 100 } } };

/** What fills a template, or a card of its carousel. */
function partsOf(stored: StoredTemplate, given: readonly SentComponent[], isPublic: (address: string) => boolean, note: AddError) {
  return {
    header: headerOf(stored, given, isPublic, note),
    body: bodyOf(stored, given, note),
    buttons: buttonsOf(stored, given, note),
  };
}

/** The uploaded file as the header; the provider's id of it comes when the message is sent. */
function withHeaderFile(components: readonly SentComponent[], { kind, filename }: StoredMedia, note: AddError): SentComponent[] {
  if (components.some(({ type }) => type === 'header')) note('media_id', 'Not together with a header: a header has one file.');
  const file = { id: unknownMediaId, ...(kind === 'document' && filename ? { filename } : {}) };
  return [{ type: 'header', parameters: [{ type: kind, [kind]: file }] }, ...components];
}

type GivenComponent = Record<string, unknown> & { type: string; parameters?: SentParameter[] | null | undefined };

function normalizeWithCards({
  cards,
  ...component
}: GivenComponent & { cards?: readonly { components?: GivenComponent[] | undefined }[] | undefined }): SentComponent {
  const own = normalizeComponent(component);
  return cards === undefined
    ? own
    : { ...own, cards: cards.map((card) => ({ ...card, components: (card.components ?? []).map(normalizeComponent) })) };
}

/** Types in lower case and the index as a text, as the provider expects. */
function normalizeComponent(component: GivenComponent): SentComponent {
  const { sub_type, index, parameters } = component;
  return {
    ...component,
    type: component.type.toLowerCase(),
    ...(typeof sub_type === 'string' ? { sub_type: sub_type.toLowerCase() } : { sub_type: undefined }),
    ...(component.type.toLowerCase() === 'button'
      ? { index: typeof index === 'string' || typeof index === 'number' ? String(index) : '0' }
      : { index: undefined }),
    parameters: parameters?.map((parameter) => ({
      ...parameter,
      type: parameter.type.toLowerCase(),
      ...(typeof parameter['text'] === 'number' ? { text: String(parameter['text']) } : {}),
    })),
  };
}

const kinds = ['header', 'body', 'footer', 'button', 'carousel', 'limited_time_offer', 'order_status', 'tap_target_configuration'];

function checkUnknownComponents(given: readonly SentComponent[], note: AddError): void {
  for (const [index, { type }] of given.entries())
    if (!kinds.includes(type)) note(`components.${index}.type`, `Must be one of ${kinds.join(', ')}.`);
  for (const type of ['header', 'body'])
    if (given.filter((each) => each.type === type).length > 1) note('components', `Must have at most one ${type}.`);
}

function headerOf(
  stored: StoredTemplate,
  given: readonly SentComponent[],
  isPublic: (address: string) => boolean,
  note: AddError,
): SentComponent | undefined {
  const expected = findComponent(stored, 'HEADER');
  const sent = given.find(({ type }) => type === 'header');
  const format = (expected?.format ?? 'TEXT').toUpperCase();
  const parameters = sent?.parameters ?? [];
  if (!expected || format === 'TEXT')
    return textParameters('header', inPlaceholderOrder(placeholdersOf(expected?.text), stored), parameters, stored, note);
  const kind = format.toLowerCase();
  const [parameter] = parameters;
  if (!parameter || parameters.length !== 1) {
    note('components', `The header of this template needs one parameter of type ${kind}.`);
    return undefined;
  }
  if (parameter.type !== kind) {
    note('components', `The header of this template is ${kind}, not ${parameter.type}.`);
    return undefined;
  }
  if (kind === 'product') checkProduct(parameter, note);
  else if (kind !== 'location') checkMedia(parameter[kind], kind, isPublic, note);
  return { type: 'header', parameters: [parameter] };
}

function checkMedia(media: unknown, kind: string, isPublic: (address: string) => boolean, note: AddError): void {
  const { id, link } = (typeof media === 'object' && media !== null ? media : {}) as { id?: unknown; link?: unknown };
  if (id !== undefined && id !== null && id !== '') return;
  if (typeof link !== 'string' || link === '') note('components', `The ${kind} of the header needs a link or an id.`);
  else if (!isPublic(link)) note('components', `The link of the ${kind} must be a URL on the public internet.`);
}

function bodyOf(stored: StoredTemplate, given: readonly SentComponent[], note: AddError): SentComponent | undefined {
  const parameters = given.find(({ type }) => type === 'body')?.parameters ?? [];
  const sent = textParameters('body', bodyPlaceholders(stored), parameters, stored, note);
  const [code] = sent?.parameters ?? [];
  if (stored.category === 'AUTHENTICATION' && typeof code?.['text'] === 'string' && code['text'].length > 15)
    note('components', 'A code has at most 15 characters.');
  const length = fillPlaceholders(findComponent(stored, 'BODY')?.text ?? '', stored, sent).length;
  if (stored.components.length > 1 && length > 1_024) note('components', 'The body has at most 1024 characters with its parameters.');
  return sent;
}

/** Parameters of a text, as many as it has placeholders; named ones by name, or in the order of the text. */
function textParameters(
  place: 'header' | 'body',
  names: readonly string[],
  parameters: readonly SentParameter[],
  stored: StoredTemplate,
  note: AddError,
) {
  if (parameters.length !== names.length) {
    note('components', `The ${place} of this template has ${names.length} parameters, ${parameters.length} were given.`);
    return undefined;
  }
  for (const parameter of parameters) checkText(place, parameter, note);
  if (names.length === 0) return undefined;
  if (stored.parameterFormat !== 'NAMED')
    return {
      type: place,
      parameters: parameters.map(({ parameter_name: _name, ...rest }): SentParameter => ({ ...rest, type: rest.type })),
    };
  const isUnnamed = parameters.every((each) => each['parameter_name'] === undefined);
  const named = parameters.map(
    (each, index): SentParameter => ({ ...each, parameter_name: isUnnamed ? names[index] : each['parameter_name'] }),
  );
  const missing = names.filter((name) => !named.some((each) => each['parameter_name'] === name));
  if (missing.length > 0) note('components', `The ${place} of this template needs parameter_name ${missing.join(', ')}.`);
  return { type: place, parameters: named };
}

function checkText(place: string, parameter: SentParameter, note: AddError): void {
  if (!['text', 'currency', 'date_time'].includes(parameter.type)) {
    note('components', `The ${place} takes parameters of type text, not ${parameter.type}.`);
    return;
  }
  if (parameter.type !== 'text') return;
  const text = parameter['text'];
  if (typeof text !== 'string' || text.trim() === '') note('components', `A parameter of the ${place} has no text.`);
  else if (/[\n\t\r]| {5,}/.test(text))
    note('components', `Parameters of the ${place} have no line breaks, tabs or more than 4 blanks in a row.`);
}

function buttonsOf(stored: StoredTemplate, given: readonly SentComponent[], note: AddError): SentComponent[] {
  const expected = templateButtons(stored);
  const sent = given.filter(({ type }) => type === 'button');
  const code = given.find(({ type }) => type === 'body')?.parameters?.[0]?.['text'];
  const maxCoupon = offerExpires(stored) === undefined ? 20 : 15;
  const taken = new Set<number>();
  const out: SentComponent[] = [];
  for (const component of sent) {
    const index = Number(component.index);
    const button = expected[index];
    const at = `Button ${component.index}`;
    if (!button || taken.has(index)) {
      note('components', button ? `${at} was given twice.` : `The template has no button ${component.index}.`);
      continue;
    }
    taken.add(index);
    const type = sendTypeOf(button);
    if (type === 'phone_number') note('components', `${at} dials a number and takes no parameters.`);
    else if (component.sub_type !== type) note('components', `${at} of the template is ${type}, not ${component.sub_type ?? 'given'}.`);
    else {
      const parameters = buttonParameters(button, component, { code, maxCoupon }, at, note);
      if (parameters) out.push({ type: 'button', sub_type: type, index: String(index), parameters });
    }
  }
  for (const [index, button] of expected.entries()) {
    if (taken.has(index) || !needsParameter(button)) continue;
    if (button.type.toUpperCase() === 'OTP' || stored.category === 'AUTHENTICATION')
      // the provider expects the code a second time, in the button
      out.push({ type: 'button', sub_type: 'url', index: String(index), parameters: [{ type: 'text', text: code }] });
    else note('components', `Button ${index} of the template needs a parameter.`);
  }
  return out;
}

function buttonParameters(
  button: TemplateButton,
  component: SentComponent,
  { code, maxCoupon }: { code: unknown; maxCoupon: number },
  at: string,
  note: AddError,
): SentParameter[] | undefined {
  const [parameter] = component.parameters ?? [];
  if (sendTypeOf(button) === 'mpm') return productsParameter(parameter, at, note);
  if (!needsParameter(button)) {
    if (sendTypeOf(button) === 'url' && parameter) note('components', `${at} has a fixed URL and takes no parameters.`);
    return parameter ? [parameter] : undefined;
  }
  if (sendTypeOf(button) === 'copy_code') {
    const coupon = parameter?.['coupon_code'] ?? parameter?.['text'];
    if (typeof coupon === 'string' && coupon !== '' && coupon.length <= maxCoupon) return [{ type: 'coupon_code', coupon_code: coupon }];
    note('components', `${at} needs a coupon_code of up to ${maxCoupon} characters.`);
    return undefined;
  }
  const text = parameter?.['text'];
  if ((typeof text !== 'string' && typeof text !== 'number') || String(text) === '') {
    note('components', `${at} needs a parameter of type text: the value of the placeholder in its URL.`);
    return undefined;
  }
  if (button.type.toUpperCase() === 'OTP' && text !== code) note('components', `${at} must have the code of the body.`);
  return [{ type: 'text', text: suffixOf(button, String(text)) }];
}

/** Only the value of the placeholder; a caller may also give the whole URL. */
function suffixOf(button: TemplateButton, text: string): string {
  const prefix = (button.url ?? '').split('{{')[0] ?? '';
  return /^https?:\/\//i.test(prefix) && text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

/** The text with its parameters in place. */
export function fillPlaceholders(text: string, stored: StoredTemplate, sent: SentComponent | undefined): string {
  const names = text === '{{1}}' ? ['1'] : inPlaceholderOrder(placeholdersOf(text), stored);
  const values = new Map(
    (sent?.parameters ?? []).map((parameter, index) => [
      typeof parameter['parameter_name'] === 'string' ? parameter['parameter_name'] : (names[index] ?? ''),
      parameterText(parameter),
    ]),
  );
  return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => values.get(name) ?? whole);
}

function parameterText(parameter: SentParameter): string {
  const detail = parameter[parameter.type];
  if (typeof detail === 'string') return detail;
  const fallback = (detail as { fallback_value?: unknown } | undefined)?.fallback_value;
  return typeof fallback === 'string' ? fallback : '';
}
