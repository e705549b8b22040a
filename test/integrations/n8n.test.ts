import { execFile } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { installTools } from '../support/foreign-tools.ts';
import { n8nContext, n8nWebhookContext, startWebhookStore } from '../support/n8n-context.ts';
import { type Product, startProduct } from '../support/product.ts';

/** The nodes of integrations/n8n, as a package: compiled with n8n's types, passed by n8n's lint, loaded by n8n's loader, and run on the product. */
const root = join(import.meta.dirname, '../..');
const versions = {
  'n8n-workflow': '2.41.0',
  'n8n-core': '2.41.1',
  '@n8n/node-cli': '0.48.3',
  '@types/node': '24.19.2',
  eslint: '9.39.4',
  typescript: '5.9.3',
};
const runTool = promisify(execFile);

interface NodeClass {
  execute?: (this: unknown) => Promise<{ json: Record<string, unknown> }[][]>;
  webhook?: (this: unknown) => Promise<{ workflowData?: { json: Record<string, unknown> }[][]; noWebhookResponse?: boolean }>;
  webhookMethods?: { default: Record<'checkExists' | 'create' | 'delete', (this: unknown) => Promise<boolean>> };
}

let folder = '';
let product: Product;
beforeAll(async () => {
  const tools = await installTools('n8n', versions);
  folder = join(tools.folder, 'package');
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(root, 'integrations/n8n'), folder, { recursive: true, filter: (path) => !/node_modules|dist/.test(path.slice(root.length)) });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await runTool(process.execPath, [tsc, '-p', folder]).catch((error: unknown) => error as { stdout: string });
  expect(stdout).toBe('');
  cpSync(join(folder, 'icons'), join(folder, 'dist/icons'), { recursive: true });
  product = await startProduct();
}, 900_000);
afterAll(() => product.stop());

const nodeOf = (name: string): NodeClass => {
  const load = createRequire(join(folder, 'package.json'));
  const exported = load(`./dist/nodes/Switchboard/${name}.node.js`) as Record<string, new () => NodeClass>;
  const NodeType = exported[name];
  if (!NodeType) throw new Error(`The file exports no ${name}.`);
  return new NodeType();
};

const credentials = () => ({ baseUrl: product.baseUrl, token: product.demo.companies[0]?.tokens.owner ?? '' });
const runNode = async (
  parameters: Readonly<Record<string, unknown>>,
  more: { executionId?: string; items?: Record<string, unknown>[] } = {},
) => {
  const [items = []] = (await nodeOf('Switchboard').execute?.call(n8nContext({ ...credentials(), parameters, ...more }))) ?? [];
  return items.map(({ json }) => json);
};

describe('the package n8n-nodes-switchboard', () => {
  it('is loaded by the loader of n8n, with both nodes, the credentials and their icons', async () => {
    const script = `
      import { createRequire } from 'node:module';
      const { PackageDirectoryLoader } = createRequire(process.argv[2])('n8n-core');
      const loader = new PackageDirectoryLoader(process.argv[3]);
      await loader.loadAll();
      const { nodes, credentials } = loader.types;
      console.log(JSON.stringify({ package: loader.packageName, nodes: nodes.map(({ name, iconUrl }) => [name, iconUrl]), credentials: credentials.map(({ name }) => name) }));
      process.exit(0);
    `;
    const file = join(folder, 'load.mjs');
    writeFileSync(file, script);
    const { stdout } = await runTool(process.execPath, [file, join(folder, 'package.json'), folder]);
    const icons = { light: expect.stringContaining('/switchboard.svg'), dark: expect.stringContaining('/switchboard.dark.svg') };
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
      package: 'n8n-nodes-switchboard',
      nodes: expect.arrayContaining([
        ['switchboard', icons],
        ['switchboardTrigger', icons],
      ]),
      credentials: ['switchboardApi'],
    });
  });

  it('passes the lint of n8n for community nodes', async () => {
    writeFileSync(join(folder, 'eslint.config.mjs'), "import { config } from '@n8n/node-cli/eslint';\nexport default config;\n");
    const eslint = join(folder, '../node_modules/eslint/bin/eslint.js');
    const files = ['nodes', 'credentials', 'package.json'];
    const { stdout } = await runTool(process.execPath, [eslint, '--format', 'json', ...files], {
      cwd: folder,
      // with that of a test the rules take every file for one of theirs
      env: { ...process.env, NODE_ENV: 'production' },
    }).catch((error: unknown) => error as { stdout: string });
    const results = z
      .array(
        z.object({
          filePath: z.string(),
          messages: z.array(z.object({ ruleId: z.string().nullable(), message: z.string(), line: z.int() })),
        }),
      )
      .parse(JSON.parse(stdout));
    const found = results.flatMap(({ filePath, messages }) =>
      messages.map(({ ruleId, message, line }) => `${filePath.slice(folder.length)}:${line} ${ruleId}: ${message}`),
    );
    expect(results.length).toBeGreaterThan(6);
    expect(found.filter((line) => !ownersChoices.some((rule) => line.includes(` ${rule}:`)))).toEqual([]);
  });

  it('names the version of n8n that it is tested with', () => {
    const manifest = z.object({ devDependencies: z.record(z.string(), z.string()) });
    const { devDependencies } = manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
    expect(devDependencies['n8n-workflow']).toBe(versions['n8n-workflow']);
  });
});

