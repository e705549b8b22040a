import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FaultPlan } from './faults.ts';
import { refuseForeign } from './foreign-requests.ts';
import { listOf, objectOf, parseJson } from './json.ts';

export interface FaultProxy {
  port: number;
  stop(): void;
}

/** Stands before the table while its faults are on: refuses a share of the requests as AWS does, passes the others on. */
export const startFaultProxy = async (tablePort: number, plan: FaultPlan): Promise<FaultProxy> => {
  const agent = new Agent({ keepAlive: true });
  const pass = (incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse): void => {
    const { method, url, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port: tablePort, method, path: url, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once('error', () => outgoing.destroy());
    onward.end(body);
  };
  const plain = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const refusal = refusalFor(String(incoming.headers['x-amz-target'] ?? ''), body, plan);
      if (!refusal) pass(incoming, body, outgoing);
      else outgoing.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(refusal));
    });
  });
  const server = refuseForeign(plain);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
};

const refusalFor = (target: string, body: Buffer, plan: FaultPlan): object | undefined => {
  if (target.endsWith('.TransactWriteItems') && plan.hits(plan.faults.conflict_transactions)) return conflict(body, plan);
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
