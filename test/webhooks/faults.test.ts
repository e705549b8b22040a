import { afterAll, describe, expect, test, vi } from 'vitest';
import { webhookEventsQueue } from '../../functions/webhooks/contract/queue.ts';
import { guardRows, visitMs, visits } from '../support/fault-points.ts';
import { noticedWithout, removed } from '../support/guards.ts';
import { seedsFrom } from '../support/random.ts';
import { startFaultStage } from './fault-run.ts';

vi.mock('../../functions/webhooks/store/delivery.ts', async (original) => {
  const real = await original<typeof import('../../functions/webhooks/store/delivery.ts')>();
  return {
    ...real,
    findDeliveries: async (...args: Parameters<typeof real.findDeliveries>) =>
      removed.guard === 'log' ? [] : real.findDeliveries(...args),
    addPending: async (...args: Parameters<typeof real.addPending>) => {
      // what comes again stands only after the old one is gone: a crash between the two loses it
      if (removed.guard === 'order' && args[0].attempts > 0) return;
      await real.addPending(...args);
    },
  };
});
vi.mock('../../functions/webhooks/domain/payload.ts', async (original) => {
  const real = await original<typeof import('../../functions/webhooks/domain/payload.ts')>();
  let nth = 0;
  return {
    ...real,
    eventIdOf: (companyId: number, changeId: string, at: number) =>
      real.eventIdOf(companyId, removed.guard === 'id' ? `${changeId}:${nth++}` : changeId, at),
  };
});

const stage = await startFaultStage();
afterAll(() => stage[Symbol.asyncDispose]());
const count = Number(process.env['SEEDS'] ?? 8);

describe('whatever dies, repeats or comes late', () => {
  test(
    `in ${count} runs no event is lost, none invented, repeats carry the same id and body, and none comes after it was settled`,
    async () => {
      expect(await stage.run(seedsFrom(1, count))).toEqual([]);
      for (const round of visits()) expect(await stage.run(seedsFrom(50_000 + round * 4, 4))).toEqual([]);
      expect(stage.world.dead(webhookEventsQueue)).toEqual([]);
    },
    60_000 + count * 5_000 + visitMs,
  );

  test.each(
    guardRows<[what: string, guard: string, expected: RegExp]>([
      ['the log has no say over what is pending', 'log', /after it was settled/],
      ['what comes again is not written down first', 'order', /lost/],
      ['ids do not follow from the change', 'id', /two ids/],
    ]),
  )(
    'the runs notice when %s',
    async (_, guard, expected) => {
      const first = 100_000 + guard.length * 1_000;
      const noticed = await noticedWithout(guard, expected, 6, (round) => stage.run(seedsFrom(first + round * 3, 3)));
      expect(noticed).toMatch(expected);
    },
    300_000,
  );
});
