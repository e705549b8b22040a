import type { FieldErrors } from '../../../shared/contract/problems.ts';
import type { LibraryButtonInput, LibraryTemplate } from '../contract/library.ts';
import type { TemplateButton, TemplateComponent } from '../contract/stored.ts';
import type { TemplateDraft } from './draft.ts';

/** Rules of templates that come from the provider's library. */

/** Buttons that a library template leaves to the company. */
const filledTypes = ['URL', 'PHONE_NUMBER'];

/** What of a request does not fit the library template; undefined: the library has none of this name and language. */
export const libraryErrors = (draft: TemplateDraft, found: LibraryTemplate | undefined): FieldErrors => {
  if (!found) return { library_template_name: [`The library has no template of this name in ${draft.language}.`] };
  const errors: FieldErrors = {};
  if (draft.category !== found.category) errors['category'] = [`The library template is ${found.category}.`];
  const wanted = found.buttons.map(({ type }) => type).filter((type) => filledTypes.includes(type));
  const given = inputsOf(draft).filter(({ type }) => filledTypes.includes(type));
  const reasons = wanted.length === given.length ? given.flatMap((input, index) => inputReasons(input, wanted[index], index)) : [];
  if (wanted.length !== given.length)
    reasons.push(`The library template needs ${wanted.length} inputs${wanted.length > 0 ? `: ${wanted.join(', ')}` : ''}.`);
  return reasons.length > 0 ? { ...errors, library_template_button_inputs: reasons } : errors;
};

/** What it will say, until the provider shows it. */
export const libraryComponents = (
  draft: TemplateDraft,
  { header, body, body_examples: examples, buttons }: LibraryTemplate,
): TemplateComponent[] => {
  const inputs = inputsOf(draft).filter(({ type }) => filledTypes.includes(type));
  const filled = buttons.map(({ type, text }): TemplateButton => {
    const input = filledTypes.includes(type) ? inputs.shift() : undefined;
    const example = input?.url?.url_suffix_example;
    return {
      type,
      ...(text === null ? {} : { text }),
      ...(input?.url ? { url: input.url.base_url } : {}),
      ...(example === undefined ? {} : { example: [example] }),
      ...(input?.phone_number === undefined ? {} : { phone_number: input.phone_number }),
    };
  });
  return [
    ...(header === null ? [] : [{ type: 'HEADER', format: 'TEXT', text: header }]),
    { type: 'BODY', text: body, ...(examples.length > 0 ? { example: { body_text: [examples] } } : {}) },
    ...(filled.length > 0 ? [{ type: 'BUTTONS', buttons: filled }] : []),
  ];
};

const inputsOf = ({ library }: TemplateDraft): LibraryButtonInput[] =>
  (library?.buttons ?? []).map((input) => ({ ...input, type: input.type.toUpperCase() }));

function inputReasons({ type, url, phone_number: phone }: LibraryButtonInput, wanted: string | undefined, index: number): string[] {
  if (type !== wanted) return [`Input ${index} must be ${wanted}.`];
  if (type === 'PHONE_NUMBER') return phone === undefined ? [`Input ${index} needs a phone_number.`] : [];
  if (!/^https?:\/\/\S+$/.test(url?.base_url ?? '')) return [`Input ${index} needs url.base_url, an http or https URL.`];
  const hasVariable = (url?.base_url ?? '').endsWith('{{1}}');
  return hasVariable && url?.url_suffix_example === undefined ? [`Input ${index} needs url.url_suffix_example.`] : [];
}
