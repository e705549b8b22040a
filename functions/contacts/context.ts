import { context } from '../../shared/contract/context.ts';
import { usesBucket, usesTable } from '../../shared/contract/resource.ts';
import { bulkRoutes } from './contract/bulk.ts';
import { contactOptedOut } from './contract/consent.ts';
import { contactRoutes } from './contract/contact.ts';
import { fieldRoutes } from './contract/field.ts';
import { groupRoutes } from './contract/group.ts';
import { importRoutes, importsBucket, importsQueue } from './contract/import.ts';
import { phoneCheckRoutes, reachabilityQueue } from './contract/phone-check.ts';
import { preflightRoutes } from './contract/preflight.ts';
import { tagRoutes } from './contract/tag.ts';
import { projections } from './projections.ts';
import { reactions } from './reactions.ts';

/**
 * Contacts: the people a company writes to, with their consent, groups, tags and custom fields.
 *
 * A contact is found by identity items (the canonical form of its phone, the provider's user id), written in one transaction with it,
 * so that all variants of a number meet one contact and two calls cannot make two. Contacts lie in blocks of 32 ids; the list, newest
 * first, walks the blocks downward and needs no index. Every write is guarded by the contact's `rev`. A deleted contact keeps its item
 * and its identity for 30 days, so that a POST of its phone brings the same contact back; then the table's TTL takes both. The total is
 * folded from the change stream into the head of the kind.
 */
export const contactsContext = context({
  name: 'contacts',
  purpose: 'Contacts with groups, tags and custom fields',
  events: [contactOptedOut],
  reactions,
  projections,
  functions: [
    {
      name: 'contacts-http',
      trigger: 'http',
      entry: 'functions/contacts/http.ts',
      routes: { ...contactRoutes, ...bulkRoutes },
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem')],
    },
    {
      name: 'contacts-labels-http',
      trigger: 'http',
      entry: 'functions/contacts/http/labels.ts',
      routes: { ...groupRoutes, ...tagRoutes, ...fieldRoutes },
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem')],
    },
    {
      name: 'contacts-checks-http',
      trigger: 'http',
      entry: 'functions/contacts/http/checks.ts',
      routes: { ...phoneCheckRoutes, ...preflightRoutes },
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem')],
    },
    {
      name: 'contacts-imports-http',
      trigger: 'http',
      entry: 'functions/contacts/http/imports.ts',
      routes: importRoutes,
      uses: [usesTable('GetItem', 'Query', 'PutItem', 'UpdateItem'), usesBucket(importsBucket, 'get', 'put')],
    },
    {
      name: 'contacts-imports',
      trigger: 'queue',
      entry: 'functions/contacts/worker/imports.ts',
      queue: importsQueue,
      batchSize: 1,
      maxConcurrency: 5,
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'), usesBucket(importsBucket, 'get', 'put')],
    },
    {
      name: 'contacts-reachability',
      trigger: 'queue',
      entry: 'functions/contacts/worker/reachability.ts',
      queue: reachabilityQueue,
      batchSize: 10,
      maxConcurrency: 5,
      uses: [usesTable('GetItem', 'PutItem')],
    },
  ],
});
