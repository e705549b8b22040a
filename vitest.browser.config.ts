import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SumReporter } from './test/support/reporter.ts';

/** Files in the order in which they find the product that they share: the first newcomer's inbox is empty, and webhooks that fail come after what waits until nothing is left. */
const order = ['walks/inbox.ts', 'walks/calls.ts', 'walks/passkeys.ts', 'walks/broken-api.ts', 'walks/account.ts'];

/** Hundreds of random ways, which take an hour: `npm run test:all -- console`. */
const atFullSize = ['test/browser/walks/who-is-signed-in.ts'];

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = order.findIndex((file) => moduleId.endsWith(file));
      return place < 0 ? order.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

/**
 * The pages that a person sees, in a real browser: `npm run test:browser`, which needs Debian's or another Chromium. `walks` do what users do, in times that are
 * measured, and mostly wait; `screens` look at every page.
 */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.ts'],
    exclude: [...configDefaults.exclude, ...(process.env['RUN_SIZE'] === 'full' ? [] : atFullSize)],
    environment: 'node',
    setupFiles: ['test/support/page-on-failure.ts'],
    globalSetup: ['test/support/browser-setup.ts'],
    // one product, and times that are measured: one file at a time
    fileParallelism: false,
    sequence: { sequencer: InOrder },
    // the pages of a file that only looks at screens
    maxConcurrency: process.env['RUN_SIZE'] === 'full' ? 3 : 2,
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', new SumReporter()],
    passWithNoTests: false,
  },
});
