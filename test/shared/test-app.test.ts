import { afterAll, describe, expect, test } from 'vitest';
import { missing } from '../../shared/table/condition.ts';
import { counterEntity, nextIds } from '../../shared/table/counter.ts';
import { send } from '../../shared/queue/send.ts';
import { credential } from '../support/credentials.ts';
import { startTestApp } from '../support/test-app.ts';
import { sampleContext } from './sample/context.ts';
import { noteQueue } from './sample/contract.ts';
import { worked } from './sample/worker.ts';

const testApp = await startTestApp({ contexts: [sampleContext] });
afterAll(() => testApp.stop());

describe('the test app', () => {
  test('a call with a token is one write unit, one call, one round', async () => {
    const token = await credential();
    const used = await testApp.meter(() => testApp.call({ method: 'GET', path: '/api/v1/notes/1', token }));
    expect(used).toMatchObject({ wru: 1, rru: 0, calls: 1, rounds: 1 });
  });

  test('rounds are what a caller waits for: calls side by side are one, and what others do meanwhile is not counted', async () => {
    const beside = await testApp.meter(() => Promise.all(Array.from({ length: 20 }, () => nextIds(1, 'beside', 1))));
    expect(beside).toMatchObject({ calls: 20, wru: 20, rounds: 1 });
    const after = await testApp.meter(async () => {
      for (let i = 0; i < 60; i++) await nextIds(1, 'after', 1);
    });
    expect(after).toMatchObject({ calls: 60, rounds: 60 });
    let others = 0;
    const other = nextIds(2, 'other', 1).then(() => others++);
    expect(await testApp.meter(() => other)).toMatchObject({ calls: 0, rounds: 0 });
    expect(others).toBe(1);
  });

  test('a refused conditional write is counted, though the table does not report it', async () => {
    const used = await testApp.meter(() =>
      counterEntity.put({ companyId: 1, of: 'beside', lastId: 0, total: 0, rev: 0, checkpoints: {} }, missing()),
    );
    expect(used).toMatchObject({ calls: 1, wru: 1 });
  });

  test('a delayed message comes when the clock is moved to it, and not before', async () => {
    worked.length = 0;
    await send(noteQueue, [{ companyId: 1, message: { note: 'late' }, delaySeconds: 300 }]);
    await testApp.drain();
    expect(worked).toEqual([]);
    const before = testApp.clock.now();
    await testApp.drain({ including: 'delayed' });
    expect(worked).toEqual(['late:1']);
    expect(testApp.clock.now() - before).toBeGreaterThanOrEqual(299_000);
  });
});

test('a test app that its file leaves running can be stopped by the next file, which needs its ports', async () => {
  const left = (process as typeof process & { [key: symbol]: unknown })[Symbol.for('switchboard.test-app')];
  expect(left).toBe(testApp.stop);
  await testApp.stop();
  await using next = await startTestApp({ contexts: [sampleContext] });
  const token = await credential();
  expect((await next.call({ method: 'GET', path: '/api/v1/notes/1', token })).status).toBeLessThan(500);
});
