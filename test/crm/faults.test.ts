import { afterAll, describe, expect, test, vi } from 'vitest';
import { crmQueue } from '../../functions/crm/contract/work.ts';
import { mutationMs, mutationRows, targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { violationsWithout, removedCondition } from '../support/mutations.ts';
import { seedsFrom } from '../support/random.ts';
import { startFaultRuns, type Emphasis } from './fault-run.ts';
import { startFixture } from './fixture.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

vi.mock('../../functions/crm/store/lead.ts', async (original) => {
  const real = await original<typeof import('../../functions/crm/store/lead.ts')>();
  return {
    ...real,
    updateLeadPart: (...args: Parameters<typeof real.updateLeadPart>) => {
      const part = real.updateLeadPart(...args);
      return removedCondition.name === 'revision' ? { ...part, condition: undefined } : part;
    },
  };
});
vi.mock('../../functions/crm/store/retry-key.ts', async (original) => {
  const real = await original<typeof import('../../functions/crm/store/retry-key.ts')>();
  return {
    ...real,
    getRetryKey: async (...args: Parameters<typeof real.getRetryKey>) =>
      removedCondition.name === 'retry-key' ? undefined : real.getRetryKey(...args),
    createRetryKeyPart: (...args: Parameters<typeof real.createRetryKeyPart>) => {
      const part = real.createRetryKeyPart(...args);
      return removedCondition.name === 'retry-key' ? { ...part, condition: undefined } : part;
    },
  };
});
vi.mock('../../functions/messaging/service/queue-text.ts', async (original) => {
  const real = await original<typeof import('../../functions/messaging/service/queue-text.ts')>();
  let nth = 0;
  return {
    ...real,
    queueTextInWindow: (...[companyId, text, operation]: Parameters<typeof real.queueTextInWindow>) => {
      const operationId = removedCondition.name === 'reminder' ? `${operation.operationId}:${nth++}` : operation.operationId;
      return real.queueTextInWindow(companyId, text, { ...operation, operationId });
    },
  };
});
vi.mock('../../functions/crm/domain/task.ts', async (original) => {
  const real = await original<typeof import('../../functions/crm/domain/task.ts')>();
  return {
    ...real,
    // a reminder that failed is taken for settled
    recordReminder: (...[task, result, at]: Parameters<typeof real.recordReminder>) => {
      const recorded = real.recordReminder(task, result, at);
      return removedCondition.name === 'settled' ? { ...recorded, remindAt: task.remindAt } : recorded;
    },
  };
});
vi.mock('../../functions/changes/domain.ts', async (original) =>
  (await import('../support/mutations.ts')).withoutCheckpoints(await original()),
);

const count = runSize(1, 8);
const stage = await startFixture({ shards: 4 });
afterAll(() => stage.stop());

const { ground, run, deliverAll, recount } = startFaultRuns(stage);

/** What is wrong after the runs of some seeds at a company of their own. */
const wrongAfter = async (of: readonly number[], emphasis: Emphasis = {}): Promise<string[]> => {
  const place = await ground();
  for (const seed of of) await run(place, seed, emphasis);
  await deliverAll(of[0] ?? 0);
  return recount(place);
};

describe('whatever dies, repeats or comes late', () => {
  test(
    `in ${count} runs counts and timelines equal a recount, and who is to be reminded is, once`,
    async () => {
      expect(await wrongAfter(seedsFrom(firstSeed, count))).toEqual([]);
      for (const round of targetedRounds()) expect(await wrongAfter(seedsFrom(50_000 + round * 8, 8))).toEqual([]);
      expect(stage.world.deadLettersOf(crmQueue)).toEqual([]);
    },
    120_000 + count * 60_000 + targetedRoundsMs,
  );

  test.each(
    mutationRows<[what: string, removed: string, expected: RegExp, emphasis: Emphasis]>([
      ['that a lead is written only as it was read', 'revision', /notes of|next actions/, { crashes: 0 }],
      ['the retry key of a task or note', 'retry-key', /made twice/, { crashes: 0.9 }],
      ["a reminder's id", 'reminder', /reminders/, { crashes: 0.7, duplicates: 1 }],
      ['that a reminder is settled', 'settled', /never reminded/, {}],
      ['the checkpoints of folded changes', 'checkpoints', /recounted/, { crashes: 0, duplicates: 1 }],
    ]),
  )(
    'the runs notice when %s is not guarded',
    async (_, removed, expected, emphasis) => {
      const first = 100_000 + removed.length * 1_000 + (removed.codePointAt(0) ?? 0);
      const noticed = await violationsWithout(removed, expected, 15, (round) => wrongAfter(seedsFrom(first + round * 3, 3), emphasis));
      expect(noticed).toMatch(expected);
    },
    mutationMs,
  );
});
