import { afterAll, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/test-app.ts';
import type { DynamoDBRecord } from 'aws-lambda';
import { processChanges } from '../../functions/change-stream/service/process-changes.ts';
import { listSetAsideChanges, retrySetAsideChanges } from '../../functions/change-stream/service/set-aside.ts';
import { setAsideEntity } from '../../functions/change-stream/store/set-aside.ts';
import { addToCounter, reaction, reactionList } from '../../shared/events/react.ts';
import { conversationEntity } from '../../functions/conversations/store/conversation.ts';
import { sendsQueue, unconfirmedSendsQueue } from '../../functions/messaging/contract/queue.ts';
import { messageEntity } from '../../functions/messaging/store/message.ts';
import { messageStatuses, type StoredMessage } from '../../functions/messaging/contract/stored.ts';
import { counterEntity } from '../../shared/table/counter.ts';
import { inbound, setAsideOf, toWire, unreadOf, changesOf } from './fixture.ts';

const testApp = await startTestApp();
afterAll(() => testApp.stop());
const { nextCompany, change, deliver } = changesOf(testApp);

test('an image is parsed once for all reactions to its kind', async () => {
  const companyId = nextCompany();
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
  const metricsOf = (name: string) => testApp.logs.filter((line) => name in line).length;

  test('is set aside and passed over: those before it and behind it are done, an alarm counts it', async () => {
    const companyId = nextCompany();
    const before = metricsOf('ChangesSetAside');
    const good = Array.from({ length: 3 }, (_, index) => change(undefined, inbound(companyId, 1, index + 1)));
    const poison = change(undefined, { ...inbound(companyId, 1, 4), status: 'broken' as unknown as number });
    const behind = change(undefined, inbound(companyId, 1, 5));
    const answer = await deliver('shardId-1', [...good, poison, behind]);
    expect(answer).toEqual({ state: { done: behind.sequence, isDelaying: false }, batchItemFailures: [] });
    expect(await unreadOf(companyId, 1)).toBe(4);
    expect(await setAsideOf(poison.event['eventID'])).toMatchObject({ of: 'message', error: 'ZodError' });
    expect(metricsOf('ChangesSetAside')).toBe(before + 1);
    // delivered once more it is the same item
    await deliver('shardId-1', [...good, poison, behind]);
    expect((await listSetAsideChanges()).filter(({ eventId }) => eventId === poison.event['eventID'])).toHaveLength(1);
  });

  test('whose due work only another version knows is carried out but for that: it is left to the dispatcher', async () => {
    const companyId = nextCompany();
    const strange = change(undefined, inbound(companyId, 1, 2));
    const { dynamodb } = strange.event as { dynamodb: { NewImage: Record<string, unknown> } };
    dynamodb.NewImage['due_sk'] = { S: `${String(testApp.clock.now()).padStart(15, '0')}#unheard-of#1` };
    await deliver('shardId-1', [strange]);
    expect(await unreadOf(companyId, 1)).toBe(1);
    expect(await setAsideOf(strange.event['eventID'])).toBeUndefined();
  });

  test('of a kind that only another version knows is set aside but for its rows; its expiry is passed over', async () => {
    const companyId = nextCompany();
    const strange = change(undefined, inbound(companyId, 1, 1));
    const { dynamodb } = strange.event as { dynamodb: { NewImage: Record<string, unknown> } };
    dynamodb.NewImage['kind'] = { S: 'unheard-of' };
    const { NewImage: OldImage, ...keys } = dynamodb;
    const expired = { ...change(undefined, undefined), sequence: '7' };
    expired.event = { ...strange.event, eventID: 'expired', eventName: 'REMOVE', dynamodb: { ...keys, OldImage } };
    expired.event['userIdentity'] = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };
    const known = change(undefined, inbound(companyId, 1, 2));
    await deliver('shardId-1', [strange, expired, known]);
    expect(await unreadOf(companyId, 1)).toBe(1);
    expect(await setAsideOf(strange.event['eventID'])).toMatchObject({
      error: 'OfAnotherVersion',
      left: ['log', 'queues', 'bus', 'webhooks'],
    });
    expect(await setAsideOf('expired')).toBeUndefined();
  });

  test('since a summary row breaks its schema is set aside before anything is written; the other rows of the batch go on', async () => {
    const companyId = nextCompany();
    await deliver('shardId-1', [change(undefined, inbound(companyId, 1, 1)), change(undefined, inbound(companyId, 2, 2))]);
    const broken = { lastInboundAt: 'late' as unknown as number };
    await conversationEntity.change({ companyId, contactId: 1 }, { set: broken }).catch(() => undefined);
    const stuck = change(undefined, inbound(companyId, 1, 3));
    await deliver('shardId-1', [stuck, change(undefined, inbound(companyId, 2, 4))]);
    expect(await unreadOf(companyId, 2)).toBe(2);
    expect(await setAsideOf(stuck.event['eventID'])).toMatchObject({ of: 'message' });
    await conversationEntity.change({ companyId, contactId: 1 }, { set: { lastInboundAt: 1 } });
    expect(await retrySetAsideChanges(String(stuck.event['eventID']))).toBe(1);
    await testApp.drain();
    expect(await unreadOf(companyId, 1)).toBe(2);
    expect(await setAsideOf(stuck.event['eventID'])).toBeUndefined();
  });

  test('is carried out once its cause is mended: counted once, however often the retry is requested or delivered', async () => {
    const companyId = nextCompany();
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
      const before = await setAsideOf(eventID);
      testApp.clock.advance(1_000);
      await retrySetAsideChanges(eventID);
      const record = change(undefined, undefined).event as { dynamodb: object };
      const images = {
        OldImage: toWire(setAsideEntity.stored(before as never)),
        NewImage: toWire(setAsideEntity.stored((await setAsideOf(eventID)) as never)),
      };
      return { ...record, dynamodb: { ...record.dynamodb, ...images } } as unknown as DynamoDBRecord;
    };
    await processChanges([await retry()], 'shardId-2', registry);
    expect(await setAsideOf(eventID)).toBeDefined();
    isMended = true;
    const request = await retry();
    await processChanges([request], 'shardId-2', registry);
    await processChanges([request], 'shardId-2', registry);
    expect(await counterEntity.get({ companyId, of: 'things' }, { consistent: true })).toMatchObject({ total: 1 });
    expect(await setAsideOf(eventID)).toBeUndefined();
  });

  test('fails the batch where the table or a queue fails: nothing is set aside for that', async () => {
    const companyId = nextCompany();
    const count = (await listSetAsideChanges()).length;
    const each = change(undefined, inbound(companyId, 1, 1));
    {
      using _hook = testApp.onTable(({ command, when }) => {
        if (when === 'before' && command === 'PutItem') throw new Error('The table cannot be reached.');
      });
      await expect(deliver('shardId-1', [each])).rejects.toThrow();
    }
    expect(await listSetAsideChanges()).toHaveLength(count);
    await deliver('shardId-1', [each]);
    expect(await unreadOf(companyId, 1)).toBe(1);
  });

  test('an event that names no shard is refused whole: projections could not be exact', async () => {
    await expect(testApp.invokeFunction('changes', { Records: [] })).rejects.toThrow('shard');
  });
});

