import { context } from '../../shared/contract/context.ts';
import { usesTable } from '../../shared/contract/resource.ts';
import { mediaBucket } from '../messaging/contract/bucket.ts';
import { conversationRoutes } from './contract/route.ts';
import { projections } from './projections.ts';
import { reactions } from './reactions.ts';

/**
 * Conversations: a person's messages in order, and the list of who wrote last. A conversation is its contact's: same id. Its head is
 * folded from the change stream, so that a send or a webhook commits one row and the list still follows, exactly.
 */
export const conversationsContext = context({
  name: 'conversations',
  purpose: 'Conversations and their messages',
  reactions,
  projections,
  functions: [
    {
      name: 'conversations-http',
      trigger: 'http',
      entry: 'functions/conversations/http.ts',
      routes: conversationRoutes,
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'),
        { resource: 'bucket', bucket: mediaBucket, actions: ['get'] },
      ],
    },
  ],
});
