import type { Template } from '../../../client/client.ts';
import { variablesOf } from '../../../functions/templates/domain/draft.ts';

export const headerKinds = ['NONE', 'TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT'] as const;
export type HeaderKind = (typeof headerKinds)[number];
export const buttonKinds = ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE'] as const;
export type ButtonKind = (typeof buttonKinds)[number];

export interface DraftButton {
  /** Its identity among the buttons of the template, wherever it is moved. */
  key: number;
  type: ButtonKind;
  text: string;
  url: string;
  phone: string;
  /** Of the variable of a link, or of a code. */
  example: string;
}

/** The file of a media header: uploaded here, or one that the provider has already. */
export type Sample = { id: string; name: string } | { handle: string };

/** A template as it is typed. */
export interface TemplateDraft {
  name: string;
  language: string;
  category: 'UTILITY' | 'MARKETING';
  headerKind: HeaderKind;
  header: string;
  sample?: Sample | undefined;
  body: string;
  footer: string;
  buttons: readonly DraftButton[];
  /** By variable, such as `body:1`. */
  examples: Readonly<Record<string, string>>;
  /** Of one message, as it is typed; empty: none. */
  maxPrice: string;
  currency: string;
}

/** A part of a template as the API takes it. */
type Component = {
  type: 'HEADER' | 'BODY' | 'FOOTER' | 'BUTTONS';
  format?: Exclude<HeaderKind, 'NONE'>;
  text?: string;
  example?: { header_handle: string[] };
  examples?: string[] | Record<string, string>;
  media_id?: string;
  buttons?: Button[];
};
type Button = { type: ButtonKind; text?: string; url?: string; phone_number?: string; example?: string };

export const emptyDraft: TemplateDraft = {
  name: '',
  language: 'en',
  category: 'UTILITY',
  headerKind: 'NONE',
  header: '',
  body: '',
  footer: '',
  buttons: [],
  examples: {},
  maxPrice: '',
  currency: '',
};

/** Examples of a text as the API takes them: a list for {{1}}, by name for {{first_name}}. */
const examplesOf = (part: 'header' | 'body', text: string, examples: TemplateDraft['examples']): Pick<Component, 'examples'> => {
  const names = variablesOf(text);
  if (names.length === 0) return {};
  const given = names.map((name) => [name, (examples[`${part}:${name}`] ?? '').trim()] as const);
  const isNamed = names.some((name) => !/^\d+$/.test(name));
  return {
    examples: isNamed ? Object.fromEntries(given) : given.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, example]) => example),
  };
};

const headerFor = ({ headerKind: kind, header, sample, examples }: TemplateDraft): Component | undefined => {
  if (kind === 'NONE') return undefined;
  if (kind === 'TEXT') return { type: 'HEADER', format: kind, text: header.trim(), ...examplesOf('header', header, examples) };
  if (!sample) return { type: 'HEADER', format: kind };
  return {
    type: 'HEADER',
    format: kind,
    ...('id' in sample ? { media_id: sample.id } : { example: { header_handle: [sample.handle] } }),
  };
};

const buttonFor = ({ type, text, url, phone, example }: DraftButton): Button => {
  if (type === 'COPY_CODE') return { type, example: example.trim() };
  const label = { type, text: text.trim() };
  if (type === 'PHONE_NUMBER') return { ...label, phone_number: phone.trim() };
  if (type === 'URL')
    return { ...label, url: url.trim(), ...(hasVariable(url) && example.trim() !== '' ? { example: example.trim() } : {}) };
  return label;
};

export const hasVariable = (url: string): boolean => url.includes('{{');

/** The max price as the API takes it: of marketing alone, with a decimal point. */
export const maxPriceFor = ({ category, maxPrice, currency }: TemplateDraft): Template['max_price'] => {
  const amount = maxPrice.trim().replace(',', '.');
  return category === 'MARKETING' && amount !== '' ? { amount, currency } : null;
};

/** Whether nothing but the max price differs: the provider reviews no price, and takes it more often than a text. */
export const isOfPriceAlone = (read: TemplateDraft, draft: TemplateDraft): boolean => {
  const withoutPrice = (each: TemplateDraft): string => JSON.stringify({ ...each, maxPrice: '', currency: '' });
  return draft.maxPrice !== read.maxPrice && withoutPrice(read) === withoutPrice(draft);
};

/** What is changed of a template, as the API takes it. */
export const editFor = (read: TemplateDraft, draft: TemplateDraft) => {
  const price = draft.maxPrice === read.maxPrice ? null : maxPriceFor(draft);
  return {
    ...(isOfPriceAlone(read, draft) ? {} : { components: componentsFor(draft) }),
    ...(draft.category === read.category ? {} : { category: draft.category }),
    ...(price ? { max_price: price } : {}),
  };
};

