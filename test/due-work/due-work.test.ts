import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import {
  delaySeconds,
  firstLookBackMs,
  horizonMs,
  partitionFrom,
  placementWindow,
  secondLook,
  streamPlacementMs,
} from '../../functions/due-work/domain.ts';
import { placeDueWorkAgain } from '../../functions/due-work/service.ts';
import { getDispatchState, getWatermark, putProgress, updateWatermark } from '../../functions/due-work/store.ts';
import { sendsQueue } from '../../functions/messaging/contract/queue.ts';
import { messageStatuses, type StoredMessage } from '../../functions/messaging/contract/stored.ts';
import { createMessage } from '../../functions/messaging/store/message.ts';
import { dueBucket, dueKeys, leastDuePartitions, parseDueKey } from '../../shared/table/due.ts';
import { dynamo } from '../../shared/table/client.ts';
import { isFullSize } from '../support/run-size.ts';
import { startTestApp } from '../support/test-app.ts';
import { mendedBy } from '../support/mutation.ts';

const testApp = await startTestApp();
afterAll(() => testApp.stop());

let ids = 0;
/** A message that waits for its time, written without waking the stream consumer for it before the test says so. */
const scheduled = async (dueAt: number): Promise<StoredMessage> => {
  const message: StoredMessage = {
    companyId: 7,
    contactId: 1,
    id: ++ids,
    inbound: false,
    type: 1,
    subtype: 'text',
    value: 'Later',
    status: messageStatuses.scheduled,
    rev: 0,
    attempt: 0,
    dueAt,
    createdAt: testApp.clock.now(),
    updatedAt: testApp.clock.now(),
  };
  await createMessage(message);
  return message;
};
/** What the last tick did not reach, and the next one does. */
const beyondTheWatermark = async (): Promise<StoredMessage> => {
  const message = await scheduled(testApp.clock.now() + horizonMs + 20_000);
  testApp.clock.advance(60_000);
  return message;
};
const placed = (): { message_id: number; due_at_ms: number }[] => testApp.queued(sendsQueue) as { message_id: number; due_at_ms: number }[];
const idsOf = (messages: readonly { message_id: number }[]): number[] =>
  [...new Set(messages.map((each) => each.message_id))].sort((a, b) => a - b);

beforeEach(async () => {
  // what the tests before left is worked off: it finds no contact and no number, and fails alone
  for (let minute = 0; minute < 5; minute++) {
    await testApp.passTime(60);
    await testApp.tick();
  }
});

describe('the arithmetic of due work', () => {
  test('a delay never ends before the due time, and less than a second after it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: -1e6, max: 1e6 }), (now, ahead) => {
        const wakes = now + delaySeconds(now + ahead, now) * 1_000;
        expect(wakes).toBeGreaterThanOrEqual(Math.max(now, now + ahead));
        expect(wakes).toBeLessThan(Math.max(now, now + ahead) + 1_000);
      }),
      { seed: 5 },
    );
  });

  test('ticks, however late, cover all time from the first on, without a gap', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5_000_000 }), { minLength: 1, maxLength: 20 }), (gaps) => {
        let now = 1e12;
        let checkpoint: number | undefined;
        for (const gap of gaps) {
          const { fromMs, toMs } = placementWindow(checkpoint, now);
          expect(fromMs).toBe(checkpoint ?? now - firstLookBackMs);
          expect(toMs).toBe(now + horizonMs);
          checkpoint = toMs;
          now += gap;
        }
      }),
      { seed: 6 },
    );
  });

  test('a second look comes ten minutes later to every stretch of a tick that was on time, once, and overlaps no first look', () => {
    const minutes = Array.from({ length: 30 }, (_, index) =>
      placementWindow(1e12 + index * 60_000, 1e12 + (index + 1) * 60_000 - horizonMs),
    );
    const seconds = minutes.map((each) => secondLook(each, 0));
    for (const [index, second] of seconds.entries()) {
      expect(second.toMs - second.fromMs).toBe(60_000);
      expect(second.fromMs).toBe(seconds[index - 1]?.toMs ?? second.fromMs);
      expect((minutes[index]?.toMs ?? 0) - horizonMs - second.toMs).toBe(600_000);
    }
    const late = placementWindow(1e12, 1e12 + 7_200_000);
    expect(secondLook(late, 0).toMs).toBeLessThanOrEqual(late.fromMs);
  });

  test('what is written inside the horizon of a tick that has gone by is within the reach of the stream consumer', () => {
    expect(streamPlacementMs).toBeGreaterThan(horizonMs + 60_000);
  });

  test('due keys read back what they were made of', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), fc.stringMatching(/^[A-Za-z0-9:+/=._-]{1,80}$/), (at, reference) => {
        expect(parseDueKey(dueKeys(at, 'message', reference).sk)).toEqual({ dueAtMs: at, what: 'message', reference });
      }),
      { seed: 7 },
    );
  });
});

