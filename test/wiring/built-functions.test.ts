import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { complaint, readBaseline } from '../../bench/baseline.ts';
import { bundleFigures, scenario } from '../../bench/scenarios/bundles.ts';
import { app } from '../../functions/app.ts';
import { bundleFile } from '../../lib/bundle.ts';
import { ensureTemplate } from '../../lib/local/synth.ts';

const functions = app.flatMap((context) => context.functions);

test('each bundle is within its budget and no larger than the baseline', async () => {
  // those of the synthesized stack, which tests with a running product need as well: made once a checkout and change
  const outDir = join(import.meta.dirname, '../../cdk.out');
  await ensureTemplate(join(outDir, '..'), outDir, AbortSignal.timeout(170_000));
  const folderOf = (name: string): string => join(outDir, 'bundles', name);
  const sizes = Object.fromEntries(functions.map(({ name }) => [name, statSync(join(folderOf(name), bundleFile)).size]));
  const baseline = readBaseline();
  const over = bundleFigures(sizes).flatMap((figure) => {
    const why = complaint(scenario, figure, baseline);
    return why ? [`${figure.name}: ${figure.value} bytes, ${why}`] : [];
  });
  expect(over).toEqual([]);
});
