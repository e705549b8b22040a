import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { log } from '../runtime/log.ts';

export interface HttpCall {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer | undefined;
  /** From the call to the last byte of the answer. */
  timeoutMs: number;
}

export interface HttpReply {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined: longer than an answer may be. */
  body: Buffer | undefined;
}

/** The call ended before a connection stood, so nothing of it has left. */
export class NeverConnected extends Error {
  override name = 'NeverConnected';
}

/**
 * One call over HTTP, never repeated; redirects are not followed. It takes half the CPU time of `fetch`, which was a fifth of a
 * campaign's: docs/decisions/provider-calls.md. A method, so that a test can stand in its way.
 */
export const providerHttp = {
  send: (address: string, { method, headers, body, timeoutMs }: HttpCall): Promise<HttpReply> =>
    new Promise((resolve, reject) => {
      endOldConnections();
      const sent = start(address, { method, headers: { ...ownHeaders, ...lengthOf(body), ...headers } }, (answer) => {
        readWhole(answer).then((reply) => {
          clearTimeout(whole);
          resolve(reply);
        }, fail);
      });
      let isConnected = sent.reusedSocket;
      const whole = setTimeout(() => sent.destroy(new Error(`No whole answer within ${timeoutMs} ms.`)), timeoutMs);
      const fail = (error: Error): void => {
        clearTimeout(whole);
        reject(isConnected ? error : new NeverConnected(error.message));
      };
      sent.once('error', fail);
      sent.once('socket', (socket) => {
        if (socket.connecting) socket.once('connect', () => (isConnected = true));
        else isConnected = true;
      });
      sent.end(body);
    }),
};

/** Without it Node writes the body of a DELETE behind a request that has none. */
const lengthOf = (body: HttpCall['body']): Record<string, string> =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };

const ownHeaders = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Switchboard' };

/** The receiver may have closed an older one, and a call over it would be lost: as old as `fetch` lets them become. */
const longestIdleMs = 4_000;
const agentOptions = { keepAlive: true, scheduling: 'lifo', timeout: longestIdleMs } as const;
let plain: HttpAgent | undefined;
let secure: HttpsAgent | undefined;
let calledAt = 0;

/** A function that was frozen wakes up with connections whose time is over, before its timers see it. */
function endOldConnections(): void {
  const at = performance.now();
  if (at - calledAt > longestIdleMs)
    for (const agent of [plain, secure])
      for (const sockets of Object.values(agent?.freeSockets ?? {})) for (const each of sockets ?? []) each.destroy();
  calledAt = at;
}

function start(
  address: string,
  options: { method: string; headers: Readonly<Record<string, string>> },
  onAnswer: (answer: IncomingMessage) => void,
): ClientRequest {
  return address.startsWith('https:')
    ? requestHttps(address, { ...options, agent: (secure ??= new HttpsAgent(agentOptions)) }, onAnswer)
    : requestHttp(address, { ...options, agent: (plain ??= new HttpAgent(agentOptions)) }, onAnswer);
}

export const maxReplyBytes = 10 * 1024 * 1024;

function readWhole(answer: IncomingMessage): Promise<HttpReply> {
  const { statusCode: status = 0, headers } = answer;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxReplyBytes) return void chunks.push(chunk);
      log.warn('The provider answered with a body that is too long', { status });
      answer.off('error', reject).once('error', () => undefined);
      answer.destroy();
      resolve({ status, headers, body: undefined });
    });
    answer.once('error', reject);
    answer.once('end', () => resolve({ status, headers, body: Buffer.concat(chunks) }));
  });
}
