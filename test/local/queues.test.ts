import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { awsCall, sqs } from '../../lib/local/aws-call.ts';
import { type QueueEmulator, startQueueEmulator } from '../../lib/local/emulators.ts';
import { QueueConsumer } from '../../lib/local/queues.ts';
import { queueUrl } from '../../lib/local/resources.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-queues-'));
let emulator: QueueEmulator;
beforeAll(async () => {
  emulator = await startQueueEmulator(folder);
});
afterAll(async () => {
  await emulator.stop();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => void vi.useRealTimers());

/** A queue whose batches are worked on until the test ends, and how many messages each of them has. */
const openQueue = async (name: string) => {
  await awsCall(emulator.url, sqs('CreateQueue'), { QueueName: name });
  const QueueUrl = queueUrl(emulator, name);
  const batches: number[] = [];
  const deliver = ({ records }: { records: readonly unknown[] }): Promise<never> => {
    batches.push(records.length);
    return new Promise(() => {});
  };
  const queue = { name, visibilitySeconds: 30, maxReceives: 3 };
  const mapping = { queue, pool: { name: 'f' }, batchSize: 10, windowSeconds: 0, concurrency: 5, reportsFailures: true };
  const consumer = new QueueConsumer(mapping as never, emulator, { active: () => 0, deliver } as never);
  const send = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent += 10) {
      const Entries = Array.from({ length: Math.min(10, count - sent) }, (_, nth) => ({ Id: String(nth), MessageBody: '{}' }));
      await awsCall(emulator.url, sqs('SendMessageBatch'), { QueueUrl, Entries });
    }
  };
  return { consumer, batches, send };
};

/** On the loop of real events: `vi.waitUntil` would move the time. */
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
};

test('full batches follow one another without a pause, up to as many as may be worked on at a time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { consumer, batches, send } = await openQueue('full');
  await send(60);
  await consumer.start();
  await until(() => batches.length >= 5);
  consumer.stop();
  expect(batches).toEqual([10, 10, 10, 10, 10]);
});

test('after a batch that is not full, the next one is fetched a moment later, with what came meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { consumer, batches, send } = await openQueue('part');
  await send(3);
  await consumer.start();
  await until(() => batches.length === 1);
  await send(2);
  await send(4);
  expect(batches).toEqual([3]);
  await vi.advanceTimersByTimeAsync(20);
  await until(() => batches.length === 2);
  consumer.stop();
  expect(batches).toEqual([3, 6]);
});
