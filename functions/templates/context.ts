import { context } from '../../shared/contract/context.ts';
import { reads, sendsTo, usesBucket, usesTable } from '../../shared/contract/resource.ts';
import { cursorKey, sealingKey } from '../../shared/contract/secret.ts';
import { mediaBucket } from '../media/contract/bucket.ts';
import { templateStatus, templateUpdated } from './contract/event.ts';
import { templateSyncsQueue } from './contract/queue.ts';
import { allTemplateRoutes } from './contract/routes.ts';
import { due } from './due.ts';
import { reactions } from './reactions.ts';

const provider = { PROVIDER_BASE_URL: 'https://graph.facebook.com' };

/** Templates: message templates at the provider and their copies here, kept equal by syncs and webhooks. Messaging sends them. Once a day a
 * company's templates, accounts and numbers are read from the provider, should a webhook have been lost. */
export const templatesContext = context({
  name: 'templates',
  purpose: 'Message templates, created at the provider and synced from it',
  events: [templateStatus, templateUpdated],
  reactions,
  due,
  functions: [
    {
      name: 'templates-http',
      trigger: 'http',
      entry: 'functions/templates/http.ts',
      routes: allTemplateRoutes,
      apiPaths: ['/api/v1/templates/{rest+}'],
      // a sync reads the account at the provider page by page, for as long as a caller can wait
      timeoutSeconds: 29,
      uses: [
        usesTable('GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
        reads(cursorKey),
        reads(sealingKey),
        sendsTo(templateSyncsQueue),
        usesBucket(mediaBucket, 'get'),
      ],
      settings: provider,
    },
    {
      name: 'templates-syncs',
      trigger: 'queue',
      entry: 'functions/templates/worker.ts',
      queue: templateSyncsQueue,
      batchSize: 1,
      maxConcurrency: 2,
      timeoutSeconds: 290,
      uses: [usesTable('GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'), reads(sealingKey), sendsTo(templateSyncsQueue)],
      settings: provider,
    },
  ],
});
