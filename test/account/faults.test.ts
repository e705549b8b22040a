import { afterAll, describe, expect, test } from 'vitest';
import { targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { type Condition, holdsBy } from '../support/mutation.ts';
import { seedsFrom } from '../support/random.ts';
import { accountFaults } from './fault-run.ts';
import { startAccountApp } from './setup.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

const count = runSize(2, 12);
const testApp = await startAccountApp({}, 4);
afterAll(() => testApp.stop());

describe('account operations under crashes', () => {
  test(
    `in ${count} runs what was acknowledged holds, what was revoked is dead, and nothing is half made`,
    async () => {
      expect(await accountFaults(testApp, seedsFrom(firstSeed, count))).toEqual([]);
      for (const round of targetedRounds()) expect(await accountFaults(testApp, seedsFrom(50_000 + round * 8, 8))).toEqual([]);
    },
    120_000 + count * 60_000 + targetedRoundsMs,
  );

  const holds = (name: string, condition: Condition, expected: RegExp, seed: number): void =>
    holdsBy(name, condition, expected, 30, (round) => accountFaults(testApp, seedsFrom(seed + round * 5, 5), 1));

  holds(
    'that a person is as they were read',
    {
      in: 'functions/account/store/user.ts',
      replace: 'userEntity.changing({ companyId: user.companyId, id: user.id }, change, condition)',
      by: 'userEntity.changing({ companyId: user.companyId, id: user.id }, change)',
    },
    /its person|who left/,
    106_000,
  );
  holds(
    'that a credential is as it was read',
    {
      in: 'functions/account/store/credential.ts',
      replace: 'id: pointer.id }, change, condition);',
      by: 'id: pointer.id }, change, exists());',
    },
    /unlisted|revoked and works|listed as/,
    107_000,
  );
});
