import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EarlierVersions, openEarlierVersions } from './earlier-versions.ts';
import type { FaultPlan } from './faults.ts';
import { refuseForeign } from './foreign-requests.ts';
import { listOf, objectOf, parseJson } from './json.ts';

export interface FaultProxy {
  port: number;
  /** Reads are late for what is written from now on. */
  begin(): void;
  stop(): void;
}

export interface FaultProxyOptions {
  /** The table's SQLite file: without it no answer is taken back to an earlier moment. */
  file?: string;
  /** Milliseconds by which answers are taken back; the machine's unless given. */
  now?: () => number;
}

/**
 * Stands before the table while its faults are on: refuses a share of the requests as AWS does, answers some reads as of a moment ago, passes
 * the others on.
 */
export const startFaultProxy = async (
  tablePort: number,
  plan: FaultPlan,
  { file, now = Date.now }: FaultProxyOptions = {},
): Promise<FaultProxy> => {
  const agent = new Agent({ keepAlive: true });
  let earlier: EarlierVersions | undefined;
  const begin = (): void => {
    earlier?.close();
    const longestMs = (): number => Math.max(mostStaleMs, plan.faults.index_lag_ms);
    earlier = file !== undefined && isLate(plan.faults) ? openEarlierVersions(file, { now, longestMs }) : undefined;
  };
  const pass = (incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse): void => {
    const { method, url, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port: tablePort, method, path: url, headers, agent }, (answer) => {
      const operation = operationOf(incoming);
      const ms = earlier && answer.statusCode === 200 ? lagOf(operation, body, plan) : 0;
      if (ms === 0 || !earlier) {
        // so that writes are noticed when they are made
        earlier?.look();
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
        return;
      }
      const versions = earlier;
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const current = objectOf(parseJson(Buffer.concat(chunks).toString('utf8')));
        const shown = JSON.stringify(versions.ago(ms, operation, objectOf(parseJson(body.toString('utf8'))), current));
        const { 'x-amz-crc32': _crc, 'content-length': _length, 'transfer-encoding': _encoding, ...headersLeft } = answer.headers;
        outgoing.writeHead(200, { ...headersLeft, 'content-length': String(Buffer.byteLength(shown)) }).end(shown);
      });
    });
    onward.once('error', () => outgoing.destroy());
    onward.end(body);
  };
  const plain = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const refusal = refusalFor(operationOf(incoming), body, plan);
      if (!refusal) pass(incoming, body, outgoing);
      else outgoing.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(refusal));
    });
  });
  const server = refuseForeign(plain);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    begin,
    stop: () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
      earlier?.close();
    },
  };
};

const operationOf = ({ headers }: IncomingMessage): string => String(headers['x-amz-target'] ?? '').replace(/^.*\./, '');

/** An eventually consistent read is mostly current, and hardly ever more than a second behind. */
const mostStaleMs = 1_000;

const isLate = ({ index_lag_ms, stale_reads }: FaultPlan['faults']): boolean => index_lag_ms > 0 || stale_reads > 0;

/** How late the answer to a read is, in milliseconds. */
const lagOf = (operation: string, body: Buffer, plan: FaultPlan): number => {
  if (operation !== 'Query' && operation !== 'GetItem' && operation !== 'BatchGetItem') return 0;
  const { IndexName, ConsistentRead, FilterExpression } = objectOf(parseJson(body.toString('utf8')));
  // what the filter dropped is not in the answer
  if (ConsistentRead === true || FilterExpression !== undefined) return 0;
  if (IndexName !== undefined && plan.faults.index_lag_ms > 0) return plan.faults.index_lag_ms;
  return plan.hits(plan.faults.stale_reads) ? 1 + plan.pick(mostStaleMs) : 0;
};

const refusalFor = (target: string, body: Buffer, plan: FaultPlan): object | undefined => {
  if (target === 'TransactWriteItems' && plan.hits(plan.faults.conflict_transactions)) return conflict(body, plan);
  if (!plan.hits(plan.faults.throttle_table)) return undefined;
  return plan.pick(2) === 0
    ? {
        __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
        message: 'The level of configured provisioned throughput for the table was exceeded.',
      }
    : { __type: 'com.amazon.coral.availability#ThrottlingException', message: 'Throughput exceeds the current capacity of your table.' };
};

const conflict = (body: Buffer, plan: FaultPlan): object => {
  const items = Math.max(1, listOf(objectOf(parseJson(body.toString('utf8'))).TransactItems).length);
  const hit = plan.pick(items);
  const CancellationReasons = Array.from({ length: items }, (_, i) =>
    i === hit ? { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' } : { Code: 'None' },
  );
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  return {
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    CancellationReasons,
  };
};
