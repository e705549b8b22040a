/** Compares what is sent with the stored template. */
import { type Refusal, refuse, refuseParameter } from './errors.ts';
import type { Template } from './registry.ts';
import type { Parameter, SentComponent, SentTemplate, TemplateButton, TemplateComponent } from './schemas.ts';

const subTypes = [
  'BOOKING_CONFIRMATION',
  'CATALOG',
  'COPY_CODE',
  'FLOW',
  'MPM',
  'ORDER_DETAILS',
  'QUICK_REPLY',
  'REMINDER',
  'URL',
  'VOICE_CALL',
];
const componentTypes = ['header', 'body', 'footer', 'button', 'carousel', 'limited_time_offer', 'order_status', 'tap_target_configuration'];
const textTypes = ['text', 'currency', 'date_time'];
const codeMost = 15;

/** Names of a button type in the provider's complaints. */
const buttonNames: Record<string, string> = {
  URL: 'Url',
  COPY_CODE: 'CopyCode',
  PHONE_NUMBER: 'Call',
  QUICK_REPLY: 'QuickReply',
  FLOW: 'Flow',
};

/** `version`: the one of the request, as `v24.0`: newer ones have a code of their own for refused characters. */
export function checkTemplateSend(sent: SentTemplate, stored: Template | undefined, version: string): Refusal | undefined {
  if (stored?.status === 'PAUSED') return refuse(132015, `Template ${sent.name} is paused due to low quality`);
  if (stored?.status === 'DISABLED') return refuse(132016, `Template ${sent.name} is disabled`);
  if (stored?.status !== 'APPROVED') return refuse(132001, `template name (${sent.name}) does not exist in ${sent.language.code}`);
  const components = sent.components ?? [];
  return (
    checkShapes(components, version) ??
    checkHeader(stored, components) ??
    checkBody(stored, components) ??
    checkButtons(stored, components) ??
    checkCards(stored, components) ??
    checkOffer(stored, components) ??
    checkCode(stored, components)
  );
}

function checkShapes(components: SentComponent[], version: string): Refusal | undefined {
  for (const [index, { type, sub_type, parameters, cards }] of components.entries()) {
    const place = `template['components'][${index}]`;
    if (!componentTypes.includes(type)) {
      return refuseParameter(`Param ${place}['type'] must be one of {${componentTypes.join(', ').toUpperCase()}} - got "${type}".`);
    }
    if (type === 'button' && !subTypes.includes(sub_type?.toUpperCase() ?? '')) {
      return refuseParameter(`Param ${place}['sub_type'] must be one of {${subTypes.join(', ')}} - got "${sub_type ?? ''}".`);
    }
    for (const parameter of parameters ?? []) {
      const complaint = checkText(parameter, version);
      if (complaint) return complaint;
    }
    for (const card of cards ?? []) {
      const complaint = checkShapes(card.components ?? [], version);
      if (complaint) return complaint;
    }
  }
  return undefined;
}

function checkText(parameter: Parameter, version: string): Refusal | undefined {
  if (parameter.type !== 'text') return undefined;
  if (!parameter.text) return refuse(131008, 'Parameter of type text is missing text value');
  if (!/[\n\t]| {5,}/.test(parameter.text)) return undefined;
  const details = 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces';
  return refuse(Number(version.slice(1)) >= 23 ? 132018 : 100, details);
}

function checkHeader(stored: Template, components: SentComponent[]): Refusal | undefined {
  const expected = find(stored, 'HEADER');
  const parameters = components.find((each) => each.type === 'header')?.parameters ?? [];
  const format = expected?.format ?? 'TEXT';
  if (!expected || format === 'TEXT') return checkTexts('header', variables(expected?.text), parameters, stored);
  const got = parameters[0]?.type.toUpperCase() ?? 'UNKNOWN';
  if (got !== format || parameters.length !== 1) return refuse(132012, `header: Format mismatch, expected ${format}, received ${got}`);
  const content = parameters[0]?.[got.toLowerCase()];
  const isReference = format === 'LOCATION' || format === 'PRODUCT';
  const filled = typeof content === 'object' && content !== null && ('id' in content || 'link' in content || isReference);
  return filled ? undefined : refuse(131008, `header: Parameter of type ${got.toLowerCase()} needs an id or a link`);
}

