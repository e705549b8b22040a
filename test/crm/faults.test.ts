import { afterAll, describe, expect, test, vi } from 'vitest';
import { crmQueue } from '../../functions/crm/contract/work.ts';
import { guardRows, visitMs, visits } from '../support/fault-points.ts';
import { noticedWithout, removed } from '../support/guards.ts';
import { seedsFrom } from '../support/random.ts';
import { crmFaults, type Emphasis } from './fault-run.ts';
import { startCrm } from './stage.ts';

vi.mock('../../functions/crm/store/lead.ts', async (original) => {
  const real = await original<typeof import('../../functions/crm/store/lead.ts')>();
  return {
    ...real,
    replacingLead: (...args: Parameters<typeof real.replacingLead>) => {
      const part = real.replacingLead(...args);
      return removed.guard === 'revision' ? { ...part, condition: undefined } : part;
    },
  };
});
vi.mock('../../functions/crm/store/task.ts', async (original) => {
  const real = await original<typeof import('../../functions/crm/store/task.ts')>();
  return {
    ...real,
    findRetryKey: async (...args: Parameters<typeof real.findRetryKey>) =>
      removed.guard === 'retry-key' ? undefined : real.findRetryKey(...args),
    claimingRetryKey: (...args: Parameters<typeof real.claimingRetryKey>) => {
      const part = real.claimingRetryKey(...args);
      return removed.guard === 'retry-key' ? { ...part, condition: undefined } : part;
    },
  };
});
vi.mock('../../functions/messaging/service/notices.ts', async (original) => {
  const real = await original<typeof import('../../functions/messaging/service/notices.ts')>();
  let nth = 0;
  return {
    queueText: (...[companyId, text, operation]: Parameters<typeof real.queueText>) => {
      const operationId = removed.guard === 'reminder' ? `${operation.operationId}:${nth++}` : operation.operationId;
      return real.queueText(companyId, text, { ...operation, operationId });
    },
  };
});
vi.mock('../../functions/crm/domain/task.ts', async (original) => {
  const real = await original<typeof import('../../functions/crm/domain/task.ts')>();
  return {
    ...real,
    // a reminder that failed is taken for settled
    reminderSettled: (...[task, at]: Parameters<typeof real.reminderSettled>) =>
      removed.guard === 'settled' ? { ...real.reminderSettled(task, at), remindAt: task.remindAt } : real.reminderSettled(task, at),
  };
});
vi.mock('../../functions/changes/domain.ts', async (original) => (await import('../support/guards.ts')).withoutMarks(await original()));

const count = Number(process.env['SEEDS'] ?? 4);
const stage = await startCrm();
afterAll(() => stage.stop());

const { ground, run, settle, recount } = crmFaults(stage);

/** What is wrong after the runs of some seeds at a company of their own. */
const wrongAfter = async (of: readonly number[], emphasis: Emphasis = {}): Promise<string[]> => {
  const place = await ground();
  for (const seed of of) await run(place, seed, emphasis);
  await settle(of[0] ?? 0);
  return recount(place);
};

describe('whatever dies, repeats or comes late', () => {
  test(
    `in ${count} runs counts and timelines equal a recount, and who is to be reminded is, once`,
    async () => {
      expect(await wrongAfter(seedsFrom(1, count))).toEqual([]);
      for (const round of visits()) expect(await wrongAfter(seedsFrom(50_000 + round * 8, 8))).toEqual([]);
      expect(stage.world.dead(crmQueue)).toEqual([]);
    },
    60_000 + count * 4_000 + visitMs,
  );

  test.each(
    guardRows<[what: string, guard: string, expected: RegExp, emphasis: Emphasis]>([
      ['that an enquiry is written only as it was read', 'revision', /notes of|next actions/, { deaths: 0 }],
      ['the retry key of a task or note', 'retry-key', /made twice/, { deaths: 0.9 }],
      ["a reminder's id", 'reminder', /reminders/, { deaths: 0.7, duplicates: 1 }],
      ['that a reminder is settled', 'settled', /never reminded/, {}],
      ['the checkpoints of folded changes', 'checkpoints', /recounted/, { deaths: 0, duplicates: 1 }],
    ]),
  )(
    'the runs notice when %s is not guarded',
    async (_, guard, expected, emphasis) => {
      const first = 100_000 + guard.length * 1_000 + (guard.codePointAt(0) ?? 0);
      const noticed = await noticedWithout(guard, expected, 15, (round) => wrongAfter(seedsFrom(first + round * 3, 3), emphasis));
      expect(noticed).toMatch(expected);
    },
    120_000,
  );
});
