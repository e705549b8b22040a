import { changesContext, dispatchContext } from '../../functions/app.ts';
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
 * queue again, later and in another order. When all is quiet each endpoint must have heard each event.
 */
export interface FaultFixture extends AsyncDisposable {
  world: TestApp;
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
  (_heard, response) => void response.destroy(),
];

/** What an inbound text needs, and no more: every queue with a worker is looked at in every turn. */
const opsOfSeed = 8;
/** Longer than a worker begins new calls, shorter than its lease. */
const pauseMs = 16_000;

const contexts = [
  { ...messagingContext, functions: messagingContext.functions.filter(({ name }) => /-(webhook|updates)$/.test(name)) },
  changesContext,
  dispatchContext,
  webhooksContext,
];

export const startFaultFixture = async (): Promise<FaultFixture> => {
  const stage = await startFixture({ patienceMs: 120, contexts, shards: 4 });
  const { world } = stage;
  return {
    world,
    run: async (seeds) => {
      const acted: Acted[] = [];
      for (const seed of seeds) acted.push(await act(world, await stage.company(), seed));
      using _settling = world.onTable(({ command, input, when }) => {
        for (const { settled } of acted) if (when === 'after' && command === 'PutItem') noteSettled(settled, input['Item']);
      });
      // what died is looked at again when its lease and its message have run out, what failed at its time
      await stage.pass(600, 100);
      await stage.pass(4 * 3_600, 2_400);
      await replayHalfADayLater(world, seeds[0] ?? 0);
      const items = await world.dump();
      const wrong = acted.flatMap((each) => [...each.wrong, ...checkDeliveries(items, each)].map((what) => `${each.seed}: ${what}`));
      for (const { me, hearers } of acted)
        for (const { receiver, endpoint } of hearers) {
          await me.call('DELETE', `/webhooks/${endpoint.id}`);
          await receiver[Symbol.asyncDispose]();
        }
      return [...new Set(wrong)];
    },
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
};

interface Acted {
  seed: number;
  me: Listener;
  hearers: Hearer[];
  /** `company:endpoint:event` once the log has it as delivered. */
  settled: Set<string>;
  wrong: string[];
}

async function act(world: TestApp, me: Listener, seed: number): Promise<Acted> {
  const random = seeded(seed);
  const hearers: Hearer[] = [];
  for (const isLeaving of [false, false, true]) {
    const receiver = await startReceiver();
    hearers.push({ receiver, endpoint: await me.listen(receiver.url, ['message.received']), isLeaving });
  }
  const leavesAt = Math.floor(random() * opsOfSeed);
  const wrong: string[] = [];
  const life = crashInjection();

  const settled = new Set<string>();
  const told = new Map<string, unknown>();
  {
    await using hardship = await injectFaults(world, seed);
    using _settling = world.onTable(({ command, input, when }) => {
      if (when === 'after' && command === 'PutItem') noteSettled(settled, input['Item']);
    });
    using _life = life.over(world);
    using _telling = world.onQueue(({ input, when }) => {
      if (when === 'after' && input['QueueUrl'] === setting(variableOf(webhookEventsQueue)))
        for (const body of bodiesOf(input)) told.set(JSON.stringify(body), body);
    });
    for (const { receiver, endpoint } of hearers) watchRepeats(receiver, endpoint, settled, wrong);
    // a process stands still for a while, now and then
    let untilPause = 1 + Math.floor(random() * 40);
    using _pauses = world.onTable(() => {
      if (--untilPause > 0) return;
      untilPause = 40 + Math.floor(random() * 120);
      world.clock.advance(pauseMs);
    });
    for (let op = 0; op < opsOfSeed; op++) {
      for (const { receiver, isLeaving } of hearers)
        if (isLeaving && op >= leavesAt) current.set(receiver, answering(410));
        else turn(receiver, random);
      // what fails eight times goes to the dead letters, as it should: the last deliveries live
      const isDeadly = op < opsOfSeed - 2;
      const dies = (): number | undefined => (isDeadly && random() < 0.5 ? 1 + Math.floor(random() * 40) : undefined);
      const from = String(4_915_112_345_670 + (op % 3));
      if (random() < 0.7) await life.mortal(undefined, () => world.call(inboundText(me, { from, text: `${seed}-${op}` })));
      const disorder = { seed: seed * 100 + op, duplicate: 0.3, crash: isDeadly ? 0.2 : 0, reorder: true };
      await life.mortal(dies(), () => world.drain({ disorder, retry: false }));
      if (random() < 0.3) await life.mortal(dies(), () => world.tick());
      await life.mortal(dies(), () => hardship.between());
      if (random() < 0.4) await life.mortal(undefined, () => replay([...told.values()], random));
      if (random() < 0.4) world.clock.advance(Math.floor(random() * 90_000));
    }
  }
  for (const { receiver, isLeaving } of hearers) current.set(receiver, answering(isLeaving ? 410 : 200));
  await replay([...told.values()], random);
  return { seed, me, hearers, settled, wrong };
}

/** Every inbound message of the company, at every endpoint: once as an event, under one id, with one body. */
function checkDeliveries(items: readonly Record<string, unknown>[], { me, hearers }: Acted): string[] {
  const written = items.filter((item) => item['kind'] === 'message' && item['companyId'] === me.id && item['inbound'] === true);
  const messages = new Set(written.map(({ id }) => Number(id)));
  return hearers.flatMap(({ receiver, endpoint, isLeaving }) => {
    const wrong: string[] = [];
    const idOf = new Map<number, string>();
    const taken = new Set<number>();
    const bodyOf = new Map<string, string>();
    for (const heard of receiver.heard) {
      const { data, id } = JSON.parse(heard.body) as { id: string; data: { message_id: number } };
      if (!isSigned(heard, endpoint.secret)) wrong.push(`${id} is not signed`);
      if (id !== heard.id) wrong.push(`${id} was sent as ${heard.id}`);
      if (!messages.has(data.message_id)) wrong.push(`${id} was invented`);
      if ((idOf.get(data.message_id) ?? id) !== id) wrong.push(`message ${data.message_id} has two ids`);
      if ((bodyOf.get(id) ?? heard.body) !== heard.body) wrong.push(`${id} has two bodies`);
      idOf.set(data.message_id, id);
      if (heard.answered === 200) taken.add(data.message_id);
      bodyOf.set(id, heard.body);
    }
    const isDisabled = items.some(
      ({ kind, companyId, id, disabledReason }) =>
        kind === 'webhook-endpoint' && companyId === me.id && id === endpoint.id && disabledReason === 'gone',
    );
    const isGone = receiver.heard.some(({ answered }) => answered === 410);
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

function noteSettled(settled: Set<string>, item: unknown): void {
  const { kind, status, endpointId, eventId, companyId } = item as Record<string, unknown>;
  if (kind === 'webhook-delivery' && status === 'delivered') settled.add(`${String(companyId)}:${String(endpointId)}:${String(eventId)}`);
}

function turn(receiver: Receiver, random: Random): void {
  const chosen = manners[Math.floor(random() * manners.length)];
  current.set(receiver, chosen ?? answering(200));
}
const current = new WeakMap<Receiver, Manner>();

function watchRepeats(receiver: Receiver, endpoint: Endpoint, settled: ReadonlySet<string>, wrong: string[]): void {
  endpoints.set(receiver, endpoint);
  receiver.manner = watched((heard, response) => (current.get(receiver) ?? answering(200))(heard, response), receiver, settled, wrong);
}
const endpoints = new WeakMap<Receiver, Endpoint>();

const watched =
  (manner: Manner, receiver: Receiver, settled: ReadonlySet<string>, wrong: string[]): Manner =>
  (heard, response) => {
    const companyId = (JSON.parse(heard.body) as { company_id: number }).company_id;
    if (settled.has(`${companyId}:${endpoints.get(receiver)?.id}:${heard.id}`)) wrong.push(`${heard.id} came after it was settled`);
    return manner(heard, response);
  };

function bodiesOf(input: Record<string, unknown>): unknown[] {
  return (input['Entries'] as { MessageBody: string }[]).map(({ MessageBody }) => JSON.parse(MessageBody) as unknown);
}

/** As an operator's redrive, or the stream read again: what was told is told once more, in another order. */
async function replay(told: readonly unknown[], random: Random): Promise<void> {
  const messages = shuffled(told, random).map((message) => ({
    companyId: (message as { company_id: number }).company_id,
    message: webhookEventsQueue.message.parse(message),
  }));
  await send(webhookEventsQueue, messages);
}
