import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Held, hold } from '../../bin/admin/dead-letters.ts';
import { sendsQueue } from '../../functions/messaging/contract/queue.ts';
import { awsCall, sqs } from '../../lib/local/aws-call.ts';
import { type QueueEmulator, startQueueEmulator } from '../../lib/local/emulators.ts';
import { queueUrl, redrivePolicy } from '../../lib/local/resources.ts';
import { variableOf } from '../../shared/contract/resource.ts';

/** Against the emulator: a queue whose messages are given up at their second delivery. */
const folder = mkdtempSync(join(tmpdir(), 'switchboard-dead-letters-'));
const most = 1_000;
let emulator: QueueEmulator;
beforeAll(async () => {
  emulator = await startQueueEmulator(folder);
});
afterAll(async () => {
  await emulator.stop();
  rmSync(folder, { recursive: true, force: true });
});

const names = ['sends', 'crm-work'];
beforeEach(async () => {
  for (const [name, value] of Object.entries({
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_SQS: emulator.url,
  }))
    vi.stubEnv(name, value);
  vi.stubEnv(variableOf(sendsQueue), queueUrl(emulator, `switchboard-${sendsQueue.name}`));
  emulator.server.createQueue('switchboard-dead-letters', {});
  for (const name of names)
    emulator.server.createQueue(`switchboard-${name}`, {
      attributes: { VisibilityTimeout: '0', RedrivePolicy: redrivePolicy('switchboard-dead-letters', 1) },
    });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const name of ['dead-letters', ...names])
    await awsCall(emulator.url, sqs('DeleteQueue'), { QueueUrl: queueUrl(emulator, `switchboard-${name}`) });
});

const address = (name: string): string => queueUrl(emulator, `switchboard-${name}`);
const take = async (name: string): Promise<Record<string, unknown>[]> => {
  const answer = await awsCall(emulator.url, sqs('ReceiveMessage'), {
    QueueUrl: address(name),
    MaxNumberOfMessages: 10,
    MessageAttributeNames: ['All'],
  });
  return (answer['Messages'] ?? []) as Record<string, unknown>[];
};

/** Sends so many messages to a queue, and lets each fail for good. */
const fail = async (name: string, count: number): Promise<void> => {
  for (let nth = 0; nth < count; nth++)
    await awsCall(emulator.url, sqs('SendMessage'), {
      QueueUrl: address(name),
      MessageBody: `${name} ${nth}`,
      MessageAttributes: { request_id: { DataType: 'String', StringValue: `req_${name}_${nth}` } },
    });
  // the second look at each finds it given up
  for (let look = 0; look < 2 * count + 2; look++) await take(name);
};

/** SQS says where a message came from, which the emulator does not: by the text that it has here. */
const sqsClient = (): SQSClient => {
  const client = new SQSClient({});
  client.middlewareStack.add(
    (next) => async (args) => {
      const { output, ...rest } = await next(args);
      const { Messages = [] } = output as { Messages?: { Body?: string; Attributes?: Record<string, string> }[] };
      for (const message of Messages)
        message.Attributes = {
          ...message.Attributes,
          DeadLetterQueueSourceArn: `arn:aws:sqs:us-east-1:0:switchboard-${message.Body?.split(' ')[0]}`,
        };
      return { ...rest, output };
    },
    { step: 'initialize' },
  );
  return client;
};

const look = async (choice: Partial<Parameters<typeof hold>[1]> = {}): Promise<Held['letters']> => {
  const held = await hold({}, { most, ...choice }, sqsClient());
  await held.release();
  return held.letters;
};

describe('messages that failed for good', () => {
  test('are listed with their queue and request, stay where they are, and are there for the next look', async () => {
    await fail('sends', 2);
    await fail('crm-work', 1);
    for (let again = 0; again < 2; again++)
      expect((await look()).map(({ queue, requestId }) => `${queue} ${requestId}`).toSorted()).toEqual([
        'crm-work req_crm-work_0',
        'sends req_sends_0',
        'sends req_sends_1',
      ]);
    expect((await look({ queue: 'crm-work' })).map(({ queue }) => queue)).toEqual(['crm-work']);
    expect(await look({ most: 1 })).toHaveLength(1);
  });

  test('go back to their own queue with what they carried, those that are chosen alone', async () => {
    await fail('sends', 12);
    await fail('crm-work', 1);
    const held = await hold({}, { most, queue: 'sends' }, sqsClient());
    for (const letter of held.letters) await held.moveBack(letter);
    expect((await look()).map(({ queue }) => queue)).toEqual(['crm-work']);
    const back = await take('sends');
    expect(back).toHaveLength(10);
    expect(back[0]).toMatchObject({
      Body: expect.stringMatching(/^sends \d+$/),
      MessageAttributes: { request_id: { StringValue: expect.stringMatching(/^req_sends_/) } },
    });
    expect(await take('crm-work')).toEqual([]);
  });

  test('are dropped one by one; an id that there is not drops none', async () => {
    await fail('sends', 2);
    const [first] = await look();
    await expect(hold({}, { most, id: 'none' }, sqsClient())).rejects.toThrow('There is no message none');
    expect(await look()).toHaveLength(2);
    const held = await hold({}, { most, id: first?.id }, sqsClient());
    for (const letter of held.letters) await held.remove(letter);
    const left = await look();
    expect(left.map(({ id }) => id)).not.toContain(first?.id);
    expect(left).toHaveLength(1);
  });
});
