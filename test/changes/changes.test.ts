import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { changedAttributes, isNew, withCheckpoint } from '../../functions/changes/domain.ts';
import type { Checkpoints } from '../../shared/events/projection.ts';
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

describe('a record that cannot be read', () => {
  test('is reported by its sequence number; those before it are done, those behind it are not', async () => {
    const companyId = ++companies;
    const good = Array.from({ length: 3 }, (_, index) => change(undefined, inbound(companyId, 1, index + 1)));
    const poison = change(undefined, { ...inbound(companyId, 1, 4), status: 'broken' as unknown as number });
    const behind = change(undefined, inbound(companyId, 1, 5));
    const answer = await deliver('shardId-1', [...good, poison, behind]);
    expect(answer).toEqual({ state: {}, batchItemFailures: [{ itemIdentifier: poison.sequence }] });
    expect(await unreadOf(companyId, 1)).toBe(3);
    expect((await deliver('shardId-1', [behind])).batchItemFailures).toEqual([]);
    expect(await unreadOf(companyId, 1)).toBe(4);
  });

  test('of due work that nobody declares is reported in the same way', async () => {
    const companyId = ++companies;
    const good = change(undefined, inbound(companyId, 1, 1));
    const strange = change(undefined, inbound(companyId, 1, 2));
    const { dynamodb } = strange.event as { dynamodb: { NewImage: Record<string, unknown> } };
    dynamodb.NewImage['due_sk'] = { S: `${String(world.clock.now()).padStart(15, '0')}#unheard-of#1` };
    expect((await deliver('shardId-1', [good, strange])).batchItemFailures).toEqual([{ itemIdentifier: strange.sequence }]);
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
