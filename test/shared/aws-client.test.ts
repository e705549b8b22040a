import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, expect, test, vi } from 'vitest';
import { sendMail } from '../../functions/verification/gateway/mail.ts';
import { withTimeouts } from '../../shared/runtime/aws-client.ts';
import { clearProcessMemory } from '../../shared/runtime/memory.ts';

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['gets no answer', () => {}],
  ['gets half an answer', (_request: IncomingMessage, response: ServerResponse) => void response.write('{"Successful"')],
])('a call of an SDK client that %s ends, and is not left to the end of the function', async (_, answer) => {
  const silent = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'x', secretAccessKey: 'y' };
  const client = new SQSClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1, ...withTimeouts(100) });
  const call = client.send(new SendMessageBatchCommand({ QueueUrl: `${endpoint}/1/q`, Entries: [{ Id: '0', MessageBody: 'x' }] }));
  await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
  client.destroy();
  silent.closeAllConnections();
  silent.close();
});

test('every SDK client of the product has timeouts', () => {
  const root = join(import.meta.dirname, '../..');
  const without = ['functions', 'shared'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => {
        const text = readFileSync(join(root, folder, name), 'utf8');
        const makes = text.match(/new [A-Za-z0-9]+Client\(/g)?.filter((each) => !each.includes('DocumentClient')) ?? [];
        return makes.length > 0 && !text.includes('withTimeouts(') ? [`${folder}/${name}`] : [];
      }),
  );
  expect(without).toEqual([]);
});

test('every email leaves on a connection of its own: one that was lost while the function was frozen would lose a code', async () => {
  let connections = 0;
  let mails = 0;
  const server = createServer((_request, response) => {
    mails++;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ MessageId: String(mails) }));
  });
  server.on('connection', () => connections++).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = { AWS_ENDPOINT_URL_SESV2: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, AWS_REGION: 'us-east-1' };
  const settings = { ...address, AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y', EMAIL_FROM: 'codes@acme.example' };
  for (const [name, value] of Object.entries({ ...settings, AWS_ENDPOINT_URL_SESV2: 'http://127.0.0.1:9' })) vi.stubEnv(name, value);
  const mail = { to: 'kim@acme.example', subject: 'Code', text: '123456', html: '<b>123456</b>' };
  // a client of a process that died is not used again, nor is its address
  expect(await sendMail(mail)).toBe('unsent');
  clearProcessMemory();
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', address.AWS_ENDPOINT_URL_SESV2);
  expect([await sendMail(mail), await sendMail(mail)]).toEqual(['accepted', 'accepted']);
  expect([mails, connections]).toEqual([2, 2]);
  server.closeAllConnections();
  server.close();
});
