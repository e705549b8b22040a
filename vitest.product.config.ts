import { configDefaults, defineConfig, mergeConfig } from 'vitest/config';
import { productRuns } from './test/support/product-runs.ts';
import tests from './vitest.config.ts';

/** The product as people run it, in processes of its own: `npm run test:product`. */
const { include: _, exclude: __, ...test } = tests.test ?? {};
export default mergeConfig(
  { ...tests, test },
  defineConfig({ test: { include: productRuns, exclude: [...configDefaults.exclude], maxWorkers: 2 } }),
);
