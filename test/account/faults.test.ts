import { afterAll, describe, expect, test, vi } from 'vitest';
import { guardRows, visitMs, visits } from '../support/fault-points.ts';
import { noticedWithout, removed } from '../support/guards.ts';
import { seedsFrom } from '../support/random.ts';
import { accountFaults } from './fault-run.ts';
import { accountWorld } from './setup.ts';

vi.mock('../../functions/account/store/user.ts', async (original) => {
  const real = await original<typeof import('../../functions/account/store/user.ts')>();
  const { exists } = await import('../../shared/table/condition.ts');
  return {
    ...real,
    changingUser: (...[user, change, condition]: Parameters<typeof real.changingUser>) =>
      real.changingUser(user, change, removed.guard === 'person' ? exists() : condition),
  };
});
vi.mock('../../functions/account/store/credential.ts', async (original) => {
  const real = await original<typeof import('../../functions/account/store/credential.ts')>();
  const { exists } = await import('../../shared/table/condition.ts');
  return {
    ...real,
    changingPointer: (...[pointer, change, condition]: Parameters<typeof real.changingPointer>) =>
      real.changingPointer(pointer, change, removed.guard === 'pointer' ? exists() : condition),
  };
});

const count = Number(process.env['SEEDS'] ?? 12);
const world = await accountWorld();
afterAll(() => world.stop());

describe('whoever dies on the way', () => {
  test(
    `in ${count} runs what was acknowledged holds, what was revoked is dead, and nothing is half made`,
    async () => {
      expect(await accountFaults(world, seedsFrom(1, count))).toEqual([]);
      for (const round of visits()) expect(await accountFaults(world, seedsFrom(50_000 + round * 8, 8))).toEqual([]);
    },
    60_000 + count * 2_000 + visitMs,
  );

  test.each(
    guardRows<[what: string, guard: string, expected: RegExp]>([
      ['that a person is as they were read', 'person', /its person|who left/],
      ['that a credential is as it was read', 'pointer', /unlisted|revoked and works|listed as/],
    ]),
  )(
    'the runs notice when %s is not guarded',
    async (_, guard, expected) => {
      const first = 100_000 + guard.length * 1_000;
      const noticed = await noticedWithout(guard, expected, 30, (round) => accountFaults(world, seedsFrom(first + round * 5, 5), 1));
      expect(noticed).toMatch(expected);
    },
    120_000,
  );
});
