import { setTimeout as pause } from 'node:timers/promises';
import { dynamo } from '../table/client.ts';
import { withTimeouts } from './aws-client.ts';
import { now } from './clock.ts';
import type { SdkHttpHandler } from './http-handler.ts';
import { signatureHeaders } from './sign.ts';

/** A call of an AWS service that reads and answers JSON. */
export interface ServiceCall {
  service: 'secretsmanager' | 'sqs';
  /** Protocol, host and port of the service. */
  origin: string;
  contentType: `application/x-amz-json-1.${0 | 1}`;
  /** Protocol name and operation: `AmazonSQS.SendMessageBatch`. */
  target: string;
  input: object;
}

/** Thrown when a service refused a call, or could not be reached in four attempts. Its name is the service's code, or the connection's. */
export class ServiceRefused extends Error {
  constructor(target: string, { status, code }: Failure) {
    super(`${target} failed: ${status === undefined ? code : `${status} ${code}`.trim()}.`);
    this.name = code || 'ServiceRefused';
  }
}

/**
 * The answer of a service by a signed request, for services of which a function makes one simple call: the SDK's client of each is 11 to 23 KB
 * of every start. Credentials and region are those of the table's client. Lost, throttled and failed calls are repeated as the SDK does it, four
 * attempts in all, so a call must be one that may be made twice. Throws ServiceRefused.
 */
export const callService = async ({ service, origin, contentType, target, input }: ServiceCall): Promise<unknown> => {
  const [region, credentials] = await Promise.all([dynamo.config.region(), dynamo.config.credentials()]);
  const { protocol, hostname, host, port } = new URL(origin);
  const given = { host, 'content-type': contentType, 'x-amz-target': target };
  const body = JSON.stringify(input);
  const address = { protocol, hostname, ...(port === '' ? {} : { port: Number(port) }), method: 'POST', path: '/' };
  handler ??= withTimeouts().requestHandler;
  for (let attempt = 1; ; attempt++) {
    const headers = signatureHeaders({ service, region, credentials, path: '/', headers: given, body, at: new Date(now()) });
    const result = await handler.handle({ ...address, headers, body }).then(
      ({ response }) => resultOf(response.statusCode, Buffer.from(response.body).toString('utf8')),
      // no connection, or it was lost
      (error: Error): Failure => ({ code: error.name, baseMs }),
    );
    if ('answer' in result) return result.answer;
    if (result.baseMs === undefined || attempt >= attempts) throw new ServiceRefused(target, result);
    await pause(Math.random() * result.baseMs * 2 ** (attempt - 1));
  }
};

const attempts = 4;
/** The longest pause before the second attempt, then twice as long; the second is for a service that limits its callers. */
const [baseMs, throttledMs] = [100, 500];
let handler: SdkHttpHandler | undefined;

interface Failure {
  status?: number;
  code: string;
  /** Undefined: another attempt would fail the same way. */
  baseMs?: number;
}

function resultOf(status: number, text: string): { answer: unknown } | Failure {
  if (status === 200) return { answer: JSON.parse(text) };
  const code = /"__type"\s*:\s*"(?:[\w.]+#)?(\w+)"/.exec(text)?.[1] ?? '';
  if (status === 429 || /throttl|TooManyRequests|SlowDown|LimitExceeded/i.test(code)) return { status, code, baseMs: throttledMs };
  return status >= 500 ? { status, code, baseMs } : { status, code };
}