/** Rules about what the owner decides before anything is published: licence, author, addresses. */
const ownersChoices = [
  '@n8n/community-nodes/require-homepage',
  '@n8n/community-nodes/valid-author',
  'n8n-nodes-base/community-package-json-author-missing',
  'n8n-nodes-base/community-package-json-license-missing',
  'n8n-nodes-base/cred-class-field-documentation-url-missing',
];

describe('the nodes on the product', () => {
  it('start a workflow with a received message, once and only where it is signed, and reply to it', async () => {
    await using store = await startWebhookStore();
    const staticData: Record<string, unknown> = {};
    const hooks = n8nContext({ ...credentials(), parameters: { events: ['message.received'] }, staticData, webhookUrl: store.url });
    const trigger = nodeOf('SwitchboardTrigger');
    const methods = trigger.webhookMethods?.default;
    expect(await methods?.checkExists.call(hooks)).toBe(false);
    expect(await methods?.create.call(hooks)).toBe(true);
    expect(await methods?.checkExists.call(hooks)).toBe(true);
    await product.control('POST', 'provider/inbound', {
      company_id: product.companyId,
      from: '4915112345001',
      name: 'Ada',
      type: 'text',
      text: 'Is it in stock?',
    });
    await expect.poll(() => store.webhooks.length).toBe(1);
    const [webhook] = store.webhooks;
    if (!webhook) throw new Error('No webhook came.');
    const start = async (given = webhook) => {
      const call = n8nWebhookContext(hooks, given);
      return { started: (await trigger.webhook?.call(call.context))?.workflowData?.[0]?.map(({ json }) => json), status: call.status() };
    };
    const forged = { ...webhook, rawBody: Buffer.from(webhook.rawBody.toString('utf8').replace('stock', 'doubt')) };
    expect(await start(forged)).toEqual({ started: undefined, status: 401 });
    const { started } = await start();
    expect(started).toMatchObject([{ event: 'message.received', data: { from: '4915112345001', value: 'Is it in stock?' } }]);
    expect(await start()).toEqual({ started: undefined, status: 200 });
    const data = z.object({ from: z.string() }).parse(started?.[0]?.['data']);
    const [reply] = await runNode({
      resource: 'message',
      operation: 'sendText',
      phone: data.from,
      text: 'Yes, it is.',
      sendOptions: { window_policy: 'enforce' },
    });
    expect(reply).toMatchObject({ message_id: expect.any(Number), conversation_id: expect.any(Number) });
    await product.idle();
    const { body } = await product.control('GET', 'provider/messages');
    expect(body).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ to: '4915112345001', type: 'text' })]) });
    expect(await methods?.delete.call(hooks)).toBe(true);
    expect([staticData['endpointId'], (await product.api.webhooks.list()).data]).toEqual([undefined, []]);
  });

  it('make, read and change contacts, leads and conversations', async () => {
    const [made] = await runNode({
      resource: 'contact',
      operation: 'upsert',
      phone: '+4915112345002',
      contactFields: { name: 'Grace' },
      addGroups: 'Spring, Regulars',
    });
    expect(made).toMatchObject({ name: 'Grace', created: true, groups: [{ name: 'Spring' }, { name: 'Regulars' }] });
    const contactId = made?.['id'];
    await runNode({ resource: 'contact', operation: 'update', contactId, contactFields: { city: 'Berlin' } });
    expect(await runNode({ resource: 'contact', operation: 'get', contactId })).toMatchObject([{ name: 'Grace', city: 'Berlin' }]);
    const { data: pipeline } = await product.api.pipelines.create({ body: { name: 'Roofs', template: 'sales' } });
    const lead = {
      resource: 'lead',
      operation: 'create',
      contactId,
      pipelineId: pipeline.id,
      title: 'A new roof',
      leadFields: { value: 12_500, currency: 'EUR' },
    };
    const [first] = await runNode(lead, { executionId: '7' });
    expect(first).toMatchObject({ title: 'A new roof', contact_id: contactId });
    // n8n tries a node again within one execution
    expect((await runNode(lead, { executionId: '7' }))[0]?.['id']).toBe(first?.['id']);
    const template = {
      resource: 'message',
      operation: 'sendTemplate',
      phone: '+4915112345002',
      templateName: 'order_update',
      templateLanguage: 'en',
    };
    const [sent] = await runNode({ ...template, bodyParameters: ['Grace', 'A-1042'] }, { executionId: '8' });
    const conversationId = sent?.['conversation_id'];
    expect(await runNode({ resource: 'conversation', operation: 'assign', conversationId, userId: 1 })).toMatchObject([
      { id: conversationId },
    ]);
    expect(await runNode({ resource: 'conversation', operation: 'close', conversationId })).toMatchObject([
      { id: conversationId, status: 'closed' },
    ]);
  });

  it('show what the API says of a refusal, and go on where the workflow says so', async () => {
    const wrong = { resource: 'contact', operation: 'upsert', phone: '12' };
    await expect(runNode(wrong)).rejects.toMatchObject({
      message: 'Some fields are not valid.',
      description: expect.stringContaining('country code'),
    });
    expect(await runNode({ ...wrong, continueOnFail: true })).toEqual([{ error: 'Some fields are not valid.' }]);
    // an expression cannot lead to another path
    await expect(runNode({ resource: 'contact', operation: 'get', contactId: '1/../2' })).rejects.toThrow('no ID');
  });
});
