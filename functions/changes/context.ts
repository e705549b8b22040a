import { context } from '../../shared/contract/context.ts';
import { domainBus } from '../../shared/contract/event.ts';
import { publishesTo, sendsTo, usesTable } from '../../shared/contract/resource.ts';
import { contactEntityName } from '../contacts/contract/stored.ts';
import { conversationEntityName } from '../conversations/contract.ts';
import { dueQueues } from '../dispatch/contract.ts';
import { codesQueue, requestEntityName } from '../verification/contract.ts';
import { messageEntityName, settlementsQueue } from '../messaging/contract.ts';

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
      wokenBy: 'stream',
      entry: 'functions/changes/worker.ts',
      batchSize: 100,
      kinds: [contactEntityName, messageEntityName, conversationEntityName, requestEntityName],
      uses: [
        usesTable('GetItem', 'PutItem', 'UpdateItem'),
        publishesTo(domainBus),
        ...[...new Set([...dueQueues, settlementsQueue, codesQueue])].map(sendsTo),
      ],
    },
  ],
});
