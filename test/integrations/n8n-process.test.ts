import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../support/emulators.ts';
import { installTools } from '../support/foreign-tools.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { type Product, startProduct } from '../support/product.ts';

/**
 * The nodes in n8n itself, as npm has it, with a database of its own: a workflow that is published registers its endpoint, a received message
 * starts it, and it replies. What each operation does: test/integrations/n8n.test.ts.
 */
const root = join(import.meta.dirname, '../..');
const runProgram = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'switchboard-n8n-'));
const webhookId = '22222222-2222-4222-8222-222222222222';

let product: Product;
let postgres: OwnPostgres;
let n8n: ChildProcess | undefined;
let n8nProgram = '';
let n8nUrl = '';
let env: NodeJS.ProcessEnv = {};

beforeAll(async () => {
  const tools = await installTools('n8n-app', { n8n: '2.41.1' });
  n8nProgram = join(tools.folder, 'node_modules/n8n/bin/n8n');
  [product, postgres] = await Promise.all([startProduct(), startOwnPostgres()]);
  await buildPackage(join(folder, '.n8n/nodes/node_modules/n8n-nodes-switchboard'), tools.folder);
  const port = await freePort();
  n8nUrl = `http://127.0.0.1:${port}`;
  env = { ...process.env, ...settingsOf(port), NODE_ENV: 'production' };
}, 1_800_000);

afterAll(async () => {
  n8n?.kill('SIGKILL');
  await product.stop();
  await postgres[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

it('a workflow of n8n answers a received message, and no call that Switchboard did not sign starts it', async () => {
  const files = writeWorkflow();
  await runN8n('import:credentials', `--input=${files.credentials}`);
  await runN8n('import:workflow', `--input=${files.workflow}`);
  await runN8n('publish:workflow', '--id=reply');
  n8n = spawn(process.execPath, [n8nProgram, 'start'], { env, stdio: 'ignore' });
  const url = `${n8nUrl}/webhook/${webhookId}/webhook`;
  await expect.poll(async () => (await product.api.webhooks.list()).data, { timeout: 240_000 }).toMatchObject([{ url, status: 'active' }]);
  const message = { company_id: product.companyId, from: '4915112345003', name: 'Ada', type: 'text', text: 'Is it in stock?' };
  await product.control('POST', 'provider/inbound', message);
  await expect.poll(sentTexts, { timeout: 120_000 }).toEqual([['4915112345003', 'You wrote: Is it in stock?']]);
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)), 'webhook-signature': 'v1,AAAA' };
  const body = JSON.stringify({ id: 'evt_1', event: 'message.received', data: { from: '4915112345003', value: 'Forged' } });
  const forged = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
  expect(forged.status).toBe(401);
  expect(await sentTexts()).toHaveLength(1);
}, 600_000);

const runN8n = (...args: string[]) => runProgram(process.execPath, [n8nProgram, ...args], { env, maxBuffer: 1e8 });

/** What the provider was given: recipient and text. */
async function sentTexts(): Promise<[to: string, text: string | undefined][]> {
  const { body } = await product.control('GET', 'provider/messages');
  const { data } = body as { data: { to: string; payload: { text?: { body: string } } }[] };
  return data.map(({ to, payload }) => [to, payload.text?.body]);
}

/** Nothing of it calls home, and it has one process. */
const settingsOf = (port: number): Record<string, string> => ({
  N8N_USER_FOLDER: folder,
  ['N8N_LISTEN_ADDRESS']: '127.0.0.1',
  N8N_PORT: String(port),
  WEBHOOK_URL: `${n8nUrl}/`,
  N8N_ENCRYPTION_KEY: 'of a test alone',
  N8N_DIAGNOSTICS_ENABLED: 'false',
  N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
  N8N_TEMPLATES_ENABLED: 'false',
  // the other engine is compiled when its package is installed with scripts
  N8N_EXPRESSION_ENGINE: 'legacy',
  DB_TYPE: 'postgresdb',
  DB_POSTGRESDB_HOST: '127.0.0.1',
  DB_POSTGRESDB_PORT: String(postgres.port),
  DB_POSTGRESDB_DATABASE: 'postgres',
  DB_POSTGRESDB_USER: 'postgres',
  DB_POSTGRESDB_PASSWORD: 'none',
});

/** As `npm run build` of the package makes it. */
async function buildPackage(to: string, tools: string): Promise<void> {
  // below the tools, where the compiler finds n8n's types
  const source = join(tools, 'package');
  rmSync(source, { recursive: true, force: true });
  cpSync(join(root, 'integrations/n8n'), source, { recursive: true, filter: (path) => !/node_modules|dist/.test(path.slice(root.length)) });
  await runProgram(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', source]);
  mkdirSync(to, { recursive: true });
  cpSync(join(source, 'dist'), join(to, 'dist'), { recursive: true });
  cpSync(join(source, 'icons'), join(to, 'dist/icons'), { recursive: true });
  cpSync(join(source, 'package.json'), join(to, 'package.json'));
}

function writeWorkflow(): { credentials: string; workflow: string } {
  const token = product.demo.companies[0]?.tokens.owner ?? '';
  const credentials = { switchboardApi: { id: 'switchboard', name: 'Switchboard' } };
  const nodes = [
    {
      id: '11111111-1111-4111-8111-111111111111',
      name: 'Trigger',
      type: 'n8n-nodes-switchboard.switchboardTrigger',
      typeVersion: 1,
      position: [0, 0],
      webhookId,
      parameters: { events: ['message.received'] },
      credentials,
    },
    {
      id: '33333333-3333-4333-8333-333333333333',
      name: 'Reply',
      type: 'n8n-nodes-switchboard.switchboard',
      typeVersion: 1,
      position: [200, 0],
      parameters: {
        resource: 'message',
        operation: 'sendText',
        phone: '={{ $json.data.from }}',
        text: '=You wrote: {{ $json.data.value }}',
        sendOptions: { window_policy: 'enforce' },
      },
      credentials,
    },
  ];
  const connections = { Trigger: { main: [[{ node: 'Reply', type: 'main', index: 0 }]] } };
  const written = { credentials: join(folder, 'credentials.json'), workflow: join(folder, 'workflow.json') };
  const data = { baseUrl: product.baseUrl, token };
  writeFileSync(written.credentials, JSON.stringify([{ id: 'switchboard', name: 'Switchboard', type: 'switchboardApi', data }]));
  writeFileSync(written.workflow, JSON.stringify([{ id: 'reply', name: 'Reply', active: false, settings: {}, nodes, connections }]));
  return written;
}
