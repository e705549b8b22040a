import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { toContact, toItem } from '../../functions/contacts/contract/stored.ts';
import { toLead, toLeadItem } from '../../functions/crm/contract/stored-lead.ts';
import { toTask, toTaskItem } from '../../functions/crm/contract/stored-task.ts';
import { dynamo, tableName } from '../../shared/table/client.ts';
import { all, below, equals, exists, missing } from '../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../shared/table/entity.ts';
import { Conflict, conflict, retryOnConflict } from '../../shared/table/conflict.ts';
import { nextIds } from '../../shared/table/counter.ts';
import { ofOtherVersions, othersOf, withoutOthers } from '../../shared/table/other-versions.ts';
import { commit } from '../../shared/table/transaction.ts';
import { writeEach } from '../../shared/table/write-each.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { startTestApp } from '../support/test-app.ts';
import { mendedBy } from '../support/mutation.ts';

const testApp = await startTestApp({ contexts: [] });
afterAll(() => testApp.stop());

const thing = entity({
  name: 'test-thing',
  purpose: 'For tests',
  attributes: z.object({ id: z.int(), count: z.int().default(0), name: z.string().optional(), until: z.int().optional() }),
  key: ({ id }: { id: number }) => ({ pk: `T#${id}`, sk: 'T' }),
  idOf: ({ id }) => ({ id }),
  indexedBy: ['id', 'name'],
  indexes: ({ id, name }) => ({ list: name === undefined ? undefined : { pk: 'T', sk: String(id) } }),
  expiresAt: ({ until }) => until,
  example: { pk: 'T#<id>', sk: 'T' },
});

