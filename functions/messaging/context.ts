import { context } from '../../shared/contract/context.ts';
import { reads, sendsTo, usesBucket, usesTable } from '../../shared/contract/resource.ts';
import { cursorKey, erasureKey, sealingKey } from '../../shared/contract/secret.ts';
import { messageFailed, messageReceived, messageStatus } from './contract/event.ts';
import { parkedStatusesQueue, providerStatusesQueue, providerUpdatesQueue, sendsQueue, unconfirmedSendsQueue } from './contract/queue.ts';
import { consentKeywordsQueue, inboundMediaQueue } from './contract/inbound-queue.ts';
import { mediaBucket } from '../media/contract/bucket.ts';
import { blockRoutes } from './contract/block.ts';
import { messageRoutes } from './contract/message.ts';
import { mediaRoutes } from '../media/contract/upload.ts';
import { sendRoutes } from './contract/send.ts';
import { templateSendRoutes } from './contract/send-template.ts';
import { typingRoutes } from './contract/typing.ts';
import { webhookRoutes } from './contract/webhook.ts';
import { due } from './due.ts';
import { erasure } from './erasure.ts';
import { journal } from './journal.ts';
import { reactions } from './reactions/list.ts';
import { restores } from './restores.ts';
import { webhookData } from './webhook-data.ts';

/**
 * Messaging: sends to the provider and receives its webhooks. A send claims the message's row, calls the provider and records the result;
 * a worker that finds a claim does not call, so no recipient gets a message twice. Webhooks are acknowledged first and applied from a queue,
 * each update on its own.
 */
const files = usesBucket(mediaBucket, 'get', 'put');
const provider = { PROVIDER_BASE_URL: 'https://graph.facebook.com' };

export const messagingContext = context({
  name: 'messaging',
  purpose: 'Messages out and in, statuses, the provider webhook',
  journal,
  restores,
  events: [messageReceived, messageStatus],
  logged: [messageFailed],
  reactions,
  due,
  erasure,
  webhookData,
  functions: [
    {
      name: 'messaging-http',
      hasFloor: true,
      trigger: 'http',
      entry: 'functions/messaging/http/sends.ts',
      routes: { ...sendRoutes, ...typingRoutes },
      uses: [reads(erasureKey), usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'), reads(sealingKey), files],
      memoryMb: 1_024,
      settings: provider,
    },
    {
      name: 'messaging-template-sends',
      hasFloor: true,
      trigger: 'http',
      entry: 'functions/messaging/http/template-sends.ts',
      routes: { ...templateSendRoutes, ...messageRoutes, ...mediaRoutes },
      // the other kinds of sends have a key each, which comes before this one
      apiPaths: ['/api/v1/messages/{rest+}'],
      uses: [
        reads(erasureKey),
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'),
        reads(sealingKey),
        reads(cursorKey),
        files,
      ],
      settings: provider,
    },
    {
      name: 'messaging-blocks-http',
      trigger: 'http',
      entry: 'functions/messaging/http/blocks.ts',
      routes: blockRoutes,
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'), reads(sealingKey)],
      settings: provider,
    },
    {
      name: 'messaging-webhook',
      trigger: 'http',
      // three statuses for each message of all companies, mostly a post each
      share: 25,
      entry: 'functions/messaging/http/webhook.ts',
      routes: webhookRoutes,
      uses: [
        usesTable('GetItem', 'Query', 'PutItem', 'UpdateItem'),
        reads(sealingKey),
        sendsTo(providerUpdatesQueue),
        sendsTo(providerStatusesQueue),
      ],
    },
    {
      name: 'messaging-updates',
      trigger: 'queue',
      entry: 'functions/messaging/worker/provider-updates.ts',
      queue: providerUpdatesQueue,
      batchSize: 10,
      maxConcurrency: 10,
      uses: [reads(erasureKey), usesTable('GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'PartiQLUpdate')],
    },
    {
      name: 'messaging-statuses',
      trigger: 'queue',
      entry: 'functions/messaging/worker/provider-statuses.ts',
      queue: providerStatusesQueue,
      batchSize: 10,
      maxConcurrency: 10,
      uses: [usesTable('GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'PartiQLUpdate')],
    },
    {
      name: 'messaging-sends',
      hasFloor: true,
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
      name: 'messaging-unconfirmed-sends',
      trigger: 'queue',
      entry: 'functions/messaging/worker/unconfirmed-sends.ts',
      queue: unconfirmedSendsQueue,
      batchSize: 10,
      maxConcurrency: 5,
      uses: [usesTable('GetItem', 'UpdateItem')],
    },
    {
      name: 'messaging-parked-statuses',
      trigger: 'queue',
      entry: 'functions/messaging/worker/parked-statuses.ts',
      queue: parkedStatusesQueue,
      batchSize: 10,
      maxConcurrency: 2,
      uses: [usesTable('GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem')],
    },
    {
      name: 'messaging-consent-keywords',
      trigger: 'queue',
      entry: 'functions/messaging/worker/consent-keywords.ts',
      queue: consentKeywordsQueue,
      batchSize: 10,
      maxConcurrency: 2,
      uses: [usesTable('GetItem', 'Query', 'PutItem')],
    },
    {
      name: 'messaging-inbound-media',
      trigger: 'queue',
      entry: 'functions/messaging/worker/inbound-media.ts',
      queue: inboundMediaQueue,
      // a file may have 100 MB, and is in memory whole
      batchSize: 1,
      maxConcurrency: 10,
      memoryMb: 1_024,
      timeoutSeconds: 100,
      uses: [usesTable('GetItem', 'Query', 'UpdateItem'), reads(sealingKey), usesBucket(mediaBucket, 'put', 'delete')],
      settings: provider,
    },
  ],
});
