import { configDefaults, defineConfig } from 'vitest/config';
import { figureRuns, productRuns } from './test/support/product-runs.ts';
import tests from './vitest.config.ts';

/**
 * The product as people and Lambda run it, built and in processes of its own, and what operations use: `npm run test:product`. Two files at a time, because nearly
 * each has such a process beside it.
 */
export default defineConfig({
  ...tests,
  test: { ...tests.test, include: [...productRuns, ...figureRuns], exclude: configDefaults.exclude, maxWorkers: 2 },
});