describe('an entity', () => {
  test('writes its index keys itself: an item without them is not in the index', async () => {
    await thing.put({ id: 1, count: 0, name: 'listed' });
    await thing.put({ id: 2, count: 0 });
    const { items } = await thing.query({ pk: 'T', index: 'list' });
    expect(items.map((item) => item.id)).toEqual([1]);
  });

  test('reads an attribute under its present name, whichever version wrote the item, and writes its own kind', async () => {
    const named = entity({
      name: 'test-renamed',
      purpose: 'For tests',
      attributes: z.object({ id: z.int(), shape: z.string(), size: z.int().optional() }),
      renamed: { kind: 'shape' },
      key: ({ id }: { id: number }) => ({ pk: `RENAMED#${id}`, sk: 'R' }),
      idOf: ({ id }) => ({ id }),
      example: { pk: 'RENAMED#<id>', sk: 'R' },
    });
    await dynamo.send(new PutCommand({ TableName: tableName(), Item: { pk: 'RENAMED#1', sk: 'R', kind: 'round', id: 1 } }));
    expect(await named.get({ id: 1 })).toEqual({ id: 1, shape: 'round' });
    expect(await named.change({ id: 1 }, { set: { size: 2 } }, exists())).toEqual({ done: true, item: { id: 1, shape: 'round', size: 2 } });
    await named.put({ id: 1, shape: 'square' });
    expect(await named.get({ id: 1 })).toEqual({ id: 1, shape: 'square' });
    expect(await testApp.dump({ pk: 'RENAMED#1' })).toMatchObject([{ kind: 'test-renamed', shape: 'square' }]);
  });

  test('keeps attributes that only another version knows, whether it writes the whole item or what differs, and shows none of them', async () => {
    const TableName = tableName();
    const read = async (): Promise<unknown> => (await testApp.dump({ pk: 'T#75' }))[0];
    await thing.put({ id: 75, count: 1 });
    const [item] = await testApp.dump({ pk: 'T#75' });
    await dynamo.send(new PutCommand({ TableName, Item: { ...item, weight: 7 } }));
    const seen = await thing.get({ id: 75 });
    if (!seen) throw new Error('There is no item.');
    expect([Object.keys(seen).toSorted(), JSON.stringify(seen)]).toEqual([['count', 'id'], '{"id":75,"count":1}']);
    await thing.put({ ...seen, count: 2 }, equals('count', 1));
    expect(await read()).toMatchObject({ count: 2, weight: 7 });
    await commit({ thing: thing.putting({ ...seen, count: 3 }, exists()) });
    expect(await read()).toMatchObject({ count: 3, weight: 7 });
    await writeEach([thing.replacing({ ...seen, rev: 0 }, { id: 75, count: 4, rev: 1 })]);
    expect(await read()).toMatchObject({ count: 4, weight: 7 });
    // what may be left of nothing: an erasure
    await thing.put(withoutOthers({ ...seen, count: 5 }));
    expect(await read()).not.toHaveProperty('weight');
  });

  test.each([
    ['a contact', (item: object) => toItem(toContact(item as never))],
    ['a lead', (item: object) => toLeadItem(toLead(item as never))],
    ['a task', (item: object) => toTaskItem(toTask(item as never))],
  ])('keeps them through the form in which the product has %s', (_, there) => {
    const stored = { [ofOtherVersions]: { weight: 7 }, p: '4915', g: [], t: [], x: {}, st: [], lg: [] };
    expect(othersOf(there(stored))).toEqual({ [ofOtherVersions]: { weight: 7 } });
  });

  test('tells a refusal apart from a failure, with the item that stood in the way', async () => {
    await thing.put({ id: 3, count: 5 });
    expect(await thing.put({ id: 3, count: 0 }, missing())).toMatchObject({ done: false, current: { id: 3, count: 5 } });
    expect(await thing.change({ id: 3 }, { add: { count: 1 } }, below('count', 5))).toMatchObject({ done: false, current: { count: 5 } });
    expect(await thing.change({ id: 999 }, { add: { count: 1 } }, exists())).toEqual({ done: false, current: undefined });
  });

  test('past its time is gone for every reader at once, though the table still holds it', async () => {
    const until = Math.floor(testApp.clock.now() / 1_000) + 60;
    await thing.put({ id: 4, count: 1, until });
    expect(await thing.get({ id: 4 })).toBeDefined();
    testApp.clock.advance(61_000);
    expect(await thing.get({ id: 4 })).toBeUndefined();
    expect(await thing.getMany([{ id: 4 }])).toEqual([]);
  });

  test.each([
    ['a put', (item: ItemOf<typeof thing>) => thing.put(item, missing())],
    ['a transaction', (item: ItemOf<typeof thing>) => commit([thing.putting(item, all(missing(), missing('name')))])],
  ])('past its time makes room for the next, by %s; before that, it does not', async (_, write) => {
    const until = Math.floor(testApp.clock.now() / 1_000) + 60;
    await thing.put({ id: 5, count: 1, until });
    const next = { id: 5, count: 2, until: until + 600 };
    expect(await write(next)).toMatchObject({ done: false });
    testApp.clock.advance(61_000);
    expect(await write(next)).toMatchObject({ done: true });
    expect(await thing.get({ id: 5 })).toMatchObject({ count: 2 });
  });

  test('read in bulk comes in the order asked, doubles and unknown ones handled, beyond a hundred too', async () => {
    await Promise.all(Array.from({ length: 130 }, (_, i) => thing.put({ id: 1_000 + i, count: i })));
    const ids = Array.from({ length: 130 }, (_, i) => ({ id: 1_129 - i }));
    const found = await thing.getMany([...ids, { id: 1_000 }, { id: 77_777 }]);
    expect(found.map((item) => item.id)).toEqual([...ids.map((each) => each.id), 1_000]);
  });

  test('read in bulk under throttling asks again for what the table left out', async () => {
    const { BatchGetCommand } = await import('@aws-sdk/lib-dynamodb');
    const { mockClient } = await import('aws-sdk-client-mock');
    const { dynamo } = await import('../../shared/table/client.ts');
    const mock = mockClient(dynamo);
    const table = 'switchboard';
    const item = (id: number) => ({ pk: `T#${id}`, sk: 'T', id, count: 0 });
    mock
      .on(BatchGetCommand)
      .resolvesOnce({ Responses: { [table]: [item(1)] }, UnprocessedKeys: { [table]: { Keys: [{ pk: 'T#2', sk: 'T' }] } } })
      .resolvesOnce({ Responses: { [table]: [item(2)] } });
    const found = await thing.getMany([{ id: 1 }, { id: 2 }]);
    expect(found.map((each) => each.id)).toEqual([1, 2]);
    expect(mock.commandCalls(BatchGetCommand)[1]?.args[0].input.RequestItems?.[table]?.Keys).toEqual([{ pk: 'T#2', sk: 'T' }]);
    mock.restore();
  });
});

mendedBy(
  'a write of one item that meets a transaction is done as soon as the transaction is over',
  {
    in: 'shared/table/transaction.ts',
    replace: "error.name !== 'TransactionConflictException' || attempt >= maxAttempts",
    by: 'attempt >= 1',
  },
  async () => {
    let left = 0;
    using _held = testApp.onTable(({ when }) => {
      if (when === 'before' && left-- > 0) throw tableError('TransactionConflictException');
    });
    left = 2;
    expect(await thing.put({ id: 70, count: 1 }, missing())).toMatchObject({ done: true });
    left = 2;
    expect(await thing.change({ id: 70 }, { add: { count: 1 } })).toMatchObject({ done: true, item: { count: 2 } });
    left = 2;
    expect(await thing.delete({ id: 70 })).toMatchObject({ done: true });
  },
);

