import { type ProblemCode, problems } from '../../../shared/contract/problems.ts';
import { type ApiDocument, type Content, followed, operationsOf, type PlacedOperation } from './document.ts';
import { type FieldRow, fieldsOf, typeOf } from './fields.ts';

/** The pages of the reference as Markdown: each stands alone, and is read without a script, by people and by programs. */
export const sections = ['guides', 'operations', 'errors'] as const;
export type Section = (typeof sections)[number];

/** The curl and TypeScript calls of operations, by id. */
export type Samples = Readonly<Record<string, readonly { label: string; source: string }[]>>;

export interface Guide {
  name: string;
  text: string;
  /** What a reader may look for in it. */
  topics: string;
}

export interface Sources {
  document: ApiDocument;
  samples: Samples;
  guides: readonly Guide[];
}

/** A page's Markdown; undefined: there is none of that name. */
export const pageOf = ({ document, samples, guides }: Sources, section: Section, name: string): string | undefined => {
  if (section === 'guides') return guidePage(guides, name);
  if (section === 'errors') return isProblem(name) ? errorPage(document, name) : undefined;
  const operation = operationsOf(document).find(({ operationId }) => operationId === name);
  return operation && operationPage(document, samples, operation);
};

const isProblem = (name: string): name is ProblemCode => Object.hasOwn(problems, name);

/** All pages, by chapter: what a reader or a program begins with. */
export const contentsPage = ({ document, guides }: Pick<Sources, 'document' | 'guides'>): string => {
  const operations = operationsOf(document);
  const chapters = document.tags.flatMap(({ name, 'x-displayName': title = name, description = '' }) => {
    const own = operations.filter(({ tags = [] }) => tags[0] === name);
    if (own.length === 0) return [];
    const lines = own.map(
      ({ operationId, summary, method, path }) => `- ${link('operations', operationId, summary)}: \`${method} ${path}\``,
    );
    return [`### ${title}\n\n${description}\n\n${lines.join('\n')}`];
  });
  return [
    '# Switchboard API',
    'Send and receive WhatsApp messages, run campaigns, sell, and verify phones and emails. Each page is also there as Markdown, with `.md` behind its address; [openapi.json](/docs/openapi.json) is the whole contract for tools.',
    `## Guides\n\n${guides.map(({ name, text, topics }) => `- ${link('guides', name, titleOf(text))}: ${topics}`).join('\n')}`,
    `## Operations\n\n${chapters.join('\n\n')}`,
    `## Errors\n\n${Object.entries(problems)
      .map(([code, { status, title }]) => `- ${status} ${link('errors', code, `\`${code}\``)}: ${title}`)
      .join('\n')}`,
  ].join('\n\n');
};

const link = (section: Section, name: string, text: string): string => `[${text}](/docs/${section}/${name})`;