function checkBody(stored: Template, components: SentComponent[]): Refusal | undefined {
  const text = find(stored, 'BODY')?.text;
  const parameters = components.find((each) => each.type === 'body')?.parameters ?? [];
  const names = stored.category === 'AUTHENTICATION' ? ['1'] : variables(text);
  const length = (text ?? '').replace(/\{\{\w+\}\}/g, '').length + parameters.reduce((sum, each) => sum + (each.text?.length ?? 0), 0);
  const complaint = checkTexts('body', names, parameters, stored);
  if (complaint) return complaint;
  return length > (stored.components.length > 1 ? 1024 : 32_768) ? refuse(132005, 'body: Translated text too long') : undefined;
}

function checkTexts(place: string, names: string[], parameters: Parameter[], stored: Template): Refusal | undefined {
  const odd = parameters.find((each) => !textTypes.includes(each.type));
  if (odd) return refuse(132012, `${place}: Format mismatch, expected TEXT, received ${odd.type.toUpperCase()}`);
  const named = stored.parameter_format === 'NAMED';
  if (named && parameters.some((each) => !each.parameter_name)) return refuse(100, `${place}: Parameter name is missing or empty`);
  if (parameters.length !== names.length) {
    return refuse(
      132000,
      `${place}: number of localizable_params (${parameters.length}) does not match the expected number of params (${names.length})`,
    );
  }
  const stranger = named ? parameters.find((each) => !names.includes(each.parameter_name ?? '')) : undefined;
  return stranger && refuse(100, `${place}: Parameter name (${stranger.parameter_name}) does not exist in the template`);
}

function checkButtons(stored: Template, components: SentComponent[]): Refusal | undefined {
  const buttons = find(stored, 'BUTTONS')?.buttons ?? [];
  const given = components.filter((each) => each.type === 'button');
  for (const component of given) {
    const complaint = checkButton(buttons, component);
    if (complaint) return complaint;
  }
  const indexes = new Set(given.map((each) => Number(each.index ?? 0)));
  const missing = buttons.findIndex((button, index) => needsParameter(button) && !indexes.has(index));
  if (missing < 0) return undefined;
  return refuse(131008, `buttons: Button at index ${missing} of type ${nameOf(buttons[missing])} requires a parameter`);
}

function checkButton(buttons: TemplateButton[], component: SentComponent): Refusal | undefined {
  const index = Number(component.index ?? 0);
  const button = buttons[index];
  if (button?.type === 'PHONE_NUMBER')
    return refuse(100, `buttons: Button at index ${index} is of type Call and does not support parameters`);
  if (!button || sendTypeOf(button) !== component.sub_type?.toUpperCase()) {
    return refuse(131009, `Components sub_type invalid at index: ${index} and type: 0`);
  }
  const parameter = component.parameters?.[0];
  if (button.type === 'MPM') return checkProducts(parameter, index);
  if (needsParameter(button)) {
    const value = button.type === 'COPY_CODE' ? parameter?.coupon_code : parameter?.text;
    return value ? undefined : refuse(131008, `buttons: Button at index ${index} of type ${nameOf(button)} requires a parameter`);
  }
  return sendTypeOf(button) === 'URL' && parameter
    ? refuse(132000, `buttons: number of localizable_params (1) does not match the expected number of params (0)`)
    : undefined;
}

