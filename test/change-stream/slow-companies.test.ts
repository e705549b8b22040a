import { ProvisionedThroughputExceededException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { recountCompany } from '../../functions/change-stream/service/recount.ts';
import { messageEntity } from '../../functions/messaging/store/message.ts';
import { readDelayed } from '../../functions/change-stream/service/delay-changes.ts';
import { listDelayedBatches } from '../../functions/change-stream/store/delayed-batch.ts';
import { setAsideChangesToErase } from '../../functions/erasures/service/erase-set-aside.ts';
import type { ErasureSubject } from '../../shared/contract/erasure.ts';
import { eventsEntity } from '../../functions/events/store/events.ts';
import { tenant } from '../../shared/table/schema.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import { recountAll } from '../support/fault-injection.ts';
import { holdsBy, mendedBy } from '../support/mutation.ts';
import { type Random, seeded, seedsFrom } from '../support/random.ts';
import { firstSeed, runSize } from '../support/run-size.ts';
import { startTestApp } from '../support/test-app.ts';
import { changesOf, inbound, unreadOf } from './fixture.ts';

const testApp = await startTestApp({ shards: 4 });
afterAll(() => testApp.stop());
const { nextCompany, change, deliver } = changesOf(testApp);

/** As long as one lives, the table takes no write of a company from the stream's consumer. */
const slow = (companyId: number, refusal: () => Error | Promise<never>): Disposable => {
  const isOwn = (pk: unknown): boolean => pk === tenant(companyId) || String(pk).startsWith(`${tenant(companyId)}#`);
  return testApp.onTable(({ command, input, when }) => {
    if (when === 'after') return;
    const keys =
      command === 'BatchExecuteStatement'
        ? (input['Statements'] as { Parameters: unknown[] }[]).flatMap(({ Parameters }) => Parameters)
        : ['PutItem', 'UpdateItem'].includes(command)
          ? [((input['Item'] ?? input['Key']) as { pk: string }).pk]
          : [];
    if (!keys.some(isOwn)) return;
    // of several writes in a request the table answers each: then each is made alone
    const refused = command === 'BatchExecuteStatement' ? atOnce() : refusal();
    if (refused instanceof Error) throw refused;
    return refused;
  });
};

const answer = { message: 'made by a test', $metadata: {} };
/** The SDK repeats no call for it, so a run takes no seconds. */
const atOnce = (): Error => new TransactionConflictException(answer);

interface Work {
  companies: readonly TestCompany[];
  step: () => Promise<void>;
}

/** The same changes of two companies: contacts with groups, changed again and again. */
const workOf = async (random: Random): Promise<Work> => {
  const companies = [await newCompany(), await newCompany()];
  await testApp.drain();
  let made = 0;
  const step = async (): Promise<void> => {
    const nth = Math.floor(random() * 12) + 1;
    const isNew = nth > made || made === 0;
    if (isNew) made++;
    const groups = ['a', 'b', 'c'].filter(() => random() < 0.5);
    const name = `Name ${Math.floor(random() * 1_000)}`;
    for (const company of companies) {
      const { status } = await testApp.call({
        method: isNew ? 'POST' : 'PATCH',
        path: isNew ? '/api/v1/contacts' : `/api/v1/contacts/${nth}`,
        token: company.tokens.owner,
        body: { name, groups, ...(isNew ? { phone: `+4915100${String(made).padStart(5, '0')}` } : {}) },
      });
      expect(status).toBeLessThan(300);
    }
  };
  return { companies, step };
};

/** What a company's log says of each subject, in its order. */
const logOf = async (companyId: number): Promise<Record<string, string[]>> => {
  const items = await eventsEntity.collect({ pk: eventsEntity.key({ companyId, place: 0 }).pk });
  const bySubject: Record<string, string[]> = {};
  for (const { type, subject, data } of items.flatMap(({ events }) => events))
    if (subject.startsWith('contact:')) (bySubject[subject] ??= []).push(`${type} ${JSON.stringify(data)}`);
  return bySubject;
};

/** What was wrong at the end of a run in which the rows of the first company took no writes for a while, again and again. */
async function run(seed: number): Promise<string[]> {
  const random = seeded(seed);
  const { companies, step } = await workOf(random);
  const [slowOne, neighbour] = companies.map(({ id }) => id) as [number, number];
  const violations: string[] = [];
  const disorder = { seed, duplicate: 0.2, crash: 0.2, replay: 0.1 };
  for (let phase = 0; phase < 6; phase++) {
    for (let steps = 1 + Math.floor(random() * 6); steps > 0; steps--) await step();
    if (random() < 0.6) {
      using _ = slow(slowOne, atOnce);
      await testApp.drain({ only: 'changes', disorder, sideBySide: random() < 0.5 });
      if (random() < 0.5) await testApp.tick('catch-up');
      const behind = await recountAll(testApp, new Set([neighbour]));
      violations.push(...behind.map(({ projection }) => `the neighbour is behind: ${projection}`));
    } else {
      if (random() < 0.5) await testApp.tick('catch-up');
      await testApp.drain({ only: 'changes', disorder });
    }
  }
  await testApp.tick('catch-up');
  await testApp.drain();
  const left = await testApp.dump({ kind: 'delayed-batch' });
  if (left.length > 0) violations.push(`${left.length} batches wait, and nothing holds them`);
  const differences = await recountAll(testApp, new Set([slowOne, neighbour]));
  violations.push(...differences.map(({ projection, sk, stored, recounted }) => `${projection} ${sk}: ${stored}, recounted ${recounted}`));
  const [own, others] = [await logOf(slowOne), await logOf(neighbour)];
  for (const subject of new Set([...Object.keys(own), ...Object.keys(others)]))
    if (own[subject]?.join() !== others[subject]?.join())
      violations.push(`log of ${subject}: ${own[subject]?.join()}, not ${others[subject]?.join()}`);
  return violations;
}

describe('a company whose rows take no writes', () => {
  test('holds up no neighbour on its shards, and is caught up with exactly and in order', async () => {
    for (const seed of seedsFrom(firstSeed, runSize(2, 200))) expect(await run(seed), `seed ${seed}`).toEqual([]);
  }, 3_600_000);

  test('holds up its neighbours for less than five seconds, throttled or without an answer', async () => {
    const { companies, step } = await workOf(seeded(7));
    const [slowOne, neighbour] = companies.map(({ id }) => id) as [number, number];
    process.env['CHANGES_PATIENCE_MS'] = '2000';
    try {
      for (const refusal of [() => new ProvisionedThroughputExceededException(answer), () => setTimeout(20_000) as Promise<never>]) {
        await step();
        using _ = slow(slowOne, refusal);
        const began = performance.now();
        await testApp.drain({ only: 'changes', sideBySide: true });
        expect(await recountAll(testApp, new Set([neighbour]))).toEqual([]);
        expect(performance.now() - began).toBeLessThan(5_000);
      }
    } finally {
      process.env['CHANGES_PATIENCE_MS'] = '40000';
    }
    await testApp.tick('catch-up');
    expect(await recountAll(testApp, new Set([slowOne]))).toEqual([]);
  });

  test('forgets a contact that is erased while its changes wait', async () => {
    const { companies } = await workOf(seeded(11));
    const [company] = companies;
    if (!company) throw new Error('There is no company.');
    const call = (method: 'POST' | 'PATCH', path: string, body?: object) =>
      testApp.call({ method, path: `/api/v1/contacts${path}`, token: company.tokens.owner, ...(body ? { body } : {}) });
    const ids = await Promise.all(
      ['Ada Lovelace', 'Grace Hopper'].map(async (name, nth) => {
        const { body } = await call('POST', '', { name, phone: `+4915199${String(nth).padStart(5, '0')}` });
        return Number((body as { data: { id: number } }).data.id);
      }),
    );
    {
      using _ = slow(company.id, atOnce);
      await testApp.drain({ only: 'changes' });
    }
    const textOf = async (): Promise<string> =>
      JSON.stringify(await Promise.all((await listDelayedBatches(company.id)).map((batch) => readDelayed(batch))));
    expect(await textOf()).toContain('Ada Lovelace');
    const subject = { companyId: company.id, contactId: ids[0] ?? 0, name: 'Ada Lovelace', phone: '4915199000000' };
    for (const erase of await setAsideChangesToErase(subject as ErasureSubject)) await erase();
    expect(await textOf()).not.toContain('Ada Lovelace');
    expect(await textOf()).toContain('Grace Hopper');
    await testApp.tick('catch-up');
    expect(await listDelayedBatches(company.id)).toEqual([]);
  });
});

holdsBy(
  'that later changes of a company wait behind those that wait',
  {
    in: 'functions/change-stream/service/process-changes.ts',
    replace: 'record.companyId !== undefined && waiting.has(record.companyId);',
    by: 'record.companyId === -1;',
  },
  /recounted|log of/,
  20,
  (round) => run(1_000 + round),
);
mendedBy(
  'a row that drops the checkpoints of a shard that has confirmed is still caught up with',
  {
    in: 'functions/change-stream/service/process-changes.ts',
    replace: 'if (shouldConfirm && !isCatchUp && waiting.size + delayed.size === 0)',
    by: 'if (done !== undefined)',
  },
  async () => {
    const companyId = nextCompany();
    const [first, ...others] = Array.from({ length: 6 }, (_, index) => change(undefined, inbound(companyId, 1, index + 1)));
    const last = change(undefined, inbound(companyId, 1, 7));
    if (!first) throw new Error('There is no change.');
    await deliver('shardId-1', [first]);
    {
      using _ = slow(companyId, atOnce);
      await deliver('shardId-1', [last]);
      for (const [index, each] of others.entries()) await deliver(`shardId-${index + 2}`, [each]);
    }
    await testApp.tick('catch-up');
    expect(await unreadOf(companyId, 1)).toBe(7);
  },
);

mendedBy(
  'a recount puts nothing right while changes wait: they would count twice',
  {
    in: 'functions/change-stream/service/recount.ts',
    replace: 'const isBrought = !(await hasDelayedChanges(companyId));',
    by: 'const isBrought = true;',
  },
  async () => {
    const companyId = nextCompany();
    await messageEntity.put(inbound(companyId, 1, 1));
    {
      using _ = slow(companyId, atOnce);
      await testApp.drain({ only: 'changes' });
    }
    const contexts = (await import('../../functions/app.ts')).app;
    const differences = await recountCompany(companyId, {
      reactions: contexts.flatMap(({ reactions }) => reactions ?? []),
      recounts: contexts.flatMap(({ recounts }) => recounts ?? []),
      shouldWrite: true,
      untilBrought: () => Promise.resolve(),
    });
    expect(new Set(differences.map(({ outcome }) => outcome))).toEqual(new Set(['in motion']));
    await testApp.tick('catch-up');
    expect(await unreadOf(companyId, 1)).toBe(1);
  },
);

test('rings after a quarter of an hour; after a day the rows are left to a recount, for which the log asks', async () => {
  const companyId = nextCompany();
  const rung = (): number => testApp.logs.filter((line) => 'ChangesSetAside' in line).length;
  const before = rung();
  {
    using _ = slow(companyId, atOnce);
    await deliver('shardId-old', [change(undefined, inbound(companyId, 1, 1))]);
    await testApp.tick('catch-up');
    expect(rung()).toBe(before);
    testApp.clock.advance(16 * 60_000);
    await testApp.tick('catch-up');
    expect(rung()).toBe(before + 1);
    // by the consumer too, were the other not there
    await deliver('shardId-old', [change(undefined, inbound(companyId, 1, 2))]);
    expect(rung()).toBe(before + 2);
  }
  testApp.clock.advance(24 * 3_600_000);
  await testApp.tick('catch-up');
  expect(await unreadOf(companyId, 1)).toBe(0);
  expect(testApp.logs).toContainEqual(
    expect.objectContaining({ message: 'Changes waited for more than a day: recount the company', company_id: companyId }),
  );
  expect(await listDelayedBatches(companyId)).toEqual([]);
});
