import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { processChanges } from '../../functions/change-stream/service/process-changes.ts';
import { messageEntity } from '../../functions/messaging/store/message.ts';
import { listEventItems } from '../../functions/events/store/events.ts';
import { doorbellPublishVariable } from '../../shared/contract/doorbell.ts';
import { reaction, reactionList } from '../../shared/events/react.ts';
import { clearProcessMemory } from '../../shared/runtime/memory.ts';
import { mendedBy } from '../support/mutation.ts';
import { startTestApp } from '../support/test-app.ts';
import { changesOf, inbound } from './fixture.ts';

const testApp = await startTestApp();
const { nextCompany, change } = changesOf(testApp);

/** What AppSync got, with how many events the company's log had at that moment. */
let rings: { channel: string; events: string[]; authorization: string; logged: number }[] = [];
let at: number;
let deadline: ((ms: number) => AbortSignal) | undefined;
const timeout = AbortSignal.timeout.bind(AbortSignal);
let answer: () => { status: number; body: string } | undefined;
const published = z.object({ channel: z.string(), events: z.array(z.string()) });
const server = createServer((request, response) => {
  void (async () => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { channel, events } = published.parse(JSON.parse(text));
    const logged = (await loggedOf(Number(channel.split('/').at(-1)))).length;
    rings.push({ channel, events, authorization: request.headers.authorization ?? '', logged });
    const given = answer();
    if (given) response.writeHead(given.status, { 'content-type': 'application/json' }).end(given.body);
  })();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => {
  server.closeAllConnections();
  server.close();
  return testApp.stop();
});

const taken = { status: 200, body: '{"successful":[{"identifier":"1","index":0}],"failed":[]}' };
beforeEach(() => {
  rings = [];
  answer = () => taken;
  clearProcessMemory();
  // the time of the process, which a busy machine does not lengthen
  at = 1_000_000;
  vi.spyOn(performance, 'now').mockImplementation(() => at);
  deadline = undefined;
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => (deadline === undefined ? new AbortController().signal : deadline(ms)));
  process.env[doorbellPublishVariable] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/event`;
});
afterEach(() => {
  delete process.env[doorbellPublishVariable];
  vi.restoreAllMocks();
});

const loggedOf = async (companyId: number) =>
  (await listEventItems(companyId, { from: 0 }, { atMost: 100, consistent: true })).flatMap(({ events }) => events);

const reactions = reactionList({ sendsTo: [] }, [
  reaction(messageEntity, ({ after }) =>
    after && after.value !== 'quiet'
      ? [
          {
            kind: 'log',
            companyId: after.companyId,
            event: { type: 'contact.created', subject: `contact:${after.id}`, data: {}, by: { kind: 'system' } },
          },
        ]
      : [],
  ),
]);
/** The stream brings new messages, each of a company; those with this text lead to nothing. */
const happens = (...of: readonly (readonly [companyId: number, value?: string])[]): Promise<unknown> =>
  processChanges(
    of.map(
      ([companyId, value = 'Hi']) => change(undefined, { ...inbound(companyId, 1, ++messages), value }).event as unknown as DynamoDBRecord,
    ),
    'shardId-doorbell',
    { reactions, projections: [] },
  );
let messages = 0;

describe('the doorbell', () => {
  mendedBy(
    'is rung once for each company of a batch with new events, with nothing but "look", after its log has them',
    {
      in: 'functions/change-stream/service/process-changes.ts',
      replace: "const delivered = await deliverPart('log', applied, (each) => logEvents(each, shardId));\n  await ringDoorbell(applied);",
      by: "await ringDoorbell(applied);\n  const delivered = await deliverPart('log', applied, (each) => logEvents(each, shardId));",
    },
    async () => {
      const [one, other, silent] = [nextCompany(), nextCompany(), nextCompany()];
      await happens([one], [other], [one], [silent, 'quiet'], [one]);
      expect(rings.map(({ channel }) => channel).toSorted()).toEqual([`/company/${one}`, `/company/${other}`].toSorted());
      expect(rings.find(({ channel }) => channel === `/company/${one}`)).toMatchObject({ events: ['"look"'], logged: 3 });
      expect(rings[0]?.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=.*\/appsync\/aws4_request, SignedHeaders=.*host.*, Signature=[0-9a-f]{64}$/,
      );
    },
  );

  test('is rung at most once a second for a company by a process, and each company has its own', async () => {
    const [one, other] = [nextCompany(), nextCompany()];
    await happens([one]);
    at += 999;
    await happens([one], [other]);
    expect(rings.map(({ channel }) => channel)).toEqual([`/company/${one}`, `/company/${other}`]);
    at += 1;
    await happens([one], [other]);
    expect(rings.map(({ channel }) => channel)).toEqual([`/company/${one}`, `/company/${other}`, `/company/${one}`]);
    expect(await loggedOf(one)).toHaveLength(3);
  });

  test.each([
    ['refuses', () => ({ status: 403, body: '{}' })],
    ['takes none of them', () => ({ status: 200, body: '{"successful":[],"failed":[{"index":0}]}' })],
    ['does not answer', () => undefined],
  ])('that %s is logged, and the batch is done: its events are in the log', async (_what, given) => {
    answer = given;
    deadline = timeout;
    const companyId = nextCompany();
    const before = testApp.logs.length;
    await happens([companyId]);
    expect(await loggedOf(companyId)).toHaveLength(1);
    expect(JSON.stringify(testApp.logs.slice(before))).toContain('The doorbell was not rung');
  });

  test('that did not answer is not waited for by each batch', async () => {
    answer = () => undefined;
    deadline = timeout;
    await happens([nextCompany()]);
    answer = () => taken;
    rings = [];
    at += 9_999;
    await happens([nextCompany()]);
    expect(rings).toEqual([]);
    at += 1;
    await happens([nextCompany()]);
    expect(rings).toHaveLength(1);
  });

  test('is not called where the deployment has none', async () => {
    delete process.env[doorbellPublishVariable];
    await happens([nextCompany()]);
    expect(rings).toEqual([]);
  });
});
