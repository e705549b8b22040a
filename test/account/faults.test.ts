import { afterAll, describe, expect, test, vi } from 'vitest';
import { mutationMs, mutationRows, targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { violationsWithout, removedCondition } from '../support/mutations.ts';
import { seedsFrom } from '../support/random.ts';
import { accountFaults } from './fault-run.ts';
import { accountWorld } from './setup.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

vi.mock('../../functions/account/store/user.ts', async (original) => {
  const real = await original<typeof import('../../functions/account/store/user.ts')>();
  const { exists } = await import('../../shared/table/condition.ts');
  return {
    ...real,
    updateUserPart: (...[user, change, condition]: Parameters<typeof real.updateUserPart>) =>
      real.updateUserPart(user, change, removedCondition.name === 'person' ? exists() : condition),
  };
});
vi.mock('../../functions/account/store/credential.ts', async (original) => {
  const real = await original<typeof import('../../functions/account/store/credential.ts')>();
  const { exists } = await import('../../shared/table/condition.ts');
  return {
    ...real,
    updatePointerPart: (...[pointer, change, condition]: Parameters<typeof real.updatePointerPart>) =>
      real.updatePointerPart(pointer, change, removedCondition.name === 'pointer' ? exists() : condition),
  };
});

const count = runSize(2, 12);
const world = await accountWorld({}, 4);
afterAll(() => world.stop());

describe('account operations under crashes', () => {
  test(
    `in ${count} runs what was acknowledged holds, what was revoked is dead, and nothing is half made`,
    async () => {
      expect(await accountFaults(world, seedsFrom(firstSeed, count))).toEqual([]);
      for (const round of targetedRounds()) expect(await accountFaults(world, seedsFrom(50_000 + round * 8, 8))).toEqual([]);
    },
    120_000 + count * 60_000 + targetedRoundsMs,
  );

  test.each(
    mutationRows<[what: string, removed: string, expected: RegExp]>([
      ['that a person is as they were read', 'person', /its person|who left/],
      ['that a credential is as it was read', 'pointer', /unlisted|revoked and works|listed as/],
    ]),
  )(
    'the runs notice when %s is not guarded',
    async (_, removed, expected) => {
      const first = 100_000 + removed.length * 1_000;
      const noticed = await violationsWithout(removed, expected, 30, (round) => accountFaults(world, seedsFrom(first + round * 5, 5), 1));
      expect(noticed).toMatch(expected);
    },
    mutationMs,
  );
});
