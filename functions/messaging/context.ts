import { context } from '../../shared/contract/context.ts';
import { reads, sendsTo, usesBucket, usesTable } from '../../shared/contract/resource.ts';
import { sealingKey } from '../../shared/contract/secret.ts';
import { messageReceived, messageStatus } from './contract/event.ts';
import { parkedStatusesQueue, sendsQueue, unconfirmedSendsQueue, providerUpdatesQueue } from './contract/queue.ts';
import { consentKeywordsQueue, inboundMediaQueue, readReceiptsQueue } from './contract/inbound-queue.ts';
import { mediaBucket } from './contract/bucket.ts';
import { mediaRoutes } from './contract/media.ts';
import { sendRoutes } from './contract/send.ts';
import { templateSendRoutes } from './contract/send-template.ts';
import { templateStatus } from '../templates/contract/event.ts';
import { templateRoutes } from '../templates/contract/template.ts';
import { templateSyncsQueue } from '../templates/contract/queue.ts';
import { webhookRoutes } from './contract/webhook.ts';

/**
 * Messaging: what goes out to the provider and what comes back. A send claims its message's row, calls, and settles it; webhooks are
 * acknowledged first and worked from a queue, each update alone. Nobody gets a message twice: whoever finds a claim does not call.
 */
const files = usesBucket(mediaBucket, 'get', 'put');
const provider = { PROVIDER_BASE_URL: 'https://graph.facebook.com' };

export const messagingContext = context({
  name: 'messaging',
  purpose: 'Messages out and in, statuses, the provider webhook',
  events: [messageReceived, messageStatus, templateStatus],
  buckets: [mediaBucket],
  functions: [
    {
      name: 'messaging-http',
      trigger: 'http',
      entry: 'functions/messaging/http/sends.ts',
      routes: sendRoutes,
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'), reads(sealingKey), files],
      memoryMb: 1_024,
      settings: provider,
    },
    {
      name: 'messaging-template-sends',
      trigger: 'http',
      entry: 'functions/messaging/http/template-sends.ts',
      routes: { ...templateSendRoutes, ...mediaRoutes },
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'), reads(sealingKey), files],
      settings: provider,
    },
    {
      name: 'messaging-templates-http',
      trigger: 'http',
      entry: 'functions/templates/http.ts',
      routes: templateRoutes,
      // a sync reads the account at the provider, page by page, as long as a caller can wait
      timeoutSeconds: 29,
      uses: [usesTable('GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'), reads(sealingKey), sendsTo(templateSyncsQueue)],
      settings: provider,
    },
    {
      name: 'messaging-template-syncs',
      trigger: 'queue',
      entry: 'functions/templates/worker.ts',
      queue: templateSyncsQueue,
      batchSize: 1,
      maxConcurrency: 2,
      timeoutSeconds: 290,
      uses: [usesTable('Query', 'PutItem', 'UpdateItem', 'DeleteItem'), reads(sealingKey)],
      settings: provider,
    },
    {
      name: 'messaging-webhook',
      trigger: 'http',
      entry: 'functions/messaging/http/webhook.ts',
      routes: webhookRoutes,
      uses: [usesTable('Query', 'PutItem', 'UpdateItem'), reads(sealingKey), sendsTo(providerUpdatesQueue)],
    },
    {
      name: 'messaging-updates',
      trigger: 'queue',
      entry: 'functions/messaging/worker/provider-updates.ts',
      queue: providerUpdatesQueue,
      batchSize: 10,
      maxConcurrency: 10,
      uses: [usesTable('GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem')],
    },
    {
      name: 'messaging-sends',
      trigger: 'queue',
      entry: 'functions/messaging/worker/sends.ts',
      queue: sendsQueue,
      batchSize: 10,
      maxConcurrency: 10,
      uses: [
        usesTable('GetItem', 'Query', 'PutItem', 'UpdateItem'),
        reads(sealingKey),
        sendsTo(sendsQueue),
        usesBucket(mediaBucket, 'get'),
      ],
      memoryMb: 1_024,
      settings: provider,
    },
    {
      name: 'messaging-settlements',
      trigger: 'queue',
      entry: 'functions/messaging/worker/unconfirmed-sends.ts',
      queue: unconfirmedSendsQueue,
      batchSize: 10,
      maxConcurrency: 5,
      uses: [usesTable('GetItem', 'UpdateItem')],
    },
    {
      name: 'messaging-parked',
      trigger: 'queue',
      entry: 'functions/messaging/worker/parked-statuses.ts',
      queue: parkedStatusesQueue,
      batchSize: 10,
      maxConcurrency: 2,
      uses: [usesTable('GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem')],
    },
    {
      name: 'messaging-consent',
      trigger: 'queue',
      entry: 'functions/messaging/worker/consent-keywords.ts',
      queue: consentKeywordsQueue,
      batchSize: 10,
      maxConcurrency: 2,
      uses: [usesTable('GetItem', 'Query', 'PutItem')],
    },
    {
      name: 'messaging-media-in',
      trigger: 'queue',
      entry: 'functions/messaging/worker/inbound-media.ts',
      queue: inboundMediaQueue,
      // a file may have 100 MB, and is held whole
      batchSize: 1,
      maxConcurrency: 10,
      memoryMb: 1_024,
      timeoutSeconds: 100,
      uses: [usesTable('GetItem', 'Query', 'UpdateItem'), reads(sealingKey), usesBucket(mediaBucket, 'put')],
      settings: provider,
    },
    {
      name: 'messaging-read-marks',
      trigger: 'queue',
      entry: 'functions/messaging/worker/read-receipts.ts',
      queue: readReceiptsQueue,
      batchSize: 10,
      maxConcurrency: 2,
      uses: [usesTable('GetItem', 'Query'), reads(sealingKey)],
      settings: provider,
    },
  ],
});
