import type { FieldErrors } from '../../../shared/contract/problems.ts';
import type { TemplateButton, TemplateComponent } from '../contract/stored.ts';
import type { TemplateBody } from '../contract/template.ts';
import { toBid } from './bid.ts';
import { variablesOf, type TemplateDraft } from './draft.ts';
import { type AddComplaint, cardProblems, checkContactRequest, checkSpecialKinds } from './special-rules.ts';

/** Reasons by field, as in the `errors` of a validation problem: `components.1.text`. */

/**
 * Checks a new template by the provider's rules, so that each error names its field. Two rules are left to the provider, which publishes
 * no numbers for them: how many words a text needs for its variables, and which languages exist.
 */
export const validateTemplate = (
  draft: TemplateDraft,
  given: Partial<Pick<TemplateBody, 'parameter_format' | 'max_price'>>,
): FieldErrors => {
  const complaints: FieldErrors = {};
  const say: AddComplaint = (field, reason) => void (complaints[field] ??= []).push(reason);
  if (!/^[a-z0-9_]{1,512}$/.test(draft.name)) say('name', 'Must have 1 to 512 lower-case letters, digits and underscores.');
  if (!/^[a-z]{2,3}(_[A-Z][A-Za-z]{1,3})?$/.test(draft.language)) say('language', 'Must be a language code as en or en_US.');
  if (!Object.hasOwn(ttlBounds, draft.category)) say('category', 'Must be MARKETING, UTILITY or AUTHENTICATION.');
  if (given.parameter_format !== undefined && !/^(positional|named)$/i.test(given.parameter_format))
    say('parameter_format', 'Must be positional or named.');
  checkTtl(draft, say);
  if (given.max_price) checkMaxPrice(draft.category, given.max_price, say);
  // the provider has written the texts of its library
  if (!draft.library) checkComponents(draft, say);
  return complaints;
};

/** How many seconds the provider tries to deliver: least and most; -1 means 30 days. */
const ttlBounds: Readonly<Record<string, readonly [number, number]>> = {
  AUTHENTICATION: [30, 900],
  UTILITY: [30, 43_200],
  MARKETING: [43_200, 2_592_000],
};

/** A table item holds 400 KB; no template that fits the other rules comes near this. */
const maxChars = 60_000;

const componentTypes = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER'];
const mediaFormats = ['IMAGE', 'VIDEO', 'DOCUMENT', 'GIF'];
const buttonTypes = [
  'QUICK_REPLY',
  'URL',
  'PHONE_NUMBER',
  'COPY_CODE',
  'OTP',
  'FLOW',
  'CATALOG',
  'MPM',
  'SPM',
  'VOICE_CALL',
  'APP',
  'ORDER_DETAILS',
  'REMINDER',
  'REQUEST_CONTACT_INFO',
];

function checkMaxPrice(category: string, given: NonNullable<TemplateBody['max_price']>, say: AddComplaint): void {
  if (category !== 'MARKETING') say('max_price', 'Is for MARKETING templates alone.');
  const bid = toBid(given);
  if ('reason' in bid) say(`max_price.${bid.field}`, bid.reason);
}

function checkTtl({ category, messageTtlSeconds }: TemplateDraft, say: AddComplaint): void {
  const bounds = ttlBounds[category];
  if (messageTtlSeconds === undefined || messageTtlSeconds === -1 || !bounds) return;
  const [least, most] = bounds;
  if (messageTtlSeconds < least || messageTtlSeconds > most)
    say('message_send_ttl_seconds', `Must be from ${least} to ${most} for ${category}, or -1 for 30 days.`);
}

