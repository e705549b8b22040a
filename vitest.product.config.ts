import { configDefaults, defineConfig } from 'vitest/config';
import { productRuns } from './test/support/product-runs.ts';
import tests from './vitest.config.ts';

/**
 * The product as people and Lambda run it, built and in processes of its own: `npm run test:product`. Two files at a time, because each has such a process beside
 * it.
 */
export default defineConfig({ ...tests, test: { ...tests.test, include: productRuns, exclude: configDefaults.exclude, maxWorkers: 2 } });
