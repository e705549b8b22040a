import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { webhookRetriesQueue, webhookWakesQueue } from '../../functions/webhooks/contract/queue.ts';
import { eventIdOf } from '../../functions/webhooks/domain/payload.ts';
import { putPendingDelivery } from '../../functions/webhooks/store/delivery.ts';
import { claimLease } from '../../functions/webhooks/store/endpoint.ts';
import { tenant } from '../../shared/table/schema.ts';
import { atRest } from '../support/at-rest.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { answering, hanging, type Manner, startReceiver } from './receiver.ts';
import { type Endpoint, type Listener, startFixture, type WebhookFixture } from './fixture.ts';

/** A receiver that is down, slow, redirecting or hostile holds one worker at most, and none of those that the others wait for. */
let fixture: WebhookFixture;
let me: Listener;
beforeAll(async () => {
  fixture = await startFixture({ patienceMs: 1_500 });
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  me = await fixture.company();
});

const give = async ({ id }: Endpoint, count: number): Promise<void> => {
  const at = fixture.testApp.clock.now() - 1;
  for (let i = 0; i < count; i++) {
    const eventId = eventIdOf(me.id, `${id}-${i}`, at);
    await putPendingDelivery({
      companyId: me.id,
      endpointId: id,
      eventId,
      event: 'message.received',
      body: '{}',
      attempts: 0,
      nextAt: at,
      createdAt: at,
    });
  }
};

/** The product waits for receivers until the test says so, not by the clock of a machine that may be slow; then hardly at all. */
const patience = (): Disposable & { end: () => void } => {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const waiting: AbortController[] = [];
  let isOver = false;
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    if (isOver) return timeout(20);
    const controller = new AbortController();
    waiting.push(controller);
    return controller.signal;
  });
  return {
    end: () => {
      isOver = true;
      for (const each of waiting) each.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  };
};

/** A worker's invocation with one wake, as Lambda makes it. */
const wake = (queueClass: 'wakes' | 'retries', { id }: Endpoint): Promise<unknown> => {
  const body = JSON.stringify({ company_id: me.id, endpoint_id: id });
  return fixture.testApp.invokeFunction(`webhooks-${queueClass}`, {
    Records: [{ messageId: 'm', body, attributes: { ApproximateReceiveCount: '1' }, messageAttributes: {} }],
  });
};
const invoke = async (queueClass: 'wakes' | 'retries', endpoint: Endpoint): Promise<void> =>
  expect(await wake(queueClass, endpoint)).toEqual({ batchItemFailures: [] });

describe('a receiver that never answers', () => {
  it('holds one worker, however many events and wakes there are, and few connections; others get theirs meanwhile', async () => {
    await using slow = await startReceiver(hanging);
    await using good = await startReceiver();
    const [toSlow, toGood] = [await me.subscribe(slow.url), await me.subscribe(good.url)];
    await give(toSlow, 200);
    await give(toGood, 3);
    using toSlowCalls = patience();
    let held = 40;
    const wakes = Array.from({ length: 40 }, () => invoke('wakes', toSlow).finally(() => held--));
    await invoke('wakes', toGood);
    expect(good.received).toHaveLength(3);
    await expect.poll(() => held).toBe(1);
    toSlowCalls.end();
    await Promise.all(wakes);
    expect(slow.received.length).toBeLessThanOrEqual(25);
  });

  it('is left to the queue of endpoints in trouble after its first run: the first queue does not call it any more', async () => {
    await using slow = await startReceiver(hanging);
    const endpoint = await me.subscribe(slow.url);
    await give(endpoint, 60);
    {
      using calls = patience();
      const run = invoke('wakes', endpoint);
      await expect.poll(() => slow.received.length).toBeGreaterThan(0);
      calls.end();
      await run;
    }
    // calls that were given up may still arrive
    const received = await atRest(() => slow.received.length);
    const before = fixture.testApp.queued(webhookRetriesQueue).length;
    {
      // it would wait for ever
      using _calls = patience();
      await invoke('wakes', endpoint);
    }
    expect(slow.received).toHaveLength(received);
    expect(fixture.testApp.queued(webhookRetriesQueue)).toHaveLength(before + 1);
    slow.manner = answering(200);
    await fixture.testApp.drain();
    expect(new Set(slow.received.map(({ id }) => id)).size).toBe(60);
    await give(endpoint, 1);
    await invoke('wakes', endpoint);
    expect(fixture.testApp.queued(webhookWakesQueue)).toEqual([]);
  });
});

