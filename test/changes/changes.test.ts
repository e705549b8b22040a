import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { statsEntity, statsPartEntity } from '../../functions/campaigns/store/recipient-batch.ts';
import { changedAttributes, isNew, maxCheckpoints, partOf, shardName, withCheckpoint } from '../../functions/changes/domain.ts';
import { processChanges } from '../../functions/changes/service/process-changes.ts';
import { listSetAsideChanges, retrySetAsideChanges } from '../../functions/changes/service/set-aside.ts';
import { setAsideEntity } from '../../functions/changes/store/set-aside.ts';
import { confirmShard, getConfirmed } from '../../functions/changes/store/shard.ts';
import type { Checkpoints } from '../../shared/events/projection.ts';
import { addToCounter, reaction, reactionList } from '../../shared/events/react.ts';
import { reachabilityEntity } from '../../functions/contacts/store/reachability.ts';
import { conversationEntity } from '../../functions/conversations/store.ts';
import { sendsQueue, unconfirmedSendsQueue } from '../../functions/messaging/contract/queue.ts';
import { messageStatuses, type StoredMessage } from '../../functions/messaging/contract/stored.ts';
import { messageEntity } from '../../functions/messaging/store/message.ts';
import { all, equals } from '../../shared/table/condition.ts';
import { counterEntity, nextIds } from '../../shared/table/counter.ts';
import { type Random, seeded } from '../support/random.ts';
import { startTestApp } from '../support/test-app.ts';

const world = await startTestApp();
afterAll(() => world.stop());

const hourMs = 3_600_000;
let companies = 100;
let sequences = 1n;

interface Change {
  sequence: string;
  event: Record<string, unknown>;
}
/** A record of the stream, as Lambda gives it. */
const change = (before: StoredMessage | undefined, after: StoredMessage | undefined, writtenAt = world.clock.now()): Change => {
  const sequence = String(++sequences * 1_000_003n);
  const image = (message: StoredMessage | undefined) => message && toWire(messageEntity.stored(message));
  return {
    sequence,
    event: {
      eventID: `event-${sequence}`,
      eventName: before ? 'MODIFY' : 'INSERT',
      dynamodb: {
        SequenceNumber: sequence,
        ApproximateCreationDateTime: Math.floor(writtenAt / 1_000),
        ...(before ? { OldImage: image(before) } : {}),
        ...(after ? { NewImage: image(after) } : {}),
      },
    },
  };
};
/** Plain values in DynamoDB's wire form. */
const toWire = (item: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, wireValue(value)]),
  );
const wireValue = (value: unknown): unknown => {
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  return typeof value === 'object' && value !== null ? { M: toWire(value as Record<string, unknown>) } : { S: String(value) };
};
const inbound = (companyId: number, contactId: number, id: number): StoredMessage => ({
  companyId,
  contactId,
  id,
  inbound: true,
  type: 1,
  subtype: 'text',
  value: 'Hi',
  status: messageStatuses.delivered,
  rev: 0,
  wamid: `wamid.${companyId}-${id}`,
  attempt: 0,
  createdAt: 1_790_000_000_000 + id,
  updatedAt: 1_790_000_000_000 + id,
});
const deliver = async (shardId: string, changes: readonly Change[]) =>
  failures.parse(await world.invokeFunction('changes', { Records: changes.map(({ event }) => event), shardId, state: {} }));
const failures = z.object({ state: z.looseObject({}), batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });
const headOf = (companyId: number, contactId: number) => conversationEntity.get({ companyId, contactId }, { consistent: true });
const unreadOf = async (companyId: number, contactId: number) => (await headOf(companyId, contactId))?.unread ?? 0;

/** Delivers a shard as the event source does at its worst: in order, but cut anew and begun again from anywhere behind. */
const deliverBadly = async (shardId: string, changes: readonly Change[], random: Random): Promise<void> => {
  let done = 0;
  while (done < changes.length) {
    const from = Math.floor(random() * (done + 1));
    const to = Math.min(changes.length, done + 1 + Math.floor(random() * 6));
    await deliver(shardId, changes.slice(from, to));
    done = to;
  }
};

