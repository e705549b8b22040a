import { describe, expect, test } from 'vitest';
import { complaint, readBaseline } from '../../bench/baseline.ts';
import { readResults } from '../../bench/results.ts';
import { loadScenarios } from '../../bench/scenarios.ts';

/** Costs are part of the contract: the deterministic figures of `npm run bench` may not get worse unnoticed. */
// the sizes of bundles: test/wiring/built-functions.test.ts, which makes them
const scenarios = (await loadScenarios()).filter(({ name }) => name !== 'bundles');
const baseline = readBaseline();
const results = readResults();

describe('the deterministic figures', () => {
  test.each(scenarios.filter(({ deterministic }) => deterministic).map((scenario) => [scenario.name, scenario] as const))(
    'of %s are within their budgets and no worse than the baseline',
    async (_name, scenario) => {
      const figures = await scenario.measure();
      expect(figures.length).toBeGreaterThan(0);
      const complaints = figures.flatMap((figure) => {
        const why = complaint(scenario, figure, baseline);
        return why ? [`${figure.name} is ${figure.value} ${figure.unit}: ${why}`] : [];
      });
      expect(complaints).toEqual([]);
      // docs/performance.md shows targets as they were when the scenario was last kept: npm run bench -- NAME --pages
      const stored = new Map(results[scenario.name]?.figures.map((figure) => [figure.name, figure]));
      const changed = figures.filter((figure) => {
        const before = stored.get(figure.name);
        return before && !(isNear(before.atMost, figure.atMost) && isNear(before.atLeast, figure.atLeast));
      });
      expect(changed.map(({ name }) => name)).toEqual([]);
    },
    180_000,
  );
});

/** A target that is itself measured, such as the size of a row with all its places taken, varies by some bytes. */
const isNear = (a: number | undefined, b: number | undefined): boolean => a === b || Math.abs((a ?? 0) - (b ?? 0)) < 0.01 * (a ?? 0);
