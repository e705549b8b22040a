import { defineConfig } from 'vitest/config';
import { SumReporter } from './test/support/reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    // measured on two cores: vitest alone would leave one of them idle
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 40_000,
    hookTimeout: 60_000,
    reporters: ['default', new SumReporter()],
    passWithNoTests: false,
  },
});