/** The first heading of a text. */
export const titleOf = (text: string): string => (/^#+ (.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', '');

/** As a chapter of the reference it begins one level lower, and its links lead into that page. */
const guidePage = (guides: readonly Guide[], wanted: string): string | undefined => {
  const linked = [
    ['#section/Errors', '/docs/contents#errors'],
    ...guides.map(({ name, text }) => [`#section/Guides/${titleOf(text).replaceAll(' ', '-')}`, `/docs/guides/${name}`]),
  ];
  return guides
    .find(({ name }) => name === wanted)
    ?.text.replaceAll(/^##(#*) /gm, '#$1 ')
    .replaceAll(/\]\((#[^)]+)\)/g, (_, from: string) => `](${linked.find(([each]) => each === from)?.[1] ?? from})`);
};

function errorPage(document: ApiDocument, code: ProblemCode): string {
  const { status, title, remedy } = problems[code];
  const answering = operationsOf(document).filter(({ 'x-error-codes': codes = {} }) =>
    Object.values(codes).some((each) => each.includes(code)),
  );
  const listed =
    answering.length === 0
      ? 'Any operation can answer with it.'
      : `${answering.length} operations can answer with it.\n\n${answering.map(({ operationId, summary }) => `- ${link('operations', operationId, summary)}`).join('\n')}`;
  return [`# ${code}`, `HTTP ${status}. ${title}`, `## What to do\n\n${remedy}`, `## Where it comes from\n\n${listed}`].join('\n\n');
}

function operationPage(document: ApiDocument, samples: Samples, operation: PlacedOperation): string {
  const { operationId, summary, method, path, description = '', parameters = [], requestBody, responses } = operation;
  const given = parameters.map((each) => followed<Exclude<typeof each, { $ref: string }>>(document, 'parameters', each));
  const rows = given.map(({ name, in: place, required, description: words, schema }) => ({
    name,
    type: schema ? typeOf(document, schema) : 'string',
    isRequired: required === true,
    description: `In the ${place}. ${words ?? schema?.description ?? ''}`,
  }));
  const calls = (samples[operationId] ?? []).map(({ label, source }) => fence(`### ${label}`, label === 'curl' ? 'sh' : 'ts', source));
  return [
    `# ${summary}`,
    `\`${method} ${path}\``,
    description,
    ...(calls.length > 0 ? ['## Call it', ...calls] : []),
    ...(rows.length > 0 ? ['## Parameters', table(rows)] : []),
    ...bodies(document, '## Body', requestBody?.content),
    ...Object.entries(responses).flatMap(([status, answer]) =>
      status.startsWith('2')
        ? answerOf(document, status, followed<Exclude<typeof answer, { $ref: string }>>(document, 'responses', answer))
        : [],
    ),
    ...errorsOf(operation),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const answerOf = (
  document: ApiDocument,
  status: string,
  { description, content }: { description: string; content?: Readonly<Record<string, Content>> },
): string[] => (content ? bodies(document, `## Answer ${status}`, content, description) : [`## Answer ${status}`, description]);

const errorsOf = ({ 'x-error-codes': codes = {} }: PlacedOperation): string[] => {
  const lines = Object.entries(codes).flatMap(([status, ofStatus]) =>
    ofStatus.filter(isProblem).map((code) => `- ${status} ${link('errors', code, `\`${code}\``)}: ${problems[code].title}`),
  );
  return lines.length === 0 ? [] : [`## Errors\n\n${lines.join('\n')}`];
};

/** Fields and an example of each kind of content; forms have the fields of the JSON body. */
function bodies(document: ApiDocument, heading: string, content: Readonly<Record<string, Content>> | undefined, words = ''): string[] {
  const kinds = Object.entries(content ?? {});
  const [first] = kinds;
  if (!first) return [];
  const [, { schema, example, examples }] = first;
  const shown = example ?? Object.values(examples ?? {})[0]?.value;
  const rows = fieldsOf(document, schema);
  return [
    heading,
    words,
    `Content: ${kinds.map(([kind]) => `\`${kind}\``).join(', ')}`,
    rows.length > 0 ? table(rows) : '',
    shown === undefined || typeof shown === 'string' ? '' : fence('An example:', 'json', JSON.stringify(shortened(shown), undefined, 2)),
  ];
}

const mostRows = 120;

function table(rows: readonly FieldRow[]): string {
  const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll(/\s+/g, ' ').trim();
  const lines = rows
    .slice(0, mostRows)
    .map(({ name, type, isRequired, description }) => `| \`${name}\`${isRequired ? ' *' : ''} | ${cell(type)} | ${cell(description)} |`);
  const left = rows.length - lines.length;
  return `| Field | Type | Meaning |\n|---|---|---|\n${lines.join('\n')}${left > 0 ? `\n\n${left} more are in openapi.json.` : ''}\n\n\\* required`;
}

const fence = (before: string, language: string, code: string): string => `${before}\n\n\`\`\`${language}\n${code}\n\`\`\``;

/** Of a list its first entry is example enough. */
const shortened = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortened(each)]));
};