describe('a conditional write whose answer is lost', () => {
  /** The first write is done, and its answer never comes: the SDK writes again. `meanwhile` happens in between. */
  const losing = (meanwhile: () => Promise<unknown> = async () => undefined): Disposable => {
    let isLost = false;
    return testApp.onTable(async ({ when, command }) => {
      if (isLost || when !== 'after' || command === 'GetItem') return;
      isLost = true;
      await meanwhile();
      throw tableError('InternalServerError', { $fault: 'server', $metadata: { httpStatusCode: 500 } });
    });
  };

  test('is done all the same: a claim is not lost to the one who made it', async () => {
    using _lost = losing();
    expect(await thing.put({ id: 30, count: 1 }, missing())).toEqual({ done: true, item: { id: 30, count: 1 } });
  });

  test('is done once: what it adds is not added again', async () => {
    await thing.put({ id: 31, count: 1 });
    using _lost = losing();
    expect(await thing.change({ id: 31 }, { add: { count: 1 } }, equals('count', 1))).toEqual({ done: true, item: { id: 31, count: 2 } });
    expect(await thing.get({ id: 31 }, { consistent: true })).toEqual({ id: 31, count: 2 });
  });

  test('is refused when somebody else has written since, the very same or not', async () => {
    using _lost = losing(() => thing.put({ id: 32, count: 1 }, exists()));
    expect(await thing.put({ id: 32, count: 1 }, missing())).toEqual({ done: false, current: { id: 32, count: 1 } });
  });
});

describe('writes of one item each, in one request', () => {
  const row = entity({
    name: 'test-row',
    purpose: 'For tests',
    attributes: z.object({ id: z.int(), rev: z.int().default(0), name: z.string().optional(), until: z.int().optional() }),
    key: ({ id }: { id: number }) => ({ pk: `R#${id}`, sk: 'R' }),
    idOf: ({ id }) => ({ id }),
    indexedBy: ['id', 'name'],
    indexes: ({ id, name }) => ({ list: name === undefined ? undefined : { pk: 'R', sk: String(id) } }),
    expiresAt: ({ until }) => until,
    example: { pk: 'R#<id>', sk: 'R' },
  });
  const from = (first: number, count: number): { id: number; rev: number }[] =>
    Array.from({ length: count }, (_, index) => ({ id: first + index, rev: 0 }));
  const write = async (writes: Parameters<typeof writeEach<ItemOf<typeof row>>>[0]) =>
    (await writeEach(writes)).map((each) => {
      if (each.status === 'rejected') throw each.reason;
      return each.value;
    });

  test('each have a result of their own: what stands in the way of one holds up no other', async () => {
    await row.put({ id: 2, rev: 7, name: 'other' });
    const used = await testApp.meter(async () => {
      const written = await write(from(1, 30).map((item) => row.inserting(item)));
      expect(written[1]).toEqual({ done: false, current: { id: 2, rev: 7, name: 'other' } });
      expect(written.filter(({ done }) => done)).toHaveLength(29);
    });
    // two requests, and the refused one alone, which is paid twice
    expect(used).toMatchObject({ calls: 3, wru: 29 + 2 });
    expect(await row.getMany(from(1, 30), { consistent: true })).toHaveLength(30);
  });

  test('replace what was read, index keys too, where nothing was written since', async () => {
    const items = from(40, 3);
    await write(items.map((item) => row.inserting(item)));
    await row.change({ id: 41 }, { add: { rev: 1 } });
    const written = await write(items.map((item) => row.replacing(item, { ...item, rev: item.rev + 1, name: 'listed' })));
    expect(written.map(({ done }) => done)).toEqual([true, false, true]);
    expect(written[1]).toMatchObject({ current: { id: 41, rev: 1 } });
    expect((await row.query({ pk: 'R', index: 'list', begins: '4' })).items).toEqual([
      { id: 40, rev: 1, name: 'listed' },
      { id: 42, rev: 1, name: 'listed' },
    ]);
    // an attribute that goes takes its index keys along; a missing item stays missing
    const gone = await write([
      row.replacing({ id: 40, rev: 1, name: 'listed' }, { id: 40, rev: 2 }),
      row.replacing({ id: 49, rev: 1 }, { id: 49, rev: 2 }),
    ]);
    expect(gone).toEqual([
      { done: true, item: { id: 40, rev: 2 } },
      { done: false, current: undefined },
    ]);
    expect((await row.query({ pk: 'R', index: 'list', begins: '4' })).items).toHaveLength(1);
  });

  test('are known as done where the answer is lost, of the request or of one of them', async () => {
    let isLost = false;
    using _lost = testApp.onTable(({ when, command, output }) => {
      if (when !== 'after' || command !== 'BatchExecuteStatement') return;
      if (isLost) {
        // the first is refused as a double of itself; of the second the answer says that it failed
        const [, second] = (output?.['Responses'] ?? []) as { Error?: { Code: string } }[];
        if (second) second.Error = { Code: 'InternalServerError' };
        return;
      }
      isLost = true;
      throw tableError('InternalServerError', { $fault: 'server', $metadata: { httpStatusCode: 500 } });
    });
    const items = from(60, 3);
    expect(await write(items.map((item) => row.inserting(item)))).toEqual(items.map((item) => ({ done: true, item })));
  });

  test('are made one by one where the table takes no statements', async () => {
    using _refused = testApp.onTable(({ command }) => {
      if (command === 'BatchExecuteStatement') throw tableError('AccessDeniedException');
    });
    const items = from(70, 3);
    expect(await write(items.map((item) => row.inserting(item)))).toEqual(items.map((item) => ({ done: true, item })));
  });

  test('of one item come one after another, and of an expired one there is none', async () => {
    const until = Math.floor(testApp.clock.now() / 1_000) - 60;
    await row.put({ id: 80, rev: 3, until });
    const [first, second, other] = await write([
      row.inserting({ id: 80, rev: 0 }),
      row.inserting({ id: 80, rev: 0, name: 'second' }),
      row.inserting({ id: 81, rev: 0 }),
    ]);
    expect([first?.done, second?.done].filter(Boolean)).toHaveLength(1);
    expect(other).toMatchObject({ done: true });
  });
});