it('whatever happens after an endpoint was made, changed or deleted goes by that, for one read a batch', async () => {
  await using receiver = await startReceiver();
  const receive = async (): Promise<{ received: number; reads: number }> => {
    await me.receiveMessage();
    let reads = 0;
    using _ = fixture.testApp.onTable(({ command, input, when }) => {
      const keys = JSON.stringify(input['RequestItems'] ?? {});
      if (command === 'BatchGetItem' && when === 'before' && keys.includes(`${tenant(me.id)}#WEBHOOKS`)) reads++;
    });
    await fixture.testApp.drain();
    return { received: receiver.received.splice(0).length, reads };
  };
  const nothing = await receive();
  expect(nothing.received).toBe(0);
  const { id } = await me.subscribe(receiver.url, ['order.created']);
  expect((await receive()).received).toBe(0);
  await me.call('PUT', `/webhooks/${id}`, { events: ['message.received'] });
  expect(await receive()).toEqual({ received: 1, reads: nothing.reads });
  await me.call('DELETE', `/webhooks/${id}`);
  expect((await receive()).received).toBe(0);
});

it('a delivery that cannot be recorded does not end the lease while others are under way', async () => {
  const order: string[] = [];
  let answerHeld = (): void => {};
  await using receiver = await startReceiver((_received, response) => {
    if (receiver.received.length > 1) return;
    answerHeld = () => {
      order.push('answered');
      response.end('ok');
    };
    return 'holds';
  });
  const endpoint = await me.subscribe(receiver.url);
  await give(endpoint, 2);
  const ofEndpoint = (key: unknown): boolean => JSON.stringify(key ?? '').includes(`"${tenant(me.id)}#WEBHOOKS"`);
  using _table = fixture.testApp.onTable(({ command, input, when }) => {
    if (when === 'after') return;
    if (order.length > 0 && command === 'UpdateItem' && ofEndpoint(input['Key'])) order.push('released');
    const { kind } = (input['Item'] ?? {}) as { kind?: string };
    if (order.length > 0 || command !== 'PutItem' || kind !== 'webhook-delivery') return;
    order.push('not recorded');
    throw tableError('ValidationException');
  });
  using _calls = patience();
  const run = wake('wakes', endpoint);
  await expect.poll(() => order).toContain('not recorded');
  // a call to the table later
  await me.call('GET', `/webhooks/${endpoint.id}`);
  answerHeld();
  expect(await run).toEqual({ batchItemFailures: [{ itemIdentifier: 'm' }] });
  expect(order).toEqual(['not recorded', 'answered', 'released']);
});

it('two workers never deliver to one endpoint at once, and a dead one is followed when its lease has run out', async () => {
  const { id } = await me.subscribe('https://hooks.example.com/');
  const lease = (name: string) => {
    const now = fixture.testApp.clock.now();
    return claimLease({ companyId: me.id, id }, { id: name, now, until: now + 55_000, queueClass: 'first' });
  };
  const leases = await Promise.all(Array.from({ length: 10 }, (_, i) => lease(String(i))));
  expect(leases.filter((each) => 'taken' in each)).toHaveLength(1);
  fixture.testApp.clock.advance(54_000);
  expect(await lease('too early')).toEqual({ refused: 'held' });
  fixture.testApp.clock.advance(1_001);
  expect(await lease('in time')).toMatchObject({ taken: { leaseId: 'in time' } });
});

it('beside receivers that are down, slow, redirecting and hostile, a good one hears every event in the first round', async () => {
  const manners: Manner[] = [
    hanging,
    answering(302, { location: 'http://169.254.169.254/latest/meta-data' }),
    answering(500, {}, 'x'.repeat(100_000)),
    (_received, response) => void response.destroy(),
    (_received, response) => void response.socket?.end('HTTP/1.1 200 OK\r\nX: '.concat('y'.repeat(70_000))),
    (_received, response) => void response.socket?.end('nonsense\r\n\r\n'),
  ];
  const bad = await Promise.all(manners.map((manner) => startReceiver(manner)));
  const down = await startReceiver();
  await down.goDown();
  await using good = await startReceiver();
  const endpoints: Endpoint[] = [];
  for (const { url } of [...bad, down]) endpoints.push(await me.subscribe(url, ['message.received']));
  await me.subscribe(good.url, ['message.received']);
  for (let i = 0; i < 5; i++) await me.receiveMessage(`Event ${i}`);
  await fixture.testApp.drain();
  expect(new Set(good.received.map(({ id }) => id)).size).toBe(5);
  expect(good.received).toHaveLength(5);
  for (const { id } of endpoints)
    expect((await me.deliveries(id)).map(({ status, attempts }) => [status, attempts])).toEqual(Array(5).fill(['pending', 1]));
  await Promise.all(bad.map((receiver) => receiver[Symbol.asyncDispose]()));
});
