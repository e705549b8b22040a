import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { campaignBatchesQueue } from '../../functions/campaigns/contract/queue.ts';
import { queue } from '../../shared/contract/queue.ts';
import { variableOf } from '../../shared/contract/resource.ts';
import { consume } from '../../shared/queue/consume.ts';
import { captureLogs } from '../support/log-capture.ts';

const jobs = queue({ name: 'jobs', purpose: 'Work', message: z.object({ id: z.int() }), workSeconds: 20, maxReceives: 8 });
const sqs = mockClient(SQSClient);
const changes = (): [unknown, unknown][] =>
  sqs.commandCalls(ChangeMessageVisibilityCommand).map(({ args: [{ input }] }) => [input.ReceiptHandle, input.VisibilityTimeout]);
const event = (attempt: number, ...bodies: unknown[]): SQSEvent =>
  ({
    Records: bodies.map((body, index) => ({
      messageId: `m${index}`,
      receiptHandle: `r${index}`,
      body: JSON.stringify(body),
      attributes: { ApproximateReceiveCount: String(attempt) },
      messageAttributes: {},
    })),
  }) as unknown as SQSEvent;

let logs: ReturnType<typeof captureLogs>;
beforeEach(() => {
  sqs.reset();
  sqs.on(ChangeMessageVisibilityCommand).resolves({});
  logs = captureLogs();
  for (const each of [jobs, campaignBatchesQueue]) vi.stubEnv(variableOf(each), `https://sqs.example/1/${each.name}`);
});
afterEach(() => {
  logs.stop();
  vi.useRealTimers();
  vi.unstubAllEnvs();
});
afterAll(() => sqs.restore());

describe('a message that fails', () => {
  const failing = consume(jobs, ({ id }) => (id === 1 ? Promise.reject(new Error('no')) : Promise.resolve()));

  test('comes back after 2, 8, 32 and 120 seconds, its visibility timeout, and at once when it was the last time; its neighbours do not', async () => {
    for (const attempt of [1, 2, 3, 4, 5, 8])
      expect(await failing(event(attempt, { id: 0 }, { id: 1 }))).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(changes()).toEqual([2, 8, 32, 120, 120, 1].map((seconds) => ['r1', seconds]));
  });

  test('is reported all the same when its time cannot be changed: it comes back later', async () => {
    sqs.on(ChangeMessageVisibilityCommand).rejects(new Error('SQS is away'));
    expect(await failing(event(1, { id: 1 }))).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
  });
});

describe('a batch of a campaign', () => {
  test('is hidden for 30 seconds at a time while its worker lives, so that another continues within a minute of its end', async () => {
    vi.useFakeTimers();
    let finish = (): void => {};
    const handler = consume(campaignBatchesQueue, () => new Promise<void>((resolve) => (finish = resolve)));
    const message = { company_id: 1, campaign_id: 1, run_number: 1, batch: 0, chain_count: 1 };
    const running = handler(event(1, message));
    await vi.advanceTimersByTimeAsync(35_000);
    expect(changes()).toEqual(Array.from({ length: 4 }, () => ['r0', 30]));
    finish();
    expect(await running).toEqual({ batchItemFailures: [] });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(changes()).toHaveLength(4);
  });
});
