import { changeStreamContext, dueWorkContext } from '../../functions/app.ts';
import { messagingContext } from '../../functions/messaging/context.ts';
import { webhooksContext } from '../../functions/webhooks/context.ts';
import { webhookEventsQueue } from '../../functions/webhooks/contract/queue.ts';
import { variableOf } from '../../shared/contract/resource.ts';
import { setting } from '../../shared/runtime/env.ts';
import { send } from '../../shared/queue/send.ts';
import { inboundText } from '../support/company.ts';
import { crashInjection } from '../support/crash-injection.ts';
import { type Random, seeded, shuffled } from '../support/random.ts';
import { replayHalfADayLater, injectFaults } from '../support/fault-injection.ts';
import type { TestApp } from '../support/test-app.ts';
import { answering, hanging, isSigned, type Manner, type Receiver, startReceiver } from './receiver.ts';
import { type Endpoint, type Listener, startFixture } from './fixture.ts';

/**
 * Runs made by a seed: people write to a company whose receivers misbehave, and on the way processes die before or after any call to the
 * table or a queue, deliveries of the stream and the queues come twice and shuffled, the table throttles, and old events are put on their
 * queue again, later and in another order. When all is quiet each endpoint must have received each event.
 */
export interface FaultFixture extends AsyncDisposable {
  testApp: TestApp;
  /** What was wrong, in words; the seeds' runs one after another. */
  run: (seeds: readonly number[]) => Promise<string[]>;
}

interface Hearer {
  endpoint: Endpoint;
  receiver: Receiver;
  /** Says one day that it does not exist any more. */
  isLeaving: boolean;
}

const manners: readonly Manner[] = [
  answering(200),
  answering(500),
  answering(302, { location: 'https://elsewhere.example.com/' }),
  answering(429, { 'retry-after': '7' }),
  hanging,
  (_received, response) => void response.destroy(),
];

/** What an inbound text needs, and no more: every queue with a worker is looked at in every turn. */
const opsOfSeed = 8;
/** Longer than a worker begins new calls, shorter than its lease. */
const pauseMs = 16_000;

const contexts = [
  { ...messagingContext, functions: messagingContext.functions.filter(({ name }) => /-(webhook|updates)$/.test(name)) },
  changeStreamContext,
  dueWorkContext,
  webhooksContext,
];

