import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { complaint, readBaseline } from '../../bench/baseline.ts';
import { bundleFigures, scenario } from '../../bench/scenarios/bundles.ts';
import { app } from '../../functions/app.ts';
import { ensureTemplate } from '../../lib/local/synth.ts';

const functions = app.flatMap((context) => context.functions);

test('each bundle has a handler, loads, and is within its budget and no larger than the baseline', async () => {
  // those of the synthesized stack, which tests with a running product need as well: made once a checkout and change
  const outDir = join(import.meta.dirname, '../../cdk.out');
  await ensureTemplate(join(outDir, '..'), outDir, AbortSignal.timeout(170_000));
  const folderOf = (name: string): string => join(outDir, 'bundles', name);
  const script = `
    let built = 0;
    const counting = { jitless: true, postProcessor: () => built++ };
    Object.defineProperty(globalThis, '__zod_globalConfig', { get: () => counting, set: () => {} });
    const schemas = {};
    for (const file of process.argv.slice(1)) {
      built = 0;
      const { handler } = await import(file);
      if (typeof handler !== 'function') throw new Error(file);
      schemas[file] = built;
    }
    process.stdout.write(JSON.stringify(schemas));`;
  const files = functions.map(({ name }) => join(folderOf(name), 'main.mjs'));
  const env = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y' };
  const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', script, ...files], { env, encoding: 'utf8' });
  const schemas = JSON.parse(loaded) as Record<string, number>;
  // built with their first use: a function that built all its schemas with its import started half as long again
  expect(Object.entries(schemas).filter(([, built]) => built > 30)).toEqual([]);
  const sizes = Object.fromEntries(functions.map(({ name }) => [name, statSync(join(folderOf(name), 'main.mjs')).size]));
  const baseline = readBaseline();
  const over = bundleFigures(sizes).flatMap((figure) => {
    const why = complaint(scenario, figure, baseline);
    return why ? [`${figure.name}: ${figure.value} bytes, ${why}`] : [];
  });
  expect(over).toEqual([]);
});
