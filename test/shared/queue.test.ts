import {
  QueueDoesNotExist,
  RequestThrottled,
  SendMessageBatchCommand,
  type SendMessageBatchCommandInput,
  type SendMessageBatchRequestEntry,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import * as fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { consume } from '../../shared/queue/consume.ts';
import { NotSent, type QueueEntry, send, sendTogether, slices } from '../../shared/queue/send.ts';
import { withLogScope } from '../../shared/runtime/log.ts';
import { startTestApp } from '../support/test-app.ts';
import { sampleContext } from './sample/context.ts';
import { noteQueue } from './sample/contract.ts';
import { worked } from './sample/worker.ts';

const testApp = await startTestApp({ contexts: [sampleContext] });
afterAll(() => testApp.stop());

const notes = (count: number) => Array.from({ length: count }, (_, i) => ({ companyId: 1, message: { note: `n${i}` } }));

describe('send, with a queue that refuses', () => {
  const client = mockClient(SQSClient);
  const sent = () => client.on(SendMessageBatchCommand);
  beforeEach(() => client.reset());
  afterAll(() => client.restore());
  const calls = () => client.commandCalls(SendMessageBatchCommand);
  const entriesOf = (call: number) => calls()[call]?.args[0].input.Entries ?? [];
  const failed = (...ids: (string | undefined)[]) => ({
    Successful: [],
    Failed: ids.map((Id) => ({ Id, Code: 'InternalError', SenderFault: false })),
  });
  const refuse = (isRefused: (entry: SendMessageBatchRequestEntry) => boolean) =>
    sent().callsFake(({ Entries = [] }: SendMessageBatchCommandInput) => failed(...Entries.filter(isRefused).map(({ Id }) => Id)));

  test('the trace of the run goes with each message, where Lambda has one', async () => {
    sent().resolves({});
    await send(noteQueue, notes(1));
    vi.stubEnv('_X_AMZN_TRACE_ID', 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1');
    await send(noteQueue, notes(1));
    vi.unstubAllEnvs();
    expect([0, 1].map((call) => entriesOf(call)[0]?.MessageSystemAttributes?.AWSTraceHeader?.StringValue)).toEqual([
      undefined,
      'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1',
    ]);
  });

  test('only what failed is sent again', async () => {
    sent().resolvesOnce(failed('3')).resolves(failed());
    await send(noteQueue, notes(10));
    expect(calls()).toHaveLength(2);
    expect(entriesOf(1).map((entry) => entry.Id)).toEqual(['3']);
  });

  test('what stays unsent after all tries is told by number, never dropped in silence', async () => {
    refuse(({ Id }) => Number(Id) % 2 === 0);
    const sending = send(noteQueue, notes(4));
    await expect(sending).rejects.toThrow(NotSent);
    await expect(sending).rejects.toMatchObject({ unsent: 2 });
  });

  test('a queue that throttles every attempt leaves all unsent, any other failure is what it is', async () => {
    const $metadata = {};
    sent().rejects(new RequestThrottled({ message: 'too many', $metadata }));
    await expect(send(noteQueue, notes(3))).rejects.toMatchObject({ name: 'NotSent', unsent: 3 });
    sent().rejects(new QueueDoesNotExist({ message: 'no such queue', $metadata }));
    await expect(send(noteQueue, notes(3))).rejects.toThrow(QueueDoesNotExist);
  });

  test('carries the tenant for fairness and the request id for the logs', async () => {
    sent().resolves(failed());
    await withLogScope({ request_id: 'req_1' }, () => send(noteQueue, [{ companyId: 7, message: { note: 'x' }, delaySeconds: 5_000 }]));
    expect(entriesOf(0)[0]).toMatchObject({
      MessageGroupId: '7',
      DelaySeconds: 900,
      MessageAttributes: { tenant: { StringValue: '7' }, request_id: { StringValue: 'req_1' } },
    });
  });

  test('callers of one moment share requests, each with its own request id; who had the message that stays unsent learns it, the others do not', async () => {
    refuse(({ MessageBody }) => MessageBody?.includes('bad') === true);
    const from = (request_id: string, ...texts: string[]) =>
      withLogScope({ request_id }, () =>
        sendTogether(
          noteQueue,
          texts.map((note) => ({ companyId: 1, message: { note } })),
        ),
      );
    const results = await Promise.allSettled([from('req_1', 'a', 'b'), from('req_2', 'c', 'bad'), from('req_3', 'd')]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { name: 'NotSent', unsent: 1 } });
    expect(entriesOf(0).map(({ MessageAttributes }) => MessageAttributes?.['request_id']?.StringValue)).toEqual([
      'req_1',
      'req_1',
      'req_2',
      'req_2',
      'req_3',
    ]);
    expect(entriesOf(1).map(({ MessageBody }) => MessageBody)).toEqual(['{"note":"bad"}']);
  });

  test('nothing to send is no call', async () => {
    await send(noteQueue, []);
    expect(calls()).toEqual([]);
  });
});

describe('slices', () => {
  test('hold every entry once, in order, at most ten and a mebibyte together', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 250_000 }), { maxLength: 60 }), (sizes) => {
        const bytes = (slice: readonly QueueEntry[]): number => slice.reduce((sum, entry) => sum + entry.MessageBody.length, 0);
        const entries = sizes.map((size, index) => ({ Id: String(index), MessageBody: 'x'.repeat(size) }));
        const out = slices(entries);
        expect(out.flat()).toEqual(entries);
        for (const slice of out) {
          expect(slice.length).toBeLessThanOrEqual(10);
          if (slice.length > 1) expect(bytes(slice)).toBeLessThan(2 ** 20);
        }
      }),
      { seed: 7, numRuns: 50 },
    );
  });
});

