import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Product } from '../support/product.ts';
import { codeBlocks, runProgram } from '../support/programs.ts';
import { guidesIn, startGuides } from './language-guides.ts';

const root = join(import.meta.dirname, '../..');
const source = join(root, 'clients/python/src');

let product: Product;
beforeAll(async () => {
  product = await startGuides();
});
afterAll(() => product.stop());

guidesIn(
  {
    name: 'python',
    command: 'python3',
    ending: 'py',
    env: { PYTHONPATH: source, PYTHONUNBUFFERED: '1' },
    prelude: '',
    serve: (file) => [file],
    walk: 'clients/python/tests/walk_guides.py',
  },
  () => product,
);

test('the types of the Python client hold for the walk and for every block of the guides and its README', async () => {
  const pages = [...readdirSync(join(root, 'docs/guides')).map((name) => `docs/guides/${name}`), 'clients/python/README.md'];
  const blocks = pages.flatMap((page) => codeBlocks(page, 'python').map((block) => [page, block] as const));
  expect(blocks.length).toBeGreaterThan(4);
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-types-'));
  try {
    const files = blocks.map(([page, block], nth) => {
      const file = join(folder, `block_${nth}.py`);
      writeFileSync(file, `# ${page}\n${block}`);
      return file;
    });
    const options = ['--strict', '--allow-untyped-defs', '--python-version', '3.9', '--cache-dir', folder];
    const args = [...options, 'clients/python/tests/walk_guides.py', ...files];
    expect(await runProgram({ command: 'mypy', args, env: { MYPYPATH: source } })).toMatch(/^Success/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
