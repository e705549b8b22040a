import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TableGate {
  /** Endpoint for the process under test. */
  url: string;
  /** Called with the action of each request (`TransactWriteItems`) before it is forwarded; the request waits for its promise. */
  before: (action: string) => Promise<void> | undefined;
  stop: () => void;
}

/** A proxy in front of the table, so that a test can act at an exact request of another process. */
export const startTableGate = async (endpoint: string): Promise<TableGate> => {
  const { hostname, port } = new URL(endpoint);
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => void forward());
    const forward = async (): Promise<void> => {
      await gate.before(String(incoming.headers['x-amz-target']).split('.').at(-1) ?? '');
      const { method, url, headers } = incoming;
      const onward = request({ hostname, port, method, path: url, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      onward.once('error', () => outgoing.destroy());
      onward.end(Buffer.concat(chunks));
    };
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const gate: TableGate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    before: () => undefined,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return gate;
};
