import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FunctionProblem } from './environment.ts';
import { matchesPattern } from './event-pattern.ts';
import { refuseForeign } from './foreign-requests.ts';
import { functionNameOf, lastPart } from './identity.ts';
import { type Json, type JsonObject, listOf, objectOf, parseJson, textOf } from './json.ts';
import { account, region } from './template.ts';

/** A rule of the bus: which events, and the ARNs they go to. */
export interface BusRule {
  bus: string;
  pattern: Json;
  targets: readonly { arn: string; input: string | undefined }[];
}

export interface AwsStub {
  url: string;
  /** Answers requests from now on; until then every response says to retry. */
  open(parts: AwsStubOptions): void;
  stop(): void;
}

export interface AwsStubOptions {
  rules: readonly BusRule[];
  /** Accepts an event for a function or a queue durably; the work comes later. */
  handOver(targetArn: string, event: Json): void;
  invoke(functionName: string, event: Json): Promise<Json>;
  sendEmail(request: JsonObject): void;
  secret(name: string): string | undefined;
  /** An event for those who are subscribed to a channel. */
  publish?(channel: string, event: string): void;
}

/** EventBridge PutEvents, SES v2 SendEmail, Lambda Invoke, Secrets Manager GetSecretValue, what AppSync Events takes by HTTP: what the product calls and no emulator has. */
export const startAwsStub = async (): Promise<AwsStub> => {
  let parts: AwsStubOptions | undefined;
  const plain = createServer((request, response) => {
    if (!parts) return refuse(response, 503, 'ServiceUnavailable', 'The product is starting');
    answer(parts, request, response).catch((error: unknown) => refuse(response, 500, 'InternalFailure', String(error)));
  });
  const server = refuseForeign(plain);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: (given) => {
      parts = given;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const answer = async (parts: AwsStubOptions, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const body: Json = text === '' ? {} : parseJson(text);
  const path = request.url ?? '/';
  const target = String(request.headers['x-amz-target'] ?? '');

  if (target === 'AWSEvents.PutEvents') return reply(response, putEvents(parts, objectOf(body)));
  if (target === 'secretsmanager.GetSecretValue') {
    const id = textOf(objectOf(body).SecretId) ?? '';
    const name = id.startsWith('arn:') ? id.split(':').slice(6).join(':') : id;
    const value = parts.secret(name);
    if (value === undefined) return refuse(response, 400, 'ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
    const version = { VersionId: '00000000-0000-0000-0000-000000000001', VersionStages: ['AWSCURRENT'] };
    return reply(response, {
      ARN: `arn:aws:secretsmanager:${region}:${account}:secret:${name}`,
      Name: name,
      SecretString: value,
      ...version,
    });
  }
  if (path.startsWith('/v2/email/outbound-emails')) {
    parts.sendEmail(objectOf(body));
    return reply(response, { MessageId: randomUUID() });
  }
  if (path === '/event') {
    const { channel, events } = objectOf(body);
    const published = listOf(events).map((event, index) => {
      parts.publish?.(textOf(channel) ?? '', textOf(event) ?? '');
      return { identifier: randomUUID(), index };
    });
    return reply(response, { successful: published, failed: [] });
  }
  const invoked = /^\/2015-03-31\/functions\/([^/]+)\/invocations/.exec(path)?.[1];
  if (invoked !== undefined) return invoke(parts, functionNameOf(decodeURIComponent(invoked)), body, request, response);
  refuse(response, 400, 'UnknownOperationException', `Not on the laptop: ${request.method ?? ''} ${path} ${target}`);
};

const putEvents = (parts: AwsStubOptions, body: JsonObject): JsonObject => {
  const Entries = listOf(body.Entries).map((each) => {
    const entry = objectOf(each);
    const event: JsonObject = {
      version: '0',
      id: randomUUID(),
      'detail-type': entry.DetailType ?? '',
      source: entry.Source ?? '',
      account,
      time: new Date().toISOString().replace(/\.\d+/, ''),
      region,
      resources: entry.Resources ?? [],
      detail: parseJson(textOf(entry.Detail) ?? '{}'),
    };
    const bus = lastPart(textOf(entry.EventBusName) ?? 'default');
    for (const rule of parts.rules) {
      if (rule.bus !== bus || !matchesPattern(rule.pattern, event)) continue;
      for (const { arn, input } of rule.targets) parts.handOver(arn, input === undefined ? event : parseJson(input));
    }
    return { EventId: event.id ?? '' };
  });
  return { FailedEntryCount: 0, Entries };
};

const invoke = async (
  parts: AwsStubOptions,
  name: string,
  body: Json,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  if (request.headers['x-amz-invocation-type'] === 'Event') {
    parts.handOver(`arn:aws:lambda:${region}:${account}:function:${name}`, body);
    response.writeHead(202).end();
    return;
  }
  try {
    reply(response, await parts.invoke(name, body));
  } catch (error) {
    if (!(error instanceof FunctionProblem)) throw error;
    response.setHeader('x-amz-function-error', 'Unhandled');
    reply(response, { errorType: error.errorType, errorMessage: error.message });
  }
};

const reply = (response: ServerResponse, body: Json): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

const refuse = (response: ServerResponse, status: number, code: string, message: string): void => {
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': code })
    .end(JSON.stringify({ __type: code, message }));
};
