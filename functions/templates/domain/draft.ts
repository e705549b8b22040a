import { toBid, type TemplateBid } from './bid.ts';
import { normalizeLanguage } from './name.ts';
import type { TemplateButton, TemplateComponent } from '../contract/stored.ts';
import type { TemplateBody } from '../contract/template.ts';

/** A template to be submitted, in the provider's form: types in upper case, examples in their place. */
export interface TemplateDraft {
  name: string;
  language: string;
  category: string;
  parameterFormat: 'POSITIONAL' | 'NAMED';
  components: TemplateComponent[];
  messageTtlSeconds: number | undefined;
  /** Its max price; one that cannot be expressed is refused by rules.ts. */
  bid?: TemplateBid | undefined;
  /** It comes from the provider's library, with what the company fills it with. */
  library?: {
    name: string;
    buttons: TemplateBody['library_template_button_inputs'];
    body: TemplateBody['library_template_body_inputs'];
  };
}

/** The variables of a text, `{{1}}` or `{{name}}`, each once, in order of appearance. */
export const variablesOf = (text: string | undefined): string[] => [
  ...new Set([...(text ?? '').matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? '')),
];

/** The draft in a request. The provider's rules are checked in rules.ts, an invalid `parameter_format` too. */
export const toDraft = (body: TemplateBody): TemplateDraft => {
  const { components = [], library_template_name: library } = body;
  const texts = components.map((component) => component.text);
  const format = body.parameter_format?.toUpperCase();
  const isNamed = format === undefined ? texts.flatMap(variablesOf).some((name) => !/^\d+$/.test(name)) : format === 'NAMED';
  return {
    name: body.name,
    language: normalizeLanguage(body.language),
    category: body.category.toUpperCase(),
    parameterFormat: isNamed ? 'NAMED' : 'POSITIONAL',
    components: components.map((component) => toComponent(component, body.examples, isNamed)),
    messageTtlSeconds: body.message_send_ttl_seconds,
    bid: bidOf(body.max_price),
    ...(library === undefined
      ? {}
      : { library: { name: library, buttons: body.library_template_button_inputs, body: body.library_template_body_inputs } }),
  };
};

function bidOf(price: TemplateBody['max_price']): TemplateBid | undefined {
  const bid = price && toBid(price);
  return bid && 'reason' in bid ? undefined : bid;
}

/** The max price in the provider's form. */
export const optimizationSpec = (bid: TemplateBid): Record<string, unknown> => ({
  optimization_spec: { bid_amount: bid.amount, bid_strategy: 'LOWEST_COST_WITH_BID_CAP' },
});

/** The body of the provider's create call. */
export const toProviderRequest = (draft: TemplateDraft): Record<string, unknown> => ({
  name: draft.name,
  language: draft.language,
  category: draft.category,
  ...(draft.library
    ? libraryRequest(draft.library)
    : { parameter_format: draft.parameterFormat.toLowerCase(), components: draft.components }),
  ...(draft.messageTtlSeconds === undefined ? {} : { message_send_ttl_seconds: draft.messageTtlSeconds }),
  ...(draft.bid ? optimizationSpec(draft.bid) : {}),
});

const libraryRequest = ({ name, buttons, body }: NonNullable<TemplateDraft['library']>): Record<string, unknown> => ({
  library_template_name: name,
  ...(buttons ? { library_template_button_inputs: buttons.map((input) => ({ ...input, type: input.type.toUpperCase() })) } : {}),
  ...(body ? { library_template_body_inputs: body } : {}),
});

type ComponentInput = NonNullable<TemplateBody['components']>[number];
type CardComponentInput = NonNullable<ComponentInput['cards']>[number]['components'][number];
type ButtonInput = NonNullable<CardComponentInput['buttons']>[number];
type Examples = TemplateBody['examples'];

function toComponent({ cards, ...given }: ComponentInput, examples: Examples, isNamed: boolean): TemplateComponent {
  const shownCards = cards?.map((card) => ({
    ...card,
    components: card.components.map((each) => toCardComponent(each, undefined, isNamed)),
  }));
  return { ...toCardComponent(given, examples, isNamed), ...(shownCards ? { cards: shownCards } : {}) };
}

