import { context } from '../../shared/contract/context.ts';
import { reads, usesBucket, usesTable } from '../../shared/contract/resource.ts';
import { cursorKey, sealingKey } from '../../shared/contract/secret.ts';
import { searchBucket } from '../contacts/contract/search-snapshot.ts';
import { readReceiptsQueue } from '../messaging/contract/inbound-queue.ts';
import { mediaBucket } from '../media/contract/bucket.ts';
import { conversationNoted, conversationUpdated } from './contract/event.ts';
import { conversationRoutes } from './contract/route.ts';
import { due } from './due.ts';
import { erasure } from './erasure.ts';
import { projections } from './projections.ts';
import { reactions } from './reactions.ts';
import { recounts } from './recounts.ts';

/**
 * Conversations: the messages of each contact in order, and the list of conversations by newest message. A conversation has the id of its
 * contact. A projection of the change stream maintains its summary, so that a send or a webhook commits one row only.
 */
export const conversationsContext = context({
  name: 'conversations',
  purpose: 'Conversations and their messages',
  logged: [conversationUpdated, conversationNoted],
  reactions,
  projections,
  recounts,
  due,
  erasure,
  functions: [
    {
      name: 'conversations-http',
      trigger: 'http',
      entry: 'functions/conversations/http.ts',
      routes: conversationRoutes,
      apiPaths: ['/api/v1/conversations/{rest+}'],
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
        reads(cursorKey),
        usesBucket(mediaBucket, 'get'),
        usesBucket(searchBucket, 'get'),
      ],
    },
    {
      name: 'conversations-worker',
      trigger: 'queue',
      entry: 'functions/conversations/worker.ts',
      queue: readReceiptsQueue,
      batchSize: 10,
      maxConcurrency: 2,
      uses: [usesTable('GetItem', 'Query', 'UpdateItem'), reads(sealingKey)],
      settings: { PROVIDER_BASE_URL: 'https://graph.facebook.com' },
    },
  ],
});
