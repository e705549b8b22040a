import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

export interface HttpHandlerOptions {
  /** Until a new connection stands. */
  connectionTimeoutMs: number;
  /** For the whole request, from its first byte to the last of the answer. */
  requestTimeoutMs: number;
  /** Whether a connection serves the next request too. */
  reusesConnections: boolean;
}

/**
 * Sends the requests of an SDK client and returns each answer's body as bytes. The SDK's own handler returns a stream, which costs it a
 * collector, three more timers and a few promises a call: docs/decisions/table-call-cost.md. For JSON calls, whose bodies are text.
 */
export const httpHandler = (options: HttpHandlerOptions): SdkHttpHandler => {
  const agentOptions = { keepAlive: options.reusesConnections, maxSockets: 50 };
  let plain: HttpAgent | undefined;
  let secure: HttpsAgent | undefined;
  const start = (request: SdkRequest, onAnswer: (answer: IncomingMessage) => void): ClientRequest => {
    const { hostname, port, method, headers } = request;
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    const how = { host, ...(port === undefined ? {} : { port }), method, path: addressOf(request), headers };
    return request.protocol === 'https:'
      ? requestHttps({ ...how, agent: (secure ??= new HttpsAgent(agentOptions)) }, onAnswer)
      : requestHttp({ ...how, agent: (plain ??= new HttpAgent(agentOptions)) }, onAnswer);
  };
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    handle: (request) =>
      new Promise((resolve, reject) => {
        const sent = start(request, (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.once('error', fail);
          answer.once('end', () => {
            clearTimeout(whole);
            const { statusCode = 0, statusMessage, headers } = answer;
            const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
            resolve({ response: { statusCode, reason: statusMessage, headers: plainHeaders(headers), body } });
          });
        });
        function fail(error: Error): void {
          clearTimeout(whole);
          // the name by which the SDK knows what may be repeated
          if (transient.has((error as NodeJS.ErrnoException).code ?? '')) error.name = 'TimeoutError';
          reject(error);
        }
        const end = (why: string): void => void sent.destroy(Object.assign(new Error(why), { code: 'ETIMEDOUT' }));
        const whole = setTimeout(() => end(`No whole answer within ${options.requestTimeoutMs} ms.`), options.requestTimeoutMs);
        sent.once('error', fail);
        sent.once('socket', (socket) => {
          if (!socket.connecting) return;
          const connecting = setTimeout(() => end(`No connection within ${options.connectionTimeoutMs} ms.`), options.connectionTimeoutMs);
          socket.once('connect', () => clearTimeout(connecting));
          socket.once('close', () => clearTimeout(connecting));
        });
        // one text with the headers before it: bytes would be a second part, a sixth of the call's CPU time
        sent.end(textOf(request.body), 'latin1');
      }),
    destroy: () => {
      plain?.destroy();
      secure?.destroy();
    },
  };
};

/** What the SDK takes as `requestHandler`, and only what a JSON call needs of it: no caller ends a call by a signal. */
export interface SdkHttpHandler {
  readonly metadata: { handlerProtocol: string };
  handle(request: SdkRequest): Promise<{ response: SdkResponse }>;
  destroy(): void;
}

export interface SdkRequest {
  protocol: string;
  hostname: string;
  port?: number | undefined;
  method: string;
  path: string;
  query?: Readonly<Record<string, string | string[] | null>> | undefined;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
}

export interface SdkResponse {
  statusCode: number;
  reason: string | undefined;
  headers: Record<string, string>;
  body: Uint8Array;
}

const transient: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** Bytes as the text that Node writes as the same bytes. */
function textOf(body: string | Uint8Array = ''): string {
  const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return bytes.toString('latin1');
}

function addressOf({ path, query }: SdkRequest): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, each ?? '']));
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`;
}

function plainHeaders(headers: IncomingMessage['headers']): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    plain[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  return plain;
}