function toCardComponent(
  { examples: own, media_id: uploadId, ...given }: CardComponentInput,
  examples: Examples,
  isNamed: boolean,
): TemplateComponent {
  const type = given.type.toUpperCase();
  const example = uploadId === undefined ? exampleOf(type, given, own ?? examplesFor(type, examples), isNamed) : sampleOf(uploadId);
  return {
    ...given,
    type,
    format: given.format?.toUpperCase(),
    example,
    buttons: given.buttons?.map(toButton),
  };
}

/** Stands for the handle of a sample that the provider has not been given yet. */
const samplePrefix = 'upload of ';
const sampleOf = (uploadId: string) => ({ header_handle: [`${samplePrefix}${uploadId}`] });

/** The upload of a media header without a handle. */
export const uploadOf = ({ example }: TemplateComponent): string | undefined => {
  const handle: unknown = Array.isArray(example?.['header_handle']) ? example['header_handle'][0] : undefined;
  return typeof handle === 'string' && handle.startsWith(samplePrefix) ? handle.slice(samplePrefix.length) : undefined;
};

/** The top-level `examples`: those of the body, or of header and body by name. */
function examplesFor(type: string, examples: Examples): CardComponentInput['examples'] {
  if (examples === undefined) return undefined;
  if (Array.isArray(examples)) return type === 'BODY' ? examples : undefined;
  const parts = Object.entries(examples).find(([part]) => part.toUpperCase() === type)?.[1] as unknown;
  if (isExampleValues(parts)) return parts;
  const isByPlaceholder = Object.values(examples).every((value) => typeof value === 'string');
  return type === 'BODY' && isByPlaceholder && isExampleValues(examples) ? examples : undefined;
}

/** The provider's `example` of a text. A flat list of values becomes the list of lists that the provider expects. */
function exampleOf(
  type: string,
  given: CardComponentInput,
  values: CardComponentInput['examples'],
  isNamed: boolean,
): Record<string, unknown> | undefined {
  if (
    type === 'BODY' &&
    Array.isArray(given.example?.['body_text']) &&
    given.example['body_text'].every((each) => typeof each === 'string')
  )
    return { ...given.example, body_text: [given.example['body_text']] };
  if (given.example !== undefined || values === undefined || (type !== 'BODY' && type !== 'HEADER')) return given.example;
  const field = type === 'BODY' ? 'body_text' : 'header_text';
  const names = variablesOf(given.text);
  if (names.length === 0) return undefined;
  const ordered = names.toSorted((a, b) => Number(a) - Number(b));
  const valueOf = (name: string, index: number): string | undefined => (Array.isArray(values) ? values[index] : values[name]);
  if (isNamed) {
    const params = names.map((name, index) => ({ param_name: name, example: valueOf(name, index) }));
    return { [`${field}_named_params`]: params.filter(({ example }) => example !== undefined) };
  }
  const row = ordered.map(valueOf).filter((value) => value !== undefined);
  return { [field]: type === 'BODY' ? [row] : row };
}

function toButton(given: ButtonInput): TemplateButton {
  const { examples, package_name, signature_hash, ...button } = given;
  const type = given.type.toUpperCase();
  const example = given.example ?? (Array.isArray(examples) ? examples : examples && Object.values(examples));
  const isApp = type === 'OTP' && package_name !== undefined && signature_hash !== undefined;
  return {
    ...button,
    type,
    ...(given.otp_type === undefined ? {} : { otp_type: given.otp_type.toUpperCase() }),
    ...(example === undefined ? {} : { example: type === 'URL' && typeof example === 'string' ? [example] : example }),
    // a single app on the button is the old form; since v21 the provider takes only the list
    ...(isApp && given.supported_apps === undefined ? { supported_apps: [{ package_name, signature_hash }] } : {}),
  };
}

function isExampleValues(value: unknown): value is string[] | Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string');
}