describe('folds', () => {
  test('are exact under replays and batches cut anew, over several rows', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = seeded(seed);
      const companyId = ++companies;
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
    for (let seed = 1; seed <= 6; seed++) {
      const companyId = ++companies;
      const shard = (offset: number): Change[] =>
        Array.from({ length: 15 }, (_, index) => change(undefined, inbound(companyId, 1, offset + index)));
      await Promise.all([deliverBadly('shardId-a', shard(1), seeded(seed)), deliverBadly('shardId-b', shard(1_000), seeded(seed + 50))]);
      expect(await unreadOf(companyId, 1)).toBe(30);
    }
  });

  test('lose nothing to writers of the same row beside them, nor these to them', async () => {
    const companyId = ++companies;
    await deliver('shardId-1', [change(undefined, inbound(companyId, 1, 1))]);
    const changes = Array.from({ length: 30 }, (_, index) => change(undefined, inbound(companyId, 1, index + 2)));
    let assigned = 0;
    const api = async (): Promise<void> => {
      for (let tries = 0; assigned < 10 && tries < 200; tries++) {
        const seen = await headOf(companyId, 1);
        if (!seen) throw new Error('There is no conversation.');
        const written = await conversationEntity.change(
          { companyId, contactId: 1 },
          { set: { assignedTo: (seen.assignedTo ?? 0) + 1, rev: seen.rev + 1 } },
          all(equals('rev', seen.rev)),
        );
        if (written.done) assigned++;
      }
    };
    await Promise.all([api(), deliverBadly('shardId-1', changes, seeded(3))]);
    expect(await headOf(companyId, 1)).toMatchObject({ unread: 31, assignedTo: 10 });
  });

  test('of totals stand beside ids that are taken from the same row at the same moment', async () => {
    const companyId = ++companies;
    const heads = Array.from({ length: 20 }, (_, index) => {
      const head = {
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
      const image = toWire(conversationEntity.stored(head));
      return { ...record, event: { ...record.event, dynamodb: { ...(record.event['dynamodb'] as object), NewImage: image } } };
    });
    await Promise.all([
      deliverBadly('shardId-1', heads, seeded(4)),
      ...Array.from({ length: 15 }, () => nextIds(companyId, 'conversation', 2)),
    ]);
    expect(await counterEntity.get({ companyId, of: 'conversation' }, { consistent: true })).toMatchObject({ total: 20, lastId: 30 });
  });

  test('begin a row anew whose time is over though the table still holds it', async () => {
    const companyId = ++companies;
    const phone = '4915112345678';
    const seenAt = world.clock.now();
    await reachabilityEntity.put({ companyId, phone, seenAt, rev: 3, checkpoints: {} });
    world.clock.advance(91 * 24 * hourMs);
    const sent = { ...inbound(companyId, 1, 1), inbound: false, phone, deliveredAt: world.clock.now() };
    expect((await deliver('shardId-1', [change(undefined, sent)])).batchItemFailures).toEqual([]);
    expect(await reachabilityEntity.get({ companyId, phone }, { consistent: true })).toMatchObject({ seenAt: sent.deliveredAt, rev: 1 });
  });

  test('of a batch into one row are one write', async () => {
    const companyId = ++companies;
    const changes = Array.from({ length: 100 }, (_, index) => change(undefined, inbound(companyId, 1, index + 1)));
    const used = await world.meter(() => deliver('shardId-1', changes));
    // the third asks who listens to the company's events: once for all of them, and not again for a while
    expect(used.calls).toBe(3);
    expect(await unreadOf(companyId, 1)).toBe(100);
    const replay = await world.meter(() => deliver('shardId-1', changes));
    expect([replay.wru, replay.rru]).toEqual([0, 0.5]);
  });
});

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
    const companyId = ++companies;
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
    expect(parts.map(({ part }) => part).toSorted((a, b) => a - b)).toEqual([...new Set(shards.map(partOf))].toSorted((a, b) => a - b));
    expect(parts.length).toBeGreaterThan(4);
    await world.drain();
    expect(await statsEntity.get({ companyId, campaignId: 1 }, { consistent: true })).toMatchObject({
      sent: 0,
      delivered: 4 * shards.length,
      failed: shards.length,
      everDelivered: 4 * shards.length,
      failures: { 131_026: { count: shards.length, title: 'Undeliverable' } },
    });
  });

  test('take away in one shard what another has counted, as after a shard was replaced', async () => {
    const companyId = ++companies;
    const [first = '', second = ''] = generations(1, 12)
      .flat()
      .filter((shardId, index, all) => all.findIndex((each) => partOf(each) === partOf(shardId)) === index);
    const message = sent(companyId, 1);
    await deliver(first, [change(undefined, message), change(message, failing(message))]);
    await deliver(second, [change(failing(message), { ...message, status: messageStatuses.scheduled, attempt: 1 })]);
    await world.drain();
    expect(await statsEntity.get({ companyId, campaignId: 1 }, { consistent: true })).toMatchObject({
      failed: 0,
      sent: 0,
      retried: 1,
      failures: {},
    });
  });
});

