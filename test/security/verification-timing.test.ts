import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, field, type Fixture, startFixture, wrongFor } from '../verification/fixture.ts';
import { runSize } from '../support/run-size.ts';

/**
 * Response times reveal neither which identifiers nor which request ids are known: Welch's t of interleaved pairs. `npm test` makes a few and
 * compares their calls only, because its machine is busy; `npm run test:all -- security-sizes` makes 10,000 and holds t below 4.5.
 */
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const pairs = runSize(8, 10_000);
const isTimed = pairs >= 1_000;
const limit = 4.5;

const settings = {
  otp: { max_attempts: 10, max_sends: 20 },
  guess_budget_per_day: 1_000,
  bombing: { max_requests: 100 },
  velocity: { max_identifiers: 1_000 },
};
let addresses = 0;
/** Calls are counted by address, 30 a minute. */
const newAddress = (): string =>
  `198.${18 + (Math.floor(addresses / 62_500) % 2)}.${Math.floor(addresses / 250) % 250}.${addresses++ % 250}`;

/** Microseconds; of a few pairs, the calls to the table instead. */
const timed = async (call: () => Promise<unknown>, into: number[] | undefined): Promise<void> => {
  if (!isTimed) {
    const { calls } = await fixture.testApp.meter(call);
    into?.push(calls);
    return;
  }
  const began = process.hrtime.bigint();
  await call();
  into?.push(Number(process.hrtime.bigint() - began) / 1_000);
};
/** Which comes first changes with each pair, so that neither always finds what the other left warm. */
const interleaved = async (nth: number, first: () => Promise<void>, second: () => Promise<void>): Promise<void> => {
  for (const turn of nth % 2 === 0 ? [first, second] : [second, first]) await turn();
};

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const variance = (values: readonly number[]): number => {
  const centre = mean(values);
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
};
/** The slowest 1 % are pauses of the machine. */
const trimmed = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b).slice(0, Math.ceil(values.length * 0.99));
const welch = (a: readonly number[], b: readonly number[]): number =>
  Math.abs(mean(a) - mean(b)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length);

const median = (values: readonly number[]): number | undefined => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const expectAlike = (known: readonly number[], unknown: readonly number[]): void => {
  if (isTimed) expect(welch(trimmed(known), trimmed(unknown))).toBeLessThan(limit);
  // a call now and then reads again what the function keeps for a minute, on either way
  else expect(median(known)).toBe(median(unknown));
};

test('a request for a known and for an unknown identifier takes the same time', async () => {
  const [known, unknown]: [number[], number[]] = [[], []];
  let caller: Caller = await fixture.newCaller(settings);
  for (let nth = -Math.min(200, pairs); nth < pairs; nth++) {
    // a company of its own now and then, so that no list grows with the run
    if (nth % 400 === 0) {
      caller = await fixture.newCaller(settings);
      await caller.post('/request', { identifier: fixture.newPhone() }, { ip: newAddress() });
    }
    const familiar = fixture.newPhone();
    const first = await caller.post('/request', { identifier: familiar, purpose: 'signup' }, { ip: newAddress() });
    expect(first.status).toBe(200);
    const requestFor = (identifier: string, into: number[]) => () =>
      timed(() => caller.post('/request', { identifier, purpose: 'login' }, { ip: newAddress() }), nth < 0 ? undefined : into);
    await interleaved(nth, requestFor(familiar, known), requestFor(fixture.newPhone(), unknown));
    if (nth % 50 === 0) await fixture.testApp.drain();
  }
  expect(known).toHaveLength(pairs);
  expectAlike(known, unknown);
}, 3_600_000);

test('a wrong code and an unknown request id take the same time', async () => {
  const [wrong, unknown]: [number[], number[]] = [[], []];
  let caller: Caller = await fixture.newCaller(settings);
  let id = '';
  let code = '';
  for (let nth = -Math.min(200, pairs); nth < pairs; nth++) {
    // nine of ten attempts: the last one fails the request too, which its answer says anyway
    if (id === '' || nth % 9 === 0) {
      if (nth % 450 === 0) caller = await fixture.newCaller(settings);
      const identifier = fixture.newPhone();
      id = String(field(await caller.post('/request', { identifier }, { ip: newAddress() }), 'request_id'));
      code = wrongFor(await fixture.codeFor(identifier));
    }
    const verify = (request_id: string, into: number[]) => () =>
      timed(() => caller.post('/verify', { request_id, code }, { ip: newAddress() }), nth < 0 ? undefined : into);
    await interleaved(nth, verify(id, wrong), verify(randomUUID(), unknown));
  }
  expect(wrong).toHaveLength(pairs);
  expectAlike(wrong, unknown);
}, 3_600_000);