/** What was typed, in the provider's form. */
export const componentsFor = (draft: TemplateDraft): Component[] => {
  const { body, footer, buttons, examples } = draft;
  const given: (Component | false | undefined)[] = [
    headerFor(draft),
    { type: 'BODY', text: body.trim(), ...examplesOf('body', body, examples) },
    footer.trim() !== '' && { type: 'FOOTER', text: footer.trim() },
    buttons.length > 0 && { type: 'BUTTONS', buttons: buttons.map(buttonFor) },
  ];
  return given.filter((each) => each !== false && each !== undefined);
};

/** A template as the builder has it; undefined where it has something that the builder has not, such as cards. */
export const draftOf = ({ name, language, category, components, max_price: price }: Template): TemplateDraft | undefined => {
  const part = (type: string) => components.find((each) => each.type === type);
  const [header, body] = [part('HEADER'), part('BODY')];
  const headerKind = headerKinds.find((each) => each === (header ? (header.format ?? 'TEXT') : 'NONE'));
  const buttons = (part('BUTTONS')?.buttons ?? []).map(draftButton);
  const known = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'];
  if (headerKind === undefined || (category !== 'UTILITY' && category !== 'MARKETING')) return undefined;
  if (components.some(({ type }) => !known.includes(type)) || buttons.some((each) => each === undefined)) return undefined;
  const handle = listOf(header?.example?.['header_handle'])[0];
  return {
    name,
    language,
    category,
    headerKind,
    header: header?.text ?? '',
    ...(typeof handle === 'string' ? { sample: { handle } } : {}),
    body: body?.text ?? '',
    footer: part('FOOTER')?.text ?? '',
    buttons: buttons.filter((each) => each !== undefined),
    examples: {
      ...examplesIn('header', header?.text, header?.example),
      ...examplesIn('body', body?.text, body?.example),
    },
    maxPrice: price?.amount ?? '',
    currency: price?.currency ?? '',
  };
};

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const words = (value: unknown): string => (typeof value === 'string' ? value : '');

const draftButton = (
  {
    type,
    text = '',
    url = '',
    phone_number: phone = '',
    example,
  }: { type: string; text?: string; url?: string; phone_number?: string; example?: unknown },
  key: number,
): DraftButton | undefined => {
  const kind = buttonKinds.find((each) => each === type);
  return kind && { key, type: kind, text, url, phone, example: words(Array.isArray(example) ? example[0] : example) };
};

/** The provider's examples by variable. */
const examplesIn = (
  part: 'header' | 'body',
  text: string | undefined,
  example: Readonly<Record<string, unknown>> | undefined,
): Record<string, string> => {
  const named = listOf(example?.[`${part}_text_named_params`]).map((each) => each as { param_name?: unknown; example?: unknown });
  const given = listOf(example?.[`${part}_text`]);
  const row = part === 'body' ? listOf(given[0]) : given;
  const numbered = variablesOf(text).toSorted((a, b) => Number(a) - Number(b));
  return Object.fromEntries([
    ...named.map(({ param_name: name, example: value }) => [`${part}:${words(name)}`, words(value)] as const),
    ...row.map((value, index) => [`${part}:${numbered[index] ?? ''}`, words(value)] as const),
  ]);
};

/** The same template for another language: its parts, with no text yet. Where its links lead and what they call stays. */
export const inAnotherLanguage = (draft: TemplateDraft, language: string): TemplateDraft => ({
  ...draft,
  language,
  header: '',
  // the provider keeps a sample for the template that it was given for
  sample: undefined,
  body: '',
  footer: '',
  buttons: draft.buttons.map((each) => ({ ...each, text: '' })),
  examples: {},
});

/** The name of a variable that a text has not yet: the next number, or of named ones a name that is to be changed. */
export const nextVariable = (text: string): string => {
  const names = variablesOf(text);
  if (names.some((name) => !/^\d+$/.test(name))) return `value_${names.length + 1}`;
  return String(Math.max(0, ...names.map(Number)) + 1);
};

/** Names have small letters, digits and underscores alone. */
export const asName = (typed: string): string =>
  typed
    .toLowerCase()
    .replace(/[^a-z0-9_\s-]/g, '')
    .replace(/[\s_-]+/g, '_');

/** With another button: a reply stands with the other replies, which may not be apart. */
export const withButton = (buttons: readonly DraftButton[], type: ButtonKind): DraftButton[] => {
  const key = Math.max(-1, ...buttons.map((each) => each.key)) + 1;
  const button: DraftButton = { key, type, text: '', url: '', phone: '', example: '' };
  const place = type === 'QUICK_REPLY' ? buttons.findLastIndex((each) => each.type === type) + 1 : buttons.length;
  return [...buttons.slice(0, place), button, ...buttons.slice(place)];
};

/** With one button a place further to the end, or by -1 to the beginning. */
export const moved = (buttons: readonly DraftButton[], key: number, by: 1 | -1): readonly DraftButton[] => {
  const from = buttons.findIndex((each) => each.key === key);
  const [one, other] = [buttons[from], buttons[from + by]];
  if (!one || !other) return buttons;
  return buttons.with(from, other).with(from + by, one);
};
