import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { matchesPattern } from '../../lib/local/event-pattern.ts';
import { startFaultProxy } from '../../lib/local/fault-proxy.ts';
import { faultPlan } from '../../lib/local/faults.ts';
import { awsCall, dynamodb } from '../../lib/local/aws-call.ts';
import { type Json, type JsonObject, listOf, objectOf } from '../../lib/local/json.ts';
import { freePort, startDynamo, tableDefinition } from '../support/emulators.ts';

describe('the fault plan', () => {
  it('throws the same dice for the same seed, and none without faults', () => {
    const throws = (seed: number): boolean[] => {
      const plan = faultPlan(() => {});
      plan.set({ crash: 0.5, seed });
      return Array.from({ length: 50 }, () => plan.hits(0.5));
    };
    expect(throws(4)).toEqual(throws(4));
    expect(throws(4)).not.toEqual(throws(5));
    const plan = faultPlan(() => {});
    expect(plan.crashPoint()).toBeUndefined();
  });
});

describe('the fault proxy', () => {
  it('passes on what it does not refuse, and cancels transactions with a reason for each item', async () => {
    const table = createServer((_, response) => response.end('{"ok":true}'));
    await new Promise<void>((resolve) => table.listen(0, '127.0.0.1', resolve));
    const plan = faultPlan(() => {});
    const proxy = await startFaultProxy((table.address() as AddressInfo).port, plan);
    const call = async (operation: string): Promise<{ status: number; body: unknown }> => {
      const headers = { 'x-amz-target': `DynamoDB_20120810.${operation}` };
      const answer = await fetch(`http://127.0.0.1:${proxy.port}`, { method: 'POST', headers, body: '{"TransactItems":[{},{},{}]}' });
      return { status: answer.status, body: await answer.json() };
    };
    plan.set({ conflict_transactions: 1 });
    expect(await call('GetItem')).toEqual({ status: 200, body: { ok: true } });
    const { status, body } = await call('TransactWriteItems');
    expect(status).toBe(400);
    const { __type, CancellationReasons } = body as { __type: string; CancellationReasons: { Code: string }[] };
    expect(__type).toMatch(/#TransactionCanceledException$/);
    expect(CancellationReasons.map(({ Code }) => Code).toSorted()).toEqual(['None', 'None', 'TransactionConflict']);
    plan.set({ throttle_table: 1 });
    expect((await call('GetItem')).body).toHaveProperty(
      '__type',
      expect.stringMatching(/#(ProvisionedThroughputExceeded|Throttling)Exception$/),
    );
    proxy.stop();
    table.close();
  });
});

describe('the table of a moment ago', () => {
  it('an index shows what is older than its lag, an eventually consistent read now and then what was before; consistent reads show all', async () => {
    const table = await startDynamo(await freePort());
    await awsCall(table.endpoint, dynamodb('CreateTable'), tableDefinition('things') as unknown as JsonObject);
    const plan = faultPlan(() => {});
    let now = 1_000_000;
    const proxy = await startFaultProxy(Number(new URL(table.endpoint).port), plan, { file: table.file, now: () => now });
    const call = (operation: string, body: JsonObject) =>
      awsCall(`http://127.0.0.1:${proxy.port}`, dynamodb(operation), {
        ...(operation === 'BatchGetItem' ? {} : { TableName: 'things' }),
        ...body,
      });
    const Key = (sk: string): JsonObject => ({ pk: { S: 'p' }, sk: { S: sk } });
    const put = (sk: string, at: string, more: JsonObject = {}) =>
      call('PutItem', { Item: { ...Key(sk), list_pk: { S: 'l' }, list_sk: { S: at }, ...more } });
    const listed = async (more: JsonObject = {}) => {
      const { Items, LastEvaluatedKey } = await call('Query', {
        IndexName: 'list',
        KeyConditionExpression: '#a = :a AND #b BETWEEN :b AND :c',
        ExpressionAttributeNames: { '#a': 'list_pk', '#b': 'list_sk' },
        ExpressionAttributeValues: { ':a': { S: 'l' }, ':b': { S: '1' }, ':c': { S: '7' } },
        ...more,
      });
      return [listOf(Items).map((item) => objectOf(objectOf(item).sk).S), objectOf(objectOf(LastEvaluatedKey).sk).S];
    };
    const got = async (sk: string, ConsistentRead = false) => {
      const one = objectOf((await call('GetItem', { Key: Key(sk), ConsistentRead })).Item).v;
      const { Responses } = await call('BatchGetItem', { RequestItems: { things: { Keys: [Key(sk)], ConsistentRead } } });
      expect(objectOf(listOf(objectOf(Responses).things)[0]).v).toEqual(one);
      return objectOf(one).N;
    };
    plan.set({ index_lag_ms: 2_000 });
    proxy.begin();
    await put('moves', '2');
    await put('stays', '3');
    await put('goes', '4');
    expect(await listed()).toEqual([[], undefined]);
    now += 2_000;
    expect(await listed()).toEqual([['moves', 'stays', 'goes'], undefined]);
    await put('moves', '6');
    await put('comes', '1');
    await put('leaves', '9');
    await call('DeleteItem', { Key: Key('goes') });
    expect(await listed()).toEqual([['moves', 'stays', 'goes'], undefined]);
    expect(await listed({ ScanIndexForward: false, Limit: 2 })).toEqual([['goes', 'stays'], 'stays']);
    now += 2_000;
    expect(await listed()).toEqual([['comes', 'stays', 'moves'], undefined]);

    plan.set({ stale_reads: 1, seed: 1 });
    await put('new', '5', { v: { N: '1' } });
    expect([await got('new'), await got('new', true)]).toEqual([undefined, '1']);
    now += 1_100;
    await put('new', '5', { v: { N: '2' } });
    expect([await got('new'), await got('new', true)]).toEqual(['1', '2']);
    now += 1_100;
    await call('DeleteItem', { Key: Key('new') });
    expect([await got('new'), await got('new', true)]).toEqual(['2', undefined]);
    proxy.stop();
    await table.stop();
  });
});

describe('event patterns', () => {
  const event: Json = { source: 's', detail: { name: 'order.made', count: 5, tags: ['a', 'b'] } };
  it.each<[Json, boolean]>([
    [{ source: ['s'] }, true],
    [{ source: ['t'] }, false],
    [{ detail: { name: [{ prefix: 'order.' }] } }, true],
    [{ detail: { name: [{ suffix: '.gone' }] } }, false],
    [{ detail: { name: [{ wildcard: 'o*made' }] } }, true],
    [{ detail: { name: [{ 'anything-but': ['order.made'] }] } }, false],
    [{ detail: { count: [{ numeric: ['>', 4, '<=', 5] }] } }, true],
    [{ detail: { tags: ['b', 'c'] } }, true],
    [{ detail: { missing: [{ exists: false }] } }, true],
    [{ $or: [{ source: ['t'] }, { detail: { count: [5] } }] }, true],
  ])('%j fits: %s', (pattern, fits) => {
    expect(matchesPattern(pattern, event)).toBe(fits);
  });
});
