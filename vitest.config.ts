import { defineConfig } from 'vitest/config';
import { SumReporter } from './test/support/reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    reporters: ['default', new SumReporter()],
    passWithNoTests: false,
  },
});
