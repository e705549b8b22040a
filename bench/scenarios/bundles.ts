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
  Object.entries(sizes).map(([name, value]) => ({ name, unit: 'bytes', value, atMost: sizeBudget, isGoal: overBudget.has(name) }));

/**
 * Over the budget, and held by the baseline: a library that reads the certificates of all kinds of devices, 230 KB of it (docs/decisions/starts.md), and the
 * ceilings in the way of each send, 25 KB (docs/decisions/spend-ceilings.md), with the price in its answer, 3 KB (docs/decisions/spend.md).
 */
const overBudget = new Set(['sessions-passkeys', 'campaigns-send', 'messaging-http', 'messaging-template-sends']);
