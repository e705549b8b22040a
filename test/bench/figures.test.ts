import { describe, expect, test } from 'vitest';
import { complaint, readBaseline } from '../../bench/baseline.ts';
import { readResults } from '../../bench/results.ts';
import { target } from '../../bench/scenario.ts';
import { loadScenarios } from '../../bench/scenarios.ts';

/** Costs are part of the contract: the deterministic figures of `npm run bench` may not get worse unnoticed. */
// the sizes of bundles: test/wiring/bundles.test.ts, which makes them
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
      const targets = new Map(results[scenario.name]?.figures.map((figure) => [figure.name, target(figure)]));
      expect(
        figures.filter((figure) => targets.has(figure.name) && targets.get(figure.name) !== target(figure)).map(({ name }) => name),
      ).toEqual([]);
    },
    180_000,
  );
});
