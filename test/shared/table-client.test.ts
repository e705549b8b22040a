import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';

interface Received {
  body: { Key: { pk: { S: string } } };
  headers: IncomingMessage['headers'];
}

/** A table that answers each read with the key it was requested, the later ones first. */
let answer: (received: Received, response: ServerResponse) => void;
let connections = 0;
const received: Received[] = [];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const call: Received = { body: JSON.parse(Buffer.concat(chunks).toString()) as Received['body'], headers: request.headers };
    received.push(call);
    answer(call, response);
  });
});
server.on('connection', () => connections++);

let table: typeof import('../../shared/table/client.ts');
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = {
    AWS_ENDPOINT_URL_DYNAMODB: address,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'AKID',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  vi.resetModules();
  table = await import('../../shared/table/client.ts');
});
beforeEach(() => {
  received.length = 0;
  connections = 0;
  answer = ({ body }, response) => void response.end(JSON.stringify({ Item: body.Key, Attributes: body.Key }));
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
  server.closeAllConnections();
  server.close();
});

const get = (pk: string) => table.dynamo.send(new GetCommand({ TableName: 'table', Key: { pk } }));
const update = (pk: string) => table.dynamo.send(new UpdateCommand({ TableName: 'table', Key: { pk }, ReturnValues: 'ALL_NEW' }));

test('calls of one command that run at once each send their own input and get their own answer', async () => {
  const keys = Array.from({ length: 40 }, (_, index) => `key ${index}`);
  const answers = await Promise.all(
    keys.flatMap((key) => [get(key).then(({ Item }) => Item?.['pk']), update(key).then((all) => all.Attributes?.['pk'])]),
  );
  expect(answers).toEqual(keys.flatMap((key) => [key, key]));
});

test('a connection serves one call after another, and texts beyond ASCII arrive as they are', async () => {
  for (const key of ['Zoë', '漢字', '🙂']) expect((await get(key)).Item).toEqual({ pk: key });
  expect(connections).toBeLessThanOrEqual(1);
});

test('an answer in parts is put together', async () => {
  answer = ({ body }, response) => {
    const text = Buffer.from(JSON.stringify({ Item: body.Key }));
    response.write(text.subarray(0, 14));
    setImmediate(() => response.end(text.subarray(14)));
  };
  expect((await get('Zoë'.repeat(20))).Item).toEqual({ pk: 'Zoë'.repeat(20) });
});

test.each([
  ['is answered 500', (response: ServerResponse) => void response.writeHead(500).end('{}')],
  ['loses its connection', (response: ServerResponse) => void response.destroy()],
  [
    'loses its connection in the middle of the answer',
    (response: ServerResponse) => void response.write('{"Item"', () => response.destroy()),
  ],
])('a call that %s is repeated, and signed anew', async (_, fail) => {
  const works = answer;
  answer = (call, response) => (received.length === 1 ? fail(response) : works(call, response));
  expect((await get('a')).Item).toEqual({ pk: 'a' });
  expect(received.map(({ body }) => body.Key)).toEqual([{ pk: { S: 'a' } }, { pk: { S: 'a' } }]);
  for (const { headers } of received)
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/us-east-1\/dynamodb\/aws4_request, SignedHeaders=[a-z0-9;-]+, Signature=[0-9a-f]{64}$/,
    );
  expect(received[1]?.headers.authorization).not.toContain('authorization;');
});

test('middleware that is added later sees the calls that follow', async () => {
  await get('a');
  const seen: unknown[] = [];
  table.dynamo.middlewareStack.add((next) => (given) => (seen.push(given.input), next(given)), { step: 'initialize', name: 'seen' });
  await get('b');
  expect(seen).toMatchObject([{ Key: { pk: 'b' } }]);
});

test('without an emulator the calls go to the region, by https, and are tried five times', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', '');
  vi.resetModules();
  const { dynamo } = await import('../../shared/table/client.ts');
  const sent: unknown[] = [];
  dynamo.middlewareStack.add(
    () => (args) => {
      sent.push(args.request);
      return Promise.reject(Object.assign(new Error('lost'), { code: 'ECONNRESET' }));
    },
    { step: 'deserialize', priority: 'low', name: 'unsent' },
  );
  await expect(dynamo.send(new GetCommand({ TableName: 'table', Key: { pk: 'a' } }))).rejects.toThrow('lost');
  expect(sent).toMatchObject(Array.from({ length: 5 }, () => ({ protocol: 'https:', hostname: 'dynamodb.us-east-1.amazonaws.com' })));
});
