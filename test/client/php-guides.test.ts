import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Product } from '../support/product.ts';
import { codeBlocks, runProgram } from '../support/programs.ts';
import { guidesIn, startGuides } from './language-guides.ts';

const root = join(import.meta.dirname, '../..');
const autoload = join(root, 'clients/php/autoload.php');

let product: Product;
beforeAll(async () => {
  const extensions = await runProgram({ command: 'php', args: ['-m'] });
  if (!/^curl$/m.test(extensions)) throw new Error("PHP has no extension curl here: install Debian's php-curl, or the like.");
  product = await startGuides();
});
afterAll(() => product.stop());

test('the PHP client repeats, walks lists and verifies webhooks as its README says', async () => {
  const output = await runProgram({ command: 'php', args: ['clients/php/tests/unit.php'] });
  expect(output.trim().split('\n').length).toBeGreaterThan(9);
});

test("every shape of the PHP client is one for PHPStan's parser, and names only what is declared", async () => {
  expect(await runProgram({ command: 'php', args: ['clients/php/tests/shapes.php'] })).toMatch(/^\d{3,} tags\n$/);
});

guidesIn(
  {
    name: 'php',
    command: 'php',
    ending: 'php',
    env: {},
    prelude: `require '${autoload}';\n`,
    serve: (file, port) => ['-S', `127.0.0.1:${port}`, file],
    walk: 'clients/php/tests/walk_guides.php',
  },
  () => product,
);

test('every block of PHP in the guides and in the README of its client is PHP', async () => {
  const pages = [...readdirSync(join(root, 'docs/guides')).map((name) => `docs/guides/${name}`), 'clients/php/README.md'];
  const blocks = pages.flatMap((page) => codeBlocks(page, 'php'));
  expect(blocks.length).toBeGreaterThan(4);
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-php-'));
  try {
    for (const [nth, block] of blocks.entries()) {
      const file = join(folder, `${nth}.php`);
      writeFileSync(file, block.startsWith('<?php') ? block : `<?php\n${block}`);
      expect(await runProgram({ command: 'php', args: ['-l', file] })).toContain('No syntax errors');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
