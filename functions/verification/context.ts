import { context } from '../../shared/contract/context.ts';
import { reads, sendsTo, usesTable } from '../../shared/contract/resource.ts';
import { cursorKey, sealingKey } from '../../shared/contract/secret.ts';
import { adminRoutes } from './contract/admin.ts';
import { verificationFiles } from './contract/files.ts';
import { verificationRoutes } from './contract/routes.ts';
import { codeCeilingReached, verificationFailed, verificationRequested, verificationSuccessful } from './contract/event.ts';
import { codesQueue, expiriesQueue, oneClickQueue } from './contract/work.ts';
import { erasure } from './erasure.ts';
import { projections } from './projections.ts';
import { reactions } from './reactions.ts';
import { recounts } from './recounts.ts';
import { statuses } from './statuses.ts';
import { webhookData } from './webhook-data.ts';

/**
 * Verification: a customer proves to own a phone or an email by a code, a link or a message.
 *
 * Three items hold the state. The request: what is verified, and its result. The request budget (one for each profile and identifier, found
 * by a keyed hash): the sends, attempts, blocks and trusted requests of the identifier. The source: the identifiers that an address requested.
 * An attempt is reserved in the budget before the code is compared, in one conditional write, so that parallel attempts never exceed the
 * limit. A request is finished by one conditional write too, so that it has one result.
 *
 * A code is stored as a keyed hash and, while it may have to be sent, sealed. Link tokens and trust keys are derived from a server key and
 * the request, and stored nowhere.
 */
export const verificationContext = context({
  name: 'verification',
  purpose: 'Codes and links that verify a phone or an email',
  events: [verificationRequested, verificationSuccessful, verificationFailed, codeCeilingReached],
  reactions,
  projections,
  recounts,
  statuses,
  erasure,
  webhookData,
  functions: [
    {
      name: 'verification-http',
      hasFloor: true,
      entry: 'functions/verification/http/public.ts',
      trigger: 'http',
      routes: verificationRoutes,
      files: verificationFiles,
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'), reads(sealingKey), sendsTo(codesQueue)],
      settings: { SITEVERIFY_URL: '', VERIFICATION_ANSWER_MS: '100' },
    },
    {
      name: 'verification-admin-http',
      entry: 'functions/verification/http/admin.ts',
      trigger: 'http',
      routes: adminRoutes,
      apiPaths: ['/api/v1/verification/admin/{rest+}'],
      mints: ['credential'],
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
        reads(cursorKey),
        reads(sealingKey),
      ],
    },
    {
      name: 'verification-codes',
      hasFloor: true,
      entry: 'functions/verification/worker/codes.ts',
      trigger: 'queue',
      queue: codesQueue,
      batchSize: 10,
      maxConcurrency: 20,
      uses: [usesTable('GetItem', 'Query', 'UpdateItem'), reads(sealingKey), sendsTo(codesQueue), { resource: 'email' }],
      settings: { PROVIDER_BASE_URL: 'https://graph.facebook.com' },
    },
    {
      name: 'verification-expiries',
      entry: 'functions/verification/worker/expiries.ts',
      trigger: 'queue',
      queue: expiriesQueue,
      batchSize: 10,
      maxConcurrency: 2,
      uses: [usesTable('GetItem', 'UpdateItem', 'DeleteItem'), sendsTo(expiriesQueue)],
    },
    {
      name: 'verification-one-click',
      entry: 'functions/verification/worker/one-click.ts',
      trigger: 'queue',
      queue: oneClickQueue,
      batchSize: 10,
      maxConcurrency: 5,
      uses: [usesTable('GetItem', 'Query', 'UpdateItem'), reads(sealingKey)],
    },
  ],
});
