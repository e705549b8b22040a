import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedWebhook {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
  /** Unix milliseconds. */
  receivedAt: number;
}

/** A small server that webhooks arrive at. */
export interface WebhookReceiver extends AsyncDisposable {
  /** The address that the deployment is given. */
  url: string;
  /** The first webhook that fits, within the time; undefined if none came. */
  waitFor: (fits: (webhook: ReceivedWebhook) => boolean, timeoutMs: number) => Promise<ReceivedWebhook | undefined>;
  /** Of the webhooks that fit each is answered 500 the first time. */
  refuseFirst: (fits: (webhook: ReceivedWebhook) => boolean) => void;
}

/** At `url` if it is given, which leads to `port` of this computer; otherwise at the loopback address. */
export const startWebhookReceiver = async (port: number, url?: string): Promise<WebhookReceiver> => {
  const received: ReceivedWebhook[] = [];
  const waiting = new Set<() => void>();
  const ids = new Set<unknown>();
  let refused: (webhook: ReceivedWebhook) => boolean = () => false;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const webhook = { headers: request.headers, body: Buffer.concat(chunks).toString('utf8'), receivedAt: Date.now() };
      const { 'webhook-id': id } = request.headers;
      const isRefused = !ids.has(id) && refused(webhook);
      ids.add(id);
      response.writeHead(isRefused ? 500 : 200).end();
      received.push(webhook);
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, url === undefined ? '127.0.0.1' : undefined, resolve);
  });
  return {
    url: url ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}/switchboard-conformance`,
    waitFor: (fits, timeoutMs) =>
      new Promise((resolve) => {
        const finish = (webhook: ReceivedWebhook | undefined): void => {
          clearTimeout(timer);
          waiting.delete(look);
          resolve(webhook);
        };
        const look = (): void => {
          const found = received.find(fits);
          if (found) finish(found);
        };
        const timer = setTimeout(() => finish(undefined), timeoutMs);
        waiting.add(look);
        look();
      }),
    refuseFirst: (fits) => (refused = fits),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** Whether a webhook is signed with the secret, by Standard Webhooks: https://www.standardwebhooks.com */
export function isSignedWith(secret: string, { headers, body }: ReceivedWebhook): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  return signatures.split(' ').some((signature) => {
    if (!signature.startsWith('v1,')) return false;
    const given = Buffer.from(signature.slice(3), 'base64');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}
