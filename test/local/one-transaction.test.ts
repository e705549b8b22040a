import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { awsCall, dynamodb } from '../../lib/local/aws-call.ts';
import { startTableEmulator, type TableEmulator } from '../../lib/local/emulators.ts';
import { inOneTransaction, isBatchOfStatements } from '../../lib/local/one-transaction.mjs';
import { SparingAgent } from '../../lib/local/sparing-agent.mjs';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-transaction-'));
let table: TableEmulator;
beforeAll(async () => {
  table = await startTableEmulator(folder, () => {});
  await awsCall(table.url, dynamodb('CreateTable'), {
    TableName: 'rows',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
});
afterAll(async () => {
  await table.stop();
  rmSync(folder, { recursive: true, force: true });
});

const targets: string[] = [];
const call = inOneTransaction((options, onAnswer) => {
  const made = request(options, onAnswer);
  made.once('finish', () => targets.push(String(made.getHeader('x-amz-target')).split('.')[1] ?? ''));
  return made;
});

const insertion = (pk: string) => ({ Statement: `INSERT INTO "rows" VALUE {'pk':?,'n':?}`, Parameters: [{ S: pk }, { N: '1' }] });
const change = (pk: string, seen: number) => ({
  Statement: `UPDATE "rows" SET "n"=? WHERE "pk"=? AND "n"=?`,
  Parameters: [{ N: '2' }, { S: pk }, { N: String(seen) }],
});
const read = (pk: string) => ({ Statement: `SELECT * FROM "rows" WHERE "pk"=?`, Parameters: [{ S: pk }] });

/** The codes of what failed, or `ok`, of each statement; and the operations that were called. */
const batch = async (...Statements: unknown[]): Promise<{ results: string[]; operations: string[] }> => {
  targets.length = 0;
  const { hostname, port } = new URL(table.url);
  const body = JSON.stringify({ Statements });
  const text = await new Promise<string>((resolve, reject) => {
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': Buffer.byteLength(body),
      'x-amz-target': dynamodb('BatchExecuteStatement'),
      'x-amz-date': '20250101T000000Z',
      authorization: 'AWS4-HMAC-SHA256 Credential=local/20250101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    };
    const made = call({ host: hostname, port, method: 'POST', path: '/', headers }, (answer) => {
      let got = '';
      answer.on('data', (chunk: Buffer) => (got += chunk.toString('latin1')));
      answer.once('end', () => resolve(got));
    });
    made.once('error', reject);
    made.end(Buffer.from(body).toString('latin1'), 'latin1');
  });
  const { Responses } = JSON.parse(text) as { Responses: { Error?: { Code: string } }[] };
  return { results: Responses.map(({ Error: error }) => error?.Code ?? 'ok'), operations: [...targets] };
};

test('writes of a batch that all succeed are one transaction; the stream has each of them', async () => {
  expect(await batch(insertion('a'), insertion('é'), insertion('c'))).toEqual({
    results: ['ok', 'ok', 'ok'],
    operations: ['ExecuteTransaction'],
  });
  expect(await batch(change('a', 1), change('é', 1))).toEqual({ results: ['ok', 'ok'], operations: ['ExecuteTransaction'] });
  const file = new DatabaseSync(table.file, { readOnly: true });
  const rows = file
    .prepare('SELECT event_name AS event, keys_json AS keys FROM _stream_records ORDER BY CAST(sequence_number AS INTEGER)')
    .all();
  file.close();
  const of = (event: string, pk: string) => ({ event, keys: JSON.stringify({ pk: { S: pk } }) });
  expect(rows).toEqual([of('INSERT', 'a'), of('INSERT', 'é'), of('INSERT', 'c'), of('MODIFY', 'a'), of('MODIFY', 'é')]);
});

const transactions = (count: number): string[] => Array.from({ length: count }, () => 'ExecuteTransaction');

test('where some are refused, each has its own result, as without a transaction: the others are one without them', async () => {
  await batch(insertion('x'), insertion('y'));
  expect(await batch(change('x', 1), change('y', 7), insertion('ß'))).toEqual({
    results: ['ok', 'ConditionalCheckFailed', 'ok'],
    operations: transactions(2),
  });
  expect(await batch(insertion('ß'), change('x', 2))).toEqual({ results: ['DuplicateItem', 'ok'], operations: transactions(2) });
  expect(await batch(change('y', 7), insertion('w'), change('gone', 1), insertion('x'), insertion('v'))).toEqual({
    results: ['ConditionalCheckFailed', 'ok', 'ConditionalCheckFailed', 'DuplicateItem', 'ok'],
    operations: transactions(4),
  });
});

test('where most are refused, or all, the batch goes as it was given', async () => {
  await batch(insertion('m'), insertion('o'));
  const refused = [change('m', 7), insertion('o'), change('gone', 1), change('gone as well', 1)];
  const results = ['ConditionalCheckFailed', 'DuplicateItem', 'ConditionalCheckFailed', 'ConditionalCheckFailed'];
  expect(await batch(...refused, insertion('n'))).toEqual({
    results: [...results, 'ok'],
    operations: [...transactions(4), 'BatchExecuteStatement'],
  });
  expect(await batch(change('m', 7))).toEqual({
    results: ['ConditionalCheckFailed'],
    operations: ['ExecuteTransaction', 'BatchExecuteStatement'],
  });
});

test('a call of one row goes before the batches that wait', async () => {
  const begun: string[] = [];
  const server = createServer((incoming, response) => {
    begun.push(String(incoming.url));
    setTimeout(() => response.end('{}'), 5);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new SparingAgent(() => 1, isBatchOfStatements);
  const paths = ['/batch-1', '/batch-2', '/batch-3', '/row'];
  const start = inOneTransaction(request);
  try {
    await Promise.all(
      paths.map(async (path) => {
        const headers = { 'x-amz-target': dynamodb(path === '/row' ? 'UpdateItem' : 'BatchExecuteStatement') };
        const made = start({ host: '127.0.0.1', port, method: 'POST', path, headers, agent }, (answer) => void answer.resume());
        const done = once(made, 'close');
        made.end('{"Statements":[{"Statement":"DELETE FROM x"}]}', 'latin1');
        await done;
      }),
    );
    expect(begun).toEqual(['/batch-1', '/row', '/batch-2', '/batch-3']);
  } finally {
    agent.destroy();
    server.close();
  }
});

test('a batch that reads is not touched', async () => {
  expect(await batch(read('a'), read('c'))).toEqual({ results: ['ok', 'ok'], operations: ['BatchExecuteStatement'] });
});

test('the caller is given the error of a connection that is lost at the transaction, or after it was refused', async () => {
  let refused = 0;
  const server = createServer((incoming, response) => {
    if (incoming.headers['x-amz-target'] !== dynamodb('ExecuteTransaction') || incoming.url === '/lost')
      return void incoming.socket.destroy();
    refused++;
    response.writeHead(500).end('busy');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const failure = async (path: string): Promise<unknown> => {
    const headers = { 'x-amz-target': dynamodb('BatchExecuteStatement') };
    const made = call({ host: '127.0.0.1', port, method: 'POST', path, headers }, () => {
      throw new Error('There is no answer.');
    });
    const failed = once(made, 'error');
    made.end('{"Statements":[{"Statement":"DELETE FROM x"}]}', 'latin1');
    return (await failed)[0];
  };
  try {
    expect(await failure('/lost')).toMatchObject({ code: 'ECONNRESET' });
    expect(refused).toBe(0);
    expect(await failure('/')).toMatchObject({ code: 'ECONNRESET' });
    expect(refused).toBe(1);
  } finally {
    server.close();
  }
});
