import type { Template } from '../../../client/client.ts';

/** A template as people see it. */
export interface TemplateParts {
  header?: string;
  /** IMAGE, VIDEO or DOCUMENT. */
  media?: string;
  body: string;
  footer?: string;
  buttons: readonly { text: string; type: string; url?: string }[];
}

export interface Placeholder {
  /** `body:1`, `header:name`, `button:0`. */
  id: string;
  name: string;
  part: 'header' | 'body' | 'button' | 'media';
}

type Component = Template['components'][number];

const words = (value: unknown): string => (typeof value === 'string' ? value : '');

export const partsOf = ({ components }: Template): TemplateParts => {
  const named = (type: string): Component | undefined => components.find((each) => each.type === type);
  const [header, body, footer, buttons] = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'].map(named);
  const format = words(header?.['format']) || 'TEXT';
  const given = (Array.isArray(buttons?.['buttons']) ? buttons['buttons'] : []) as Readonly<Record<string, unknown>>[];
  return {
    ...(header && format === 'TEXT' ? { header: words(header['text']) } : {}),
    ...(header && format !== 'TEXT' && format !== 'LOCATION' ? { media: format } : {}),
    body: words(body?.['text']),
    ...(footer ? { footer: words(footer['text']) } : {}),
    buttons: given.map((each) => ({
      text: words(each['text']),
      type: words(each['type']),
      ...(each['url'] === undefined ? {} : { url: words(each['url']) }),
    })),
  };
};

const namesIn = (text: string): string[] => [...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name ?? ''))];

/** What has to be filled in before the template can be sent, in the order of reading. */
export const placeholdersOf = ({ header = '', media, body, buttons }: TemplateParts): Placeholder[] => [
  ...(media === undefined ? [] : [{ id: 'media', name: media, part: 'media' as const }]),
  ...namesIn(header).map((name) => ({ id: `header:${name}`, name, part: 'header' as const })),
  ...namesIn(body).map((name) => ({ id: `body:${name}`, name, part: 'body' as const })),
  ...buttons.flatMap(({ url = '', text }, index) =>
    url.includes('{{') ? [{ id: `button:${index}`, name: text, part: 'button' as const }] : [],
  ),
];

/** A text with what was filled in so far. */
export const filled = (text: string, part: 'header' | 'body', values: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => values[`${part}:${name}`] || whole);

/** The values in the provider's form. */
export const componentsOf = ({ parameter_format: format }: Template, parts: TemplateParts, values: Readonly<Record<string, string>>) => {
  const parameters = (part: 'header' | 'body', text: string) =>
    namesIn(text).map((name) => ({
      type: 'text',
      text: values[`${part}:${name}`] ?? '',
      ...(format === 'named' ? { parameter_name: name } : {}),
    }));
  const kind = parts.media?.toLowerCase();
  const header = kind === undefined ? parameters('header', parts.header ?? '') : [{ type: kind, [kind]: { link: values['media'] ?? '' } }];
  const body = parameters('body', parts.body);
  const buttons = parts.buttons.flatMap(({ url = '' }, index) =>
    url.includes('{{')
      ? [{ type: 'button', sub_type: 'url', index: String(index), parameters: [{ type: 'text', text: values[`button:${index}`] ?? '' }] }]
      : [],
  );
  return [
    ...(header.length > 0 ? [{ type: 'header', parameters: header }] : []),
    ...(body.length > 0 ? [{ type: 'body', parameters: body }] : []),
    ...buttons,
  ];
};