describe('commit', () => {
  test('writes all parts or none, and says which condition refused and what stood there', async () => {
    await thing.put({ id: 20, count: 1 });
    const committed = await commit([
      thing.putting({ id: 21, count: 0 }, missing()),
      thing.changing({ id: 20 }, { add: { count: 1 } }, equals('count', 9)),
    ]);
    expect(committed).toMatchObject({ done: false, refused: [{ index: 1, current: { id: 20, count: 1 } }] });
    expect(await thing.get({ id: 21 })).toBeUndefined();
  });

  test('tries again after a clash with another transaction', async () => {
    let clashes = 2;
    using _faults = testApp.onTable(({ command, when }) => {
      if (command === 'TransactWriteItems' && when === 'before' && clashes-- > 0)
        throw tableError('TransactionCanceledException', { CancellationReasons: [{ Code: 'TransactionConflict' }] });
    });
    expect(await commit([thing.putting({ id: 22, count: 0 }, missing())])).toEqual({ done: true });
    expect(await thing.get({ id: 22 }, { consistent: true })).toBeDefined();
  });

  test('is done when it was done, though the answer was lost and another transaction clashed with the next attempt', async () => {
    const faults: readonly ['after' | 'before', Error][] = [
      ['after', tableError('InternalServerError', { $fault: 'server', $metadata: { httpStatusCode: 500 } })],
      ['before', tableError('TransactionCanceledException', { CancellationReasons: [{ Code: 'TransactionConflict' }] })],
    ];
    const left = [...faults];
    using _faults = testApp.onTable(({ command, when }) => {
      const [next] = left;
      if (command !== 'TransactWriteItems' || next?.[0] !== when) return;
      left.shift();
      throw next[1];
    });
    expect(await commit([thing.putting({ id: 25, count: 0 }, missing())])).toEqual({ done: true });
    expect(left).toEqual([]);
  });

  test('does not try for ever', async () => {
    let tries = 0;
    using _faults = testApp.onTable(({ command, when }) => {
      if (command !== 'TransactWriteItems' || when !== 'before') return;
      tries++;
      throw tableError('TransactionCanceledException', { CancellationReasons: [{ Code: 'TransactionConflict' }] });
    });
    await expect(commit([thing.putting({ id: 23, count: 0 })])).rejects.toThrow();
    expect(tries).toBe(4);
  });

  test('throttled single calls are repeated by the SDK and the caller notices nothing', async () => {
    let throttles = 2;
    using _faults = testApp.onTable(({ when }) => {
      if (when === 'before' && throttles-- > 0) throw tableError('ThrottlingException');
    });
    await thing.put({ id: 24, count: 7 });
    expect(await thing.get({ id: 24 }, { consistent: true })).toMatchObject({ count: 7 });
  });
});

