import { bundleSizes, sizeBudget } from '../../lib/bundle.ts';
import { app } from '../../functions/app.ts';
import type { Figure, Scenario } from '../scenario.ts';

export const scenario: Scenario = {
  name: 'bundles',
  description: 'What each function loads, minified, SDK included',
  deterministic: true,
  measure: async () => bundleFigures(await bundleSizes(app)),
};

/** By the size of each function. */
export const bundleFigures = (sizes: Readonly<Record<string, number>>): Figure[] => {
  const specs = new Map(app.flatMap((context) => context.functions).map((spec) => [spec.name, spec]));
  return Object.entries(sizes).map(([name, value]) => {
    const spec = specs.get(name);
    return { name, unit: 'bytes', value, ...(spec ? { atMost: sizeBudget(spec) } : {}) };
  });
};
