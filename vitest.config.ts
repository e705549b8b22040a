import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { compileCache } from './test/support/compile-cache.ts';
import { leftOutRuns } from './test/support/product-runs.ts';
import { SumReporter } from './test/support/reporter.ts';
import { LongestFirst } from './test/support/sequencer.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(process.env['RUN_SIZE'] === 'full' ? [] : leftOutRuns)],
    environment: 'node',
    pool: 'forks',
    isolate: false,
    setupFiles: ['test/support/fresh-file.ts', 'test/support/property-seed.ts'],
    // known before a client is made: calls to an emulator on a busy machine may take ten times as long (shared/runtime/aws-client.ts)
    env: { AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:9', ...compileCache },
    // one more than cores: a test waits a third of its time; each further one compiles the product once more, and four took longer than three
    maxWorkers: Math.max(2, availableParallelism()) + 1,
    // most of what a test makes is forgotten at once: room for it from the start, or a tenth of the time goes into looking through it
    execArgv: ['--max-semi-space-size=64', '--min-semi-space-size=64'],
    sequence: { sequencer: LongestFirst },
    // far beyond what any test takes: they end what hangs, and say nothing about speed, which the load of the machine decides
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 90_000 } },
    reporters: ['default', new SumReporter()],
    passWithNoTests: false,
    // what a fault run finds is a list of sentences: a report names them, and not how many they are
    chaiConfig: { truncateThreshold: 4_000 },
    fsModuleCache: true,
  },
});