describe('ids', () => {
  test('taken by many at once are dense and given to nobody twice', async () => {
    const blocks = await Promise.all(
      Array.from({ length: 40 }, (_, i) => nextIds(9, 'thing', 1 + (i % 3)).then((from) => ({ from, size: 1 + (i % 3) }))),
    );
    const taken = blocks.flatMap(({ from, size }) => Array.from({ length: size }, (_, i) => from + i)).toSorted((a, b) => a - b);
    expect(taken).toEqual(Array.from({ length: taken.length }, (_, i) => i + 1));
  });
});

describe('the index keys of an item', () => {
  test('follow an update of the fields they are made of, into the index and out of it', async () => {
    const listed = async (): Promise<number[]> =>
      (await thing.collect({ pk: 'T', index: 'list' })).map(({ id }) => id).filter((id) => id === 40);
    await thing.put({ id: 40, count: 0 });
    const named = await thing.update({ id: 40 }, { set: { name: 'a' } }, missing('name'));
    expect(named).toMatchObject({ done: true, item: { name: 'a' } });
    expect(await listed()).toEqual([40]);
    await thing.update({ id: 40, name: 'a' }, { add: { count: 1 } });
    expect(await listed()).toEqual([40]);
    expect(await commit({ thing: thing.updating({ id: 40, name: 'a' }, { remove: ['name'] }, equals('name', 'b')) })).toEqual({
      done: false,
      refused: { thing: { current: { id: 40, count: 1, name: 'a' } } },
    });
    await commit({ thing: thing.updating({ id: 40, name: 'a' }, { remove: ['name'] }, equals('name', 'a')) });
    expect(await listed()).toEqual([]);
  });
});

describe('a query', () => {
  const row = entity({
    name: 'test-row',
    purpose: 'For tests',
    attributes: z.object({ list: z.string(), id: z.int() }),
    key: ({ list, id }: { list: string; id: number }) => ({ pk: `ROWS#${list}`, sk: String(id) }),
    idOf: ({ list, id }) => ({ list, id }),
    example: { pk: 'ROWS#<list>', sk: '<id>' },
  });
  const pk = 'ROWS#a';
  const ids = [1, 2, 3, 4, 5, 6, 7];

  test('is one loop over its pages, and reads no page that the loop does not reach', async () => {
    await Promise.all(ids.map((id) => row.put({ list: 'a', id })));
    const seen: number[] = [];
    for await (const { id } of row.items({ pk, limit: 2 })) seen.push(id);
    expect(seen).toEqual(ids);
    let reads = 0;
    using _count = testApp.onTable(({ command, when }) => {
      if (command === 'Query' && when === 'before') reads++;
    });
    for await (const { id } of row.items({ pk, limit: 2 })) if (id === 3) break;
    expect(reads).toBe(2);
  });

  test('collects all items, or as many as are wanted, and those that a test lets through', async () => {
    const numbers = async (...args: Parameters<typeof row.collect>): Promise<number[]> => (await row.collect(...args)).map(({ id }) => id);
    expect(await numbers({ pk, limit: 3 })).toEqual(ids);
    expect(await numbers({ pk, descending: true }, { atMost: 3 })).toEqual([7, 6, 5]);
    expect(await numbers({ pk }, { atMost: 2, where: ({ id }) => id % 2 === 0, spare: 1 })).toEqual([2, 4]);
    expect(await numbers({ pk, between: ['5', '3'] })).toEqual([]);
  });
});

describe('a transaction of named parts', () => {
  test('names the parts that were refused, each with its item as it is', async () => {
    await thing.put({ id: 50, count: 1 });
    await thing.put({ id: 54, count: 1 });
    const committed = await commit({
      fresh: thing.putting({ id: 51, count: 0 }, missing()),
      held: thing.putting({ id: 50, count: 0 }, missing()),
      none: undefined,
      more: [thing.checking({ id: 54 }, exists()), thing.checking({ id: 52 }, exists())],
    });
    expect(committed).toEqual({
      done: false,
      refused: { held: { current: { id: 50, count: 1 } }, more: [{ place: 1, current: undefined }] },
    });
  });
});

describe('a write repeated on conflict', () => {
  test('ends with the first outcome that is no conflict', async () => {
    expect(await retryOnConflict(3, async (attempt) => (attempt < 3 ? conflict : attempt))).toBe(3);
  });

  test('fails with Conflict after its last attempt, or as its caller says', async () => {
    let attempts = 0;
    const lost = async (): Promise<typeof conflict> => {
      attempts++;
      return conflict;
    };
    await expect(retryOnConflict(3, lost)).rejects.toThrow(Conflict);
    expect(attempts).toBe(3);
    expect(await retryOnConflict<string>(2, lost, () => 'lost')).toBe('lost');
  });
});
