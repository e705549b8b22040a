import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { matchesPattern } from '../../lib/local/event-pattern.ts';
import { startFaultProxy } from '../../lib/local/fault-proxy.ts';
import { faultPlan } from '../../lib/local/faults.ts';
import type { Json } from '../../lib/local/json.ts';

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