describe('projections of a stream with many shards', () => {
  test('are exact over generations of shards whose batches come again, and the row stays as small as with four', async () => {
    for (const [seed, shards] of [
      [1, 4],
      [2, 24],
    ] as const) {
      const random = seeded(seed);
      const companyId = ++companies;
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
      const row = await headOf(companyId, 1);
      expect(row?.unread).toBe(written);
      expect(Object.keys(row?.checkpoints ?? {}).length).toBeLessThanOrEqual(maxCheckpoints * 2 + 1);
    }
  });

  test('are exact wherever a batch breaks off: before a row, between rows, before and after the shard confirms', async () => {
    const shards = generations(1, 8)[0] ?? [];
    for (let call = 0; ; call++) {
      const companyId = ++companies;
      let written = 0;
      const next = (contactId: number) => change(undefined, inbound(companyId, contactId, ++written));
      // so many shards that every further one has to confirm
      for (const shardId of shards) await deliver(shardId, [next(1), next(2)]);
      const shardId = shards.at(-1) ?? '';
      const batch = [next(1), next(2), next(1)];
      let left = call;
      let hasBroken = false;
      {
        using _hook = world.onTable(({ command, when }) => {
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
      if (!hasBroken) break;
      expect(call).toBeLessThan(20);
    }
  });

  test('are exact where two deliveries of a batch overlap while other shards drop its checkpoint', async () => {
    const shards = generations(1, 6)[0] ?? [];
    for (let round = 0; round < 6; round++) {
      const companyId = ++companies;
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
    }
  });

  test('read the checkpoints of rows of before shards confirmed, and write them anew', async () => {
    const companyId = ++companies;
    const shardId = 'shardId-00000001414576573621-f55eea83';
    const changes = [1, 2, 3].map((id) => change(undefined, inbound(companyId, 1, id)));
    await deliver('shardId-1', [changes[0] as Change]);
    const hour = Math.floor(world.clock.now() / hourMs);
    const seen = await headOf(companyId, 1);
    const earlier = {
      '1': `${changes[0]?.sequence}@${hour}`,
      '1414576573621-f55eea83': `${changes[1]?.sequence}@${hour}`,
      '2': `5@${hour - 40}`,
    };
    await conversationEntity.change({ companyId, contactId: 1 }, { set: { unread: 2, rev: (seen?.rev ?? 0) + 1, checkpoints: earlier } });
    await deliver(shardId, [changes[1] as Change]);
    await deliver('shardId-1', [changes[0] as Change]);
    expect(await unreadOf(companyId, 1)).toBe(2);
    await deliver(shardId, changes.slice(1));
    const row = await headOf(companyId, 1);
    expect(row?.unread).toBe(3);
    expect(Object.keys(row?.checkpoints ?? {}).toSorted()).toEqual(['1', shardName(shardId)].toSorted());
  });

  test('leave no trace of a closed shard once its window has ended', async () => {
    const companyId = ++companies;
    let written = 0;
    for (const generation of generations(6, 4)) {
      for (const shardId of generation) {
        const { state } = await deliver(shardId, [change(undefined, inbound(companyId, 1, ++written))]);
        await world.invokeFunction('changes', { Records: [], shardId, state, isFinalInvokeForWindow: true });
      }
    }
    const row = await headOf(companyId, 1);
    expect(row?.unread).toBe(written);
    expect(Object.keys(row?.checkpoints ?? {}).length).toBeLessThanOrEqual(maxCheckpoints + 1);
  });

  test('a shard that confirms goes forward only, and its item is gone after two days', async () => {
    await confirmShard('a-shard', 12n);
    await confirmShard('a-shard', 7n);
    expect(await getConfirmed('a-shard')).toBe(12n);
    world.clock.advance(49 * hourMs);
    expect(await getConfirmed('a-shard')).toBeUndefined();
  });
});

test('an image is parsed once for all reactions to its kind', async () => {
  const companyId = ++companies;
  const parsed: unknown[] = [];
  const counting = { name: messageEntity.name, parse: (raw: unknown) => (parsed.push(raw), messageEntity.parse(raw)) };
  const seen: unknown[] = [];
  const reactions = reactionList(
    { sendsTo: [] },
    Array.from({ length: 3 }, () => reaction(counting, ({ after }) => (seen.push(after?.id), []))),
  );
  const { event } = change(inbound(companyId, 1, 1), { ...inbound(companyId, 1, 1), rev: 1 });
  await processChanges([event as unknown as DynamoDBRecord], 'shardId-1', { reactions, projections: [] });
  expect(seen).toEqual([1, 1, 1]);
  expect(parsed).toHaveLength(2);
});

describe('a record that cannot be carried out', () => {
  const asideOf = async (eventId: unknown) => (await listSetAsideChanges()).find((each) => each.eventId === eventId);
  const metricsOf = (name: string) => world.logs.filter((line) => name in line).length;

  test('is set aside and passed over: those before it and behind it are done, an alarm counts it', async () => {
    const companyId = ++companies;
    const before = metricsOf('ChangesSetAside');
    const good = Array.from({ length: 3 }, (_, index) => change(undefined, inbound(companyId, 1, index + 1)));
    const poison = change(undefined, { ...inbound(companyId, 1, 4), status: 'broken' as unknown as number });
    const behind = change(undefined, inbound(companyId, 1, 5));
    const answer = await deliver('shardId-1', [...good, poison, behind]);
    expect(answer).toEqual({ state: { done: behind.sequence }, batchItemFailures: [] });
    expect(await unreadOf(companyId, 1)).toBe(4);
    expect(await asideOf(poison.event['eventID'])).toMatchObject({ of: 'message', error: 'ZodError' });
    expect(metricsOf('ChangesSetAside')).toBe(before + 1);
    // delivered once more it is the same item
    await deliver('shardId-1', [...good, poison, behind]);
    expect((await listSetAsideChanges()).filter(({ eventId }) => eventId === poison.event['eventID'])).toHaveLength(1);
  });

  test('since its due work belongs to no context is set aside in the same way', async () => {
    const companyId = ++companies;
    const good = change(undefined, inbound(companyId, 1, 1));
    const strange = change(undefined, inbound(companyId, 1, 2));
    const { dynamodb } = strange.event as { dynamodb: { NewImage: Record<string, unknown> } };
    dynamodb.NewImage['due_sk'] = { S: `${String(world.clock.now()).padStart(15, '0')}#unheard-of#1` };
    await deliver('shardId-1', [good, strange]);
    expect(await unreadOf(companyId, 1)).toBe(1);
    expect(await asideOf(strange.event['eventID'])).toBeDefined();
  });

  test('since a summary row breaks its schema is set aside before anything is written; the other rows of the batch go on', async () => {
    const companyId = ++companies;
    await deliver('shardId-1', [change(undefined, inbound(companyId, 1, 1)), change(undefined, inbound(companyId, 2, 2))]);
    const broken = { unread: 'many' as unknown as number };
    await conversationEntity.change({ companyId, contactId: 1 }, { set: broken }).catch(() => undefined);
    const stuck = change(undefined, inbound(companyId, 1, 3));
    await deliver('shardId-1', [stuck, change(undefined, inbound(companyId, 2, 4))]);
    expect(await unreadOf(companyId, 2)).toBe(2);
    expect(await asideOf(stuck.event['eventID'])).toMatchObject({ of: 'message' });
    await conversationEntity.change({ companyId, contactId: 1 }, { set: { unread: 1 } });
    expect(await retrySetAsideChanges(String(stuck.event['eventID']))).toBe(1);
    await world.drain();
    expect(await unreadOf(companyId, 1)).toBe(2);
    expect(await asideOf(stuck.event['eventID'])).toBeUndefined();
  });

  test('is carried out once its cause is mended: counted once, however often the retry is requested or delivered', async () => {
    const companyId = ++companies;
    let isMended = false;
    const refuses = reaction<StoredMessage>({ name: 'message', parse: (raw) => raw as StoredMessage }, ({ after }) => {
      if (!isMended) throw new TypeError('a mistake of this version');
      return after ? [addToCounter(after.companyId, 'things', 1)] : [];
    });
    const registry = { reactions: reactionList({ sendsTo: [] }, [refuses]), projections: [] };
    const poison = change(undefined, inbound(companyId, 1, 1));
    const { eventID } = poison.event as { eventID: string };
    await processChanges([poison.event as unknown as DynamoDBRecord], 'shardId-1', registry);
    const retry = async (): Promise<DynamoDBRecord> => {
      const before = await asideOf(eventID);
      world.clock.advance(1_000);
      await retrySetAsideChanges(eventID);
      const record = change(undefined, undefined).event as { dynamodb: object };
      const images = {
        OldImage: toWire(setAsideEntity.stored(before as never)),
        NewImage: toWire(setAsideEntity.stored((await asideOf(eventID)) as never)),
      };
      return { ...record, dynamodb: { ...record.dynamodb, ...images } } as unknown as DynamoDBRecord;
    };
    await processChanges([await retry()], 'shardId-2', registry);
    expect(await asideOf(eventID)).toBeDefined();
    isMended = true;
    const request = await retry();
    await processChanges([request], 'shardId-2', registry);
    await processChanges([request], 'shardId-2', registry);
    expect(await counterEntity.get({ companyId, of: 'things' }, { consistent: true })).toMatchObject({ total: 1 });
    expect(await asideOf(eventID)).toBeUndefined();
  });

  test('fails the batch where the table or a queue fails: nothing is set aside for that', async () => {
    const companyId = ++companies;
    const count = (await listSetAsideChanges()).length;
    const each = change(undefined, inbound(companyId, 1, 1));
    {
      using _hook = world.onTable(({ command, when }) => {
        if (when === 'before' && command === 'PutItem') throw new Error('The table cannot be reached.');
      });
      await expect(deliver('shardId-1', [each])).rejects.toThrow();
    }
    expect(await listSetAsideChanges()).toHaveLength(count);
    await deliver('shardId-1', [each]);
    expect(await unreadOf(companyId, 1)).toBe(1);
  });

  test('an event that names no shard is refused whole: folds could not be exact', async () => {
    await expect(world.invokeFunction('changes', { Records: [] })).rejects.toThrow('shard');
  });
});

describe('what changes say', () => {
  test('events bear the same id on every repetition, and each happening one of its own', async () => {
    const companyId = ++companies;
    const before = world.events.length;
    const changes = Array.from({ length: 5 }, (_, index) => change(undefined, inbound(companyId, 1, index + 1)));
    await deliver('shardId-1', changes);
    await deliver('shardId-1', changes);
    const ids = world.events.slice(before).map(({ detail }) => detail['id']);
    expect([ids.length, new Set(ids).size]).toEqual([10, 5]);
  });

  test('a claim is looked at again two minutes later, by its attempt', async () => {
    const companyId = ++companies;
    const claim = { ...inbound(companyId, 1, 1), inbound: false, status: messageStatuses.sending, attempt: 1 };
    await deliver('shardId-1', [change(undefined, claim), change(claim, { ...claim, ambiguous: true })]);
    const mine = world.queued(unconfirmedSendsQueue).filter((each) => (each as { company_id: number }).company_id === companyId);
    expect(mine).toEqual([{ company_id: companyId, contact_id: 1, message_id: 1, attempt: 1 }]);
  });

  test('newly due work is placed at once, moved work again, unmoved work not', async () => {
    const companyId = ++companies;
    const due = world.clock.now() + 5_000;
    const waits = { ...inbound(companyId, 1, 1), inbound: false, status: messageStatuses.scheduled, attempt: 1, dueAt: due };
    const moved = { ...waits, dueAt: due + 1_000 };
    await deliver('shardId-1', [change(undefined, waits), change(waits, { ...waits, rev: 1 }), change(waits, moved)]);
    const mine = world.queued(sendsQueue).filter((each) => (each as { company_id: number }).company_id === companyId);
    expect(mine.map((each) => (each as { due_at_ms: number }).due_at_ms).toSorted((a, b) => a - b)).toEqual([due, due + 1_000]);
  });
});

describe('checkpoints', () => {
  test('a record is new once, in its shard, in any order of shards', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('shardId-1', 'shardId-2', 'shardId-3'), fc.bigInt({ min: 1n, max: 10n ** 38n }))),
        (records) => {
          let checkpoints: Checkpoints = {};
          const greatest = new Map<string, bigint>();
          for (const [shardId, sequence] of records) {
            const place = { shardId, sequence: String(sequence), writtenAt: 1 };
            expect(isNew(checkpoints, place)).toBe(sequence > (greatest.get(shardId) ?? 0n));
            if (!isNew(checkpoints, place)) continue;
            checkpoints = withCheckpoint(checkpoints, place);
            greatest.set(shardId, sequence);
          }
        },
      ),
      { seed: 8 },
    );
  });

  test('of the last 30 hours are kept, however many; older ones go, so that the row stays small', () => {
    let checkpoints: Checkpoints = {};
    for (let hour = 0; hour < 24 * 30; hour += 4)
      checkpoints = withCheckpoint(checkpoints, {
        shardId: `shardId-0000000141457657${hour}-f55eea83`,
        sequence: String(10n ** 20n + BigInt(hour)),
        writtenAt: hour * hourMs,
      });
    expect(Object.keys(checkpoints)).toHaveLength(8);
    for (let shard = 0; shard < 50; shard++)
      checkpoints = withCheckpoint(checkpoints, { shardId: `shardId-x${shard}`, sequence: '5', writtenAt: 24 * 30 * hourMs });
    expect(Object.keys(checkpoints).length).toBeGreaterThanOrEqual(50);
  });

  test('a difference names what changed and, as undefined, what is gone', () => {
    expect(changedAttributes({ a: 1, b: [1], c: 'x' }, { a: 1, b: [2], d: null })).toEqual({ b: [2], c: undefined, d: null });
  });
});
