import { type Edit, type Node, childrenOf, rootOf } from './syntax.ts';

/**
 * Schemas that have a name at the top of a module, built with their first use: `const a = z.object({})` becomes a function that builds it
 * once, and every `a` in the product a call of it. A function of hundreds of schemas then builds the ten of the call it serves.
 *
 * A module is changed by what it says itself, and by which names of the modules it imports are such schemas.
 */
export const lateSchemaEdits = (program: Node, isLateIn: (specifier: string, name: string) => boolean): Edit[] => {
  const own = lateDeclarations(program);
  const names = new Set([...own.map(({ name }) => name), ...importedLate(program, isLateIn)]);
  if (names.size === 0) return [];
  const declared = own.flatMap(({ name, statement, declaration, init }): Edit[] => [
    { start: statement.start, end: statement.start, text: `var ${name}$; `, order: 0 },
    { start: declaration.start, end: init.start, text: `function ${name}() { return ${name}$ ??= `, order: 1 },
    { start: init.end, end: declaration.end, text: '; }', order: 1 },
  ]);
  return [...declared, ...usesOf(program, names)];
};

/** Names of schemas in this module, its own and those it imports, that are functions in the bundle. */
export const lateNamesOf = (program: Node, isLateIn: (specifier: string, name: string) => boolean): ReadonlySet<string> =>
  new Set([...lateDeclarations(program).map(({ name }) => name), ...importedLate(program, isLateIn)]);

/** What a module exports: its own late schemas, and names it passes on from other modules. */
export const lateExportsOf = (program: Node): LateExports => {
  const own = new Set(lateDeclarations(program).map(({ name }) => name));
  const passedOn = new Map<string, { specifier: string; name: string }>();
  const all: string[] = [];
  const imported = new Map(importsOf(program).map(({ local, ...from }) => [local, from]));
  for (const statement of childrenOf(program)) {
    const specifier = textOf(statement.source);
    if (statement.type === 'ExportAllDeclaration') all.push(specifier);
    if (statement.type !== 'ExportNamedDeclaration') continue;
    for (const { local, exported } of statement.specifiers ?? []) {
      const from = specifier ? { specifier, name: nameOf(local) } : imported.get(nameOf(local));
      if (from) passedOn.set(nameOf(exported), from);
    }
  }
  return { own, passedOn, all };
};

export interface LateExports {
  own: ReadonlySet<string>;
  passedOn: ReadonlyMap<string, { specifier: string; name: string }>;
  /** Modules of `export * from`. */
  all: readonly string[];
}

interface LateDeclaration {
  name: string;
  /** With `export`. */
  statement: Node;
  declaration: Node;
  init: Node;
}

/** Schemas, and then records that consist of them: each may name those before it. */
function lateDeclarations(program: Node): LateDeclaration[] {
  const names = new Set<string>();
  return childrenOf(program).flatMap((statement) => {
    const declaration = statement.declaration ?? statement;
    const [first, ...others] = declaration.declarations ?? [];
    const init = first?.init;
    if (declaration.kind !== 'const' || !init || others.length > 0 || !(isSchema(init) || isRecordOf(init, names))) return [];
    names.add(nameOf(first.id));
    return [{ name: nameOf(first.id), statement, declaration, init }];
  });
}

/** `{ phone, name: text }`, where one of the values is such a schema: what has it would build it at once. */
const isRecordOf = ({ type, properties = [] }: Node, names: ReadonlySet<string>): boolean =>
  type === 'ObjectExpression' && properties.some(({ value, argument }) => names.has(nameOf(value ?? argument)));

/** By its form: a call of zod or of a field of shared/contract/fields.ts, a method that only schemas have, a record or call of such parts. */
function isSchema(node: Node): boolean {
  const value = node.type.startsWith('TS') && typeof node.expression === 'object' ? node.expression : node;
  return /^(Call|Object|Array)Expression$/.test(value.type) && holdsSchema(value);
}

function hasSchemaMethod({ callee, object }: Node): boolean {
  const inner = callee ?? object;
  if (!inner) return false;
  return (inner.type === 'MemberExpression' && schemaMethods.has(inner.property?.name ?? '')) || hasSchemaMethod(inner);
}

function holdsSchema(node: Node): boolean {
  if (/Function|^Class/.test(node.type) || isDeclaration(node)) return false;
  const isSchemaCall = node.type === 'CallExpression' && (makers.has(rootOf(node)) || hasSchemaMethod(node));
  return isSchemaCall || childrenOf(node).some(holdsSchema);
}

/** Routes and the like are there from the start, and build their own schemas late: without-documentation.ts. */
const isDeclaration = ({ type, callee }: Node): boolean =>
  type === 'CallExpression' && callee?.type === 'Identifier' && declarations.has(callee.name ?? '');

