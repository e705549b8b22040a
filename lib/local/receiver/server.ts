import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook, type WebhookEvent } from './verify-webhook.ts';

export interface Listening extends AsyncDisposable {
  url: string;
}

export interface Printed {
  verified: boolean;
  event: WebhookEvent | undefined;
  /** An event of this id came before. */
  repeated: boolean;
}

/**
 * A receiver as a company would write one: it answers at once, believes nothing that is not signed, and recognizes a repeated event.
 * The laptop's time may be moved, so a call is checked against its own time here; a deployed receiver uses its own clock.
 */
export const startReceiver = async (port: number, secretOf: () => string, notify: (printed: Printed) => void): Promise<Listening> => {
  const receivedIds = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const sentAt = Number(request.headers['webhook-timestamp']) * 1_000;
      const event = verifyWebhook(secretOf(), request.headers, Buffer.concat(chunks).toString('utf8'), sentAt);
      response.writeHead(event ? 200 : 401).end();
      notify({ verified: event !== undefined, event, repeated: event !== undefined && receivedIds.has(event.id) });
      if (event) receivedIds.add(event.id);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
