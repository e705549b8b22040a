import { lateNamesOf, lateSchemaEdits } from './late-schemas.ts';
import { childrenOf, type Edit, edited, type Node, parse, rootOf, type Span } from './syntax.ts';

/**
 * A source module without what only the OpenAPI document and docs/table.md read: `.meta({...})` and `.describe('...')` of schemas, the texts,
 * documented bodies and answers of routes and events, the descriptions of entities and access patterns. Functions neither publish nor check
 * their answers with these.
 *
 * What is left is built late or not at all: a route's schemas with its first call, an entity's with its first item, a schema with a name with
 * its first use (late-schemas.ts), a declaration that the function does not use never. Building all of them was half of a cold start. See
 * docs/decisions/bundle-size.md.
 *
 * @param isLateIn whether a module that this one imports exports a late schema by this name
 */
export const withoutDocumentation = (source: string, isLateIn: (specifier: string, name: string) => boolean = () => false): string => {
  const program = parse(source);
  const spans = spansIn(program, source);
  // an outer span is cut with all that lies in it
  const isIn = (inner: Span, outer: Span): boolean => outer !== inner && outer.start <= inner.start && outer.end >= inner.end;
  const cuts: Edit[] = spans.filter((span) => !spans.some((other) => isIn(span, other))).map((span) => ({ ...span, text: '', order: 0 }));
  const getters = outside(cuts, deferredIn(program, lateNamesOf(program, isLateIn)));
  const others = outside([...cuts, ...getters], [...lateSchemaEdits(program, isLateIn), ...droppableIn(program)]);
  return edited(source, [...cuts, ...getters, ...others]);
};

/** Edits that stand in no part of the source that the others replace. */
const outside = (replaced: readonly Edit[], edits: readonly Edit[]): Edit[] =>
  edits.filter(({ start }) => !replaced.some((cut) => cut.start <= start && start < cut.end));

const documented = new Map([
  ['route', ['summary', 'description', 'documents', 'answers']],
  ['platformRoute', ['summary', 'description', 'documents']],
  ['event', ['purpose', 'description', 'webhookData']],
  ['pattern', ['question', 'entity', 'by', 'index', 'units']],
  ['entity', ['purpose', 'example', 'personalData', 'endsBy']],
  ['queue', ['purpose']],
  ['dueWork', ['purpose']],
]);

function spansIn(node: Node, source: string): Span[] {
  const ofCall = node.type === 'CallExpression' ? spansOfCall(node, source) : [];
  const own = node.type === 'VariableDeclarator' ? spansOfRoutePart(node, source) : ofCall;
  return [...own, ...childrenOf(node).flatMap((child) => spansIn(child, source))];
}

/** Schemas that a declaration has as properties become getters, which build them once. */
const deferred = new Map([
  ['route', ['params', 'query', 'body']],
  ['event', ['detail']],
  ['entity', ['attributes']],
  ['queue', ['message']],
]);

function deferredIn(node: Node, late: ReadonlySet<string>): Edit[] {
  const names = (node.type === 'CallExpression' && node.callee?.type === 'Identifier' && deferred.get(node.callee.name ?? '')) || [];
  const [first] = node.arguments ?? [];
  const own = (first?.properties ?? []).flatMap(({ type, start, key, value }): Edit[] => {
    const name = key?.name ?? '';
    if (type !== 'Property' || !names.includes(name) || !value) return [];
    const schema = value.type === 'Identifier' && late.has(value.name ?? '') ? value.name : undefined;
    if (schema !== undefined) return [{ start, end: value.end, text: `get ${name}() { return ${schema}(); }`, order: 0 }];
    if (value.type !== 'CallExpression') return [];
    return [
      { start, end: value.start, text: `get ${name}() { const built$ = `, order: 0 },
      { start: value.end, end: value.end, text: `; Object.defineProperty(this, '${name}', { value: built$ }); return built$; }`, order: 0 },
    ];
  });
  return [...own, ...childrenOf(node).flatMap((child) => deferredIn(child, late))];
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

const makers: ReadonlySet<string> = new Set(['pattern', 'entity', 'event']);

function spansOfCall(call: Node, source: string): Span[] {
  const { callee, arguments: given = [] } = call;
  const method = callee?.type === 'MemberExpression' ? callee.property : undefined;
  if (method?.name === 'describe' || (method?.name === 'meta' && given[0]?.type === 'ObjectExpression'))
    return [{ start: source.lastIndexOf('.', method.start), end: call.end }];
  const left = (callee?.type === 'Identifier' && documented.get(callee.name ?? '')) || [];
  return spansOfProperties(
    given.find(({ type }) => type === 'ObjectExpression'),
    left,
    source,
  );
}

/** What several routes have in common, by its `effect`: without answers, too. */
function spansOfRoutePart({ init }: Node, source: string): Span[] {
  const value = typeof init?.expression === 'object' ? init.expression : init;
  const isRoutePart = value?.type === 'ObjectExpression' && value.properties?.some(({ key }) => key?.name === 'effect');
  return isRoutePart ? spansOfProperties(value, ['answers'], source) : [];
}

const spansOfProperties = (object: Node | undefined, names: readonly string[], source: string): Span[] =>
  (object?.properties ?? [])
    .filter(({ type, key }) => type === 'Property' && names.includes(key?.name ?? ''))
    .map(({ start, end }) => ({ start, end: end + (/^\s*,/.exec(source.slice(end))?.[0].length ?? 0) }));
