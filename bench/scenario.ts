import { clearProcessMemory } from '../shared/runtime/memory.ts';
import { roles } from '../shared/contract/route.ts';
import { newCompany, type TestCompany } from '../test/support/company.ts';
import { type ProviderStub, startProviderStub } from '../test/support/provider-stub.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../test/support/test-app.ts';

export const units = ['WRU', 'RRU', 'calls', 'rounds', 'bytes', 'ms', 'x', 'per second', 'requests', 'MB', 'dollars'] as const;

/** One measured number. */
export interface Figure {
  name: string;
  unit: (typeof units)[number];
  value: number;
  /** The most (or least) that the issues allow. */
  atMost?: number | undefined;
  atLeast?: number | undefined;
  /** The target is aimed at and known to be missed: the page says so at its top, and no run complains of it. */
  isGoal?: boolean | undefined;
}

/** `<= 12`, or nothing. */
export const target = ({ atMost, atLeast }: Figure): string =>
  atMost !== undefined ? `<= ${shown(atMost)}` : atLeast !== undefined ? `>= ${shown(atLeast)}` : '';

export const isMissed = ({ value, atMost, atLeast }: Figure): boolean =>
  (atMost !== undefined && value > atMost) || (atLeast !== undefined && value < atLeast);

export const shown = (value: number): string =>
  Number.isInteger(value) ? value.toLocaleString('en') : String(Math.round(value * 100) / 100);

/**
 * Something that is measured: a file in bench/scenarios that exports `scenario`. A deterministic one gives the same figures on every
 * machine: it is held against bench/baseline.json, in `npm run bench` and in the tests.
 */
export interface Scenario {
  name: string;
  /** What is measured, in a sentence. */
  description: string;
  deterministic: boolean;
  measure: () => Promise<Figure[]>;
}

export interface BenchFixture {
  testApp: TestApp;
  company: TestCompany;
  stub: ProviderStub;
  token: string;
}

/** A test app with one company, cleared away afterwards. No hour ends in its first quarter: what is written once an hour would be counted once more. */
export const withFixture = async <T>(work: (fixture: BenchFixture) => Promise<T>, options: TestAppOptions = {}): Promise<T> => {
  // what a process remembers is of the table before
  clearProcessMemory();
  await using stub = await startProviderStub();
  await using testApp = await startTestApp({ ...options, env: { PROVIDER_BASE_URL: stub.url, ...options.env } });
  if (new Date(testApp.clock.now()).getUTCMinutes() >= 45) testApp.clock.advance(15 * 60_000);
  const company = await newCompany({ roles });
  return await work({ testApp: testApp, company, stub, token: company.tokens.owner });
};

/** The answer of a call that must have worked: a bench of refusals would be a fast one. */
export const expectOk = async <A extends { status: number; raw: string }>(answer: Promise<A>): Promise<A> => {
  const given = await answer;
  if (given.status >= 300) throw new Error(`The measured call was answered ${given.status} ${given.raw}`);
  return given;
};
