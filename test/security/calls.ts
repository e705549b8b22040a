import { build } from 'esbuild';
import { parseAst } from 'rolldown/parseAst';
import type { FunctionSpec } from '../../shared/contract/context.ts';

/** What a function's code can call of AWS. */
export interface Calls {
  /** As IAM calls them: `dynamodb:GetItem`, `sqs:SendMessage`. */
  actions: Set<string>;
  /** Names of the queues, buses, buckets and secrets that it mentions. */
  resources: Set<string>;
  /** Entities that it creates, replaces or deletes, by name. */
  creates: Set<string>;
}

/**
 * The calls that a function's code can make, read from its own sources as one file: from the handler along every name that is mentioned. Who
 * mentions a name is taken to use it, so this may say too much, and never too little but for names put together at run time; what a role
 * lacks is refused in the test app as well (test/support/permissions.ts).
 */
export const callsOf = (spec: FunctionSpec): Promise<Calls> => {
  let calls = read.get(spec.name);
  if (!calls) read.set(spec.name, (calls = readCalls(spec)));
  return calls;
};

const read = new Map<string, Promise<Calls>>();

async function readCalls(spec: FunctionSpec): Promise<Calls> {
  const { outputFiles } = await build({
    entryPoints: [spec.entry],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  });
  // parts of the stack that only some routes pass: the kept answers of writes, and the receivers' tokens
  const routes = spec.trigger === 'http' ? Object.values(spec.routes) : undefined;
  const neverPassed = routes
    ? [
        ...(routes.some(({ effect }) => effect === 'write') ? [] : ['idempotency']),
        ...(routes.some(({ caller }) => caller.kind === 'webhook_token') ? [] : ['authenticateReceiver', 'countUnsignedPost']),
      ]
    : [];
  return reached(parseAst(outputFiles[0]?.text ?? '') as unknown as Node, new Set([...adapters, ...neverPassed]));
}

interface Node {
  type: string;
  [field: string]: unknown;
}

/** What each method of an entity calls of the table; parts of a transaction need what they would need alone. */
const entityCalls = new Map<string, string | readonly string[]>([
  ['get', 'GetItem'],
  ['getMany', 'BatchGetItem'],
  ['getting', 'BatchGetItem'],
  ['put', 'PutItem'],
  ['putting', 'PutItem'],
  ['change', 'UpdateItem'],
  ['changing', 'UpdateItem'],
  ['update', 'UpdateItem'],
  ['updating', 'UpdateItem'],
  ['inserting', ['PutItem', 'PartiQLInsert']],
  ['replacing', ['UpdateItem', 'PartiQLUpdate']],
  ['advancing', 'PartiQLUpdate'],
  ['delete', 'DeleteItem'],
  ['deleting', 'DeleteItem'],
  ['checking', 'ConditionCheckItem'],
  ['query', 'Query'],
  ['pages', 'Query'],
  ['items', 'Query'],
  ['collect', 'Query'],
]);

/** Where the table is called for everybody: counted where they are called. */
const rawQueries = ['queryRaw', 'rawPages', 'rawItems'];
const adapters = ['entity', 'commit', ...rawQueries];

const commands = new Map([
  ['QueryCommand', 'dynamodb:Query'],
  ['PutEventsCommand', 'events:PutEvents'],
  ['SendEmailCommand', 'ses:SendEmail'],
  ['GetSecretValueCommand', 'secretsmanager:GetSecretValue'],
  ['SendMessageBatchCommand', 'sqs:SendMessage'],
]);

/** Calls of the objects' client, by the method that they sign. */
const signers = new Set(['signedUrl', 'callBucket']);
const objectCalls = new Map([
  ['GET', 's3:GetObject'],
  ['HEAD', 's3:GetObject'],
  ['PUT', 's3:PutObject'],
  ['DELETE', 's3:DeleteObject'],
]);

const handedEntity = ['entity', 'entity2', 'entity3'];

const resourceKinds = new Set(['queue', 'bus', 'bucket', 'secret']);

