import { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { campaignBatchesQueue } from '../../functions/campaigns/contract/queue.ts';
import { queue } from '../../shared/contract/queue.ts';
import { variableOf } from '../../shared/contract/resource.ts';
import { signedHeaders } from '../../shared/runtime/sign.ts';
import { consume } from '../../shared/queue/consume.ts';
import { captureLogs } from '../support/log-capture.ts';

const jobs = queue({ name: 'jobs', purpose: 'Work', message: z.object({ id: z.int() }), workSeconds: 20, maxReceives: 8 });
const sqs = vi.fn<typeof fetch>();
const changes = (): [unknown, unknown][] =>
  sqs.mock.calls.map(([, init]) => {
    const { ReceiptHandle, VisibilityTimeout } = JSON.parse(z.string().parse(init?.body)) as Record<string, unknown>;
    return [ReceiptHandle, VisibilityTimeout];
  });
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
  sqs.mockReset().mockImplementation(() => Promise.resolve(new Response('{}')));
  vi.stubGlobal('fetch', sqs);
  logs = captureLogs();
  for (const [name, value] of Object.entries({ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret' }))
    vi.stubEnv(name, value);
  for (const each of [jobs, campaignBatchesQueue]) vi.stubEnv(variableOf(each), `https://sqs.example/1/${each.name}`);
});
afterEach(() => {
  logs.stop();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('a message that fails', () => {
  const failing = consume(jobs, ({ id }) => (id === 1 ? Promise.reject(new Error('no')) : Promise.resolve()));

  test('comes back after 2, 8, 32 and 120 seconds, its visibility timeout, and at once when it was the last time; its neighbours do not', async () => {
    for (const attempt of [1, 2, 3, 4, 5, 8])
      expect(await failing(event(attempt, { id: 0 }, { id: 1 }))).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(changes()).toEqual([2, 8, 32, 120, 120, 1].map((seconds) => ['r1', seconds]));
  });

  test('is reported all the same when its time cannot be changed: it comes back later', async () => {
    sqs.mockRejectedValue(new Error('SQS is away'));
    expect(await failing(event(1, { id: 1 }))).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
  });
});

test('the call is signed as the SDK signs it, with a session token and without', async () => {
  for (const sessionToken of [undefined, 'a session']) {
    vi.stubEnv('AWS_SESSION_TOKEN', sessionToken);
    const url = new URL('https://sqs.eu-central-1.amazonaws.com/');
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ChangeMessageVisibility' };
    const body = '{"QueueUrl":"https://sqs.eu-central-1.amazonaws.com/1/q"}';
    const at = new Date('2026-11-22T12:34:56.789Z');
    const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret', ...(sessionToken ? { sessionToken } : {}) };
    const client = new SQSClient({ region: 'eu-central-1', credentials });
    const signer = (await client.config.signer?.({
      signingRegion: 'eu-central-1',
      signingName: 'sqs',
      name: 'sigv4',
      properties: {},
    })) as unknown as {
      sign: (request: object, options: object) => Promise<{ headers: Record<string, string> }>;
    };
    const request = {
      method: 'POST',
      protocol: 'https:',
      hostname: url.host,
      path: '/',
      query: {},
      headers: { ...headers, host: url.host },
      body,
    };
    const theirs = await signer.sign(request, { signingDate: at, signingRegion: 'eu-central-1', signingService: 'sqs' });
    const hashed = theirs.headers['x-amz-content-sha256'];
    const ours = signedHeaders({
      service: 'sqs',
      url,
      headers: hashed ? { ...headers, 'x-amz-content-sha256': hashed } : headers,
      body,
      at,
    });
    expect(ours['authorization']).toBe(theirs.headers['authorization']);
  }
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
