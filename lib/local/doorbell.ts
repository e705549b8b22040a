import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import * as z from 'zod';
import { WebSocketServer, type WebSocket } from 'ws';
import { sessionCookieName } from '../../shared/access/session.ts';
import { tokenHash } from '../../shared/access/token.ts';
import { protectedPartitions } from '../../shared/contract/resource.ts';
import { foreignReason } from './foreign-requests.ts';
import type { WireRequest, WireResponse } from './http-event.ts';
import { type Json, type JsonObject, objectOf, parseJson, textOf } from './json.ts';

/** AppSync Events as a page sees it, at the laptop's own port: https://docs.aws.amazon.com/appsync/latest/eventapi/event-api-websocket-protocol.html */
export interface Doorbell {
  /** Takes a connection of a page of this origin whose session the product knows, or answers why not. `call` makes calls of the product. */
  upgrade(incoming: IncomingMessage, socket: Duplex, firstBytes: Buffer, call: CallProduct): Promise<void>;
  /** Sends an event to all who are subscribed to its channel, once each. */
  publish(channel: string, event: string): void;
  /** Takes each record of the change stream: a connection ends with its session. */
  followSessions(record: JsonObject): void;
  stop(): void;
}

type CallProduct = (request: WireRequest) => Promise<WireResponse>;

export const doorbellPath = '/doorbell';

/** Functions get these in place of the addresses of AppSync. */
export const doorbellVariables = (publishUrl: string): Record<string, string> => ({
  DOORBELL_PUBLISH_URL: publishUrl,
  DOORBELL_ADDRESS: doorbellPath,
  DOORBELL_HOST: 'localhost',
});

interface Connection {
  socket: WebSocket;
  /** The partition of the session that opened it. */
  sessionKey: string;
  /** The one that it may subscribe to. */
  channel: string;
  /** Subscriptions by the page's own ids. */
  subscriptions: Set<string>;
}

export const startDoorbell = (): Doorbell => {
  const server = new WebSocketServer({ noServer: true, maxPayload: 10_000 });
  const connections = new Set<Connection>();
  const keepAlive = setInterval(() => {
    for (const { socket } of connections) send(socket, { type: 'ka' });
  }, keepAliveMs).unref();
  return {
    upgrade: async (incoming, socket, firstBytes, call) => {
      socket.on('error', () => socket.destroy());
      const page = await pageOf(incoming, call);
      if (typeof page === 'string') return void socket.end(`HTTP/1.1 ${page}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      server.handleUpgrade(incoming, socket, firstBytes, (opened) => {
        const connection: Connection = { socket: opened, ...page, subscriptions: new Set() };
        connections.add(connection);
        opened.on('close', () => connections.delete(connection));
        opened.on('error', () => opened.terminate());
        opened.on('message', (data) => receive(connection, Buffer.isBuffer(data) ? data.toString('utf8') : ''));
      });
    },
    publish: (channel, event) => {
      for (const { socket, channel: own, subscriptions } of connections) {
        if (own !== channel) continue;
        for (const id of subscriptions) send(socket, { type: 'data', id, event });
      }
    },
    followSessions: (record) => {
      const { Keys, NewImage } = objectOf(record.dynamodb);
      const key = textOf(objectOf(objectOf(Keys).pk).S) ?? '';
      if (!key.startsWith(protectedPartitions.credential) || isActive(NewImage)) return;
      for (const { socket, sessionKey } of connections) if (sessionKey === key) socket.close(4401, 'The session has ended.');
    },
    stop: () => {
      clearInterval(keepAlive);
      for (const { socket } of connections) socket.terminate();
      server.close();
    },
  };
};

/** As often as AppSync. */
const keepAliveMs = 60_000;

const isActive = (image: Json | undefined): boolean => {
  if (image === undefined) return false;
  const { status, companyStatus } = objectOf(image);
  return textOf(objectOf(status).S) === 'active' && textOf(objectOf(companyStatus).S) !== 'suspended';
};

/** Which session the page has, and the channel of its company; or the status line of the refusal. */
const pageOf = async (incoming: IncomingMessage, call: CallProduct): Promise<Pick<Connection, 'sessionKey' | 'channel'> | string> => {
  const { headers, socket } = incoming;
  const { host = '', origin, cookie = '' } = headers;
  if (incoming.url !== doorbellPath) return '404 Not Found';
  // a page of another origin may open a WebSocket, and the browser sends the cookie with it where the sites are the same
  if (foreignReason(headers) !== undefined || origin !== `http://${host}`) return '403 Forbidden';
  const sourceIp = (socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  // the product's own operation says whose session it is, and whether it still is one
  const request = { method: 'GET', path: '/api/v1/sessions/doorbell', query: '', headers: { host, origin, cookie }, body: Buffer.alloc(0) };
  const response = await call({ ...request, sourceIp });
  const known = answer.safeParse(response.status === 200 ? parseJson(response.body.toString('utf8')) : undefined);
  if (!known.success) return '401 Unauthorized';
  return {
    sessionKey: `${protectedPartitions.credential}${tokenHash(sessionSecretIn(cookie, host))}`,
    channel: known.data.data.doorbell.channel,
  };
};

const answer = z.object({ data: z.object({ doorbell: z.object({ channel: z.string() }) }) });

const sessionSecretIn = (cookie: string, host: string): string => {
  const start = `${sessionCookieName(`http://${host}`)}=`;
  const own = cookie.split(';').find((each) => each.trim().startsWith(start)) ?? '';
  return own.trim().slice(start.length);
};

const message = z.object({ type: z.string(), id: z.string().max(128).optional(), channel: z.string().optional() });

const receive = ({ socket, channel: own, subscriptions }: Connection, text: string): void => {
  const { type, id = '', channel }: Partial<z.output<typeof message>> = messageIn(text) ?? {};
  if (type === 'connection_init') return send(socket, { type: 'connection_ack', connectionTimeoutMs: 5 * keepAliveMs });
  if (type === 'subscribe' && channel === own && subscriptions.size < 10) {
    subscriptions.add(id);
    return send(socket, { type: 'subscribe_success', id });
  }
  if (type === 'subscribe') return send(socket, { type: 'subscribe_error', id, errors: [{ errorType: 'UnauthorizedException' }] });
  if (type === 'unsubscribe' && subscriptions.delete(id)) return send(socket, { type: 'unsubscribe_success', id });
  socket.close(1008, 'Not a message of the protocol.');
};

const messageIn = (text: string): z.output<typeof message> | undefined => {
  try {
    return message.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

const send = (socket: WebSocket, body: object): void => socket.send(JSON.stringify(body), () => undefined);
