import { context } from '../../shared/contract/context.ts';
import { reads, sendsTo, usesTable } from '../../shared/contract/resource.ts';
import { sealingKey } from '../../shared/contract/secret.ts';
import { adminRoutes } from './contract/admin.ts';
import { verificationFiles } from './contract/files.ts';
import { verificationRoutes } from './contract/routes.ts';
import {
  codesQueue,
  expiriesQueue,
  oneClickQueue,
  verificationFailed,
  verificationRequested,
  verificationSuccessful,
} from './contract/work.ts';

/**
 * Verification: a person proves to hold a phone or an email by a code or a link.
 *
 * Three items carry it. The request says what was asked and how it ended. The guard of a person (one per profile and identifier, found
 * by a keyed hash) counts what the person's requests share: codes sent, guesses, blocks, trusted requests. The source of an address
 * counts the identifiers asked for from it. A guess is counted in the guard before it is compared, in one conditional write, so that
 * parallel guesses never exceed the limit; the end of a request is one conditional write too, so that it has one winner.
 *
 * A code is kept as a keyed hash, and sealed with its request while it may have to be sent again. Link tokens and trust keys are derived
 * from a server key and the request: they are kept nowhere.
 */
export const verificationContext = context({
  name: 'verification',
  purpose: 'Codes and links that prove a phone or an email',
  events: [verificationRequested, verificationSuccessful, verificationFailed],
  functions: [
    {
      name: 'verification-http',
      entry: 'functions/verification/http/public.ts',
      trigger: 'http',
      routes: verificationRoutes,
      files: verificationFiles,
      uses: [usesTable('GetItem', 'Query', 'PutItem', 'UpdateItem'), reads(sealingKey), sendsTo(codesQueue)],
      settings: { SITEVERIFY_URL: '' },
    },
    {
      name: 'verification-admin-http',
      entry: 'functions/verification/http/admin.ts',
      trigger: 'http',
      routes: adminRoutes,
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'), reads(sealingKey)],
    },
    {
      name: 'verification-codes',
      entry: 'functions/verification/worker/codes.ts',
      trigger: 'queue',
      queue: codesQueue,
      batchSize: 10,
      maxConcurrency: 20,
      uses: [usesTable('GetItem', 'Query', 'UpdateItem'), reads(sealingKey), sendsTo(codesQueue), { resource: 'email' }],
      settings: { PROVIDER_BASE_URL: 'https://graph.facebook.com', PUBLIC_BASE_URL: '' },
    },
    {
      name: 'verification-expiries',
      entry: 'functions/verification/worker/expiries.ts',
      trigger: 'queue',
      queue: expiriesQueue,
      batchSize: 10,
      maxConcurrency: 2,
      uses: [usesTable('GetItem', 'UpdateItem'), sendsTo(expiriesQueue)],
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
