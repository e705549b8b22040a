import { afterAll, describe, expect, test, vi } from 'vitest';
import { webhookEventsQueue } from '../../functions/webhooks/contract/queue.ts';
import { mutationMs, mutationRows, targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { violationsWithout, removedCondition } from '../support/mutations.ts';
import { seedsFrom } from '../support/random.ts';
import { startFaultFixture } from './fault-run.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

vi.mock('../../functions/webhooks/store/delivery.ts', async (original) => {
  const real = await original<typeof import('../../functions/webhooks/store/delivery.ts')>();
  return {
    ...real,
    getDeliveries: async (...args: Parameters<typeof real.getDeliveries>) =>
      removedCondition.name === 'log' ? [] : real.getDeliveries(...args),
    putPendingDelivery: async (...args: Parameters<typeof real.putPendingDelivery>) => {
      // what comes again stands only after the old one is gone: a crash between the two loses it
      if (removedCondition.name === 'order' && args[0].attempts > 0) return;
      await real.putPendingDelivery(...args);
    },
  };
});
vi.mock('../../functions/webhooks/domain/payload.ts', async (original) => {
  const real = await original<typeof import('../../functions/webhooks/domain/payload.ts')>();
  let nth = 0;
  return {
    ...real,
    eventIdOf: (companyId: number, changeId: string, at: number) =>
      real.eventIdOf(companyId, removedCondition.name === 'id' ? `${changeId}:${nth++}` : changeId, at),
  };
});

const stage = await startFaultFixture();
afterAll(() => stage[Symbol.asyncDispose]());
const count = runSize(1, 8);

describe('whatever dies, repeats or comes late', () => {
  test(
    `in ${count} runs no event is lost, none invented, repeats carry the same id and body, and none comes after it was settled`,
    async () => {
      expect(await stage.run(seedsFrom(firstSeed, count))).toEqual([]);
      for (const round of targetedRounds()) expect(await stage.run(seedsFrom(50_000 + round * 4, 4))).toEqual([]);
      expect(stage.world.deadLettersOf(webhookEventsQueue)).toEqual([]);
    },
    120_000 + count * 60_000 + targetedRoundsMs,
  );

  test.each(
    mutationRows<[what: string, condition: string, expected: RegExp]>([
      ['the log has no say over what is pending', 'log', /after it was settled/],
      ['what comes again is not written down first', 'order', /lost/],
      ['ids do not follow from the change', 'id', /two ids/],
    ]),
  )(
    'the runs notice when %s',
    async (_, condition, expected) => {
      const first = 100_000 + condition.length * 1_000;
      const noticed = await violationsWithout(condition, expected, 6, (round) => stage.run(seedsFrom(first + round * 3, 3)));
      expect(noticed).toMatch(expected);
    },
    mutationMs,
  );
});
