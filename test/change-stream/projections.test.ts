import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/test-app.ts';
import { statsEntity, statsPartEntity } from '../../functions/campaigns/store/stats.ts';
import { processChanges } from '../../functions/change-stream/service/process-changes.ts';
import { addToCounter, reaction, reactionList } from '../../shared/events/react.ts';
import { shardPartOf } from '../../functions/change-stream/domain.ts';
import { changedAttributes } from '../../shared/table/write-each.ts';
import { confirmShard, getConfirmed } from '../../functions/change-stream/store/shard.ts';
import { maxCheckpoints, shardName } from '../../shared/events/checkpoints.ts';
import { reachabilityEntity } from '../../functions/contacts/store/reachability.ts';
import { eventsEntity } from '../../functions/events/store/events.ts';
import { conversationEntity } from '../../functions/conversations/store/conversation.ts';
import { messageStatuses, type StoredMessage } from '../../functions/messaging/contract/stored.ts';
import { all, equals } from '../../shared/table/condition.ts';
import { counterEntity, nextIds } from '../../shared/table/counter.ts';
import { seeded } from '../support/random.ts';
import { runSize } from '../support/run-size.ts';
import { conversationOf, inbound, toWire, unreadOf, changesOf, type Change } from './fixture.ts';
import { mendedBy } from '../support/mutation.ts';

const testApp = await startTestApp();
afterAll(() => testApp.stop());
const { nextCompany, change, deliver, deliverBadly } = changesOf(testApp);
const hourMs = 3_600_000;

