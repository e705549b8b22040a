import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { freePort } from '../support/emulators.ts';
import { type Product, startProduct } from '../support/product.ts';
import { codeBlocks, type Program, runProgram, startProgram } from '../support/programs.ts';

/** How the clients' own languages run what the guides show. */
export interface GuideLanguage {
  /** Of the blocks in Markdown. */
  name: 'python' | 'php';
  command: Program['command'];
  ending: string;
  /** What a block may take for granted: where the client is. */
  env: Readonly<Record<string, string>>;
  prelude: string;
  /** How a file is served at a port, of a block that is an endpoint. */
  serve: (file: string, port: number) => readonly string[];
  walk: string;
}

/** The guarantees of a client in another language: it walks all guides, and the code that the guides show for it does what they say. */
export const guidesIn = (language: GuideLanguage, product: () => Product): void => {
  const { name, command } = language;

  test(`the ${name} client walks all eleven guides`, async () => {
    const output = await runProgram({ command, args: [language.walk, join(product().folder, 'demo.json')] });
    const guides = output.trim().split('\n');
    expect(guides.map((line) => Number.parseInt(line))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test(`the first guide's ${name} sends`, async () => {
    await withFile(language, codeBlocks('docs/guides/01-first-message.md', name)[0], async (file) => {
      const { baseUrl, demo } = product();
      const env = { ...language.env, BASE: baseUrl, TOKEN: demo.companies[0]?.tokens.owner ?? '' };
      expect(await runProgram({ command, args: [file], env })).toMatch(/^\d{10,} \d+\n$/);
    });
  });

  test(`the ${name} endpoint of the guide takes a signed event and refuses any other call`, async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const { api, control, companyId } = product();
    const { data: endpoint } = await api.webhooks.create({ body: { url, events: ['message.received'] } });
    const block = codeBlocks('docs/guides/07-webhooks.md', name)[0]?.replaceAll('8080', String(port));
    await withFile(language, block, async (file) => {
      let output = '';
      const env = { ...language.env, WEBHOOK_SECRET: endpoint.secret };
      const server = startProgram({ command, args: language.serve(file, port), env }, (text) => (output += text));
      try {
        await vi.waitFor(() => connected(port), { timeout: 20_000, interval: 50 });
        const unsigned = await fetch(url, { method: 'POST', body: '{}' });
        expect(unsigned.status).toBe(401);
        await control('POST', 'provider/inbound', { company_id: companyId, from: '4915123450001', type: 'text', text: 'To the endpoint' });
        await vi.waitFor(() => expect(output).toContain('To the endpoint'), { timeout: 60_000, interval: 100 });
      } finally {
        server.kill('SIGKILL');
        await api.webhooks.delete({ params: { id: endpoint.id } });
      }
    });
  });
};

/** The product for the tests of a file. */
export const startGuides = (): Promise<Product> => startProduct({ enforcesWindow: true });

async function withFile(
  { prelude, ending }: GuideLanguage,
  block: string | undefined,
  use: (file: string) => Promise<void>,
): Promise<void> {
  expect(block).toBeDefined();
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-guide-'));
  try {
    const file = join(folder, `block.${ending}`);
    writeFileSync(
      file,
      (block ?? '').replace(/^<\?php\n/, (opening) => `${opening}${prelude}`),
    );
    await use(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const connected = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
