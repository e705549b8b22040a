import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Bundles, bundle, bundleFile } from '../../lib/bundle.ts';
import { newToken } from '../../shared/access/token.ts';
import { context, type HttpFunction } from '../../shared/contract/context.ts';
import { usesTable } from '../../shared/contract/resource.ts';
import { app } from '../../functions/app.ts';
import { type Call, filledPath, gatewayEvent } from '../../test/support/gateway-event.ts';
import { type BenchFixture, withFixture, type Scenario } from '../scenario.ts';

const pairs = Number(process.env['PAIRS'] ?? 9);

export const scenario: Scenario = {
  name: 'cold-start',
  description:
    'CPU of import plus first call of each HTTP function, as a multiple of a bare handler with the same SDK clients, interleaved: a call that is refused after its table call, and one that is answered, where the function has a read for a token',
  deterministic: false,
  measure: () =>
    withFixture(async (fixture) => {
      // below the repository, where the entries find their packages
      mkdirSync(cache, { recursive: true });
      const folder = mkdtempSync(join(cache, 'cold-'));
      try {
        return await compare(folder, fixture);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }),
};

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache');

/** The packages of the SDK that a function may have besides the table's client, and what of each it uses. */
const clients: Readonly<Record<string, string>> = {
  'client-eventbridge': 'EventBridgeClient, PutEventsCommand',
  'client-secrets-manager': 'SecretsManagerClient, GetSecretValueCommand',
  'client-sesv2': 'SESv2Client, SendEmailCommand',
  'client-sqs': 'SQSClient, SendMessageBatchCommand',
  's3-request-presigner': 'S3RequestPresigner',
};

/** Which of them a bundle contains, as a name: `client-sqs+s3-request-presigner`. */
function clientsOf({ metafile }: Bundles, functionName: string): string {
  const output = Object.entries(metafile.outputs).find(([file]) => file.endsWith(`/${functionName}/${bundleFile}`))?.[1];
  const sources = Object.keys(output?.inputs ?? {});
  return Object.keys(clients)
    .filter((client) => sources.some((source) => source.includes(`/@aws-sdk/${client}/dist`)))
    .join('+');
}

/** A bare handler for each set of clients, which it has and, as in the refused calls of the product, does not use. */
const bareContext = (folder: string, sets: readonly string[]) =>
  context({
    name: 'bare',
    purpose: 'What the product is measured against',
    functions: sets.map((set) => {
      const entry = join(folder, `bare-${set}.ts`);
      const others = set
        .split('+')
        .flatMap((client) => (clients[client] ? [`export { ${clients[client]} } from '@aws-sdk/${client}';`] : []));
      writeFileSync(entry, [`export { handler } from '${join(root, 'bench/cold-start/bare.ts')}';`, ...others].join('\n'));
      return { name: `bare-${set}`, entry: relative(root, entry), trigger: 'http' as const, routes: {}, uses: [usesTable('UpdateItem')] };
    }),
  });

async function compare(folder: string, fixture: BenchFixture) {
  const product = await bundle(app, join(folder, 'product'));
  const setOf = (name: string): string => clientsOf(product, name);
  const functions = app.flatMap((each) => each.functions).filter((each) => each.trigger === 'http');
  const sets = [...new Set(functions.map(({ name }) => setOf(name)))];
  const bareOnes = await bundle([bareContext(folder, sets)], join(folder, 'bare'));
  const entryOf = ({ folderOf }: Bundles, name: string): string => pathToFileURL(join(folderOf(name), bundleFile)).href;
  const starts: Start[] = [];
  for (const spec of functions) {
    for (const event of refusedCall(spec)) starts.push({ name: spec.name, spec, event, status: 4 });
    for (const event of await answeredCall(spec, fixture)) starts.push({ name: `${spec.name}, answered`, spec, event, status: 2 });
  }
  const bare = new Map<string, number[]>();
  const ratios = new Map<Start, number[]>();
  // the first round warms the disk's cache
  for (let pair = 0; pair <= pairs; pair++) {
    for (const start of starts) {
      // each beside a bare one: what else the machine does falls on both
      const set = setOf(start.spec.name);
      const base = await coldStart(entryOf(bareOnes, `bare-${set}`), {}, 4);
      const own = await coldStart(entryOf(product, start.spec.name), start.event, start.status);
      if (pair === 0) continue;
      bare.set(set, [...(bare.get(set) ?? []), base]);
      ratios.set(start, [...(ratios.get(start) ?? []), own / base]);
    }
  }
  return [
    ...[...bare].map(([set, values]) => ({
      name: `bare handler${set ? ` with ${set.replaceAll('+', ', ')}` : ''}`,
      unit: 'ms' as const,
      value: median(values),
    })),
    ...[...ratios].map(([{ name, status }, values]) => ({
      name,
      unit: 'x' as const,
      value: median(values),
      ...(status === 4 ? { atMost: 1.7, isGoal: true } : {}),
    })),
  ];
}

interface Start {
  name: string;
  spec: HttpFunction;
  event: unknown;
  /** The first digit of the answer's status. */
  status: 2 | 4;
}

/** A call with a well-formed token that no one has: checked by one table call, then refused. None where everybody may call everything. */
function refusedCall(spec: HttpFunction): unknown[] {
  const route = Object.values(spec.routes).find(({ caller }) => caller.kind !== 'public');
  if (!route) return [];
  const names = [...route.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name);
  const params = Object.fromEntries(names.map((name) => [name, name === 'erp_token' || name === 'webhook_token' ? newToken(name) : '1']));
  return [eventOf({ method: route.method, path: filledPath(route.path, params), token: newToken('token') })];
}

/** The function's first read that the token of an owner alone suffices for: a list or the like. */
async function answeredCall(spec: HttpFunction, { testApp, token }: BenchFixture): Promise<unknown[]> {
  const reads = Object.values(spec.routes).filter(
    ({ method, path, caller }) => method === 'GET' && !path.includes('{') && caller.kind === 'token',
  );
  for (const { path } of reads) {
    const call = { method: 'GET', path, token };
    if ((await testApp.call(call)).status === 200) return [eventOf(call)];
  }
  return [];
}

const eventOf = (call: Call): unknown => gatewayEvent(app, call, 'cold', Date.now()).event;

async function coldStart(entry: string, event: unknown, expected: 2 | 4): Promise<number> {
  const child = join(import.meta.dirname, '../cold-start/child.mjs');
  // the name is there in Lambda, as it is for a function on the laptop
  const env = { ...process.env, AWS_LAMBDA_FUNCTION_NAME: 'cold', COLD_START: JSON.stringify({ entry, event }) };
  const { stdout } = await promisify(execFile)(process.execPath, [child], { env });
  const line = /^COLD (.*)$/m.exec(stdout)?.[1];
  if (line === undefined) throw new Error(`A cold start said nothing: ${stdout}`);
  const { ms, status } = JSON.parse(line) as { ms: number; status: number };
  if (Math.floor(status / 100) !== expected) throw new Error(`A cold start of ${entry} was answered ${status}.`);
  return ms;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
