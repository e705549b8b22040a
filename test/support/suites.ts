import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { figureRuns, generatorRuns, languageRuns, n8nRuns, productRuns, toolRuns } from './product-runs.ts';

const root = join(import.meta.dirname, '../..');

/** Test files that `npm run test:all` runs in a process of their own, under one name. */
export interface Suite {
  name: string;
  /** What its run shows, for `--help`. */
  shows: string;
  files: readonly string[];
  /** The configuration of vitest, where it is not that of `npm test`. */
  config?: string;
  /** Whether it crashes processes at points: counted in the sums below. */
  injectsFaults: boolean;
  /** Whether it measures how long calls take: nothing else runs beside it. */
  runsAlone?: boolean;
  /** Whether it runs only when it is named: it needs more than this repository and `npm ci`. */
  isByNameOnly?: boolean;
  /** Whether its tests name what they must notice the absence of, and are run once more without each of it. */
  isMutated?: boolean;
  env: Readonly<Record<string, string>>;
}

/** Files that take their full size with RUN_SIZE=full (test/support/run-size.ts). */
const full = { RUN_SIZE: 'full' };

const faultSuites = readdirSync(join(root, 'test')).filter(
  (name) => existsSync(join(root, 'test', name, 'faults.test.ts')) && name !== 'local',
);
const testFiles = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`)
  .toSorted();

/** All of them, with the seeds of each fault suite. */
export const suitesOf = (seeds: string): readonly Suite[] => [
  ...faultSuites.map((name) => ({
    name,
    shows:
      name === 'contract'
        ? 'every route, crashed at each of its steps'
        : 'fault run, crashes at every point; and that it notices when a condition is taken out',
    files: [`test/${name}/faults.test.ts`],
    injectsFaults: true,
    isMutated: name !== 'contract',
    env: { SEEDS: seeds },
  })),
  {
    name: 'shards',
    shows: '200 fault seeds at four shards that others follow, with late indexes and stale reads; every projection recounted after each',
    files: faultSuites.filter((name) => name !== 'contract').map((name) => `test/${name}/faults.test.ts`),
    injectsFaults: false,
    env: { SEEDS: String(Math.ceil(200 / (faultSuites.length - 1))) },
  },
  {
    name: 'fuzz',
    shows:
      '100 random bodies and queries for each route; 45 bodies for each that the document allows, and why they are refused; random operations against plain models',
    files: [
      'test/contract/input.test.ts',
      'test/campaigns/phone-preview.test.ts',
      'test/contract/refusals.test.ts',
      'test/campaigns/render-template.test.ts',
      'test/crm/model.test.ts',
      'test/crm/lists.test.ts',
      'test/shop/store-platform.test.ts',
      'test/verification/attempts.test.ts',
    ],
    injectsFaults: false,
    env: full,
  },
  {
    name: 'routes',
    shows: 'what the HTTP stack does, at every route and for every role; the effect of every field of every input',
    files: [
      'test/contract/access.test.ts',
      'test/contract/answers.test.ts',
      'test/contract/by-accident.test.ts',
      'test/contract/fields.test.ts',
      'test/security/roles.test.ts',
    ],
    injectsFaults: false,
    env: full,
  },
  {
    name: 'sizes',
    shows:
      'rates, imports and media at full size; a restriction amid a campaign of 5,000; 1,000 conversations with two numbers; 2,000 items due in a minute; 1,000 updates in a post; 70 ways to write a phone; 200 orders in which identities come late; 200 seeds of one app for two companies and 200 of user ids that change; a table restored to before 1,000 sends; 10,000 orders of statuses, and twice 50 audiences against the bill of the provider; 1,000 codes of a reserve; 1,000 contacts erased',
    files: [
      'test/campaigns/control.test.ts',
      'test/campaigns/opt-out.test.ts',
      'test/campaigns/rate.test.ts',
      'test/campaigns/restrictions.test.ts',
      'test/campaigns/results.test.ts',
      'test/ceilings/direct.test.ts',
      'test/change-stream/projections.test.ts',
      'test/change-stream/restore.test.ts',
      'test/contacts/import.test.ts',
      'test/contacts/jobs.test.ts',
      'test/contacts/phone-input.test.ts',
      'test/contacts/search.test.ts',
      'test/due-work/due-work.test.ts',
      'test/messaging/identity-changes.test.ts',
      'test/messaging/identity-faults.test.ts',
      'test/messaging/late-identities.test.ts',
      'test/media/media.test.ts',
      'test/messaging/numbers.test.ts',
      'test/messaging/outbound-templates.test.ts',
      'test/messaging/pace.test.ts',
      'test/messaging/receiving.test.ts',
      'test/messaging/shared-app-fields.test.ts',
      'test/spend/bill.test.ts',
      'test/spend/campaign-cost.test.ts',
      'test/spend/cells.test.ts',
      'test/templates/webhook-updates.test.ts',
    ],
    injectsFaults: false,
    env: full,
  },
  {
    name: 'versions',
    shows:
      'an old and a new version of the product beside each other, 100 seeds each way: nothing is lost or done twice; and that it notices when a condition is taken out',
    files: ['test/change-stream/two-versions.test.ts'],
    injectsFaults: false,
    isMutated: true,
    env: full,
  },
  {
    name: 'slow-companies',
    shows:
      'a company whose rows take no writes, 200 seeds at four shards: its neighbours do not wait, and it is caught up with exactly; and that it notices when a condition is taken out',
    files: ['test/change-stream/slow-companies.test.ts'],
    injectsFaults: false,
    isMutated: true,
    env: full,
  },
  {
    name: 'kills',
    shows:
      'the running product is killed (SIGKILL) amid sends, a campaign of 5,000 and an import, and started again; its clock goes on and back; a campaign ends when it says',
    files: [
      'test/flows/process-kill.test.ts',
      'test/flows/campaign-process-kill.test.ts',
      'test/flows/clock.test.ts',
      'test/flows/campaign-eta.test.ts',
      'test/flows/contact-job-process-kill.test.ts',
      ...productRuns,
    ],
    injectsFaults: false,
    runsAlone: true,
    env: full,
  },
  {
    name: 'mends',
    shows: 'schedules made by hand that seeds meet too rarely, and that each test fails when the defect of before is put back',
    files: testFiles.filter((path) => /\bmendedBy\(/.test(readFileSync(join(root, path), 'utf8'))),
    injectsFaults: false,
    isMutated: true,
    env: {},
  },
  {
    name: 'security',
    shows: 'every attack of docs/security.md, and that each test fails when its mend is taken out',
    files: securityFiles(),
    injectsFaults: false,
    isMutated: true,
    env: {},
  },
  {
    name: 'security-sizes',
    shows:
      '1,000 interleavings of two callers, 200,000 records that are not public, every list of 12 MB, a suspension amid 20,000 recipients, 10,000 timed pairs, erasures, a day of strangers with 500 addresses',
    files: [
      'test/security/availability.test.ts',
      'test/security/public-catalog.test.ts',
      'test/security/erasure.test.ts',
      'test/security/list-costs.test.ts',
      'test/security/suspension.test.ts',
      'test/security/verification-sharing.test.ts',
      'test/security/verification-timing.test.ts',
    ],
    injectsFaults: false,
    env: full,
  },
  {
    name: 'console',
    shows:
      'every control of every screen of the console, in each state of the API behind it, in Chromium; 200 orders in which two companies and two users of each sign in and out; each step of an answer while the API breaks in each way; the days of five users, with a pointer and by keys alone; axe of the whole reference',
    files: [
      ...['everything', 'who-is-signed-in', 'broken-api', 'days'].map((name) => `test/browser/walks/${name}.ts`),
      'test/browser/screens/reference.ts',
    ],
    config: 'vitest.browser.config.ts',
    injectsFaults: false,
    runsAlone: true,
    env: full,
  },
  {
    name: 'languages',
    shows:
      "the Python and PHP clients walk all eleven guides on the product, and the guides' own code in these languages does what it says; Python's jsonschema reads 5,000 answers of all operations by openapi.json",
    files: languageRuns,
    injectsFaults: false,
    env: full,
  },
  {
    name: 'tools',
    shows:
      'the collections for Postman and Bruno run whole in the tools of their makers; the n8n nodes compiled, passed by n8n’s lint, loaded by its loader, and run. Fetches these tools from the registry (1.3 GB)',
    files: toolRuns,
    injectsFaults: false,
    isByNameOnly: true,
    env: full,
  },
  {
    name: 'generators',
    shows:
      'what generators of clients make of openapi.json (hey-api, openapi-typescript, orval 7 and 8, swagger-typescript-api) compiles under strict and passes the calls of a first day; the client as a package by attw and publint. Fetches these tools from the registry (0.5 GB)',
    files: generatorRuns,
    injectsFaults: false,
    isByNameOnly: true,
    env: full,
  },
  {
    name: 'n8n',
    shows: 'a workflow of n8n itself that replies to a received message. Fetches n8n from the registry (2.8 GB), and needs PostgreSQL',
    files: n8nRuns,
    injectsFaults: false,
    isByNameOnly: true,
    env: full,
  },
  {
    name: 'figures',
    shows: 'request units and calls of every deterministic bench scenario against budget and baseline',
    files: figureRuns,
    injectsFaults: false,
    env: full,
  },
];

/** The tests of test/security, and attacks that are tested beside the context they are aimed at. */
function securityFiles(): string[] {
  const isAttack = (path: string): boolean => /from '[./]+\/support\/attack\.ts'/.test(readFileSync(join(root, path), 'utf8'));
  return testFiles.filter((path) => path.startsWith('test/security/') || isAttack(path));
}
