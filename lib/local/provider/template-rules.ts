/** What the provider accepts as a template. Undefined means: nothing to complain about. */
import { type Refusal, refuseParameter, refuseTemplate } from './errors.ts';
import type { TemplateButton, TemplateComponent, TemplateRequest } from './schemas.ts';
import { variables } from './template-send.ts';

const categories = ['AUTHENTICATION', 'MARKETING', 'UTILITY'];
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
const ttlSeconds: Record<string, [number, number]> = { AUTHENTICATION: [30, 900], UTILITY: [30, 43_200], MARKETING: [43_200, 2_592_000] };

export function checkTemplate(request: TemplateRequest): Refusal | undefined {
  if (request.name.length > 512) return tooLong('name', 512);
  if (!/^[a-z0-9_]+$/.test(request.name)) {
    return refuseParameter('Invalid parameter: name must contain only lowercase alphanumeric characters and underscores');
  }
  if (!/^[a-z]{2,3}(_[A-Z]{2,3})?$/.test(request.language))
    return refuseParameter(`Param language must be a supported language - got "${request.language}".`);
  if (!categories.includes(request.category)) {
    return refuseParameter(`Param category must be one of {${categories.join(', ')}} - got "${request.category}".`);
  }
  if (request.optimization_spec && request.category !== 'MARKETING')
    return refuseParameter('Param optimization_spec is supported in MARKETING templates only.');
  const ttl = request.message_send_ttl_seconds;
  const [least, most] = ttlSeconds[request.category] ?? [0, 0];
  if (ttl !== undefined && ttl !== -1 && (ttl < least || ttl > most)) {
    return refuseParameter(`Param message_send_ttl_seconds must be between ${least} and ${most} for category ${request.category}.`);
  }
  return checkComponents(request);
}

export function checkComponents(request: Pick<TemplateRequest, 'category' | 'components' | 'parameter_format'>): Refusal | undefined {
  const part = (type: string) => request.components.find((each) => each.type === type);
  const body = part('BODY');
  if (!body) return missing('components', 'BODY');
  if (request.category === 'AUTHENTICATION') return checkAuthentication(request.components);
  const named = request.parameter_format === 'NAMED';
  const buttons = part('BUTTONS')?.buttons;
  return (
    checkHeader(part('HEADER'), named) ??
    checkBody(body, named) ??
    checkFooter(part('FOOTER')) ??
    (buttons && checkButtons(buttons)) ??
    checkCarousel(request, part('CAROUSEL'), named) ??
    checkOffer(request, part('LIMITED_TIME_OFFER')) ??
    checkCatalog(buttons ?? [])
  );
}

/** 2 to 10 cards of one form (provider-2026 section 4). */
function checkCarousel(
  { category }: Pick<TemplateRequest, 'category'>,
  carousel: TemplateComponent | undefined,
  named: boolean,
): Refusal | undefined {
  if (!carousel) return undefined;
  if (category !== 'MARKETING') return refuseParameter('Carousel components are supported in MARKETING templates only.');
  const cards = carousel.cards ?? [];
  if (cards.length < 2 || cards.length > 10) return refuseParameter('Param cards must have 2 to 10 elements.');
  const forms = cards.map(({ components }) =>
    components.map(({ type, format, buttons = [] }) => `${type} ${format ?? ''} ${buttons.map((each) => each.type).join(' ')}`).toSorted(),
  );
  if (new Set(forms.map((form) => form.join())).size > 1)
    return refuseParameter('All cards of a carousel must have the same components and the same buttons.');
  for (const { components } of cards) {
    const part = (type: string) => components.find((each) => each.type === type);
    const [header, body, buttons] = [part('HEADER'), part('BODY'), part('BUTTONS')?.buttons ?? []];
    if (!['IMAGE', 'VIDEO', 'PRODUCT'].includes(header?.format ?? ''))
      return refuseParameter('A card needs a header of the format IMAGE or VIDEO.');
    if (buttons.length < 1 || buttons.length > 2) return refuseParameter('A card must have 1 or 2 buttons.');
    if ((body?.text ?? '').length > 160) return tooLong('card body', 160);
    const complaint = (header?.format === 'PRODUCT' ? undefined : checkHeader(header, named)) ?? (body && checkBody(body, named));
    if (complaint) return complaint;
    const wrong = checkButtons(buttons);
    if (wrong) return wrong;
  }
  return undefined;
}

