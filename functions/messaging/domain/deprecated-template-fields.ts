import { bodyPlaceholders, findComponent, inPlaceholderOrder, placeholdersOf } from '../../templates/contract/parameters.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import type { SendTemplateInput } from '../contract/send-template.ts';
import type { AddError, SentParameter } from './sent-component.ts';
import { nameInUrl } from '../../media/contract/stored.ts';

/** The deprecated fields of a request, for its Deprecation header. */
export const deprecatedFieldsOf = (input: SendTemplateInput): string[] =>
  (['variables', 'header_variables', 'language'] as const).filter((field) => input[field] !== undefined && input[field] !== null);

/** The deprecated `variables`, `header_variables` and media fields as components. */
export function fromDeprecatedFields(
  stored: StoredTemplate,
  input: SendTemplateInput,
  isPublic: (address: string) => boolean,
  note: AddError,
): { type: string; parameters: SentParameter[] }[] {
  const components: { type: string; parameters: SentParameter[] }[] = [];
  const media = (['image', 'video', 'document', 'audio'] as const).flatMap((kind) =>
    input[kind] === undefined ? [] : [{ kind, link: input[kind] }],
  );
  const [file, second] = media;
  const format = (findComponent(stored, 'HEADER')?.format ?? 'TEXT').toLowerCase();
  if (second) note(second.kind, `Not together with ${file?.kind}: a header has one file.`);
  if (file && file.kind !== format) note(file.kind, `The header of this template is not ${file.kind}.`);
  else if (file && !isPublic(file.link)) note(file.kind, 'Must be a URL on the public internet.');
  else if (file) {
    const filename = file.kind === 'document' ? nameInUrl(file.link) : undefined;
    components.push({
      type: 'header',
      parameters: [{ type: file.kind, [file.kind]: { link: file.link, ...(filename ? { filename } : {}) } }],
    });
  } else {
    const header = inPlaceholderOrder(placeholdersOf(findComponent(stored, 'HEADER')?.text), stored);
    const parameters = valuesFor(header, input.header_variables, 'header_variables', note);
    if (parameters.length > 0) components.push({ type: 'header', parameters });
  }
  const parameters = valuesFor(bodyPlaceholders(stored), input.variables, 'variables', note);
  if (parameters.length > 0) components.push({ type: 'body', parameters });
  return components;
}

/** Values by order, by number or by name. */
function valuesFor(
  names: readonly string[],
  given: string[] | Record<string, string> | null | undefined,
  field: string,
  note: AddError,
): SentParameter[] {
  if (given === undefined || given === null) return [];
  if (Array.isArray(given)) return given.map((text) => ({ type: 'text', text }));
  const isNumbered = Object.keys(given).every((key) => /^\d+$/.test(key));
  const unknownNames = Object.keys(given).filter(
    (key) => !names.includes(key) && !(isNumbered && Number(key) >= 1 && Number(key) <= names.length),
  );
  if (unknownNames.length > 0) note(field, `The template has no placeholder ${unknownNames.join(', ')}.`);
  return names.flatMap((name, index) => {
    const text = given[name] ?? given[String(index + 1)];
    return text === undefined ? [] : [{ type: 'text', text }];
  });
}
