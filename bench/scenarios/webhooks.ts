import { scopes } from '../../shared/contract/route.ts';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWebhook } from '../../functions/webhooks/service/endpoints.ts';
import { type EndpointEvent, enqueueEventsForEndpoints } from '../../functions/webhooks/service/enqueue-events.ts';
import { unwrap } from '../../test/support/company.ts';
import { withFixture, type Scenario } from '../scenario.ts';

let changes = 0;
const eventsOf = (companyId: number, count: number): EndpointEvent[] =>
  Array.from({ length: count }, () => ({
    event: 'message.status',
    companyId,
    data: {
      message_id: 3_765_661_398_783_752,
      contact_id: 1,
      conversation_id: 1,
      status: 3,
      wamid: 'wamid.HBgNNDkxNTExMjM0NTY3OA',
      ambiguous: false,
    },
    changeId: `change-${++changes}`,
    sequence: String(changes),
    writtenAtMs: Date.now(),
  }));

export const scenario: Scenario = {
  name: 'webhooks',
  description: 'Outgoing webhooks: what events cost a company without endpoints, and what it costs to deliver them',
  deterministic: true,
  measure: () =>
    withFixture(
      async ({ testApp, company }) => {
        let status = 200;
        const server = createServer((request, response) => {
          request.resume().once('end', () => response.writeHead(status).end('ok'));
        });
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
        const unsubscribed = await testApp.meter(() => enqueueEventsForEndpoints(eventsOf(company.id, 100)));
        unwrap(await createWebhook({ companyId: company.id, scopes }, { url, events: ['*'] }, 'bench'));
        // what follows from the company and its endpoint is not an event's cost
        await testApp.drain();
        const deliver = async (count: number) =>
          testApp.meter(async () => {
            await enqueueEventsForEndpoints(eventsOf(company.id, count));
            await testApp.drain();
          });
        const one = await deliver(1);
        const many = await deliver(100);
        status = 500;
        const failed = await deliver(1);
        await new Promise((resolve) => server.close(resolve));
        return [
          { name: '100 events of a company without endpoints, writes', unit: 'WRU', value: unsubscribed.wru, atMost: 0 },
          {
            name: '100 events of a company without endpoints, queue requests',
            unit: 'requests',
            value: unsubscribed.queueCalls,
            atMost: 0,
          },
          { name: '100 events of a company without endpoints, reads', unit: 'RRU', value: unsubscribed.rru, atMost: 1 },
          { name: 'an event alone, heard at once, writes', unit: 'WRU', value: one.wru, atMost: 5 },
          { name: 'an event alone, heard at once, reads', unit: 'RRU', value: one.rru },
          { name: '100 events heard at once, writes an event', unit: 'WRU', value: many.wru / 100, atMost: 4 },
          { name: '100 events heard at once, reads an event', unit: 'RRU', value: many.rru / 100 },
          { name: 'an event whose first attempt fails, writes', unit: 'WRU', value: failed.wru },
        ];
      },
      { env: { SWITCHBOARD_LOCAL: '1' } },
    ),
};
