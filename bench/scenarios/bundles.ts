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
export const bundleFigures = (sizes: Readonly<Record<string, number>>): Figure[] =>
  Object.entries(sizes).map(([name, value]) => ({ name, unit: 'bytes', value, atMost: sizeBudget, isGoal: name === withWebAuthn }));

/** Its library reads the certificates of all kinds of devices, 230 KB of it (docs/decisions/starts.md): over the budget, and held by the baseline. */
const withWebAuthn = 'sessions-passkeys';