/** Each card is filled as a template of its own. */
function checkCards(stored: Template, components: SentComponent[]): Refusal | undefined {
  const cards = find(stored, 'CAROUSEL')?.cards ?? [];
  const given = components.find((each) => each.type === 'carousel')?.cards ?? [];
  if (cards.length !== given.length)
    return refuse(132012, `carousel: number of cards (${given.length}) does not match the expected number of cards (${cards.length})`);
  for (const [place, { card_index, components: parts = [] }] of given.entries()) {
    const index = Number(card_index ?? place);
    const card = cards[index];
    if (!card || given.findIndex((each, at) => Number(each.card_index ?? at) === index) !== place)
      return refuse(131009, `carousel: card_index ${index} is not valid`);
    const single = { ...stored, components: card.components };
    const complaint = checkHeader(single, parts) ?? checkBody(single, parts) ?? checkButtons(single, parts);
    if (complaint) return complaint;
  }
  return undefined;
}

function checkOffer(stored: Template, components: SentComponent[]): Refusal | undefined {
  const offer = find(stored, 'LIMITED_TIME_OFFER')?.limited_time_offer;
  const given = components.find((each) => each.type === 'limited_time_offer');
  if (!offer) return given && refuse(132012, 'limited_time_offer: the template has no such component');
  if (!offer.has_expiration) return undefined;
  const at = (given?.parameters?.[0]?.['limited_time_offer'] as { expiration_time_ms?: unknown } | undefined)?.expiration_time_ms;
  return Number.isSafeInteger(Number(at ?? Number.NaN))
    ? undefined
    : refuse(131008, 'limited_time_offer: Parameter expiration_time_ms is missing');
}

/** 30 products in 10 sections (provider-2026 section 4). */
function checkProducts(parameter: Parameter | undefined, index: number): Refusal | undefined {
  const action = parameter?.['action'] as { thumbnail_product_retailer_id?: unknown; sections?: unknown } | undefined;
  const sections = Array.isArray(action?.sections) ? (action.sections as { product_items?: unknown }[]) : [];
  const counts = sections.map(({ product_items: items }) => (Array.isArray(items) ? items.length : 0));
  const count = counts.reduce((sum, each) => sum + each, 0);
  if (typeof action?.thumbnail_product_retailer_id !== 'string')
    return refuse(131008, `buttons: Button at index ${index} of type Mpm requires a parameter`);
  const isWrong = counts.length < 1 || counts.length > 10 || counts.includes(0) || count > 30;
  return isWrong ? refuse(131009, 'buttons: 1 to 10 sections with 1 to 30 products are needed') : undefined;
}

/** The code is given twice, in the body and in the button. */
function checkCode(stored: Template, components: SentComponent[]): Refusal | undefined {
  if (stored.category !== 'AUTHENTICATION') return undefined;
  const code = components.find((each) => each.type === 'body')?.parameters?.[0]?.text ?? '';
  if (code.length > codeMost) return refuse(131009, `body: Authentication code must be at most ${codeMost} characters long`);
  const repeated = components.find((each) => each.type === 'button')?.parameters?.[0]?.text;
  return repeated === code ? undefined : refuse(131009, 'buttons: Parameter of the button must be the authentication code of the body');
}

/** Names or numbers of the placeholders, each once. */
export function variables(text: string | undefined): string[] {
  return [...new Set([...(text ?? '').matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((match) => match[1] ?? ''))];
}

function find(stored: Template, type: string): TemplateComponent | undefined {
  return stored.components.find((each) => each.type === type);
}

/** One-time-password buttons are addressed as URL buttons. */
function sendTypeOf(button: TemplateButton): string {
  return button.type === 'OTP' ? 'URL' : button.type;
}

function needsParameter(button: TemplateButton): boolean {
  return ['OTP', 'COPY_CODE', 'MPM'].includes(button.type) || (button.type === 'URL' && variables(button.url).length > 0);
}

function nameOf(button: TemplateButton | undefined): string {
  const type = button ? sendTypeOf(button) : '';
  return buttonNames[type] ?? type;
}