describe('work that becomes due soon', () => {
  test('is placed by the change itself, without waiting for a tick', async () => {
    const message = await scheduled(testApp.clock.now() + 20_000);
    await testApp.drain();
    expect(idsOf(placed())).toEqual([message.id]);
  });

  test('further ahead than the reach is left to the ticks', async () => {
    await scheduled(testApp.clock.now() + streamPlacementMs + 60_000);
    await testApp.drain();
    expect(placed()).toEqual([]);
  });
});

describe('a tick', () => {
  test('places what falls due before the next ones, with the delay that is left, and nothing further ahead', async () => {
    const now = testApp.clock.now();
    const near = await scheduled(now + horizonMs + 20_000);
    await scheduled(now + 60_000 + horizonMs + 20_000);
    testApp.clock.advance(60_000);
    await testApp.tick();
    const waiting = placed();
    expect(waiting).toMatchObject([{ message_id: near.id, due_at_ms: near.dueAt }]);
  });

  test('after missed ticks catches up with all that fell due meanwhile', async () => {
    const now = testApp.clock.now();
    const missed = [await scheduled(now + 140_000), await scheduled(now + 900_000), await scheduled(now + 3_500_000)];
    testApp.clock.advance(3_600_000);
    await testApp.tick();
    expect(idsOf(placed())).toEqual(missed.map(({ id }) => id));
  });

  mendedBy(
    'leaves work that only another version knows, counts it, places all else and moves the watermark',
    { in: 'functions/due-work/service.ts', replace: "metric('DueWorkLeft', 'Count', 1);", by: "throw new Error('unknown');" },
    async () => {
      const now = testApp.clock.now();
      const dueAt = now + horizonMs + 20_000;
      const { pk, sk } = dueKeys(dueAt, 'later-feature', '7:1');
      const item = { pk: 'C#7#LATER', sk: '1', kind: 'later-feature', due_pk: pk, due_sk: sk };
      await dynamo.send(new PutCommand({ TableName: process.env['TABLE_NAME'], Item: item }));
      const message = await beyondTheWatermark();
      const left = (): number => testApp.logs.filter((line) => 'DueWorkLeft' in line).length;
      const before = left();
      await testApp.tick();
      expect(idsOf(placed())).toEqual([message.id]);
      expect(await getWatermark()).toBeGreaterThanOrEqual(now + 60_000 + horizonMs);
      expect(left()).toBe(before + 1);
      expect((await getDispatchState()).left).toEqual({ 'later-feature': dueAt });
      await dynamo.send(new DeleteCommand({ TableName: process.env['TABLE_NAME'], Key: { pk: item.pk, sk: item.sk } }));
    },
  );

  mendedBy(
    'places what a version before left because it did not know it, however long ago',
    {
      in: 'functions/due-work/service.ts',
      replace: 'const again = [...tick.left].filter(([what]) => isKnown(what));',
      by: 'const again: [string, number][] = [];',
    },
    async () => {
      const message = await scheduled(testApp.clock.now() + horizonMs + 20_000);
      const dueAt = message.dueAt ?? 0;
      testApp.clock.advance(7_200_000);
      // the version before passed it in its tick and at its second look
      await updateWatermark(testApp.clock.now() + 1, leastDuePartitions, { message: dueAt, other: dueAt });
      await testApp.tick();
      expect(idsOf(placed())).toEqual([message.id]);
      expect((await getDispatchState()).left).toEqual({ other: dueAt });
    },
  );

  mendedBy(
    'places the work of the minute before what a resumed company left, whose failure holds up nothing',
    [
      {
        in: 'functions/due-work/service.ts',
        replace: '  if (window.toMs >= window.fromMs) await placeWindow(tick, state, window);',
        by: '',
      },
      {
        in: 'functions/due-work/service.ts',
        replace: `    await placeAgain(tick, replay, { fromMs, toMs: window.toMs });
  }`,
        by: `    await placeAgain(tick, replay, { fromMs, toMs: window.toMs });
  }
  await placeWindow(tick, state, window);`,
      },
    ],
    async () => {
      const message = await beyondTheWatermark();
      await placeDueWorkAgain(8, 0);
      const before = (await getWatermark()) ?? 0;
      {
        let isMoved = false;
        using _hook = testApp.onTable(({ command, input, when }) => {
          if (command === 'UpdateItem' && when === 'after') isMoved = true;
          if (isMoved && command === 'Query' && when === 'before' && input['IndexName'] === 'due') throw new Error('The replay fails.');
        });
        await expect(testApp.tick()).rejects.toThrow('The replay fails.');
      }
      expect(idsOf(placed())).toEqual([message.id]);
      expect(await getWatermark()).toBeGreaterThan(before);
      await testApp.tick();
      expect((await getDispatchState()).replays).toEqual([]);
    },
  );

  mendedBy(
    'goes on with a replay where the tick before stopped; one that is requested again begins anew',
    {
      in: 'functions/due-work/service.ts',
      replace: 'const known = tick.progress.find((each) => each.walk === walk && each.partition === partition);',
      by: 'const known = tick.progress.find(() => false);',
    },
    async () => {
      const messages = [await scheduled(testApp.clock.now() + 210_000), await scheduled(testApp.clock.now() + 240_000)];
      testApp.clock.advance(3_600_000);
      await updateWatermark(testApp.clock.now() + horizonMs, leastDuePartitions);
      await placeDueWorkAgain(7, 0);
      const [replay] = (await getDispatchState()).replays;
      const placedToMs = (messages[0]?.dueAt ?? 0) + 1;
      for (let partition = 0; partition < leastDuePartitions; partition++)
        await putProgress({ walk: `7@${replay?.at}`, partition, placedToMs, at: testApp.clock.now() });
      await testApp.tick();
      expect(idsOf(placed())).toEqual([messages[1]?.id]);
      testApp.clock.advance(1_000);
      await placeDueWorkAgain(7, 0);
      await testApp.tick();
      expect(idsOf(placed())).toEqual(messages.map(({ id }) => id));
    },
  );

  test('doubled, at the same moment, only places twice and leaves one watermark', async () => {
    const message = await beyondTheWatermark();
    await Promise.all([testApp.tick(), testApp.tick()]);
    expect(idsOf(placed())).toEqual([message.id]);
    expect(placed().length).toBeLessThanOrEqual(2);
  });

  test('that dies before its watermark places again at the next', async () => {
    const message = await beyondTheWatermark();
    const before = await getWatermark();
    {
      using _hook = testApp.onTable(({ command }) => {
        if (command === 'UpdateItem') throw new Error('The process died.');
      });
      await expect(testApp.tick()).rejects.toThrow('The process died.');
    }
    expect(await getWatermark()).toBe(before);
    await testApp.tick();
    expect(idsOf(placed())).toEqual([message.id]);
  });

  test('cannot take the watermark back, when it is an older one that was slow', async () => {
    const checkpoint = (await getWatermark()) ?? 0;
    await updateWatermark(checkpoint - 60_000, leastDuePartitions);
    expect(await getWatermark()).toBe(checkpoint);
    await updateWatermark(checkpoint + 1, leastDuePartitions);
    expect(await getWatermark()).toBe(checkpoint + 1);
  });

  test('by a clock that is behind what another has placed already does nothing, and fails at nothing', async () => {
    const ahead = testApp.clock.now() + horizonMs + 30_000;
    await updateWatermark(ahead, leastDuePartitions);
    await scheduled(ahead - 20_000);
    await testApp.tick();
    expect([placed(), await getWatermark()]).toEqual([[], ahead]);
  });

  test('finds what the index showed too late for its tick, ten minutes after it fell due', async () => {
    const message = await scheduled(testApp.clock.now() + horizonMs + 20_000);
    // the tick that should have placed it did not see it
    await updateWatermark((message.dueAt ?? 0) + 1, leastDuePartitions);
    testApp.clock.advance(horizonMs + 20_000);
    await testApp.tick();
    expect(placed()).toEqual([]);
    for (let minute = 0; minute <= 11; minute++) {
      testApp.clock.advance(60_000);
      await testApp.tick();
    }
    expect(placed()).toMatchObject([{ message_id: message.id }]);
  });

  test('places nothing of what the operator skipped after a restore, at no look', async () => {
    const message = await scheduled(testApp.clock.now() + horizonMs + 20_000);
    testApp.clock.advance(horizonMs + 30_000);
    const at = testApp.clock.now();
    // as docs/operate.md says
    await dynamo.send(
      new UpdateCommand({
        TableName: process.env['TABLE_NAME'],
        Key: { pk: 'DUE', sk: 'WATERMARK' },
        UpdateExpression: 'SET placedToMs = :now, skippedToMs = :now',
        ExpressionAttributeValues: { ':now': at },
      }),
    );
    for (let minute = 0; minute <= 12; minute++) {
      await testApp.tick();
      testApp.clock.advance(60_000);
    }
    expect(idsOf(placed())).not.toContain(message.id);
  });

  test('finds what other functions wrote to partitions that this one did not know yet, and those of a greater number of before', async () => {
    expect(partitionFrom(1e12, 1e12 + 1_000, false)).toBe(1e12);
    const withPartitions = (count: string | undefined): void => {
      if (count === undefined) delete process.env['DUE_PARTITIONS'];
      else process.env['DUE_PARTITIONS'] = count;
    };
    const beyondTheLeast = async (): Promise<number[]> => {
      const messages = await Promise.all(Array.from({ length: 12 }, () => scheduled(testApp.clock.now() + horizonMs + 20_000)));
      const buckets = messages.map(({ id, dueAt = 0 }) => dueKeys(dueAt, 'message', `7:1:${id}`).pk);
      const least = Array.from({ length: leastDuePartitions }, (_, index) => dueBucket(index));
      expect(buckets.filter((bucket) => !least.includes(bucket)).length).toBeGreaterThan(5);
      return messages.map(({ id }) => id);
    };
    try {
      withPartitions('64');
      const early = await beyondTheLeast();
      testApp.clock.advance(60_000);
      withPartitions(undefined);
      await testApp.tick();
      expect(placed().length).toBeLessThan(early.length);
      withPartitions('64');
      const later = await beyondTheLeast();
      testApp.clock.advance(60_000);
      await testApp.tick();
      withPartitions(undefined);
      expect(idsOf(placed())).toEqual([...early, ...later]);
      withPartitions('64');
      const last = await beyondTheLeast();
      withPartitions(undefined);
      testApp.clock.advance(60_000);
      await testApp.tick();
      expect(idsOf(placed())).toEqual(expect.arrayContaining(last));
    } finally {
      withPartitions(undefined);
    }
  });

  const many = isFullSize() ? 2_000 : 400;
  test(`places ${many} items of one minute, each`, async () => {
    const from = testApp.clock.now() + horizonMs + 1_000;
    const written: number[] = [];
    for (let start = 0; start < many; start += 100)
      written.push(
        ...(await Promise.all(Array.from({ length: 100 }, (_, index) => scheduled(from + (start + index) * 30)))).map(({ id }) => id),
      );
    testApp.clock.advance(62_000);
    await testApp.tick();
    expect(idsOf(placed())).toEqual(written);
  });
});