describe('what changes say', () => {
  test('events bear the same id on every repetition, and each happening one of its own', async () => {
    const companyId = nextCompany();
    const before = testApp.events.length;
    const changes = Array.from({ length: 5 }, (_, index) => change(undefined, inbound(companyId, 1, index + 1)));
    await deliver('shardId-1', changes);
    await deliver('shardId-1', changes);
    const ids = testApp.events.slice(before).map(({ detail }) => detail['id']);
    expect([ids.length, new Set(ids).size]).toEqual([10, 5]);
  });

  test('no event is published where the stage has no listener on the bus, and everything else follows', async () => {
    const companyId = nextCompany();
    const before = testApp.events.length;
    process.env['PUBLISH_EVENTS'] = 'false';
    try {
      await deliver('shardId-1', [
        change(undefined, { ...inbound(companyId, 1, 1), inbound: false, status: messageStatuses.sending, attempt: 1 }),
      ]);
      await deliver('shardId-1', [change(undefined, inbound(companyId, 1, 2))]);
    } finally {
      process.env['PUBLISH_EVENTS'] = 'true';
    }
    expect(testApp.events.length).toBe(before);
    expect(testApp.queued(unconfirmedSendsQueue).filter((each) => (each as { company_id: number }).company_id === companyId)).toHaveLength(
      1,
    );
  });

  test('a claim is looked at again two minutes later, by its attempt', async () => {
    const companyId = nextCompany();
    const claim = { ...inbound(companyId, 1, 1), inbound: false, status: messageStatuses.sending, attempt: 1 };
    await deliver('shardId-1', [change(undefined, claim), change(claim, { ...claim, ambiguous: true })]);
    const mine = testApp.queued(unconfirmedSendsQueue).filter((each) => (each as { company_id: number }).company_id === companyId);
    expect(mine).toEqual([{ company_id: companyId, contact_id: 1, message_id: 1, attempt: 1 }]);
  });

  test('newly due work is placed at once, moved work again, unmoved work not', async () => {
    const companyId = nextCompany();
    const due = testApp.clock.now() + 5_000;
    const waits = { ...inbound(companyId, 1, 1), inbound: false, status: messageStatuses.scheduled, attempt: 1, dueAt: due };
    const moved = { ...waits, dueAt: due + 1_000 };
    await deliver('shardId-1', [change(undefined, waits), change(waits, { ...waits, rev: 1 }), change(waits, moved)]);
    const mine = testApp.queued(sendsQueue).filter((each) => (each as { company_id: number }).company_id === companyId);
    expect(mine.map((each) => (each as { due_at_ms: number }).due_at_ms).toSorted((a, b) => a - b)).toEqual([due, due + 1_000]);
  });
});
