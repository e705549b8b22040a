import { afterAll, describe, expect, test } from 'vitest';
import { targetedRounds, targetedRoundsMs } from '../support/crash-points.ts';
import { seedsFrom } from '../support/random.ts';
import { firstSeed, runSize } from '../support/run-size.ts';
import { startFixture } from './fixture.ts';
import { identityFaultRuns } from './identity-fault-run.ts';

const count = runSize(2, 24);
const fixture = await startFixture({ shards: 4, env: { SWITCHBOARD_LOCAL: '1' } });
afterAll(() => fixture.stop());

const companies = await Promise.all(Array.from({ length: 4 }, () => fixture.company()));

describe('with crashes, repetitions and late deliveries', () => {
  test(
    `in ${count} runs of numbers that move, user ids that change and contacts that are merged, no message is lost or doubled and no twin is left`,
    async () => {
      expect(await identityFaultRuns(fixture, companies, seedsFrom(firstSeed, count))).toEqual([]);
      for (const round of targetedRounds())
        expect(await identityFaultRuns(fixture, [await fixture.company()], seedsFrom(50_000 + round * 4, 4))).toEqual([]);
    },
    120_000 + count * 60_000 + targetedRoundsMs,
  );
});
