import { parseAst } from 'rolldown/parseAst';

/**
 * A source module without what only the OpenAPI document and docs/table.md read: `.meta({...})` and `.describe('...')` of schemas, the texts,
 * documented bodies and answers of routes and events, the descriptions of entities and access patterns. Functions neither publish nor check
 * their answers with these.
 *
 * What is left is built late or not at all: a route's schemas with its first call, an entity's with its first item, a declaration that the
 * function does not use never. Building all of them was half of a cold start. See docs/decisions/bundle-size.md.
 */
export const withoutDocumentation = (source: string): string => {
  const program = parseAst(source, { lang: 'ts' }) as unknown as Node;
  const spans = spansIn(program, source);
  // an outer span is cut with all that lies in it
  const isIn = (inner: Span, outer: Span): boolean => outer !== inner && outer.start <= inner.start && outer.end >= inner.end;
  const cuts: Edit[] = spans.filter((span) => !spans.some((other) => isIn(span, other))).map((span) => ({ ...span, text: '', order: 0 }));
  const added = [...deferredIn(program), ...droppableIn(program)].filter(
    ({ start }) => !cuts.some((cut) => cut.start <= start && start < cut.end),
  );
  const edits = [...cuts, ...added].toSorted((a, b) => b.start - a.start || b.order - a.order);
  return edits.reduce((text, { start, end, text: instead }) => text.slice(0, start) + instead + text.slice(end), source);
};

interface Node {
  type: string;
  start: number;
  end: number;
  name?: string;
  callee?: Node;
  object?: Node;
  property?: Node;
  value?: Node | null;
  init?: Node | null;
  declaration?: Node | null;
  declarations?: readonly Node[];
  kind?: string;
  key?: Node;
  arguments?: readonly Node[];
  properties?: readonly Node[];
}
interface Span {
  start: number;
  end: number;
}
/** A part of the source with what stands there instead. Of edits at one place those of higher order come later in the text. */
interface Edit extends Span {
  text: string;
  order: number;
}

const documented = new Map([
  ['route', ['summary', 'description', 'documents', 'answers']],
  ['event', ['purpose', 'description', 'webhookData']],
  ['pattern', ['question', 'entity', 'by', 'index', 'units']],
  ['entity', ['purpose', 'example', 'personalData', 'endsBy']],
  ['queue', ['purpose']],
  ['dueWork', ['purpose']],
]);

function spansIn(node: Node, source: string): Span[] {
  const own = node.type === 'CallExpression' ? spansOfCall(node, source) : [];
  return [...own, ...childrenOf(node).flatMap((child) => spansIn(child, source))];
}

/** Schemas that a declaration has as properties become getters, which build them once. */
const deferred = new Map([
  ['route', ['params', 'query', 'body']],
  ['event', ['detail']],
  ['entity', ['attributes']],
]);

function deferredIn(node: Node): Edit[] {
  const names = (node.type === 'CallExpression' && node.callee?.type === 'Identifier' && deferred.get(node.callee.name ?? '')) || [];
  const [first] = node.arguments ?? [];
  const own = (first?.properties ?? []).flatMap(({ type, start, key, value }): Edit[] => {
    const name = key?.name ?? '';
    if (type !== 'Property' || !names.includes(name) || value?.type !== 'CallExpression') return [];
    return [
      { start, end: value.start, text: `get ${name}() { const built$ = `, order: 0 },
      { start: value.end, end: value.end, text: `; Object.defineProperty(this, '${name}', { value: built$ }); return built$; }`, order: 0 },
    ];
  });
  return [...own, ...childrenOf(node).flatMap(deferredIn)];
}

/** Declarations at the top of a module that do nothing but make a value are marked so: the bundler drops those that nothing uses. */
function droppableIn(program: Node): Edit[] {
  const statements = childrenOf(program).map((statement) => statement.declaration ?? statement);
  const declared = statements.flatMap(({ kind, declarations }) => (kind === 'const' ? (declarations ?? []) : []));
  return declared.flatMap(({ init }) =>
    init?.type === 'CallExpression' && makers.has(rootOf(init))
      ? [
          { start: init.start, end: init.start, text: '/* @__PURE__ */ (() => ', order: 1 },
          { start: init.end, end: init.end, text: ')()', order: 1 },
        ]
      : [],
  );
}

const makers: ReadonlySet<string> = new Set(['z', 'pattern', 'entity', 'event', 'success', 'paginated']);

/** `z` of `z.object({}).optional()`. */
function rootOf({ type, name = '', callee, object }: Node): string {
  const inner = callee ?? object;
  return type === 'Identifier' ? name : inner ? rootOf(inner) : '';
}

const childrenOf = (node: Node): Node[] =>
  Object.values(node as unknown as Record<string, unknown>)
    .flatMap((value): unknown[] => (Array.isArray(value) ? value : [value]))
    .filter(isNode);

function spansOfCall(call: Node, source: string): Span[] {
  const [first] = call.arguments ?? [];
  const { callee } = call;
  if (callee?.type === 'MemberExpression' && callee.property?.name === 'describe')
    return [{ start: source.lastIndexOf('.', callee.property.start), end: call.end }];
  if (first?.type !== 'ObjectExpression') return [];
  if (callee?.type === 'MemberExpression' && callee.property?.name === 'meta') {
    return [{ start: source.lastIndexOf('.', callee.property.start), end: call.end }];
  }
  const left = (callee?.type === 'Identifier' && documented.get(callee.name ?? '')) || [];
  return (first.properties ?? [])
    .filter(({ type, key }) => type === 'Property' && left.includes(key?.name ?? ''))
    .map(({ start, end }) => ({ start, end: end + (/^\s*,/.exec(source.slice(end))?.[0].length ?? 0) }));
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
