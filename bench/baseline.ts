import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Figure, Scenario } from './scenario.ts';

/** bench/baseline.json: the deterministic figures as they were when they were last updated (`npm run bench -- --update`). */
const file = join(import.meta.dirname, 'baseline.json');
const baseline = z.record(z.string(), z.record(z.string(), z.number()));
export type Baseline = z.output<typeof baseline>;

export const readBaseline = (): Baseline => (existsSync(file) ? baseline.parse(JSON.parse(readFileSync(file, 'utf8'))) : {});

export const writeBaseline = (given: Baseline): void => {
  const sorted = Object.fromEntries(Object.entries(given).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
};

/** Code grows a little with every feature; a jump is a mistake. */
const tolerance: Partial<Record<Figure['unit'], number>> = { bytes: 1.02 };

/** Why a figure is not as it should be; undefined when it is. */
export const complaint = (scenario: Scenario, figure: Figure, before: Baseline): string | undefined => {
  const { value, unit, atMost, atLeast, isGoal } = figure;
  if (!isGoal && atMost !== undefined && value > atMost) return `over its budget of ${atMost}`;
  if (!isGoal && atLeast !== undefined && value < atLeast) return `under its target of ${atLeast}`;
  if (!scenario.deterministic) return undefined;
  const last = before[scenario.name]?.[figure.name];
  if (last === undefined) return 'not in the baseline yet: npm run bench -- --update';
  const isGain = unit === 'per second';
  if (isGain ? value < last : value > last * (tolerance[unit] ?? 1)) return `worse than the baseline's ${last}`;
  return undefined;
};
