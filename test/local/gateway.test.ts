import { expect, test } from 'vitest';
import { freePort } from '../../lib/local/emulators.ts';
import { startGateway } from '../../lib/local/gateway.ts';

/** Lambda takes 6 MB as its event is written: API Gateway refuses the rest before any function is called, and so does the laptop. */
test('an event of more than 6 MB is refused before the function, base64 and escapes counted, and an answer of more is an error', async () => {
  const port = await freePort();
  const gateway = await startGateway(port);
  let invoked = 0;
  let answered = '';
  const invoke = (): Promise<unknown> => {
    invoked++;
    return Promise.resolve({ statusCode: 200, body: answered });
  };
  const pool = { name: 'f', invoke };
  gateway.open({
    targets: ['api', 'url'].map((via) => ({ key: `POST /${via}`, via, pool })) as never,
    cors: undefined,
    scheduler: { runRequest: (work) => work() },
    control: () => Promise.resolve({ status: 404, body: {} }),
  });
  const post = async (path: string, body: Buffer | string, type: string): Promise<[number, string]> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers: { 'content-type': type } });
    return [answer.status, await answer.text()];
  };
  const mb = 1024 * 1024;
  const tooLong = [413, JSON.stringify({ message: 'Request Too Long' })];
  try {
    expect((await post('/api', Buffer.alloc(4 * mb), 'multipart/form-data; boundary=x'))[0]).toBe(200);
    expect(await post('/api', Buffer.alloc(5 * mb), 'multipart/form-data; boundary=x')).toEqual(tooLong);
    expect((await post('/api', 'x'.repeat(5 * mb), 'application/json'))[0]).toBe(200);
    expect(await post('/api', '"'.repeat(4 * mb), 'application/json')).toEqual(tooLong);
    expect((await post('/url', Buffer.alloc(5 * mb), 'image/png'))[0]).toBe(413);
    expect(invoked).toBe(2);
    // what a function answers has the same limit
    answered = '"'.repeat(2 * mb);
    expect((await post('/api', '', 'text/plain'))[0]).toBe(200);
    answered = '"'.repeat(4 * mb);
    expect(await post('/api', '', 'text/plain')).toEqual([500, JSON.stringify({ message: 'Internal Server Error' })]);
    expect((await post('/url', '', 'text/plain'))[0]).toBe(502);
  } finally {
    gateway.stop();
  }
});
