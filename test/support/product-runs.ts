/** Minutes of a running product that is killed and restarted, or waits for its clock: `npm run test:all -- kills`. */
export const killRuns = ['test/flows/*process-kill.test.ts', 'test/flows/clock.test.ts', 'test/flows/campaign-eta.test.ts'];

/** What operations use, against budgets and the baseline: `npm run test:all -- figures`, and with `npm run test:product`. */
export const figureRuns = ['test/bench/figures.test.ts'];

/**
 * Tests of the product as people and Lambda run it, built and in processes of its own: `npm run test:product`, at every landing beside what users do in a
 * browser, where cores are free (docs/decisions/landing-checks.md).
 */
export const productRuns = [
  'test/admin/closed-output.test.ts',
  'test/admin/commands.test.ts',
  'test/flows/example-company.test.ts',
  'test/flows/laptop.test.ts',
  'test/golden/data-folder.test.ts',
  'test/local/end-with-npm.test.ts',
  'test/local/runner.test.ts',
  'test/wiring/built-functions.test.ts',
  'test/wiring/cdk-app.test.ts',
  'test/wiring/lambda-runtime.test.ts',
];

/** The clients of other languages, which need PHP, a checker of Python's types and its jsonschema: `npm run test:all -- languages`. */
export const languageRuns = ['test/client/php-guides.test.ts', 'test/client/python-answers.test.ts', 'test/client/python-guides.test.ts'];

/** Tools of others that are fetched from the registry for them: `npm run test:all -- tools`. */
export const toolRuns = ['test/integrations/collections.test.ts', 'test/integrations/n8n.test.ts'];

/** Generators of clients, which are fetched for it, and the client as a package: `npm run test:all -- generators`. */
export const generatorRuns = ['test/integrations/generators.test.ts', 'test/integrations/client-package.test.ts'];

/** n8n itself, which has 2,300 packages and wants a database: `npm run test:all -- n8n`. */
export const n8nRuns = ['test/integrations/n8n-process.test.ts'];

/** What `npm test` leaves out. */
export const leftOutRuns = [...killRuns, ...productRuns, ...figureRuns, ...languageRuns, ...toolRuns, ...generatorRuns, ...n8nRuns];