function checkComponents(draft: TemplateDraft, say: AddComplaint): void {
  const { components, category } = draft;
  if (JSON.stringify(components).length > maxChars) return say('components', `Must have at most ${maxChars} characters in all.`);
  const isNamed = draft.parameterFormat === 'NAMED';
  if (!components.some(({ type }) => type === 'BODY')) say('components', 'A BODY is needed.');
  for (const [index, component] of components.entries()) {
    const field = `components.${index}`;
    if (!componentTypes.includes(component.type)) say(`${field}.type`, `Must be one of ${componentTypes.join(', ')}.`);
    else if (components.findIndex(({ type }) => type === component.type) !== index)
      say(`${field}.type`, `There can be only one ${component.type}.`);
    else if (category === 'AUTHENTICATION') checkAuthenticationComponent(component, field, say);
    else checkComponent(component, field, isNamed, say);
  }
  if (category !== 'AUTHENTICATION') checkSpecialKinds(draft, say);
  if (category === 'AUTHENTICATION' && !components.some(({ type }) => type === 'BUTTONS'))
    say('components', 'An authentication template needs BUTTONS with one OTP button.');
}

function checkComponent(component: TemplateComponent, field: string, isNamed: boolean, say: AddComplaint): void {
  switch (component.type) {
    case 'HEADER':
      return checkHeader(component, field, isNamed, say);
    case 'BODY':
      return checkBody(component, field, isNamed, say);
    case 'FOOTER':
      return checkFooter(component, field, say);
    case 'BUTTONS':
      return checkButtons(component.buttons ?? [], `${field}.buttons`, say);
    case 'CAROUSEL':
      return checkCards(component, field, isNamed, say);
  }
}

function checkHeader(header: TemplateComponent, field: string, isNamed: boolean, say: AddComplaint): void {
  const { format = '', text = '', example } = header;
  if (mediaFormats.includes(format)) {
    if (!isTextList(example?.['header_handle']) || example['header_handle'].length === 0)
      say(`${field}.example.header_handle`, 'A media header needs the handle of a sample upload.');
    return;
  }
  if (format === 'LOCATION') return;
  if (format !== 'TEXT') return say(`${field}.format`, 'Must be TEXT, IMAGE, VIDEO, DOCUMENT or LOCATION.');
  if (text === '') return say(`${field}.text`, 'A TEXT header needs a text.');
  if (text.length > 60) say(`${field}.text`, 'Must have at most 60 characters.');
  const names = checkPlaceholders(text, `${field}.text`, isNamed, say);
  if (names.length > 1) say(`${field}.text`, 'A header can have one variable.');
  if (/[\n\r*_~]/.test(text.replace(/\{\{\w+\}\}/g, '')))
    say(`${field}.text`, 'The header text must not contain newlines or formatting characters (* _ ~).');
  checkExamples(example, 'header_text', names, `${field}.example`, isNamed, say);
}

function checkBody(body: TemplateComponent, field: string, isNamed: boolean, say: AddComplaint): void {
  const { text = '', example } = body;
  if (text.trim() === '') return say(`${field}.text`, 'A BODY needs a text.');
  if (text.length > 1_024) say(`${field}.text`, 'Must have at most 1,024 characters.');
  const names = checkPlaceholders(text, `${field}.text`, isNamed, say);
  if (/\}\}\s*\{\{/.test(text)) say(`${field}.text`, 'Variables need text between them.');
  if (/^\s*\{\{|\}\}\s*$/.test(text)) say(`${field}.text`, 'The body text must not begin or end with a variable.');
  checkExamples(example, 'body_text', names, `${field}.example`, isNamed, say);
}

/** Positional variables count from 1 without a gap; named ones are lower-case names. */
function checkPlaceholders(text: string, field: string, isNamed: boolean, say: AddComplaint): string[] {
  const names = variablesOf(text);
  const rest = text.replace(/\{\{\w+\}\}/g, '');
  if (rest.includes('{{') || rest.includes('}}')) say(field, 'Variables are written {{1}}, or {{name}}, without spaces.');
  if (isNamed) {
    const odd = names.filter((name) => !/^[a-z_][a-z0-9_]*$/.test(name));
    if (odd.length > 0) say(field, 'Names of variables are lower-case letters, digits and underscores, and begin with no digit.');
  } else if (names.some((_, index) => !names.includes(String(index + 1))))
    say(field, 'Variables must be {{1}}, {{2}} and so on, without a gap.');
  return names;
}