const declarations: ReadonlySet<string> = new Set([
  'route',
  'event',
  'entity',
  'queue',
  'pattern',
  'dueWork',
  'consume',
  'serve',
  'context',
]);
const makers: ReadonlySet<string> = new Set(
  'z text idText wholeNumber paging withSafeNumbers success paginated lenient optionalObject'.split(' '),
);
const schemaMethods: ReadonlySet<string> = new Set(
  'extend safeExtend omit pick partial refine superRefine transform pipe optional nullable nullish default meta describe'.split(' '),
);

const importedLate = (program: Node, isLateIn: (specifier: string, name: string) => boolean): string[] =>
  importsOf(program).flatMap(({ local, specifier, name }) => (isLateIn(specifier, name) ? [local] : []));

function importsOf(program: Node): { local: string; specifier: string; name: string }[] {
  return childrenOf(program)
    .filter(({ type }) => type === 'ImportDeclaration')
    .flatMap(({ source, specifiers = [] }) =>
      specifiers
        .filter(({ type }) => type === 'ImportSpecifier')
        .map(({ local, imported }) => ({ local: nameOf(local), specifier: textOf(source), name: nameOf(imported) })),
    );
}

/** A call in place of every use of the names. */
function usesOf(node: Node, names: ReadonlySet<string>): Edit[] {
  const within = (nodes: readonly (Node | null | undefined)[], visible = names): Edit[] =>
    nodes.flatMap((each) => (each ? usesOf(each, visible) : []));
  if (node.type.startsWith('TS')) return typeof node.expression === 'object' ? within([node.expression]) : [];
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportSpecifier':
    case 'ExportAllDeclaration':
      return [];
    case 'Identifier':
      return names.has(nameOf(node)) ? [{ start: node.start, end: node.end, text: `${nameOf(node)}()`, order: 0 }] : [];
    case 'MemberExpression':
      return within([node.object, node.computed ? node.property : undefined]);
    case 'Property':
    case 'PropertyDefinition':
    case 'MethodDefinition':
      if (node.shorthand) {
        const name = nameOf(node.key);
        return names.has(name) ? [{ start: node.start, end: node.end, text: `${name}: ${name}()`, order: 0 }] : [];
      }
      return within([node.computed ? node.key : undefined, node.value]);
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression': {
      const params = node.params ?? [];
      const inner = without(names, params.flatMap(boundBy));
      return [...params.flatMap((param) => usesInPattern(param, inner)), ...within(asList(node.body), inner)];
    }
    case 'VariableDeclarator':
      return [...usesInPattern(node.id, names), ...within([node.init])];
    case 'CatchClause':
      return within(asList(node.body), without(names, boundBy(node.param)));
    case 'ForStatement':
    case 'ForOfStatement':
    case 'ForInStatement': {
      const inner = without(names, declaredBy([node.init ?? node.left]));
      return within(childrenOf(node), inner);
    }
    case 'BlockStatement':
      return within(asList(node.body), without(names, declaredBy(asList(node.body))));
    case 'SwitchStatement': {
      const statements = (node.cases ?? []).flatMap(childrenOf);
      return within(childrenOf(node), without(names, declaredBy(statements)));
    }
    default:
      return within(childrenOf(node));
  }
}

/** Uses in the default values and computed keys of a pattern; its names are bindings. */
function usesInPattern(pattern: Node | null | undefined, names: ReadonlySet<string>): Edit[] {
  if (!pattern) return [];
  switch (pattern.type) {
    case 'AssignmentPattern':
      return [...usesInPattern(pattern.left, names), ...(pattern.right ? usesOf(pattern.right, names) : [])];
    case 'ObjectPattern':
      return (pattern.properties ?? []).flatMap((property) => [
        ...(property.computed && property.key ? usesOf(property.key, names) : []),
        ...usesInPattern(property.value ?? property.argument, names),
      ]);
    case 'ArrayPattern':
      return (pattern.elements ?? []).flatMap((element) => usesInPattern(element, names));
    default:
      return usesInPattern(pattern.argument, names);
  }
}

function boundBy(pattern: Node | null | undefined): string[] {
  if (!pattern) return [];
  const { type, properties = [], elements = [], left, argument, value } = pattern;
  if (type === 'Identifier') return [nameOf(pattern)];
  return [...properties, ...elements, left, argument, type === 'Property' ? value : undefined].flatMap(boundBy);
}

const declaredBy = (statements: readonly (Node | null | undefined)[]): string[] =>
  statements.flatMap((statement) => [
    ...(statement?.declarations ?? []).flatMap(({ id }) => boundBy(id)),
    ...(/^(Function|Class)Declaration$/.test(statement?.type ?? '') ? [nameOf(statement?.id)] : []),
  ]);

function without(names: ReadonlySet<string>, bound: readonly string[]): ReadonlySet<string> {
  const shadowing = bound.filter((name) => names.has(name));
  return shadowing.length === 0 ? names : new Set([...names].filter((name) => !shadowing.includes(name)));
}

const asList = (body: Node['body']): readonly Node[] => (body === undefined ? [] : 'type' in body ? [body] : body);
const nameOf = (node: Node | null | undefined): string => node?.name ?? '';
const textOf = (node: Node | null | undefined): string => (typeof node?.value === 'string' ? node.value : '');