export const startFaultFixture = async (): Promise<FaultFixture> => {
  const fixture = await startFixture({ patienceMs: 120, contexts, shards: 4 });
  const { testApp } = fixture;
  return {
    testApp,
    run: async (seeds) => {
      const acted: Acted[] = [];
      for (const seed of seeds) acted.push(await act(testApp, await fixture.company(), seed));
      using _watchingDeliveries = testApp.onTable(({ command, input, when }) => {
        for (const { delivered } of acted) if (when === 'after' && command === 'PutItem') noteDelivered(delivered, input['Item']);
      });
      // what died is looked at again when its lease and its message have run out, what failed at its time
      await fixture.pass(600, 100);
      await fixture.pass(4 * 3_600, 2_400);
      await replayHalfADayLater(testApp, seeds[0] ?? 0);
      const items = await testApp.dump();
      const wrong = acted.flatMap((each) => [...each.wrong, ...checkDeliveries(items, each)].map((what) => `${each.seed}: ${what}`));
      for (const { me, subscribers } of acted)
        for (const { receiver, endpoint } of subscribers) {
          await me.call('DELETE', `/webhooks/${endpoint.id}`);
          await receiver[Symbol.asyncDispose]();
        }
      return [...new Set(wrong)];
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
};

interface Acted {
  seed: number;
  me: Listener;
  subscribers: Hearer[];
  /** `company:endpoint:event` once the log has it as delivered. */
  delivered: Set<string>;
  wrong: string[];
}

async function act(testApp: TestApp, me: Listener, seed: number): Promise<Acted> {
  const random = seeded(seed);
  const subscribers: Hearer[] = [];
  for (const isLeaving of [false, false, true]) {
    const receiver = await startReceiver();
    subscribers.push({ receiver, endpoint: await me.subscribe(receiver.url, ['message.received']), isLeaving });
  }
  const leavesAt = Math.floor(random() * opsOfSeed);
  const wrong: string[] = [];
  const crashes = crashInjection();

  const delivered = new Set<string>();
  const published = new Map<string, unknown>();
  {
    await using faults = await injectFaults(testApp, seed);
    using _watchingDeliveries = testApp.onTable(({ command, input, when }) => {
      if (when === 'after' && command === 'PutItem') noteDelivered(delivered, input['Item']);
    });
    using _life = crashes.over(testApp);
    using _watchingEvents = testApp.onQueue(({ input, when }) => {
      if (when === 'after' && input['QueueUrl'] === setting(variableOf(webhookEventsQueue)))
        for (const body of bodiesOf(input)) published.set(JSON.stringify(body), body);
    });
    for (const { receiver, endpoint } of subscribers) watchRepeats(receiver, endpoint, delivered, wrong);
    // a process stands still for a while, now and then
    let untilPause = 1 + Math.floor(random() * 40);
    using _pauses = testApp.onTable(() => {
      if (--untilPause > 0) return;
      untilPause = 40 + Math.floor(random() * 120);
      testApp.clock.advance(pauseMs);
    });
    for (let op = 0; op < opsOfSeed; op++) {
      for (const { receiver, isLeaving } of subscribers)
        if (isLeaving && op >= leavesAt) current.set(receiver, answering(410));
        else turn(receiver, random);
      // what fails eight times goes to the dead letters, as it should: the last deliveries do not crash
      const isDeadly = op < opsOfSeed - 2;
      const crashStep = (): number | undefined => (isDeadly && random() < 0.5 ? 1 + Math.floor(random() * 40) : undefined);
      const from = String(4_915_112_345_670 + (op % 3));
      if (random() < 0.7) await crashes.runWithCrash(undefined, () => testApp.call(inboundText(me, { from, text: `${seed}-${op}` })));
      const disorder = { seed: seed * 100 + op, duplicate: 0.3, crash: isDeadly ? 0.2 : 0, reorder: true };
      await crashes.runWithCrash(crashStep(), () => testApp.drain({ disorder, retry: false }));
      if (random() < 0.3) await crashes.runWithCrash(crashStep(), () => testApp.tick());
      await crashes.runWithCrash(crashStep(), () => faults.between());
      if (random() < 0.4) await crashes.runWithCrash(undefined, () => replay([...published.values()], random));
      if (random() < 0.4) testApp.clock.advance(Math.floor(random() * 90_000));
    }
  }
  for (const { receiver, isLeaving } of subscribers) current.set(receiver, answering(isLeaving ? 410 : 200));
  await replay([...published.values()], random);
  return { seed, me, subscribers, delivered, wrong };
}

/** Every inbound message of the company, at every endpoint: once as an event, under one id, with one body. */
function checkDeliveries(items: readonly Record<string, unknown>[], { me, subscribers }: Acted): string[] {
  const written = items.filter((item) => item['kind'] === 'message' && item['companyId'] === me.id && item['inbound'] === true);
  const messages = new Set(written.map(({ id }) => Number(id)));
  return subscribers.flatMap(({ receiver, endpoint, isLeaving }) => {
    const wrong: string[] = [];
    const idOf = new Map<number, string>();
    const taken = new Set<number>();
    const bodyOf = new Map<string, string>();
    for (const received of receiver.received) {
      const { data, id } = JSON.parse(received.body) as { id: string; data: { message_id: number } };
      if (!isSigned(received, endpoint.secret)) wrong.push(`${id} is not signed`);
      if (id !== received.id) wrong.push(`${id} was sent as ${received.id}`);
      if (!messages.has(data.message_id)) wrong.push(`${id} was invented`);
      if ((idOf.get(data.message_id) ?? id) !== id) wrong.push(`message ${data.message_id} has two ids`);
      if ((bodyOf.get(id) ?? received.body) !== received.body) wrong.push(`${id} has two bodies`);
      idOf.set(data.message_id, id);
      if (received.answered === 200) taken.add(data.message_id);
      bodyOf.set(id, received.body);
    }
    const isDisabled = items.some(
      ({ kind, companyId, id, disabledReason }) =>
        kind === 'webhook-endpoint' && companyId === me.id && id === endpoint.id && disabledReason === 'gone',
    );
    const isGone = receiver.received.some(({ answered }) => answered === 410);
    if (isDisabled !== isGone) wrong.push(`endpoint ${endpoint.id} is ${isDisabled ? 'disabled' : 'called on'}`);
    if (isLeaving) return wrong;
    for (const id of messages) if (!taken.has(id)) wrong.push(`message ${id} was lost to endpoint ${endpoint.id}`);
    const left = items.filter(
      ({ kind, companyId, endpointId }) => kind === 'webhook-pending' && companyId === me.id && endpointId === endpoint.id,
    );
    if (left.length > 0) wrong.push(`${left.length} events still wait`);
    return wrong;
  });
}

function noteDelivered(delivered: Set<string>, item: unknown): void {
  const { kind, status, endpointId, eventId, companyId } = item as Record<string, unknown>;
  if (kind === 'webhook-delivery' && status === 'delivered') delivered.add(`${String(companyId)}:${String(endpointId)}:${String(eventId)}`);
}

function turn(receiver: Receiver, random: Random): void {
  const chosen = manners[Math.floor(random() * manners.length)];
  current.set(receiver, chosen ?? answering(200));
}
const current = new WeakMap<Receiver, Manner>();

function watchRepeats(receiver: Receiver, endpoint: Endpoint, delivered: ReadonlySet<string>, wrong: string[]): void {
  endpoints.set(receiver, endpoint);
  receiver.manner = watched(
    (received, response) => (current.get(receiver) ?? answering(200))(received, response),
    receiver,
    delivered,
    wrong,
  );
}
const endpoints = new WeakMap<Receiver, Endpoint>();

const watched =
  (manner: Manner, receiver: Receiver, delivered: ReadonlySet<string>, wrong: string[]): Manner =>
  (received, response) => {
    const companyId = (JSON.parse(received.body) as { company_id: number }).company_id;
    if (delivered.has(`${companyId}:${endpoints.get(receiver)?.id}:${received.id}`)) wrong.push(`${received.id} came after it was settled`);
    return manner(received, response);
  };

function bodiesOf(input: Record<string, unknown>): unknown[] {
  return (input['Entries'] as { MessageBody: string }[]).map(({ MessageBody }) => JSON.parse(MessageBody) as unknown);
}

/** As an operator's redrive, or the stream read again: what was published is published once more, in another order. */
async function replay(published: readonly unknown[], random: Random): Promise<void> {
  const messages = shuffled(published, random).map((message) => ({
    companyId: (message as { company_id: number }).company_id,
    message: webhookEventsQueue.message.parse(message),
  }));
  await send(webhookEventsQueue, messages);
}
