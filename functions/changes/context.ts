import { context } from '../../shared/contract/context.ts';
import { domainBus } from '../../shared/contract/event.ts';
import { publishesTo, sendsTo, usesTable } from '../../shared/contract/resource.ts';
import { campaignBatchesQueue, campaignBuildsQueue, campaignChecksQueue } from '../campaigns/contract/queue.ts';
import { recipientBatchEntityName, campaignEntityName, campaignStatsEntityName } from '../campaigns/contract/stored.ts';
import { importEntityName, importsQueue } from '../contacts/contract/import.ts';
import { reachabilityEntityName, reachabilityQueue } from '../contacts/contract/phone-check.ts';
import { contactEntityName } from '../contacts/contract/stored.ts';
import { conversationEntityName } from '../conversations/contract/stored.ts';
import { leadRowEntityName, taskRowEntityName } from '../crm/contract/stored.ts';
import { noteEntityName } from '../crm/contract/stored-note.ts';
import { dueQueues } from '../dispatch/contract.ts';
import { subscriptionCacheSettings } from '../webhooks/contract/subscription-cache.ts';
import { unconfirmedSendsQueue } from '../messaging/contract/queue.ts';
import { consentKeywordsQueue, inboundMediaQueue, readReceiptsQueue } from '../messaging/contract/inbound-queue.ts';
import { messageEntityName } from '../messaging/contract/stored.ts';
import { templateEntityName } from '../templates/contract/stored.ts';
import { connectionEntityName } from '../shop/contract/connection.ts';
import { privacyRequestEntityName } from '../shop/contract/privacy.ts';
import { cartEntityName, orderEntityName, productEntityName } from '../shop/contract/stored.ts';
import { webhookEventsQueue } from '../webhooks/contract/queue.ts';
import { requestEntityName } from '../verification/contract/stored.ts';
import { codesQueue, expiriesQueue, oneClickQueue } from '../verification/contract/work.ts';
import { leadEntityName } from '../crm/contract/stored-lead.ts';
import { taskEntityName } from '../crm/contract/stored-task.ts';

/**
 * Changes: the one consumer of the table's stream. Every stored change speaks here: it folds into summary rows, each exactly once,
 * queues what must be done and tells the bus what happened, both at least once.
 */
export const changesContext = context({
  name: 'changes',
  purpose: 'Carries out what stored changes lead to',
  functions: [
    {
      name: 'changes',
      trigger: 'stream',
      entry: 'functions/changes/worker.ts',
      batchSize: 100,
      settings: subscriptionCacheSettings,
      kinds: [
        contactEntityName,
        reachabilityEntityName,
        importEntityName,
        messageEntityName,
        templateEntityName,
        conversationEntityName,
        leadEntityName,
        taskEntityName,
        noteEntityName,
        leadRowEntityName,
        taskRowEntityName,
        productEntityName,
        orderEntityName,
        cartEntityName,
        campaignEntityName,
        recipientBatchEntityName,
        campaignStatsEntityName,
        connectionEntityName,
        privacyRequestEntityName,
        requestEntityName,
      ],
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem'),
        publishesTo(domainBus),
        ...[
          ...new Set([
            ...dueQueues,
            unconfirmedSendsQueue,
            consentKeywordsQueue,
            inboundMediaQueue,
            readReceiptsQueue,
            reachabilityQueue,
            importsQueue,
            webhookEventsQueue,
            campaignBuildsQueue,
            campaignBatchesQueue,
            campaignChecksQueue,
            codesQueue,
            expiriesQueue,
            oneClickQueue,
          ]),
        ].map(sendsTo),
      ],
    },
  ],
});
