import { afterAll, describe, expect, test } from 'vitest';
import { startFixture } from '../campaigns/fixture.ts';
import { seedsFrom } from '../support/random.ts';
import { firstSeed, runSize } from '../support/run-size.ts';
import { identityChangeRuns } from './identity-change-run.ts';

const count = runSize(2, 200);
const together = 20;
const fixture = await startFixture({ env: { SWITCHBOARD_LOCAL: '1' } });
afterAll(() => fixture.stop());

describe('users whose user id changes', () => {
  test(
    `in ${count} runs with the system message early, late, twice and never, are one contact with all consents, or two that join when something shows it, and none that stopped is written to`,
    async () => {
      const seeds = seedsFrom(firstSeed, count);
      for (let at = 0; at < seeds.length; at += together)
        expect(await identityChangeRuns(fixture, seeds.slice(at, at + together))).toEqual([]);
    },
    60_000 + count * 20_000,
  );
});
