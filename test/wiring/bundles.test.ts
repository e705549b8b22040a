import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildApp } from '../../lib/aws/synth.ts';
import { bundle, bundleFile } from '../../lib/bundle.ts';
import { fixture } from './fixture/contexts.ts';

const temporary = (): string => mkdtempSync(join(tmpdir(), 'switchboard-bundles-'));

describe('bundles', () => {
  test('the same sources give the same assembly, wherever it is written', async () => {
    const [one, two] = [temporary(), join(temporary(), 'deeper', 'down')];
    for (const outDir of [one, two]) (await buildApp(fixture, { outDir, validate: false })).synth();
    const files = readdirSync(one, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(json|cjs|map)$/.test(name));
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) expect(readFileSync(join(two, file), 'utf8') === readFileSync(join(one, file), 'utf8'), file).toBe(true);
  });

  test('no bundle tells where it was made', async () => {
    const outDir = temporary();
    const { folderOf } = await bundle(fixture, outDir);
    const files = fixture
      .flatMap((context) => context.functions)
      .flatMap(({ name }) => [bundleFile, `${bundleFile}.map`].map((file) => join(folderOf(name), file)));
    for (const file of files) expect(readFileSync(file, 'utf8').includes(process.cwd()), file).toBe(false);
  });
});
