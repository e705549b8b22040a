import { context } from '../../shared/contract/context.ts';
import { reads, usesBucket, usesTable } from '../../shared/contract/resource.ts';
import { erasureKey, sealingKey } from '../../shared/contract/secret.ts';
import { delayedBucket } from '../change-stream/contract.ts';
import { importsBucket } from '../contacts/contract/import.ts';
import { searchBucket } from '../contacts/contract/search-snapshot.ts';
import { mediaBucket } from '../media/contract/bucket.ts';
import { archiveBucket, archiveSetting } from '../messaging/contract/archive.ts';
import { erasureRoutes, erasuresQueue } from './contract/erasure.ts';
import { due } from './due.ts';
import { erasure } from './erasure.ts';
import { journal } from './journal.ts';
import { reactions } from './reactions.ts';
import { restores } from './restores.ts';

/**
 * Erasures: the personal data of a contact ends, on request, by a shop platform's redaction, or 30 days after the contact was deleted. Each
 * context declares its own steps (role file `erasure.ts`); the worker here walks through them.
 */
export const erasuresContext = context({
  name: 'erasures',
  purpose: 'The erasure of contacts, with receipts',
  journal,
  restores,
  reactions,
  due,
  erasure,
  functions: [
    {
      name: 'erasures-http',
      trigger: 'http',
      entry: 'functions/erasures/http.ts',
      routes: erasureRoutes,
      uses: [usesTable('GetItem', 'PutItem', 'UpdateItem'), reads(sealingKey)],
    },
    {
      name: 'erasures',
      trigger: 'queue',
      entry: 'functions/erasures/worker.ts',
      queue: erasuresQueue,
      batchSize: 1,
      maxConcurrency: 2,
      memoryMb: 512,
      settings: { PROVIDER_BASE_URL: 'https://graph.facebook.com', [archiveSetting]: 'on' },
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
        reads(sealingKey),
        reads(erasureKey),
        usesBucket(mediaBucket, 'delete'),
        usesBucket(archiveBucket, 'put'),
        usesBucket(delayedBucket, 'get', 'put'),
        usesBucket(importsBucket, 'get', 'delete'),
        usesBucket(searchBucket, 'get', 'put', 'delete'),
      ],
    },
  ],
});
