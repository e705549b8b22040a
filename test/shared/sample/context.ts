import { context } from '../../../shared/contract/context.ts';
import { reads, sendsTo, usesTable } from '../../../shared/contract/resource.ts';
import { sealingKey } from '../../../shared/contract/secret.ts';
import { noteQueue, sampleRoutes } from './contract.ts';

export const sampleContext = context({
  name: 'sample',
  purpose: 'A small product for the tests of shared/',
  functions: [
    {
      name: 'sample-http',
      entry: 'test/shared/sample/http.ts',
      trigger: 'http',
      routes: sampleRoutes,
      fallback: true,
      uses: [usesTable('UpdateItem', 'GetItem', 'PutItem'), sendsTo(noteQueue), reads(sealingKey)],
    },
    {
      name: 'sample-worker',
      entry: 'test/shared/sample/worker.ts',
      trigger: 'queue',
      queue: noteQueue,
      batchSize: 5,
      maxConcurrency: 2,
      uses: [],
    },
  ],
});
