import { defineConfig } from 'vitest/config';
import { SumReporter } from './test/support/reporter.ts';

/** The pages that a person sees, in a real browser: `npm run test:browser`, which needs Debian's or another Chromium. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.ts'],
    environment: 'node',
    globalSetup: ['test/support/build-console.ts'],
    // a page with a whole product behind it: one at a time
    fileParallelism: false,
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', new SumReporter()],
    passWithNoTests: false,
  },
});