function checkExamples(
  example: Record<string, unknown> | undefined,
  key: 'header_text' | 'body_text',
  names: readonly string[],
  field: string,
  isNamed: boolean,
  say: AddComplaint,
): void {
  if (names.length === 0) return;
  if (isNamed) {
    const params = example?.[`${key}_named_params`];
    const given = Array.isArray(params) ? params.flatMap((param) => exampleName(param)) : [];
    const missing = names.filter((name) => !given.includes(name));
    if (missing.length > 0) say(`${field}.${key}_named_params`, `An example is needed for ${missing.join(', ')}.`);
    return;
  }
  const rows = example?.[key];
  const row: unknown = key === 'body_text' && Array.isArray(rows) ? rows[0] : rows;
  if (!isTextList(row) || row.length !== names.length || row.some((value) => value === ''))
    say(
      `${field}.${key}`,
      names.length === 1 ? 'An example is needed for the variable.' : `${names.length} examples are needed, one for each variable.`,
    );
}

function checkFooter({ text = '' }: TemplateComponent, field: string, say: AddComplaint): void {
  if (text === '') say(`${field}.text`, 'A FOOTER needs a text.');
  if (text.length > 60) say(`${field}.text`, 'Must have at most 60 characters.');
  if (/\{\{|[\n\r]/.test(text)) say(`${field}.text`, 'The footer text must not contain variables or newlines.');
}

function checkButtons(buttons: readonly TemplateButton[], field: string, say: AddComplaint): void {
  const count = (type: string): number => buttons.filter((button) => button.type === type).length;
  if (buttons.length < 1 || buttons.length > 10) say(field, 'There must be 1 to 10 buttons.');
  if (count('URL') > 2) say(field, 'There can be at most 2 URL buttons.');
  if (count('PHONE_NUMBER') > 1) say(field, 'There can be at most 1 phone number button.');
  if (count('COPY_CODE') > 1) say(field, 'There can be at most 1 copy code button.');
  const turns = buttons.filter((button, index) => index > 0 && isReply(button) !== isReply(buttons[index - 1])).length;
  if (turns > 1) say(field, 'Quick reply buttons must stand together.');
  for (const [index, button] of buttons.entries()) checkButton(button, `${field}.${index}`, say);
}

function checkButton(button: TemplateButton, field: string, say: AddComplaint): void {
  const { type, text = '' } = button;
  if (!buttonTypes.includes(type)) return say(`${field}.type`, `Must be one of ${buttonTypes.join(', ')}.`);
  if (type === 'OTP') return say(`${field}.type`, 'OTP buttons are for AUTHENTICATION templates.');
  if (type === 'REQUEST_CONTACT_INFO') return checkContactRequest(button, field, say);
  if (type === 'COPY_CODE') {
    const { length } = [button.example].flat()[0] ?? '';
    if (length < 1 || length > 20) say(`${field}.example`, 'A copy code button needs an example of 1 to 20 characters.');
    return;
  }
  if (text === '') say(`${field}.text`, 'A button needs a text.');
  if (text.length > 25) say(`${field}.text`, 'Must have at most 25 characters.');
  if (/\{\{|[\n\r*_~]|\p{Extended_Pictographic}/u.test(text))
    say(`${field}.text`, 'The button text must not contain variables, newlines, emojis or formatting characters.');
  if (type === 'URL') checkUrl(button, field, say);
  if (type === 'PHONE_NUMBER' && !/^\+?[\d\s().-]{5,20}$/.test(button.phone_number ?? ''))
    say(`${field}.phone_number`, 'Must be a phone number of at most 20 characters.');
}

function checkUrl({ url = '', example }: TemplateButton, field: string, say: AddComplaint): void {
  if (!/^https?:\/\/\S+$/.test(url)) return say(`${field}.url`, 'Must be an http or https URL.');
  if (url.length > 2_000) say(`${field}.url`, 'Must have at most 2,000 characters.');
  const variables = url.match(/\{\{/g)?.length ?? 0;
  if (variables > 1 || (variables === 1 && !/\{\{\w+\}\}$/.test(url)))
    return say(`${field}.url`, 'The URL can have one variable, at its end.');
  if (variables === 1 && !([example].flat()[0] ?? '')) say(`${field}.example`, 'An example is needed for the variable.');
}

function checkCards(carousel: TemplateComponent, field: string, isNamed: boolean, say: AddComplaint): void {
  for (const [at, reason] of cardProblems(carousel)) say(`${field}.${at}`, reason);
  for (const [index, { components }] of (carousel.cards ?? []).entries())
    for (const [at, part] of components.entries()) {
      // a product has no sample: its picture comes from the catalog
      if (part.type === 'HEADER' && part.format === 'PRODUCT') continue;
      checkComponent(part, `${field}.cards.${index}.components.${at}`, isNamed, say);
    }
}

/** Authentication templates: the provider writes their texts. */
function checkAuthenticationComponent(component: TemplateComponent, field: string, say: AddComplaint): void {
  switch (component.type) {
    case 'BODY':
      if (component.text !== undefined) say(`${field}.text`, 'The provider writes the text of an authentication template; leave it out.');
      return;
    case 'FOOTER': {
      const minutes = component.code_expiration_minutes;
      if (component.text !== undefined) say(`${field}.text`, 'The provider writes the footer of an authentication template; leave it out.');
      if (minutes !== undefined && (!Number.isInteger(minutes) || minutes < 1 || minutes > 90))
        say(`${field}.code_expiration_minutes`, 'Must be a whole number from 1 to 90.');
      return;
    }
    case 'BUTTONS':
      return checkOtpButton(component.buttons ?? [], `${field}.buttons`, say);
    default:
      return say(`${field}.type`, `An authentication template has no ${component.type}.`);
  }
}

function checkOtpButton(buttons: readonly TemplateButton[], field: string, say: AddComplaint): void {
  const [button] = buttons;
  if (buttons.length !== 1 || button?.type !== 'OTP') return say(field, 'An authentication template has exactly one OTP button.');
  const kind = button.otp_type ?? '';
  if (!['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'].includes(kind)) say(`${field}.0.otp_type`, 'Must be COPY_CODE, ONE_TAP or ZERO_TAP.');
  for (const name of ['text', 'autofill_text'] as const) {
    const label = button[name];
    if (typeof label === 'string' && label.length > 25) say(`${field}.0.${name}`, 'Must have at most 25 characters.');
  }
  if (kind === 'ZERO_TAP' && button['zero_tap_terms_accepted'] !== true)
    say(`${field}.0.zero_tap_terms_accepted`, 'The terms of zero-tap must be accepted.');
  const apps = Array.isArray(button['supported_apps']) ? (button['supported_apps'] as unknown[]) : [];
  if (kind !== 'COPY_CODE' && apps.length === 0) say(`${field}.0.supported_apps`, 'At least one app is needed.');
  if (apps.length > 5) say(`${field}.0.supported_apps`, 'There can be at most 5 apps.');
  for (const [index, app] of apps.entries()) {
    const { package_name = '', signature_hash = '' } = app as { package_name?: string; signature_hash?: string };
    if (package_name.length > 224) say(`${field}.0.supported_apps.${index}.package_name`, 'Must have at most 224 characters.');
    if (signature_hash.length !== 11) say(`${field}.0.supported_apps.${index}.signature_hash`, 'Must have exactly 11 characters.');
  }
}

const isReply = (button: TemplateButton | undefined): boolean => button?.type === 'QUICK_REPLY';

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** The name of one of the provider's named examples, if it has an example. */
function exampleName(param: unknown): string[] {
  const { param_name, example } = (param ?? {}) as { param_name?: unknown; example?: unknown };
  return typeof param_name === 'string' && typeof example === 'string' && example !== '' ? [param_name] : [];
}