function checkOffer(
  { category, components }: Pick<TemplateRequest, 'category' | 'components'>,
  offer: TemplateComponent | undefined,
): Refusal | undefined {
  if (!offer) return undefined;
  const part = (type: string) => components.find((each) => each.type === type);
  if (category !== 'MARKETING') return refuseParameter('Limited-time offers are supported in MARKETING templates only.');
  const { text = '', has_expiration: expires } = offer.limited_time_offer ?? {};
  if (text === '') return missing('LIMITED_TIME_OFFER', 'text');
  if (text.length > 16) return tooLong('limited_time_offer text', 16);
  if ((part('BODY')?.text ?? '').length > 600) return tooLong('body', 600);
  if (part('FOOTER')) return refuseParameter('A template with a limited-time offer cannot have a footer.');
  if (!['IMAGE', 'VIDEO', undefined].includes(part('HEADER')?.format))
    return refuseTemplate(2388047, 'Header format is incorrect', 'The header of a limited-time offer must be an image or a video.');
  const buttons = part('BUTTONS')?.buttons ?? [];
  const place = buttons.findIndex(({ type }) => type === 'COPY_CODE');
  if (place > 0 || (place < 0 && expires)) return wrongButtons('The copy code button of a limited-time offer must come first.');
  if (!buttons.some(({ type }) => type === 'URL')) return wrongButtons('A limited-time offer needs a URL button.');
  return String(buttons[place]?.example ?? '').length > 15 ? tooLong('offer code', 15) : undefined;
}

function checkCatalog(buttons: TemplateButton[]): Refusal | undefined {
  const lone = buttons.some(({ type }) => type === 'CATALOG' || type === 'MPM');
  return lone && buttons.length > 1 ? wrongButtons('A catalog or multi-product button must be the only button.') : undefined;
}

function checkHeader(header: TemplateComponent | undefined, named: boolean): Refusal | undefined {
  if (!header) return undefined;
  const format = header.format ?? '';
  const wrong = (text: string) => refuseTemplate(2388047, 'Header format is incorrect', text);
  if (mediaFormats.includes(format)) return hasExample(header, 'header_handle') ? undefined : missingExample('HEADER');
  if (format === 'LOCATION') return undefined;
  if (format !== 'TEXT' || !header.text)
    return wrong('The header needs a format (TEXT, IMAGE, VIDEO, DOCUMENT, LOCATION) and, for TEXT, a text.');
  if (header.text.length > 60) return tooLong('header', 60);
  const names = variables(header.text);
  if (names.length > 1) return wrong("The message header can have only one variable, and can't have newlines or formatting characters.");
  if (/[\n\r*_~]/.test(header.text.replace(/\{\{\w+\}\}/g, '')))
    return wrong("The message header can't have newlines, asterisks or formatting characters.");
  if (names.length === 0) return undefined;
  return hasExample(header, named ? 'header_text_named_params' : 'header_text') ? undefined : missingExample('HEADER');
}

