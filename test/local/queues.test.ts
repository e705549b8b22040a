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
const openQueue = async (name: string, { batchSize = 10, isHeldBack = (): boolean => false } = {}) => {
  await awsCall(emulator.url, sqs('CreateQueue'), { QueueName: name });
  const QueueUrl = queueUrl(emulator, name);
  const batches: number[] = [];
  const ends: (() => void)[] = [];
  const deliver = ({ records }: { records: readonly unknown[] }): Promise<unknown> => {
    batches.push(records.length);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const queue = { name, visibilitySeconds: 30, maxReceives: 3 };
  const mapping = { queue, pool: { name: 'f', capacity: 4 }, batchSize, windowSeconds: 0, concurrency: 5, reportsFailures: true };
  const consumer = new QueueConsumer(mapping as never, emulator, { active: () => 0, deliver } as never, isHeldBack);
  const send = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent += 10) {
      const Entries = Array.from({ length: Math.min(10, count - sent) }, (_, nth) => ({ Id: String(nth), MessageBody: '{}' }));
      await awsCall(emulator.url, sqs('SendMessageBatch'), { QueueUrl, Entries });
    }
  };
  return { consumer, batches, send, endAll: () => ends.splice(0).forEach((end) => end()) };
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

test('of messages that are worked on alone as many begin as the function has place for', async () => {
  const { consumer, batches, send, endAll } = await openQueue('alone', { batchSize: 1 });
  await send(9);
  await consumer.start();
  await until(() => batches.length === 4);
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(batches.length).toBe(4);
  endAll();
  await until(() => batches.length === 8);
  consumer.stop();
});

test('while work is held back, such a message is begun when none is in work, and after some seconds whatever holds it; batches of others go on', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  let isHeld = true;
  const isHeldBack = () => isHeld;
  const alone = await openQueue('held', { batchSize: 1, isHeldBack });
  const others = await openQueue('not-held', { isHeldBack });
  await alone.send(9);
  await others.send(30);
  await alone.consumer.start();
  await others.consumer.start();
  await vi.advanceTimersByTimeAsync(5_200);
  await until(() => alone.batches.length === 1 && others.batches.length === 3);
  await vi.advanceTimersByTimeAsync(12_000);
  alone.endAll();
  await vi.advanceTimersByTimeAsync(200);
  await until(() => alone.batches.length === 2);
  alone.endAll();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(alone.batches.length).toBe(2);
  isHeld = false;
  await vi.advanceTimersByTimeAsync(200);
  await until(() => alone.batches.length === 6);
  alone.consumer.stop();
  others.consumer.stop();
});
