import { parseAst } from 'rolldown/parseAst';

/**
 * A source module without what only the OpenAPI document and docs/table.md read: `.meta({...})` of schemas, the texts and documented bodies of routes
 * and events, the descriptions of entities and access patterns. Functions neither publish nor answer with these; they were 3 to 6 % of a bundle. See docs/decisions/bundle-size.md.
 */
export const withoutDocumentation = (source: string): string => {
  const spans = spansIn(parseAst(source, { lang: 'ts' }) as unknown as Node, source).toSorted((a, b) => b.start - a.start);
  // an outer span is cut with all that lies in it
  const outer = spans.filter((span) => !spans.some((other) => other !== span && other.start <= span.start && other.end >= span.end));
  return outer.reduce((text, { start, end }) => text.slice(0, start) + text.slice(end), source);
};

interface Node {
  type: string;
  start: number;
  end: number;
  name?: string;
  callee?: Node;
  property?: Node;
  key?: Node;
  arguments?: readonly Node[];
  properties?: readonly Node[];
}
interface Span {
  start: number;
  end: number;
}

const documented = new Map([
  ['route', ['summary', 'description', 'documents']],
  ['event', ['purpose', 'description', 'webhookData']],
  ['pattern', ['question', 'entity', 'by', 'index', 'units']],
  ['entity', ['purpose', 'example', 'personalData', 'endsBy']],
  ['queue', ['purpose']],
  ['dueWork', ['purpose']],
]);

function spansIn(node: Node, source: string): Span[] {
  const own = node.type === 'CallExpression' ? spansOfCall(node, source) : [];
  const children = Object.values(node as unknown as Record<string, unknown>).flatMap((value) => (Array.isArray(value) ? value : [value]));
  return [...own, ...children.filter(isNode).flatMap((child) => spansIn(child, source))];
}

function spansOfCall(call: Node, source: string): Span[] {
  const [first] = call.arguments ?? [];
  if (first?.type !== 'ObjectExpression') return [];
  const { callee } = call;
  if (callee?.type === 'MemberExpression' && callee.property?.name === 'meta') {
    return [{ start: source.lastIndexOf('.', callee.property.start), end: call.end }];
  }
  const left = (callee?.type === 'Identifier' && documented.get(callee.name ?? '')) || [];
  return (first.properties ?? [])
    .filter(({ type, key }) => type === 'Property' && left.includes(key?.name ?? ''))
    .map(({ start, end }) => ({ start, end: end + (/^\s*,/.exec(source.slice(end))?.[0].length ?? 0) }));
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