function checkBody(body: TemplateComponent, named: boolean): Refusal | undefined {
  const text = body.text ?? '';
  const wrong = (explanation: string) => refuseTemplate(2388072, 'Body format is incorrect', explanation);
  if (text.trim() === '') return wrong('The message body needs a text.');
  if (text.length > 1024) return tooLong('body', 1024);
  const names = variables(text);
  if (/\{\{\s*\}\}|\{\{[^{}\w\s]/.test(text))
    return wrong('Variable parameters must be whole numbers or names within two sets of curly brackets.');
  if (/\n{3,}| {5,}/.test(text)) return wrong("The message body can't have more than two consecutive newlines or four consecutive spaces.");
  if (names.length === 0) return undefined;
  if (/\}\}\s*\{\{/.test(text)) return wrong('The message body has parameters placed next to each other without text between them.');
  if (named ? names.some((name) => !/^[a-z_][a-z0-9_]*$/.test(name)) : !isConsecutive(names)) {
    return wrong(
      named
        ? 'Variable names must be lowercase letters, digits and underscores.'
        : 'Variables must be consecutive numbers beginning with 1.',
    );
  }
  if (/^\s*\{\{|\}\}\s*$/.test(text))
    return refuseTemplate(
      2388299,
      'Leading or trailing parameters are not allowed',
      "Variables can't be at the start or end of the template.",
    );
  const words = text.replace(/\{\{\w+\}\}/g, ' ').match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  if (words < 2 * names.length + 1) {
    return refuseTemplate(
      2388293,
      'Too many variables for the length',
      'This template has too many variables for its length. Reduce the number of variables or increase the message length.',
    );
  }
  return hasBodyExamples(body, names.length, named) ? undefined : missingExample('BODY');
}

function checkFooter(footer: TemplateComponent | undefined): Refusal | undefined {
  if (!footer) return undefined;
  if ((footer.text ?? '').length > 60) return tooLong('footer', 60);
  if (footer.text && !/\{\{|[\n\r]/.test(footer.text)) return undefined;
  return refuseTemplate(
    2388073,
    'Footer format is incorrect',
    "The message footer can't have any variables, newlines, emojis or asterisks.",
  );
}

function checkButtons(buttons: TemplateButton[]): Refusal | undefined {
  const count = (type: string) => buttons.filter((button) => button.type === type).length;
  if (buttons.length < 1 || buttons.length > 10) return wrongButtons('A template can have 1 to 10 buttons.');
  if (count('URL') > 2) return wrongButtons('A template can have at most 2 URL buttons.');
  if (count('PHONE_NUMBER') > 1) return wrongButtons('A template can have at most 1 phone number button.');
  if (count('COPY_CODE') > 1) return wrongButtons('A template can have at most 1 copy code button.');
  const turns = buttons.filter(
    (button, index) => index > 0 && (button.type === 'QUICK_REPLY') !== (buttons[index - 1]?.type === 'QUICK_REPLY'),
  ).length;
  if (turns > 1) return wrongButtons('Quick reply buttons must be grouped together.');
  for (const button of buttons) {
    const complaint = checkButton(button);
    if (complaint) return complaint;
  }
  return undefined;
}

function checkButton(button: TemplateButton): Refusal | undefined {
  if (!buttonTypes.includes(button.type))
    return refuseParameter(`Param components['buttons']['type'] must be one of {${buttonTypes.join(', ')}} - got "${button.type}".`);
  if (button.type === 'REQUEST_CONTACT_INFO')
    return [undefined, 'Share Contact Info'].includes(button.text)
      ? undefined
      : wrongButtons('The text of a button that requests contact info must be "Share Contact Info".');
  if (button.type !== 'COPY_CODE') {
    if (!button.text) return missing('BUTTONS', 'text');
    if (button.text.length > 25) return tooLong('button', 25);
    if (/\{\{|[\n\r*_~]|\p{Extended_Pictographic}/u.test(button.text))
      return wrongButtons("Buttons can't have any variables, newlines, emojis or formatting characters.");
  }
  if (button.type === 'URL') return checkUrl(button);
  if (button.type === 'PHONE_NUMBER' && !/^\+?[\d\s().-]{5,20}$/.test(button.phone_number ?? ''))
    return wrongButtons('The phone number of the button is not valid.');
  const example = String(button.example ?? '');
  if (button.type === 'COPY_CODE' && (example.length < 1 || example.length > 20)) return missingExample('BUTTONS');
  return undefined;
}

function checkUrl(button: TemplateButton): Refusal | undefined {
  const url = button.url ?? '';
  if (!/^https?:\/\/\S+$/.test(url)) return wrongButtons('The URL of the button is not valid.');
  if (url.length > 2000) return tooLong('url', 2000);
  const names = variables(url);
  if (names.length > 1 || (names.length === 1 && !/\{\{\w+\}\}$/.test(url)))
    return wrongButtons('A URL can have one variable, at its end.');
  return names.length === 0 || (button.example ?? []).length > 0 ? undefined : missingExample('BUTTONS');
}

function checkAuthentication(components: TemplateComponent[]): Refusal | undefined {
  const part = (type: string) => components.find((each) => each.type === type);
  if (part('HEADER')) return refuseTemplate(2388047, 'Header format is incorrect', 'Authentication templates have no header.');
  if (part('BODY')?.text !== undefined)
    return refuseTemplate(2388072, 'Body format is incorrect', 'The text of an authentication template is fixed.');
  const minutes = part('FOOTER')?.code_expiration_minutes;
  if (minutes !== undefined && (minutes < 1 || minutes > 90))
    return refuseParameter('Param code_expiration_minutes must be between 1 and 90.');
  const buttons = part('BUTTONS')?.buttons ?? [];
  const button = buttons[0];
  if (buttons.length !== 1 || button?.type !== 'OTP') return wrongButtons('An authentication template has exactly one OTP button.');
  if (!['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'].includes(button.otp_type ?? ''))
    return refuseParameter('Param otp_type must be one of {COPY_CODE, ONE_TAP, ZERO_TAP}.');
  if ((button.text ?? '').length > 25) return tooLong('button', 25);
  const apps = button.supported_apps ?? [];
  if (apps.length > 5) return refuseParameter('Param supported_apps must have at most 5 elements.');
  const badApp = apps.some(({ package_name, signature_hash }) => package_name.length > 224 || signature_hash.length !== 11);
  return badApp
    ? refuseParameter('Param supported_apps: package_name has at most 224 and signature_hash exactly 11 characters.')
    : undefined;
}

function isConsecutive(names: string[]): boolean {
  const numbers = names.map(Number).sort((a, b) => a - b);
  return numbers.every((number, index) => number === index + 1);
}

function hasBodyExamples(body: TemplateComponent, count: number, named: boolean): boolean {
  const given: unknown = body.example?.[named ? 'body_text_named_params' : 'body_text'];
  if (!Array.isArray(given)) return false;
  const row: unknown = named ? given : given[0];
  return Array.isArray(row) ? row.length === count : count === given.length;
}

function hasExample(component: TemplateComponent, key: string): boolean {
  const given: unknown = component.example?.[key];
  return Array.isArray(given) && given.length > 0;
}

function tooLong(field: string, most: number): Refusal {
  return refuseTemplate(2388040, 'The field exceeds the character limit', `The ${field} field can't exceed ${most} characters.`);
}

function wrongButtons(explanation: string): Refusal {
  return refuseTemplate(2388060, 'Button format is incorrect', explanation);
}

function missingExample(type: string): Refusal {
  return missing(type, 'example');
}

function missing(type: string, field: string): Refusal {
  return refuseTemplate(
    2388043,
    'Message template "components" param is missing expected field(s)',
    `component of type ${type} is missing expected field(s) (${field})`,
  );
}
