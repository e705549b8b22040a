import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { APIGatewayProxyStructuredResultV2, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { app } from '../../functions/app.ts';
import { bundleFile } from '../../lib/bundle.ts';
import { FunctionPool } from '../../lib/local/functions.ts';
import type { Json } from '../../lib/local/json.ts';
import { sharedFlags } from '../../lib/local/shared-flags.ts';
import { ensureTemplate } from '../../lib/local/synth.ts';
import { newToken } from '../../shared/access/token.ts';
import type { FunctionSpec } from '../../shared/contract/context.ts';
import { ownEntranceVariable } from '../../shared/http/entrance.ts';
import { inParallel } from '../../shared/runtime/parallel.ts';
import { changesOf, inbound } from '../change-stream/fixture.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import { type Call, gatewayEvent } from '../support/gateway-event.ts';
import { type LambdaFunction, type LambdaRuntime, startLambdaRuntime } from '../support/lambda-runtime.ts';
import { siteSecret, throughSite } from '../support/site-edge.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** The built functions under the runtime client of AWS, which is the code of Lambda's own runtime: its loading, its forms, its log. */
const root = join(import.meta.dirname, '../..');
const functions = app.flatMap((context) => context.functions);
let testApp: TestApp;
let company: TestCompany;
beforeAll(async () => {
  await ensureTemplate(root, join(root, 'cdk.out'), AbortSignal.timeout(170_000));
  testApp = await startTestApp();
  company = await newCompany();
});
afterAll(() => testApp.stop());

const specOf = (name: string): FunctionSpec => {
  const spec = functions.find((each) => each.name === name);
  if (!spec) throw new Error(`There is no function ${name}.`);
  return spec;
};

const built = ({ name, memoryMb = 1_024 }: FunctionSpec): LambdaFunction => ({
  name,
  folder: join(root, 'cdk.out/bundles', name),
  variables: process.env,
  memoryMb,
});

test('every function loads, takes no callback, and prints nothing before its first event', async () => {
  const printed = await inParallel(functions, 2, async (spec) => {
    await using runtime = await startLambdaRuntime(built(spec));
    return { name: spec.name, printed: runtime.printed() };
  });
  expect(printed.filter((each) => each.printed !== '')).toEqual([]);
  expect(printed).toHaveLength(functions.length);
});

describe('a function under the runtime of Lambda answers as on the laptop', () => {
  /** Both answers to one event, the laptop's first. */
  const answers = async (name: string, event: unknown): Promise<[unknown, unknown]> => {
    const { folder, memoryMb } = built(specOf(name));
    const laptop = new FunctionPool(
      {
        name,
        arn: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
        file: join(folder, bundleFile),
        handlerName: 'handler',
        timeoutMs: 30_000,
        memoryMb,
        variables: process.env as Record<string, string>,
        dynamodbPort: 0,
        shared: sharedFlags().buffer,
        print: () => {},
      },
      { environments: 1, concurrency: 1, memories: 1, niceness: 0 },
    );
    try {
      await using runtime = await startLambdaRuntime(built(specOf(name)));
      return [await laptop.invoke(event as Json), await runtime.invoke(event)];
    } finally {
      await laptop.stop();
    }
  };

  const httpAnswers = async (call: Call) => {
    const { spec, event } = gatewayEvent(app, call, 'recorded', Date.now());
    return (await answers(spec.name, event)).map((answer) => {
      const { statusCode, headers, body = '' } = answer as APIGatewayProxyStructuredResultV2;
      return { statusCode, headers: Object.keys(headers ?? {}).toSorted(), body: withoutRequest(body) };
    });
  };
  const withoutRequest = (body: string): string => body.replace(/req_\w+/, 'req');

  test.each([
    ['a request', 200, () => ({ method: 'GET', path: '/api/v1/me', token: company.tokens.owner })],
    ['a request without a token', 401, () => ({ method: 'GET', path: '/api/v1/me' })],
    [
      'a request of a method that its path does not have',
      405,
      () => ({ method: 'DELETE', path: '/api/v1/me', token: company.tokens.owner }),
    ],
    [
      "the provider's handshake at a function's own URL",
      200,
      () => ({
        method: 'GET',
        path: company.webhookPath,
        query: { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': company.verifyToken },
      }),
    ],
  ])('%s', async (_, status, callOf) => {
    const [laptop, lambda] = await httpAnswers(callOf());
    expect(lambda).toEqual(laptop);
    expect(lambda?.statusCode).toBe(status);
  });

  test('messages of a queue, one of which its worker cannot read', async () => {
    const recorded = JSON.parse(readFileSync(join(root, 'test/golden/0.2/messages.json'), 'utf8')) as Record<string, unknown[]>;
    const worker = functions.find((each) => each.trigger === 'queue' && each.queue.name === 'verification-expiries');
    const bodies = [recorded['verification-expiries']?.[0], { company_id: 'none' }];
    const Records = bodies.map((body, nth) => ({
      messageId: `message-${nth}`,
      receiptHandle: `receipt-${nth}`,
      body: JSON.stringify(body),
      attributes: { ApproximateReceiveCount: '1' },
      messageAttributes: {},
      eventSource: 'aws:sqs',
    }));
    const [laptop, lambda] = await answers(worker?.name ?? '', { Records } as unknown as SQSEvent);
    expect(lambda).toEqual(laptop);
    expect(lambda).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-1' }] });
  });

  test('changes of the table, with the state of their window', async () => {
    const { change } = changesOf(testApp);
    const { event, sequence } = change(undefined, inbound(company.id, 1, 1));
    const [laptop, lambda] = await answers('changes', { Records: [event], shardId: 'shardId-1', state: {}, isFinalInvokeForWindow: false });
    expect(lambda).toEqual(laptop);
    expect(lambda).toEqual({ state: { done: sequence, isDelaying: false }, batchItemFailures: [] });
  });

  test('a schedule', async () => {
    const event = { version: '0', source: 'aws.scheduler', 'detail-type': 'Scheduled Event', time: new Date().toISOString(), detail: {} };
    expect(await answers('dispatch-tick', event)).toEqual([null, null]);
  });

  test('what it cannot answer, as an error with its name', async () => {
    await expect(answers('changes', { Records: [], state: {} })).rejects.toThrow('The event names no shard');
    await using runtime = await startLambdaRuntime(built(specOf('changes')));
    await expect(runtime.invoke({ Records: [], state: {} })).rejects.toThrow('The event names no shard');
  });
});

/** All viewers of an edge of CloudFront reach the API from one address: test/security/site-entrance.test.ts has the attack on the product in one process. */
test('sixty refused credentials of a viewer of the pages leave valid ones answered, of another viewer and of the same, in every process', async () => {
  const through = throughSite();
  const me = (token: string): Call => ({ method: 'GET', path: '/api/v1/me', token });
  const deployed = built(gatewayEvent(app, me(company.tokens.owner), 'recorded', Date.now()).spec);
  const variables = { ...deployed.variables, [ownEntranceVariable]: siteSecret };
  await using attacked = await startLambdaRuntime({ ...deployed, variables });
  await using another = await startLambdaRuntime({ ...deployed, variables });
  const statusOf = async (runtime: LambdaRuntime, viewer: string, token: string): Promise<number> => {
    const { event } = gatewayEvent(app, through(viewer, me(token)), 'recorded', Date.now());
    return ((await runtime.invoke(event)) as APIGatewayProxyStructuredResultV2).statusCode ?? 0;
  };
  // they are counted by the minute of the clock: sixty in one, however many that takes
  let refused = 0;
  for (; (await statusOf(attacked, '192.0.2.1', newToken('token'))) !== 429; refused++) expect(refused).toBeLessThan(300);
  expect(refused).toBeGreaterThanOrEqual(60);
  for (const runtime of [attacked, another])
    for (const viewer of ['192.0.2.2', '192.0.2.1']) expect(await statusOf(runtime, viewer, company.tokens.owner)).toBe(200);
  // to every other viewer of the same edge an invented one is refused as what it is
  expect(await statusOf(attacked, '192.0.2.2', newToken('token'))).toBe(401);
});
