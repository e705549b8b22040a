import { afterAll, describe, expect, test } from 'vitest';
import { crmQueue } from '../../functions/crm/contract/work.ts';
import { targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { checkpoints, type Condition, holdsBy } from '../support/mutation.ts';
import { seedsFrom } from '../support/random.ts';
import { startFaultRuns, type Emphasis } from './fault-run.ts';
import { startFixture } from './fixture.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

const count = runSize(1, 8);
const fixture = await startFixture({ shards: 4 });
afterAll(() => fixture.stop());

const { setup, run, deliverAll, recount } = startFaultRuns(fixture);

/** What is wrong after the runs of some seeds at a company of their own. */
const wrongAfter = async (of: readonly number[], emphasis: Emphasis = {}): Promise<string[]> => {
  const place = await setup();
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
      expect(fixture.testApp.deadLettersOf(crmQueue)).toEqual([]);
    },
    120_000 + count * 60_000 + targetedRoundsMs,
  );

  const holds = (name: string, condition: Condition, expected: RegExp, seed: number, emphasis: Emphasis): void =>
    holdsBy(name, condition, expected, 15, (round) => wrongAfter(seedsFrom(seed + round * 3, 3), emphasis));

  holds(
    'that a lead is written only as it was read',
    {
      in: 'functions/crm/store/lead.ts',
      replace: "leadEntity.putting(toLeadItem(lead), equals('rev', lead.rev - 1))",
      by: 'leadEntity.putting(toLeadItem(lead))',
    },
    /notes of|next actions/,
    108_114,
    { crashes: 0 },
  );
  holds(
    'the retry key of a task or note',
    [
      {
        in: 'functions/crm/store/retry-key.ts',
        replace: 'retryKeyEntity.get({ companyId, leadId, of, key }, { consistent: true })',
        by: 'Promise.resolve(undefined)',
      },
      {
        in: 'functions/crm/store/retry-key.ts',
        replace: 'retryKeyEntity.putting(retryKey, missing())',
        by: 'retryKeyEntity.putting(retryKey)',
      },
    ],
    /made twice/,
    109_114,
    { crashes: 0.9 },
  );
  holds(
    "a reminder's id",
    {
      in: 'functions/crm/service/reminders.ts',
      replace: 'formatOperation({ companyId, taskId: task.id, dueAt: task.dueAt, attempt })',
      by: '`${formatOperation({ companyId, taskId: task.id, dueAt: task.dueAt, attempt })}:${process.hrtime.bigint()}`',
    },
    /reminders/,
    108_114,
    { crashes: 0.7, duplicates: 1 },
  );
  holds(
    'that a reminder was made',
    {
      in: 'functions/crm/domain/task.ts',
      replace: 'const next = { ...task, rev: task.rev + 1, remindAt: undefined };',
      by: 'const next = { ...task, rev: task.rev + 1 };',
    },
    /never reminded/,
    107_115,
    {},
  );
  holds('the checkpoints of folded changes', checkpoints, /recounted/, 111_099, { crashes: 0, duplicates: 1 });
});
