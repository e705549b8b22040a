import { type JsonObject, objectOf, textOf } from './json.ts';
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
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': target,
      'x-amz-date': '20250101T000000Z',
      authorization: `AWS4-HMAC-SHA256 Credential=local/20250101/${region}/local/aws4_request, SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  const reply = objectOf(await answer.json().catch(() => ({})));
  if (answer.ok) return reply;
  const code = (textOf(reply.__type) ?? String(answer.status)).replace(/^.*#/, '');
  throw new AwsProblem(target, code, textOf(reply.message) ?? textOf(reply.Message) ?? '');
};

export const dynamodb = (operation: string): string => `DynamoDB_20120810.${operation}`;
export const streams = (operation: string): string => `DynamoDBStreams_20120810.${operation}`;
export const sqs = (operation: string): string => `AmazonSQS.${operation}`;
