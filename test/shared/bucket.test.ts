import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { variableOf } from '../../shared/contract/resource.ts';
import { getObjectSummary, readObject, wholeObject, writeObject } from '../../shared/objects/bucket.ts';

/** What the objects' client makes of a store that refuses, fails, is slow, or ends in the middle. */
const bucket = { kind: 'bucket', name: 'objects-test', purpose: 'A bucket of this test' } as const;
type Reply = (request: IncomingMessage, response: ServerResponse) => void;

let replies: Reply[] = [];
let requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(request.method ?? '');
  request.resume().on('end', () => (replies.length > 1 ? replies.shift() : replies[0])?.(request, response));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    [variableOf(bucket)]: bucket.name,
  });
});
beforeEach(() => {
  requests = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const status =
  (code: number, body = ''): Reply =>
  (_request, response) =>
    void response.writeHead(code, { etag: '"v1"' }).end(body);
const write = () => writeObject(bucket, 'a/b', 'text', 'text/plain');

describe('a refused write is a failure', () => {
  test.each([403, 404, 400, 412])('%i is thrown, and not tried again', async (code) => {
    replies = [status(code)];
    await expect(write()).rejects.toThrow(`answered ${code} to PUT`);
    expect(requests).toEqual(['PUT']);
  });

  test.each([500, 503, 429])('%i is tried again, and thrown when it stays', async (code) => {
    replies = [status(code)];
    await expect(write()).rejects.toThrow(`answered ${code} to PUT`);
    expect(requests).toHaveLength(4);
  });

  test('500 once is no failure', async () => {
    replies = [status(500), status(200)];
    await write();
    expect(requests).toEqual(['PUT', 'PUT']);
  });
});

describe('a read', () => {
  test.each([403, 404])('answered %i says that the object is missing', async (code) => {
    replies = [status(code)];
    expect(await getObjectSummary(bucket, 'none')).toBeUndefined();
    expect(await wholeObject(bucket, 'none')).toBeUndefined();
    expect(await readObject(bucket, 'none')).toBeUndefined();
  });

  test('answered 400 is a failure', async () => {
    replies = [status(400)];
    await expect(wholeObject(bucket, 'none')).rejects.toThrow('answered 400');
  });

  test('that is slow is waited for', async () => {
    replies = [(request, response) => void setTimeout(() => status(200, 'late')(request, response), 300)];
    expect((await wholeObject(bucket, 'slow'))?.toString()).toBe('late');
  });

  test('that ends in the middle is a failure, as a whole and as a stream', async () => {
    replies = [
      (_request, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('half');
        setTimeout(() => response.destroy(), 20);
      },
    ];
    await expect(wholeObject(bucket, 'cut')).rejects.toThrow();
    const read = async (): Promise<number> => {
      let bytes = 0;
      for await (const chunk of (await readObject(bucket, 'cut')) ?? []) bytes += chunk.length;
      return bytes;
    };
    await expect(read()).rejects.toThrow();
  });

  test('of a part that is answered with the whole object is a failure', async () => {
    replies = [status(200, 'whole')];
    await expect(readObject(bucket, 'part', { from: 3 })).rejects.toThrow('200 for a part');
  });
});
