import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { webhookWakesQueue } from '../../functions/webhooks/contract/queue.ts';
import { listPendingDeliveries, putPendingDelivery } from '../../functions/webhooks/store/delivery.ts';
import { crashInjection } from '../support/crash-injection.ts';
import { startFixture } from '../webhooks/fixture.ts';

const pending = (eventId: string) => ({
  companyId: 77,
  endpointId: 1,
  eventId,
  event: 'message.received',
  body: '{}',
  attempts: 0,
  nextAt: 1,
  createdAt: 1,
});

test('a crashed process begins nothing more, and what it had sent arrives before the next process begins', async () => {
  await using fixture = await startFixture();
  const crashes = crashInjection();
  using _crashes = crashes.over(fixture.testApp);
  const order: string[] = [];
  const [sent, crashed, next] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const server = createServer((request, response) => {
    order.push(`received ${request.url}`);
    sent.resolve();
    void crashed.promise.then(() => response.end(() => order.push('answered')));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const call = async (path: string): Promise<void> => {
    const request = get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, path, agent: false });
    const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
    await once(response.resume(), 'end');
  };
  let others: Promise<unknown>[] = [];
  const result = await crashes.runWithCrash(1, async () => {
    const crash = sent.promise.then(() => putPendingDelivery(pending('first'))).finally(crashed.resolve);
    others = [
      call('/sent')
        .then(() => next.promise)
        .then(() => putPendingDelivery(pending('second'))),
      crashed.promise.then(() => call('/late')),
    ];
    others.forEach((each) => void each.catch(() => undefined));
    await crash;
    return 'done';
  });
  order.push('next');
  next.resolve();
  expect(result).toBeUndefined();
  for (const each of others) await expect(each).rejects.toThrow('The process died.');
  expect(order).toEqual(['received /sent', 'answered', 'next']);
  expect((await listPendingDeliveries(77, 1, 10)).pending).toEqual([]);
  server.close();
});

test('a message that is delivered again to a process that crashes is on its queue still, and is worked by the next', async () => {
  await using fixture = await startFixture();
  const me = await fixture.company();
  await me.subscribe('http://127.0.0.1:9/');
  await me.receiveMessage();
  await fixture.testApp.drain();
  expect(fixture.testApp.queued(webhookWakesQueue)).toEqual([]);
  const crashes = crashInjection();
  using _crashes = crashes.over(fixture.testApp);
  await crashes.runWithCrash(1, () => fixture.testApp.redeliver(() => 0, 1));
  expect(fixture.testApp.queued(webhookWakesQueue)).not.toEqual([]);
  await fixture.testApp.drain();
  expect(fixture.testApp.queued(webhookWakesQueue)).toEqual([]);
});
