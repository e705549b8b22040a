import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SendMessageBatchCommand, type SendMessageBatchCommandOutput } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { sqs } from '../../shared/queue/client.ts';
import { getSecretValue } from '../../shared/runtime/secret-value.ts';

const calls: { headers: IncomingMessage['headers']; body: unknown }[] = [];
let answers: ((response: ServerResponse) => void)[] = [];
/** A service that gives each answer once, in order, the last one again and again. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    calls.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
    (answers.length > 1 ? answers.shift() : answers[0])?.(response);
  });
});
const json =
  (status: number, body: object) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
const refusal = (status: number, code: string) => json(status, { __type: `com.amazonaws.sqs#${code}`, message: 'no' });

let origin = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  calls.length = 0;
  vi.spyOn(Math, 'random').mockReturnValue(0);
  for (const [name, value] of Object.entries({ AWS_ENDPOINT_URL_SQS: origin, AWS_ENDPOINT_URL_SECRETS_MANAGER: origin }))
    vi.stubEnv(name, value);
  for (const [name, value] of Object.entries({ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'x' }))
    vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const batch = { Entries: [{ Id: '0', MessageBody: '"ü"' }] };
const sendBatch = (): Promise<SendMessageBatchCommandOutput> =>
  sqs().send(new SendMessageBatchCommand({ QueueUrl: `${origin}/1/q`, ...batch }));

describe('a batch of messages', () => {
  test('leaves as a signed call of the JSON protocol with the queue and the entries as they were given', async () => {
    answers = [json(200, { Successful: [{ Id: '0', MD5OfMessageBody: hash('md5', '"ü"') }] })];
    expect(await sendBatch()).toMatchObject({ Successful: [{ Id: '0' }] });
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({
      headers: { 'x-amz-target': 'AmazonSQS.SendMessageBatch', 'content-type': 'application/x-amz-json-1.0' },
      body: { QueueUrl: `${origin}/1/q`, ...batch },
    });
    expect(calls[0]?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=.*\/sqs\/aws4_request, SignedHeaders=[^,]*content-type;host;/,
    );
  });

  test('says which entries the queue refused', async () => {
    answers = [json(200, { Failed: [{ Id: '0', Code: 'InternalError', SenderFault: false }] })];
    expect(await sendBatch()).toMatchObject({ Failed: [{ Id: '0' }] });
  });

  test.each([
    ['is throttled', refusal(400, 'RequestThrottled')],
    ['meets a failure of the service', refusal(503, 'ServiceUnavailable')],
    ['loses its connection', (response: ServerResponse): void => void response.destroy()],
  ])('that %s is sent again, four times in all, then refused', async (_title, fails) => {
    answers = [fails, fails, fails, json(200, {})];
    await sendBatch();
    expect(calls).toHaveLength(4);
    calls.length = 0;
    answers = [fails];
    await expect(sendBatch()).rejects.toMatchObject({ $metadata: { attempts: 4 } });
    expect(calls).toHaveLength(4);
  });

  test('that the service will never take is refused at once, with its code as the name', async () => {
    answers = [refusal(400, 'QueueDoesNotExist')];
    await expect(sendBatch()).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
    expect(calls).toHaveLength(1);
  });
});

describe('a secret', () => {
  test('is read by its id, and again after a failure of the service', async () => {
    answers = [refusal(500, 'InternalServiceError'), json(200, { SecretString: '{"id":"1"}' })];
    expect(await getSecretValue('arn:secret')).toBe('{"id":"1"}');
    expect(calls.map(({ body }) => body)).toEqual([{ SecretId: 'arn:secret' }, { SecretId: 'arn:secret' }]);
    expect(calls[0]?.headers['x-amz-target']).toBe('secretsmanager.GetSecretValue');
  });

  test('that the role may not read, or that has no text, is an error and not an empty secret', async () => {
    answers = [refusal(400, 'AccessDeniedException')];
    await expect(getSecretValue('arn:secret')).rejects.toMatchObject({ name: 'AccessDeniedException' });
    expect(calls).toHaveLength(1);
    answers = [json(200, { SecretBinary: 'eA==' })];
    await expect(getSecretValue('arn:secret')).rejects.toThrow('SecretString');
  });
});
