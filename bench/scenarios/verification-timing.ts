import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { type Caller, startFixture, wrongFor } from '../../test/verification/fixture.ts';
import type { Scenario } from '../scenario.ts';

const pairs = Number(process.env['PAIRS'] ?? 10_000);
const requested = z.object({ request_id: z.string() });

export const scenario: Scenario = {
  name: 'verification-timing',
  description: `Whether time tells a wrong code from an unknown id: Welch's t over ${pairs.toLocaleString('en')} interleaved pairs of POST /verify`,
  deterministic: false,
  measure: async () => {
    await using fixture = await startFixture();
    const settings = {
      otp: { max_attempts: 10, expiry_seconds: 3_600 },
      guess_budget_per_day: 1_000,
      velocity: { max_identifiers: 1_000 },
    };
    const [wrong, unknown]: [number[], number[]] = [[], []];
    let caller = await fixture.newCaller(settings);
    let id = '';
    let code = '';
    let address = 0;
    const left = { attempts: 0, people: 0 };
    const fresh = async (): Promise<void> => {
      // a company of its own now and then, so that no list of tokens or people grows with the run
      if (left.people-- === 0) {
        caller = await fixture.newCaller(settings);
        left.people = 50;
      }
      const identifier = fixture.newPhone();
      const answer = await caller.post('/request', { identifier }, { ip: addressOf(Math.floor(++address / 40)) });
      id = requested.parse(answer.body).request_id;
      code = wrongFor(await fixture.codeFor(identifier));
      // nine of ten: the last one ends the request too, which its answer shows anyway
      left.attempts = 8;
    };
    const timed = async (of: Caller, request_id: string, into: number[] | undefined): Promise<void> => {
      const ip = addressOf(Math.floor(++address / 40));
      const began = process.hrtime.bigint();
      await of.post('/verify', { request_id, code }, { ip });
      into?.push(Number(process.hrtime.bigint() - began) / 1_000);
    };
    left.people = 50;
    for (let pair = -200; pair < pairs; pair++) {
      if (left.attempts-- === 0 || id === '') await fresh();
      const isMeasured = pair >= 0;
      const turns = [
        () => timed(caller, id, isMeasured ? wrong : undefined),
        () => timed(caller, randomUUID(), isMeasured ? unknown : undefined),
      ];
      // which comes first changes with each pair, so that neither always finds the other's warmth
      for (const turn of pair % 2 === 0 ? turns : turns.toReversed()) await turn();
    }
    const t = Math.abs(welch(trimmed(wrong), trimmed(unknown)));
    return [
      { name: 'median of a wrong code', unit: 'ms', value: median(wrong) / 1_000 },
      { name: 'median of an unknown id', unit: 'ms', value: median(unknown) / 1_000 },
      { name: "Welch's t, the slowest 1 % left out", unit: 'x', value: t },
      { name: "Welch's t, all of them", unit: 'x', value: Math.abs(welch(wrong, unknown)) },
    ];
  },
};

/** Another address after 40 calls: unknown ids are counted by address, 30 a minute. */
const addressOf = (nth: number): string => `198.18.${Math.floor(nth / 250) % 250}.${nth % 250}`;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const variance = (values: readonly number[]): number => {
  const centre = mean(values);
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
};
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const trimmed = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b).slice(0, Math.floor(values.length * 0.99));
const welch = (a: readonly number[], b: readonly number[]): number =>
  (mean(a) - mean(b)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length);
