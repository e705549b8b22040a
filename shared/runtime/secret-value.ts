import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { dynamo } from '../table/client.ts';
import { withTimeouts } from './aws-client.ts';
import { now } from './clock.ts';
import { optionalSetting } from './env.ts';
import type { SdkHttpHandler } from './http-handler.ts';
import { signatureHeaders } from './sign.ts';

/**
 * The text of a secret, by a signed request: a function reads a secret once in five minutes, for which the SDK's client (11 KB, its schemas
 * built with every start) is too much. Credentials and region are those of the table's client. Throws when it is refused, or fails four times.
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
 */
export const getSecretValue = async (secretId: string): Promise<string> => {
  const [region, credentials] = await Promise.all([dynamo.config.region(), dynamo.config.credentials()]);
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = new URL(optionalSetting('AWS_ENDPOINT_URL_SECRETS_MANAGER') ?? `https://secretsmanager.${region}.${suffix}`);
  const body = JSON.stringify({ SecretId: secretId });
  const given = { host: url.host, 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' };
  handler ??= withTimeouts().requestHandler;
  for (let attempt = 1; ; attempt++) {
    const signing = { service: 'secretsmanager', region, credentials, path: '/', headers: given, body, at: new Date(now()) };
    const headers = signatureHeaders(signing);
    const port = url.port === '' ? {} : { port: Number(url.port) };
    const request = { protocol: url.protocol, hostname: url.hostname, ...port, method: 'POST', path: '/', headers, body };
    const result = await handler.handle(request).then(({ response }) => resultOf(response.statusCode, response.body), failed);
    if (result.value !== undefined) return result.value;
    if (!result.isPassing || attempt >= attempts) throw new Error(`A secret could not be read: ${result.reason}.`);
    await pause(Math.random() * 50 * 2 ** attempt);
  }
};

const attempts = 4;
let handler: SdkHttpHandler | undefined;

interface Result {
  value?: string;
  reason: string;
  /** Another attempt may succeed. */
  isPassing: boolean;
}

/** No connection, or it was lost. */
const failed = (error: Error): Result => ({ reason: error.name, isPassing: true });

function resultOf(status: number, bytes: Uint8Array): Result {
  const text = Buffer.from(bytes).toString('utf8');
  if (status === 200) return { value: answerSchema.parse(JSON.parse(text)).SecretString, reason: '', isPassing: false };
  const code = /"__type"\s*:\s*"(?:[\w.]+#)?(\w+)"/.exec(text)?.[1] ?? '';
  return { reason: `${status} ${code}`.trim(), isPassing: status >= 500 || status === 429 || code.startsWith('Throttling') };
}

const answerSchema = z.object({ SecretString: z.string() });
