import { context } from '../../shared/contract/context.ts';
import { reads, sendsTo, usesTable } from '../../shared/contract/resource.ts';
import { cursorKey, sealingKey } from '../../shared/contract/secret.ts';
import { deliveryRoutes } from './contract/delivery.ts';
import { endpointRoutes } from './contract/endpoint.ts';
import { webhookEventsQueue, webhookRetriesQueue, webhookWakesQueue } from './contract/queue.ts';
import { due } from './due.ts';
import { erasure } from './erasure.ts';

/**
 * Outgoing webhooks deliver events to a company's own systems (decisions A53, V31-V35). The stream consumer queues an event for the
 * subscribed endpoints; `webhooks-events` creates the deliveries; a wake lets one worker at a time call an endpoint. Failing endpoints have
 * workers of their own, so that healthy ones never wait for them. An event's id derives from the stored change: a repeat has the same id.
 */
const settings = { WEBHOOK_TIMEOUT_MS: '10000' };
const deliverer = [
  usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
  reads(sealingKey),
  sendsTo(webhookWakesQueue),
  sendsTo(webhookRetriesQueue),
];

export const webhooksContext = context({
  name: 'webhooks',
  purpose: 'Outgoing webhooks: endpoints, signed deliveries, retries, their log',
  due,
  erasure,
  functions: [
    {
      name: 'webhooks-http',
      trigger: 'http',
      entry: 'functions/webhooks/http.ts',
      routes: { ...endpointRoutes, ...deliveryRoutes },
      apiPaths: ['/api/v1/webhooks/{rest+}'],
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'), reads(cursorKey), reads(sealingKey)],
    },
    {
      name: 'webhooks-events',
      trigger: 'queue',
      entry: 'functions/webhooks/worker/events.ts',
      queue: webhookEventsQueue,
      batchSize: 10,
      maxConcurrency: 10,
      uses: [usesTable('GetItem', 'PutItem'), sendsTo(webhookWakesQueue), sendsTo(webhookEventsQueue), reads(sealingKey)],
    },
    {
      name: 'webhooks-wakes',
      trigger: 'queue',
      entry: 'functions/webhooks/worker/wakes.ts',
      queue: webhookWakesQueue,
      batchSize: 5,
      maxConcurrency: 50,
      timeoutSeconds: 60,
      uses: deliverer,
      settings,
    },
    {
      name: 'webhooks-retries',
      trigger: 'queue',
      entry: 'functions/webhooks/worker/retries.ts',
      queue: webhookRetriesQueue,
      batchSize: 5,
      maxConcurrency: 20,
      timeoutSeconds: 60,
      uses: deliverer,
      settings,
    },
  ],
});