function reached(program: Node, closed: ReadonlySet<string>): Calls {
  const declarations = new Map<string, Node>();
  const roots: Node[] = [];
  for (const statement of program['body'] as Node[]) {
    if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration')
      declarations.set(nameOf(statement['id']), statement);
    else if (statement.type === 'VariableDeclaration')
      for (const each of statement['declarations'] as Node[]) declarations.set(nameOf(each['id']), each);
    else if (statement.type !== 'ImportDeclaration') roots.push(statement);
  }
  // besides those declared: what the change consumer is handed to project into, under the names that the bundler gives it
  const entities = new Set([
    ...handedEntity,
    ...[...declarations].filter(([, each]) => isCallOf(each['init'], 'entity')).map(([name]) => name),
  ]);
  const calls: Calls = { actions: new Set(), resources: new Set(), creates: new Set() };
  const entityNames = new Map([...declarations].map(([variable, each]) => [variable, declaredNameOf(each['init'])]));
  const add = (action: string | undefined): void => void (action === undefined || calls.actions.add(action));
  const seen = new Set<string>();

  const visit = (node: Node): void => {
    switch (node.type) {
      case 'Identifier':
        return mention(nameOf(node));
      case 'MemberExpression': {
        const entityCall = entities.has(nameOf(node['object'])) ? entityCalls.get(nameOf(node['property'])) : undefined;
        const [call, ...others] = [entityCall ?? []].flat();
        for (const each of [call, ...others]) add(each && `dynamodb:${each}`);
        if (call === 'PutItem' || call === 'DeleteItem') calls.creates.add(entityNames.get(nameOf(node['object'])) ?? '');
        visit(node['object'] as Node);
        if (node['computed'] === true) visit(node['property'] as Node);
        return;
      }
      case 'Property':
        if (node['computed'] === true) visit(node['key'] as Node);
        return visit(node['value'] as Node);
      case 'NewExpression':
        add(commands.get(nameOf(node['callee'])));
        break;
      case 'CallExpression':
        if (rawQueries.includes(nameOf(node['callee']))) add('dynamodb:Query');
        if (nameOf(node['callee']) === 'replacement') add('dynamodb:PartiQLUpdate');
        if (signers.has(nameOf(node['callee']))) add(objectCalls.get(textOf((node['arguments'] as Node[])[2])));
        break;
    }
    for (const inner of Object.values(node).flat()) if (isNode(inner)) visit(inner);
  };
  const mention = (name: string): void => {
    const declared = declarations.get(name);
    if (!declared || seen.has(name) || closed.has(name)) return;
    seen.add(name);
    for (const resource of resourcesIn(declared)) calls.resources.add(resource);
    visit(declared);
  };
  for (const root of roots) visit(root);
  return calls;
}

/** The name that a call gives to what it makes, where it is written out. */
function declaredNameOf(init: unknown): string {
  const given = isNode(init) && init.type === 'CallExpression' ? (init['arguments'] as Node[])[0] : undefined;
  const properties = given?.type === 'ObjectExpression' ? (given['properties'] as Node[]) : [];
  return textOf(properties.find((each) => nameOf(each['key']) === 'name')?.['value']);
}

/** The name of a declared queue, bus, bucket or secret: an object that says its kind, or the first of a call that makes one. */
function resourcesIn(declared: Node): string[] {
  const init = declared['init'];
  if (!isNode(init)) return [];
  const given = init.type === 'CallExpression' ? (init['arguments'] as Node[])[0] : init;
  if (given?.type !== 'ObjectExpression') return [];
  const fields = new Map((given['properties'] as Node[]).map((each) => [nameOf(each['key']), textOf(each['value'])]));
  const isResource = resourceKinds.has(fields.get('kind') ?? '') || isCallOf(init, 'queue');
  const name = fields.get('name');
  return isResource && name ? [name] : [];
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
const fieldOf = (node: unknown, field: 'name' | 'value'): string => {
  const value = isNode(node) ? node[field] : undefined;
  return typeof value === 'string' ? value : '';
};
const nameOf = (node: unknown): string => fieldOf(node, 'name');
const textOf = (node: unknown): string => fieldOf(node, 'value');
const isCallOf = (node: unknown, name: string): boolean =>
  isNode(node) && node.type === 'CallExpression' && nameOf(node['callee']) === name;
