import { context } from '../../shared/contract/context.ts';
import { reads, sendsTo, usesBucket, usesTable } from '../../shared/contract/resource.ts';
import { sealingKey } from '../../shared/contract/secret.ts';
import { mediaBucket } from '../messaging/contract/bucket.ts';
import { settlementsQueue } from '../messaging/contract/queue.ts';
import { campaignRoutes } from './contract/campaign.ts';
import { campaignCompleted, campaignPaused } from './contract/event.ts';
import { recipientRoutes, sendRoutes } from './contract/message.ts';
import { blocksQueue, buildsQueue, campaignChecksQueue } from './contract/queue.ts';

/**
 * Campaigns: one template to many contacts, each exactly once. A create commits one row; from it the recipients are written in blocks of a
 * hundred, and chains of blocks are worked at the pace of the number. A recipient's claim is a row that only one can write.
 */
const provider = { PROVIDER_BASE_URL: 'https://graph.facebook.com' };

export const campaignsContext = context({
  name: 'campaigns',
  purpose: 'Broadcasts from approved templates',
  events: [campaignCompleted, campaignPaused],
  functions: [
    {
      name: 'campaigns-http',
      wokenBy: 'http',
      entry: 'functions/campaigns/http/campaigns.ts',
      routes: { ...campaignRoutes, ...recipientRoutes },
      // a preview of everybody walks over all contacts
      timeoutSeconds: 29,
      uses: [
        sendsTo(blocksQueue),
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
        reads(sealingKey),
        usesBucket(mediaBucket, 'put'),
      ],
      memoryMb: 1_024,
    },
    {
      name: 'campaigns-send',
      wokenBy: 'http',
      entry: 'functions/campaigns/http/sends.ts',
      routes: sendRoutes,
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'), reads(sealingKey)],
    },
    {
      name: 'campaign-builds',
      wokenBy: 'queue',
      entry: 'functions/campaigns/worker/builds.ts',
      queue: buildsQueue,
      batchSize: 1,
      maxConcurrency: 10,
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'DeleteItem'),
        sendsTo(buildsQueue),
        reads(sealingKey),
        usesBucket(mediaBucket, 'get'),
      ],
      memoryMb: 1_024,
      settings: provider,
    },
    {
      name: 'campaign-blocks',
      wokenBy: 'queue',
      entry: 'functions/campaigns/worker/blocks.ts',
      queue: blocksQueue,
      batchSize: 1,
      maxConcurrency: 50,
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'),
        sendsTo(blocksQueue),
        sendsTo(campaignChecksQueue),
        sendsTo(settlementsQueue),
        reads(sealingKey),
      ],
      memoryMb: 1_024,
      settings: provider,
    },
    {
      name: 'campaign-checks',
      wokenBy: 'queue',
      entry: 'functions/campaigns/worker/checks.ts',
      queue: campaignChecksQueue,
      batchSize: 10,
      maxConcurrency: 2,
      uses: [usesTable('GetItem', 'Query', 'PutItem', 'DeleteItem', 'ConditionCheckItem'), sendsTo(blocksQueue)],
    },
  ],
});
