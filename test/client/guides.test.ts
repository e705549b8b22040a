import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const guides = join(root, 'docs/guides');

/** What a guide's TypeScript may take for granted after the first guide. */
const prelude = "import { switchboard } from 'switchboard-client';\nconst api = switchboard({ baseUrl: '', token: '' });\n";

const typescriptOf = (guide: string): string => {
  const blocks = [...readFileSync(join(guides, guide), 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(([, block = '']) => block);
  const source = blocks.join('\n');
  if (source === '') return '';
  return source.includes('const api =') ? source : `${prelude}${source}`;
};

it('every call of the guides compiles with the client, and the readme of the client too', async () => {
  const sources = new Map(readdirSync(guides).map((guide) => [guide, typescriptOf(guide)]));
  const readme = [...readFileSync(join(root, 'client/README.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs)]
    .map(([, block = '']) => block)
    .join('\n');
  sources.set('client-readme.md', readme);
  expect([...sources.values()].filter((source) => source.includes('api.')).length).toBeGreaterThan(6);
  mkdirSync(join(root, '.local'), { recursive: true });
  const folder = mkdtempSync(join(root, '.local/guides-'));
  try {
    for (const [guide, source] of sources)
      if (source !== '') writeFileSync(join(folder, guide.replace(/\.md$/, '.ts')), `${source}\nexport {};\n`);
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: true,
        noUnusedLocals: false,
        types: ['node'],
        paths: { 'switchboard-client': [join(root, 'client/client.ts')] },
      },
      include: ['*.ts'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