describe('projections', () => {
  test('are exact under replays and batches cut anew, over several rows', async () => {
    for (let seed = 1; seed <= runSize(4, 12); seed++) {
      const random = seeded(seed);
      const companyId = nextCompany();
      const messages = Array.from({ length: 25 }, (_, index) => inbound(companyId, 1 + Math.floor(random() * 3), index + 1));
      await deliverBadly(
        'shardId-1',
        messages.map((message) => change(undefined, message)),
        random,
      );
      for (const contactId of [1, 2, 3])
        expect(await unreadOf(companyId, contactId)).toBe(messages.filter((message) => message.contactId === contactId).length);
    }
  });

  test('are exact from two shards at once, whose batches come again', async () => {
    for (let seed = 1; seed <= runSize(2, 6); seed++) {
      const companyId = nextCompany();
      const shard = (offset: number): Change[] =>
        Array.from({ length: 15 }, (_, index) => change(undefined, inbound(companyId, 1, offset + index)));
      await Promise.all([deliverBadly('shardId-a', shard(1), seeded(seed)), deliverBadly('shardId-b', shard(1_000), seeded(seed + 50))]);
      expect(await unreadOf(companyId, 1)).toBe(30);
    }
  });

  test('lose nothing to writers of the same row beside them, nor these to them', async () => {
    const companyId = nextCompany();
    await deliver('shardId-1', [change(undefined, inbound(companyId, 1, 1))]);
    const changes = Array.from({ length: 30 }, (_, index) => change(undefined, inbound(companyId, 1, index + 2)));
    let assigned = 0;
    const api = async (): Promise<void> => {
      for (let tries = 0; assigned < 10 && tries < 200; tries++) {
        const seen = await conversationOf(companyId, 1);
        if (!seen) throw new Error('There is no conversation.');
        const written = await conversationEntity.update(
          seen,
          { set: { assignedTo: (seen.assignedTo ?? 0) + 1, rev: seen.rev + 1 } },
          all(equals('rev', seen.rev)),
        );
        if (written.done) assigned++;
      }
    };
    await Promise.all([api(), deliverBadly('shardId-1', changes, seeded(3))]);
    expect(await conversationOf(companyId, 1)).toMatchObject({ unread: 31, assignedTo: 10 });
  });

  mendedBy(
    'that add nothing to a row of a moment ago read it once more: what follows a change at once is not lost',
    { in: 'functions/change-stream/service/apply-projections.ts', replace: '(!seen || hasFresh(row, seen, confirmed))', by: '!seen' },
    async () => {
      const companyId = nextCompany();
      const setting = (total: number) => {
        const tally = reaction<StoredMessage>({ name: 'message', parse: (raw) => raw as StoredMessage }, () => [
          {
            ...addToCounter(companyId, 'tally', 1),
            apply: (row) => (row?.['total'] === total ? undefined : { ...row, companyId, of: 'tally', lastId: 0, total }),
          },
        ]);
        return { reactions: reactionList({ sendsTo: [] }, [tally]), projections: [] };
      };
      const set = (total: number, id: number): Promise<unknown> =>
        processChanges([change(undefined, inbound(companyId, 1, id)).event as unknown as DynamoDBRecord], 'shardId-1', setting(total));
      await set(1, 1);
      const before = await counterEntity.get({ companyId, of: 'tally' }, { consistent: true });
      await set(2, 2);
      {
        // the batch behind reads the row as it was before the one in between
        using _late = testApp.onTable(({ command, when, output }) => {
          const rows = Object.values((output?.['Responses'] as Record<string, Record<string, unknown>[]> | undefined) ?? {}).flat();
          if (command === 'BatchGetItem' && when === 'after') for (const row of rows) Object.assign(row, toLate(row, before));
        });
        await set(1, 3);
      }
      expect(await counterEntity.get({ companyId, of: 'tally' }, { consistent: true })).toMatchObject({ total: 1 });
    },
  );

  test('of totals stand beside ids that are taken from the same row at the same moment', async () => {
    const companyId = nextCompany();
    const conversations = Array.from({ length: 20 }, (_, index) => {
      const conversation = {
        companyId,
        contactId: index + 1,
        lastMessageId: 1,
        lastMessageAt: 1,
        unread: 0,
        status: 'open' as const,
        createdAt: 1,
        updatedAt: 1,
        rev: 0,
        checkpoints: {},
      };
      const record = change(undefined, undefined);
      const image = toWire(conversationEntity.stored(conversation));
      return { ...record, event: { ...record.event, dynamodb: { ...(record.event['dynamodb'] as object), NewImage: image } } };
    });
    await Promise.all([
      deliverBadly('shardId-1', conversations, seeded(4)),
      ...Array.from({ length: 15 }, () => nextIds(companyId, 'conversation', 2)),
    ]);
    expect(await counterEntity.get({ companyId, of: 'conversation' }, { consistent: true })).toMatchObject({ total: 20, lastId: 30 });
  });

  test('begin a row anew whose time is over though the table still holds it', async () => {
    const companyId = nextCompany();
    const phone = '4915112345678';
    const seenAt = testApp.clock.now();
    await reachabilityEntity.put({ companyId, phone, seenAt, rev: 3, checkpoints: {} });
    testApp.clock.advance(91 * 24 * hourMs);
    const sent = { ...inbound(companyId, 1, 1), inbound: false, phone, deliveredAt: testApp.clock.now() };
    expect((await deliver('shardId-1', [change(undefined, sent)])).batchItemFailures).toEqual([]);
    expect(await reachabilityEntity.get({ companyId, phone }, { consistent: true })).toMatchObject({ seenAt: sent.deliveredAt, rev: 1 });
  });

  test('of a batch into one row are one write', async () => {
    const companyId = nextCompany();
    const changes = Array.from({ length: 100 }, (_, index) => change(undefined, inbound(companyId, 1, index + 1)));
    let logged = 0;
    using _watch = testApp.onTable(({ input, when }) => {
      if (when === 'before' && /#EVENTS/.test(JSON.stringify([input['Item'], input['Key'], input['ExpressionAttributeValues']]))) logged++;
    });
    const used = await testApp.meter(() => deliver('shardId-1', changes));
    // one reads which endpoints subscribe to the company's events: once for all of them; one, at the beginning of a window, which companies have
    // changes that wait
    expect(used.calls - logged).toBe(4);
    // where the log ends and begins, and an item for each 4 KB
    expect(logged).toBeLessThanOrEqual(12);
    expect(await unreadOf(companyId, 1)).toBe(100);
    const replay = await testApp.meter(() => deliver('shardId-1', changes));
    expect([replay.wru, replay.rru]).toEqual([0, 1.5 + 1]);
  });
});

/** In whichever form the row is at the hook. */
const toLate = (row: Record<string, unknown>, before: object | undefined): object =>
  typeof row['pk'] === 'string' ? { ...before } : toWire({ ...before });

const generations = (count: number, shards: number): string[][] =>
  Array.from({ length: count }, (_, generation) =>
    Array.from(
      { length: shards },
      (_each, shard) => `shardId-${String(1_700_000_000_000 + generation * 64 + shard).padStart(20, '0')}-f55eea83`,
    ),
  );

describe('counters in parts', () => {
  const sent = (companyId: number, contactId: number): StoredMessage => ({
    ...inbound(companyId, contactId, contactId),
    inbound: false,
    campaign: { id: 1, batch: 0 },
    status: messageStatuses.sent,
  });
  const failing = (message: StoredMessage): StoredMessage => ({
    ...message,
    status: messageStatuses.failed,
    error: { code: 131_026, title: 'Undeliverable' },
  });

  test('are written by many shards side by side, to the shard’s own part alone, and add up exactly under repetition', async () => {
    const companyId = nextCompany();
    const shards = generations(2, 12).flat();
    const written = shards.flatMap((shardId, nth) => {
      const messages = Array.from({ length: 5 }, (_, index) => sent(companyId, nth * 100 + index + 1));
      return [{ shardId, messages }];
    });
    await Promise.all(
      written.map(({ shardId, messages }, nth) =>
        deliverBadly(
          shardId,
          messages.flatMap((message, index) => [
            change(undefined, message),
            change(message, index === 0 ? failing(message) : { ...message, status: messageStatuses.delivered, deliveredAt: 1 }),
          ]),
          seeded(nth),
        ),
      ),
    );
    const parts = await statsPartEntity.collect({
      pk: statsPartEntity.key({ companyId, campaignId: 1, part: 0 }).pk,
      between: ['STATS#', 'STATS#~'],
    });
    expect(parts.map(({ part }) => part).toSorted((a, b) => a - b)).toEqual(
      [...new Set(shards.map(shardPartOf))].toSorted((a, b) => a - b),
    );
    expect(parts.length).toBeGreaterThan(4);
    await testApp.drain();
    expect(await statsEntity.get({ companyId, campaignId: 1 }, { consistent: true })).toMatchObject({
      sent: 0,
      delivered: 4 * shards.length,
      failed: shards.length,
      everDelivered: 4 * shards.length,
      failures: { 131_026: { count: shards.length, title: 'Undeliverable' } },
    });
  });

  test('take away in one shard what another has counted, as after a shard was replaced', async () => {
    const companyId = nextCompany();
    const [first = '', second = ''] = generations(1, 12)
      .flat()
      .filter((shardId, index, all) => all.findIndex((each) => shardPartOf(each) === shardPartOf(shardId)) === index);
    const message = sent(companyId, 1);
    await deliver(first, [change(undefined, message), change(message, failing(message))]);
    await deliver(second, [change(failing(message), { ...message, status: messageStatuses.scheduled, attempt: 1 })]);
    await testApp.drain();
    expect(await statsEntity.get({ companyId, campaignId: 1 }, { consistent: true })).toMatchObject({
      failed: 0,
      sent: 0,
      retried: 1,
      failures: {},
    });
  });
});

/** The event log of a company: its received messages, each as often as it stands there, and the most checkpoints that an item has. */
const logOf = async (companyId: number): Promise<{ messages: string[]; mostCheckpoints: number }> => {
  const items = await eventsEntity.collect({ pk: eventsEntity.key({ companyId, place: 1 }).pk, consistent: true });
  return {
    messages: items.flatMap(({ events }) =>
      events.filter(({ type }) => type === 'message.received').map(({ data }) => JSON.stringify(data)),
    ),
    mostCheckpoints: Math.max(0, ...items.map(({ checkpoints }) => Object.keys(checkpoints).length)),
  };
};
const expectLogged = async (companyId: number, written: number): Promise<void> => {
  const { messages } = await logOf(companyId);
  expect([messages.length, new Set(messages).size]).toEqual([written, written]);
};

describe('projections of a stream with many shards', () => {
  test('and the event log are exact over generations of shards whose batches come again, and as small as with four', async () => {
    for (const [seed, shards] of [
      [1, 4],
      [2, 24],
    ] as const) {
      const random = seeded(seed);
      const companyId = nextCompany();
      let written = 0;
      for (const generation of generations(2, shards)) {
        const open = generation.map((shardId) => ({
          shardId,
          done: 0,
          changes: Array.from({ length: 2 }, () => change(undefined, inbound(companyId, 1, ++written))),
        }));
        // shards take turns in any order, and each begins again from anywhere behind
        for (let left = open; left.length > 0; left = open.filter(({ done, changes }) => done < changes.length)) {
          const shard = left[Math.floor(random() * left.length)];
          if (!shard) break;
          const from = Math.floor(random() * (shard.done + 1));
          shard.done++;
          await deliver(shard.shardId, shard.changes.slice(from, shard.done));
        }
        // as after a lost checkpoint, everything of some shards again, once others have written
        for (const { shardId, changes } of open) if (random() < 0.2) await deliver(shardId, changes);
      }
      const row = await conversationOf(companyId, 1);
      expect(row?.unread).toBe(written);
      expect(Object.keys(row?.checkpoints ?? {}).length).toBeLessThanOrEqual(maxCheckpoints * 2 + 1);
      await expectLogged(companyId, written);
      expect((await logOf(companyId)).mostCheckpoints).toBeLessThanOrEqual(maxCheckpoints * 2 + 1);
    }
  });

  test('and the event log are exact wherever a batch breaks off: before a row, between rows, before and after the shard confirms', async () => {
    const shards = generations(1, 8)[0] ?? [];
    for (let call = 0; ; call++) {
      const companyId = nextCompany();
      let written = 0;
      const next = (contactId: number) => change(undefined, inbound(companyId, contactId, ++written));
      // so many shards that every further one has to confirm
      for (const shardId of shards) await deliver(shardId, [next(1), next(2)]);
      const shardId = shards.at(-1) ?? '';
      const batch = [next(1), next(2), next(1)];
      let left = call;
      let hasBroken = false;
      {
        using _hook = testApp.onTable(({ command, when }) => {
          if (when !== 'after' || command === 'GetItem' || command === 'BatchGetItem' || hasBroken || left-- > 0) return;
          hasBroken = true;
          throw new Error('The process stops here.');
        });
        await deliver(shardId, batch).catch(() => undefined);
      }
      for (const other of shards.slice(0, -1)) await deliver(other, [next(1), next(2)]);
      // cut anew, as after a bisected batch
      await deliver(shardId, batch.slice(0, 2));
      for (const other of shards.slice(0, -1)) await deliver(other, [next(1), next(2)]);
      await deliver(shardId, batch);
      expect((await unreadOf(companyId, 1)) + (await unreadOf(companyId, 2)), `stopped after write ${call}`).toBe(written);
      await expectLogged(companyId, written);
      if (!hasBroken) break;
      expect(call).toBeLessThan(20);
    }
  });

  test('and the event log are exact where two deliveries of a batch overlap while other shards drop its checkpoint', async () => {
    const shards = generations(1, 6)[0] ?? [];
    for (let round = 0; round < runSize(2, 6); round++) {
      const companyId = nextCompany();
      let written = 0;
      const next = () => change(undefined, inbound(companyId, 1, ++written));
      for (const shardId of shards) await deliver(shardId, [next()]);
      const shardId = shards.at(-1) ?? '';
      const batch = [next(), next()];
      await Promise.all([
        deliver(shardId, batch),
        ...shards.slice(0, -1).map((other) => deliver(other, [next()])),
        deliver(shardId, batch),
      ]);
      await Promise.all([deliver(shardId, batch), ...shards.slice(1).map((other) => deliver(other, [next()]))]);
      expect(await unreadOf(companyId, 1)).toBe(written);
      await expectLogged(companyId, written);
    }
  });

  test('read the checkpoints of rows of before shards confirmed, and write them anew', async () => {
    const companyId = nextCompany();
    const shardId = 'shardId-00000001414576573621-f55eea83';
    const changes = [1, 2, 3].map((id) => change(undefined, inbound(companyId, 1, id)));
    await deliver('shardId-1', [changes[0] as Change]);
    const hour = Math.floor(testApp.clock.now() / hourMs);
    const seen = await conversationOf(companyId, 1);
    const earlier = {
      '1': `${changes[0]?.sequence}@${hour}`,
      '1414576573621-f55eea83': `${changes[1]?.sequence}@${hour}`,
      '2': `5@${hour - 40}`,
    };
    if (!seen) throw new Error('There is no conversation.');
    await conversationEntity.update(seen, { set: { unread: 2, rev: seen.rev + 1, checkpoints: earlier } });
    await deliver(shardId, [changes[1] as Change]);
    await deliver('shardId-1', [changes[0] as Change]);
    expect(await unreadOf(companyId, 1)).toBe(2);
    await deliver(shardId, changes.slice(1));
    const row = await conversationOf(companyId, 1);
    expect(row?.unread).toBe(3);
    expect(Object.keys(row?.checkpoints ?? {}).toSorted()).toEqual(['1', shardName(shardId)].toSorted());
  });

  test('leave no trace of a closed shard once its window has ended', async () => {
    const companyId = nextCompany();
    let written = 0;
    for (const generation of generations(6, 4)) {
      for (const shardId of generation) {
        const { state } = await deliver(shardId, [change(undefined, inbound(companyId, 1, ++written))]);
        await testApp.invokeFunction('changes', { Records: [], shardId, state, isFinalInvokeForWindow: true });
      }
    }
    const row = await conversationOf(companyId, 1);
    expect(row?.unread).toBe(written);
    expect(Object.keys(row?.checkpoints ?? {}).length).toBeLessThanOrEqual(maxCheckpoints + 1);
  });

  test('a shard that confirms goes forward only, and its item is gone after two days', async () => {
    await confirmShard('a-shard', 12n);
    await confirmShard('a-shard', 7n);
    expect(await getConfirmed('a-shard')).toBe(12n);
    testApp.clock.advance(49 * hourMs);
    expect(await getConfirmed('a-shard')).toBeUndefined();
  });
});

describe('a write of a row', () => {
  test('a difference names what changed and, as undefined, what is gone', () => {
    expect(changedAttributes({ a: 1, b: [1], c: 'x' }, { a: 1, b: [2], d: null })).toEqual({ b: [2], c: undefined, d: null });
  });
});
