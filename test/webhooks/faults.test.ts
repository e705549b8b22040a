import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { webhookEventsQueue } from '../../functions/webhooks/contract/queue.ts';
import { guardRows, visitMs, visits } from '../support/fault-points.ts';
import { startFaultStage } from './fault-run.ts';

/** Guards that a test takes away, to see that the runs notice. */
const removed = vi.hoisted(() => ({ lease: false, log: false, order: false, sameId: false }));

vi.mock('../../functions/webhooks/store/endpoint.ts', async (original) => {
  const real = await original<typeof import('../../functions/webhooks/store/endpoint.ts')>();
  return {
    ...real,
    takeLease: async (...args: Parameters<typeof real.takeLease>) => {
      const lease = await real.takeLease(...args);
      if (!removed.lease || !('refused' in lease) || lease.refused !== 'held') return lease;
      const endpoint = await real.findEndpoint(args[0].companyId, args[0].id);
      return endpoint ? { taken: endpoint } : lease;
    },
  };
});
vi.mock('../../functions/webhooks/store/delivery.ts', async (original) => {
  const real = await original<typeof import('../../functions/webhooks/store/delivery.ts')>();
  return {
    ...real,
    findDeliveries: async (...args: Parameters<typeof real.findDeliveries>) => (removed.log ? [] : real.findDeliveries(...args)),
    addPending: async (...args: Parameters<typeof real.addPending>) => {
      // what comes again stands only after the old one is gone: a crash between the two loses it
      if (removed.order && args[0].attempts > 0) return;
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
      real.eventIdOf(companyId, removed.sameId ? `${changeId}:${nth++}` : changeId, at),
  };
});

const stage = await startFaultStage();
afterAll(() => stage[Symbol.asyncDispose]());
afterEach(() => {
  Object.assign(removed, { lease: false, log: false, order: false, sameId: false });
});

const seeds = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index);
const count = Number(process.env['SEEDS'] ?? 8);

describe('whatever dies, repeats or comes late', () => {
  test(
    `in ${count} runs no event is lost, none invented, repeats carry the same id and body, and none comes after it was settled`,
    async () => {
      expect(await stage.run(seeds(1, count))).toEqual([]);
      for (const round of visits()) expect(await stage.run(seeds(50_000 + round * 4, 4))).toEqual([]);
      expect(stage.world.dead(webhookEventsQueue)).toEqual([]);
    },
    60_000 + count * 5_000 + visitMs,
  );

  test.each(
    guardRows<[what: string, guard: keyof typeof removed, expected: RegExp]>([
      ['the log has no say over what is pending', 'log', /after it was settled/],
      ['what comes again is not written down first', 'order', /lost/],
      ['ids do not follow from the change', 'sameId', /two ids/],
    ]),
  )(
    'the runs notice when %s',
    async (_, guard, expected) => {
      removed[guard] = true;
      const noticed: string[] = [];
      const first = 100_000 + Object.keys(removed).indexOf(guard) * 1_000;
      for (let round = 0; round < 6 && !noticed.some((what) => expected.test(what)); round++)
        noticed.push(...(await stage.run(seeds(first + round * 3, 3))));
      expect(noticed.join('\n')).toMatch(expected);
    },
    60_000,
  );
});
