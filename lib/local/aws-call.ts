import { Agent, request } from 'node:http';
import { type JsonObject, objectOf, parseJson, textOf } from './json.ts';
import { region } from './template.ts';

/** A refusal by an emulator; `code` is the bare exception name. */
export class AwsProblem extends Error {
  readonly code: string;
  constructor(target: string, code: string, message: string) {
    super(`${target}: ${code}: ${message}`);
    this.code = code;
  }
}

/** One call of the AWS JSON protocol. The runner sends it directly: it needs six operations and no SDK start-up time. */
export const awsCall = async (endpoint: string, target: string, body: JsonObject, signal?: AbortSignal): Promise<JsonObject> => {
  const { status, text } = await posted(endpoint, target, JSON.stringify(body), signal);
  const reply = answerOf(text);
  if (status >= 200 && status < 300) return reply;
  const code = (textOf(reply.__type) ?? String(status)).replace(/^.*#/, '');
  throw new AwsProblem(target, code, textOf(reply.message) ?? textOf(reply.Message) ?? '');
};

const answerOf = (text: string): JsonObject => {
  try {
    return objectOf(parseJson(text));
  } catch {
    return {};
  }
};

/** fetch takes twice the CPU time, in the thread that answers requests; queues are looked into all the time. */
const posted = (endpoint: string, target: string, body: string, signal?: AbortSignal): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': Buffer.byteLength(body),
      'x-amz-target': target,
      'x-amz-date': '20250101T000000Z',
      authorization: `AWS4-HMAC-SHA256 Credential=local/20250101/${region}/local/aws4_request, SignedHeaders=host, Signature=0`,
    };
    const call = request(endpoint, { method: 'POST', agent, headers, ...(signal ? { signal } : {}) }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('error', reject);
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
    });
    call.once('error', reject);
    call.end(body);
  });

const agent = new Agent({ keepAlive: true });

export const dynamodb = (operation: string): string => `DynamoDB_20120810.${operation}`;
export const streams = (operation: string): string => `DynamoDBStreams_20120810.${operation}`;
export const sqs = (operation: string): string => `AmazonSQS.${operation}`;
