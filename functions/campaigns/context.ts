import { context } from '../../shared/contract/context.ts';
import { reads, sendsTo, usesBucket, usesTable } from '../../shared/contract/resource.ts';
import { cursorKey, erasureKey, sealingKey } from '../../shared/contract/secret.ts';
import { searchBucket } from '../contacts/contract/search-snapshot.ts';
import { mediaBucket } from '../media/contract/bucket.ts';
import { unconfirmedSendsQueue } from '../messaging/contract/queue.ts';
import { campaignRoutes } from './contract/campaign.ts';
import { campaignCompleted, campaignPaused, campaignProgress, campaignUpdated } from './contract/event.ts';
import { comparisonRoutes } from './contract/compare.ts';
import { recipientRoutes, sendToContactRoutes } from './contract/message.ts';
import { campaignBatchesQueue, campaignBuildsQueue, campaignChecksQueue } from './contract/queue.ts';
import { renderRoutes } from './contract/render.ts';
import { replyRoutes } from './contract/reply.ts';
import { testMessageRoutes } from './contract/test-message.ts';
import { due } from './due.ts';
import { erasure } from './erasure.ts';
import { journal } from './journal.ts';
import { projections } from './projections.ts';
import { reactions } from './reactions.ts';
import { recounts } from './recounts.ts';
import { restores } from './restores.ts';
import { statuses } from './statuses.ts';

/**
 * Campaigns: one template to many contacts, each exactly once. A create commits one row; from it the recipients are written in batches of a
 * hundred, and chains of batches are worked at the pace of the number. A recipient's claim is a row that only one can write.
 */
const provider = { PROVIDER_BASE_URL: 'https://graph.facebook.com' };

export const campaignsContext = context({
  name: 'campaigns',
  purpose: 'Broadcasts from approved templates',
  journal,
  restores,
  events: [campaignCompleted, campaignPaused],
  logged: [campaignProgress, campaignUpdated],
  reactions,
  projections,
  recounts,
  due,
  erasure,
  statuses,
  functions: [
    {
      name: 'campaigns-http',
      trigger: 'http',
      entry: 'functions/campaigns/http/campaigns.ts',
      routes: { ...campaignRoutes, ...comparisonRoutes, ...recipientRoutes, ...replyRoutes },
      // a preview of everybody walks over all contacts
      timeoutSeconds: 29,
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
        reads(cursorKey),
        reads(sealingKey),
        usesBucket(mediaBucket, 'get', 'put'),
        usesBucket(searchBucket, 'get'),
      ],
      memoryMb: 1_024,
    },
    {
      name: 'campaigns-send',
      trigger: 'http',
      entry: 'functions/campaigns/http/sends.ts',
      routes: { ...sendToContactRoutes, ...testMessageRoutes, ...renderRoutes },
      uses: [
        reads(erasureKey),
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'),
        reads(sealingKey),
        usesBucket(mediaBucket, 'get'),
      ],
      settings: provider,
    },
    {
      name: 'campaign-builds',
      trigger: 'queue',
      entry: 'functions/campaigns/worker/builds.ts',
      queue: campaignBuildsQueue,
      batchSize: 1,
      maxConcurrency: 10,
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
        sendsTo(campaignBuildsQueue),
        reads(sealingKey),
        usesBucket(mediaBucket, 'get'),
      ],
      memoryMb: 1_024,
      settings: provider,
    },
    {
      // recipient batches; the function is deployed under this name
      name: 'campaign-blocks',
      hasFloor: true,
      trigger: 'queue',
      entry: 'functions/campaigns/worker/batches.ts',
      queue: campaignBatchesQueue,
      batchSize: 1,
      maxConcurrency: 50,
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'PartiQLInsert', 'PartiQLUpdate'),
        sendsTo(campaignBatchesQueue),
        sendsTo(campaignChecksQueue),
        sendsTo(unconfirmedSendsQueue),
        reads(sealingKey),
      ],
      memoryMb: 1_024,
      settings: provider,
    },
    // the function `campaign-checks` is declared by summaries, which works off their due work with it
  ],
});
