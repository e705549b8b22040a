import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { againstDocument, type CallsByOutcome, type ReportedCall } from '../support/documented.ts';
import { installTools } from '../support/foreign-tools.ts';
import { type Product, startProduct } from '../support/product.ts';

/**
 * The collections that `npm run generate` writes, run whole by the tools of their makers on a fresh demo: newman as Postman runs them, and
 * Bruno's command line on what Bruno's own importer makes of the one file. Each call is answered as the document says.
 */
const root = join(import.meta.dirname, '../..');
const runTool = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'switchboard-collections-'));
let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(async () => {
  await product.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What a reader fills in, of one of the demo's companies: each tool has one that no other call has touched. */
function variablesOf(nth: number): Record<string, string> {
  const company = product.demo.companies[nth];
  if (!company) throw new Error(`The demo has no company ${nth + 1}.`);
  return {
    base_url: product.baseUrl,
    token: company.tokens.owner,
    erp_token: company.shop.erp_token,
    webhook_token: company.shop.receivers.test.url.split('/').at(-1) ?? '',
    public_key: company.verification.public_key,
  };
}

/** At least so many of the calls do what they are for; the others need a device, a file, a store or a signature. */
const succeedAtLeast = 240;

test('the collection for Postman runs in newman, and each call is answered as documented', async () => {
  const calls = await runInNewman(variablesOf(0));
  const outcome = againstDocument(calls);
  console.log(sumOf('newman', outcome));
  expect(outcome.undocumented).toEqual([]);
  expect(outcome.missing).toEqual([]);
  expect(outcome.succeeded, outcome.refused.join('\n')).toBeGreaterThan(succeedAtLeast);
}, 900_000);

test('the collection for Bruno is imported by its own importer and runs in its command line, and each call is answered as documented', async () => {
  const calls = await runInBruno(variablesOf(1));
  const outcome = againstDocument(calls);
  console.log(sumOf('bruno', outcome));
  expect(outcome.undocumented).toEqual([]);
  expect(outcome.missing).toEqual([]);
  expect(outcome.succeeded, outcome.refused.join('\n')).toBeGreaterThan(succeedAtLeast);
}, 900_000);

const sumOf = (tool: string, { succeeded, refused }: CallsByOutcome): string => {
  const names = refused.map((line) => line.split(' ')[0]).join(', ');
  return `${tool}: ${succeeded} calls answered 2xx or 3xx, ${refused.length} refused as documented: ${names}`;
};

const newmanReport = z.object({
  run: z.object({
    executions: z.array(
      z.object({
        item: z.object({ name: z.string() }),
        request: z.object({ method: z.string(), url: z.unknown() }),
        response: z.object({ code: z.int(), stream: z.object({ data: z.array(z.int()) }) }).optional(),
      }),
    ),
  }),
});
const postmanUrl = z.object({
  protocol: z.string(),
  host: z.array(z.string()),
  port: z.string(),
  path: z.array(z.string()),
  variable: z.array(z.object({ key: z.string(), value: z.string() })).default([]),
});

async function runInNewman(variables: Readonly<Record<string, string>>): Promise<ReportedCall[]> {
  const { command } = await installTools('newman', { newman: '6.2.2' });
  const report = join(folder, 'newman.json');
  const collection = join(root, 'integrations/postman/switchboard.postman_collection.json');
  const given = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  const options = ['--reporters', 'json', '--reporter-json-export', report, '--ignore-redirects', '--timeout-request', '60000'];
  // it ends with an error where one of the collection's own tests fails, which the report has too
  await runTool(command('newman'), ['run', collection, ...given, ...options], { maxBuffer: 1e9 }).catch(() => undefined);
  const { run } = newmanReport.parse(JSON.parse(readFileSync(report, 'utf8')));
  return run.executions.map(({ item, request, response }) => {
    const { protocol, host, port, path, variable } = postmanUrl.parse(request.url);
    const filled = path.map((part) => variable.find(({ key }) => part === `:${key}`)?.value ?? part).join('/');
    return {
      name: item.name,
      method: request.method,
      url: `${protocol}://${host.join('.')}:${port}/${filled}`,
      status: response?.code ?? 0,
      body: Buffer.from(response?.stream.data ?? []).toString('utf8'),
    };
  });
}

const brunoReport = z.array(
  z.object({
    results: z.array(
      z.object({
        name: z.string(),
        request: z.object({ method: z.string(), url: z.string() }),
        response: z.object({ status: z.union([z.int(), z.string(), z.null()]), data: z.unknown() }),
      }),
    ),
  }),
);

/** As the importer of Bruno's window does it: the same converter, schema and writer of files. */
const importer = `
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync } from 'node:fs';
const require = createRequire(process.argv[2] + '/node_modules/@usebruno/cli/package.json');
const { openCollectionToBruno } = require('@usebruno/converters');
const { createCollectionFromBrunoObject } = require('./src/utils/collection.js');
const collection = openCollectionToBruno(JSON.parse(readFileSync(process.argv[3], 'utf8')));
mkdirSync(process.argv[4], { recursive: true });
await createCollectionFromBrunoObject(collection, process.argv[4], { format: 'yml' });
`;

async function runInBruno(variables: Readonly<Record<string, string>>): Promise<ReportedCall[]> {
  const tools = await installTools('bruno', { '@usebruno/cli': '4.1.0' });
  const imported = join(folder, 'bruno');
  const script = join(folder, 'import.mjs');
  const report = join(folder, 'bruno.json');
  writeFileSync(script, importer);
  const collection = join(root, 'integrations/bruno/switchboard.opencollection.json');
  await runTool(process.execPath, [script, tools.folder, collection, imported]);
  const given = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  const options = ['-r', '--env', 'Local', '--reporter-json', report, '--noproxy'];
  await runTool(tools.command('bru'), ['run', ...options, ...given], { cwd: imported, maxBuffer: 1e9 }).catch(() => undefined);
  const results = brunoReport.parse(JSON.parse(readFileSync(report, 'utf8'))).flatMap((run) => run.results);
  return results.map(({ name, request, response }) => ({
    name,
    method: request.method,
    url: request.url,
    status: Number(response.status),
    body: typeof response.data === 'string' ? response.data : JSON.stringify(response.data),
  }));
}