describe('a worker', () => {
  beforeEach(() => {
    worked.length = 0;
  });

  test('that fails at one message of a batch gets that one again, the others not', async () => {
    await send(noteQueue, [...notes(3), { companyId: 1, message: { note: 'second time' } }]);
    const drained = await testApp.drain();
    expect(worked.toSorted()).toEqual(['n0:1', 'n1:1', 'n2:1', 'second time:1', 'second time:2']);
    expect(drained).toMatchObject({ messages: 4, failures: 1 });
    expect(testApp.deadLettersOf(noteQueue)).toEqual([]);
  });

  test('that always fails at a message leaves it in the dead-letter queue after the declared deliveries', async () => {
    await send(noteQueue, [{ companyId: 1, message: { note: 'breaks' } }]);
    await testApp.drain();
    expect(worked).toEqual(['breaks:1', 'breaks:2', 'breaks:3']);
    expect(testApp.deadLettersOf(noteQueue)).toEqual([{ note: 'breaks' }]);
  });

  test('never sees a message that its schema refuses: it goes the way of poison', async () => {
    await send(noteQueue, [{ companyId: 1, message: { note: 5 } as unknown as { note: string } }, ...notes(1)]);
    await testApp.drain();
    expect(worked).toEqual(['n0:1']);
    expect(testApp.deadLettersOf(noteQueue)).toContainEqual({ note: 5 });
  });

  test('counts each failure inside a batch as a metric of the stack: Lambda sees none of them', async () => {
    await send(noteQueue, [{ companyId: 1, message: { note: 'second time' } }, ...notes(2)]);
    testApp.logs.length = 0;
    await testApp.drain();
    expect(testApp.logs.filter((line) => line['MessageFailures'] === 1)).toHaveLength(1);
  });

  test('processes the messages of one item in their order, whichever came first, and those of another beside them', async () => {
    const done: string[] = [];
    const worker = consume(
      noteQueue,
      async ({ note }) => {
        await new Promise((resolve) => setImmediate(resolve));
        done.push(note);
        if (note === 'a1') throw new Error('This one fails.');
      },
      { sameItem: ({ note }) => note.charAt(0), place: ({ note }) => Number(note.charAt(1)) },
    );
    const record = (messageId: string, body: string) => ({ messageId, body, receiptHandle: messageId }) as SQSRecord;
    const notes = ['a3', 'b2', 'a1', 'a2', 'b1'].map((note) => record(note, JSON.stringify({ note })));
    const { batchItemFailures } = await worker({ Records: [...notes, record('poison', 'not JSON')] });
    expect(done.filter((note) => note.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
    expect(done.filter((note) => note.startsWith('b'))).toEqual(['b1', 'b2']);
    expect(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).toSorted()).toEqual(['a1', 'poison']);
  });

  test('logs a failure without the message', async () => {
    await send(noteQueue, [{ companyId: 1, message: { note: 'breaks' } }]);
    testApp.logs.length = 0;
    await testApp.drain();
    expect(testApp.logs.some((line) => line['level'] === 'ERROR')).toBe(true);
    expect(JSON.stringify(testApp.logs)).not.toContain('breaks');
  });
});
