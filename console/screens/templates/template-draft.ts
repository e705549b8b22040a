import { partsOf, placeholdersOf } from '../../components/template-parts.ts';
import type { Input } from '../../data/client.ts';
import { linesOf } from '../../data/lines.ts';

/** A template as it is typed. */
export interface TemplateDraft {
  name: string;
  language: string;
  category: 'UTILITY' | 'MARKETING';
  header: string;
  body: string;
  footer: string;
  /** One a line. */
  replies: string;
  /** By placeholder, such as `body:1`. */
  examples: Readonly<Record<string, string>>;
}

type Component = NonNullable<Input<'createTemplate'>['body']['components']>[number];

/** Examples of a text as the API takes them: a list for {{1}}, by name for {{first_name}}. */
const examplesOf = (part: 'HEADER' | 'BODY', text: string, examples: TemplateDraft['examples']): Pick<Component, 'examples'> => {
  const wanted = placeholdersOf(partsOf({ components: [{ type: part, text }] }));
  if (wanted.length === 0) return {};
  const given = wanted.map(({ id, name }) => [name, (examples[id] ?? '').trim()] as const);
  const isNamed = wanted.some(({ name }) => !/^\d+$/.test(name));
  return {
    examples: isNamed ? Object.fromEntries(given) : given.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, example]) => example),
  };
};

/** What was typed, in the provider's form. */
export const componentsFor = ({ header, body, footer, replies, examples }: TemplateDraft): Component[] => {
  const buttons = linesOf(replies).map((text) => ({ type: 'QUICK_REPLY' as const, text }));
  const given: (Component | false)[] = [
    header.trim() !== '' && { type: 'HEADER', format: 'TEXT', text: header.trim(), ...examplesOf('HEADER', header, examples) },
    { type: 'BODY', text: body.trim(), ...examplesOf('BODY', body, examples) },
    footer.trim() !== '' && { type: 'FOOTER', text: footer.trim() },
    buttons.length > 0 && { type: 'BUTTONS', buttons },
  ];
  return given.filter((each) => each !== false);
};
