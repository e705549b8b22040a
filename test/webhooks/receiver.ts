import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

export interface ReceivedPost {
  path: string;
  headers: Record<string, string>;
  body: string;
  id: string;
  event: string;
  at: number;
  /** The status that left; absent when none did. */
  answered?: number;
}

/** What a test receiver does with a call; 200 when it has not answered by its end, nothing at all when it holds the call. */
export type Manner = (received: ReceivedPost, response: ServerResponse) => void | 'holds' | Promise<void | 'holds'>;

/** A real receiver on loopback, that stores what it received and can be down. */
export interface Receiver extends AsyncDisposable {
  url: string;
  received: ReceivedPost[];
  /** Answers from now on in this manner. */
  manner: Manner;
  /** Connections to the address are refused from now on. */
  goDown: () => Promise<void>;
  comeBack: () => Promise<void>;
}

export const startReceiver = async (manner: Manner = () => undefined): Promise<Receiver> => {
  let server: Server;
  let port = 0;
  const receiver = {
    url: '',
    received: [] as ReceivedPost[],
    manner,
    goDown: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    comeBack: () => open(),
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await receiver.goDown();
    },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const received: ReceivedPost = {
      path: request.url ?? '',
      headers,
      body: Buffer.concat(chunks).toString('utf8'),
      id: headers['webhook-id'] ?? '',
      event: headers['x-webhook-event'] ?? '',
      at: Date.now(),
    };
    receiver.received.push(received);
    response.once('finish', () => (received.answered = response.statusCode));
    const held = await receiver.manner(received, response);
    if (held === undefined && !response.headersSent) response.end('ok');
  };
  const open = (): Promise<void> =>
    new Promise((resolve) => {
      server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
      server.listen(port, '127.0.0.1', () => {
        const address = server.address();
        if (typeof address === 'object' && address) port = address.port;
        resolve();
      });
    });
  await open();
  receiver.url = `http://127.0.0.1:${port}/hook`;
  return receiver;
};

/** Manners of receivers. */
export const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): Manner =>
  (_received, response) => {
    response.writeHead(status, headers).end(body);
  };

/** Takes the call and never answers. */
export const hanging: Manner = () => 'holds';

/** The check that a receiver makes, by the words of Standard Webhooks alone; nothing of the product's own code is used. */
export const isSigned = (received: ReceivedPost, secret: string): boolean => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = received.headers;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.${received.body}`).digest();
  return (signatures ?? '').split(' ').some((each) => {
    const given = Buffer.from(each.replace(/^v1,/, ''), 'base64');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
};
