import { context } from '../../shared/contract/context.ts';
import { reads, usesBucket, usesTable } from '../../shared/contract/resource.ts';
import { cursorKey, erasureKey, sealingKey } from '../../shared/contract/secret.ts';
import { bulkRoutes } from './contract/bulk.ts';
import { contactOptedOut } from './contract/consent.ts';
import { contactBlockChanged, contactCreated, contactDeleted, contactMerged, contactUpdated } from './contract/event.ts';
import { contactRoutes } from './contract/contact.ts';
import { fieldRoutes } from './contract/field.ts';
import { groupRoutes } from './contract/group.ts';
import { importPreviewRoutes, importRoutes, importsBucket, importsQueue } from './contract/import.ts';
import { jobRoutes } from './contract/job.ts';
import { phoneCheckRoutes, reachabilityQueue } from './contract/phone-check.ts';
import { preflightRoutes } from './contract/preflight.ts';
import { searchBucket } from './contract/search-snapshot.ts';
import { segmentRoutes } from './contract/segment.ts';
import { tagRoutes } from './contract/tag.ts';
import { erasure } from './erasure.ts';
import { journal } from './journal.ts';
import { projections } from './projections.ts';
import { reactions } from './reactions/list.ts';
import { recounts } from './recounts.ts';
import { restores } from './restores.ts';

/**
 * Contacts: the recipients of a company, with their consent, groups, tags and custom fields, and their import from CSV files.
 *
 * - Identity items (canonical phone, provider user id) point to a contact and are written in one transaction with it, so that all
 *   variants of a number lead to one contact and two parallel calls never create two. See docs/decisions/contact-identity.md.
 * - 32 neighbouring ids share a partition (a contact page). The list, newest first, walks the pages downward and needs no index.
 * - Every write has the contact's `rev` as its condition.
 * - A deleted contact and its identities stay for 30 days, so that a POST of its phone restores it; then the table's TTL removes both.
 * - The total and the rows for search and membership are projections of the change stream.
 */
export const contactsContext = context({
  name: 'contacts',
  purpose: 'Contacts with groups, tags and custom fields',
  journal,
  restores,
  events: [contactCreated, contactUpdated, contactDeleted, contactOptedOut],
  logged: [contactBlockChanged, contactMerged],
  reactions,
  projections,
  recounts,
  erasure,
  functions: [
    {
      name: 'contacts-http',
      trigger: 'http',
      entry: 'functions/contacts/http/contacts.ts',
      routes: { ...contactRoutes, ...bulkRoutes },
      uses: [
        reads(erasureKey),
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
        reads(cursorKey),
        usesBucket(searchBucket, 'get'),
      ],
    },
    {
      name: 'contacts-labels-http',
      trigger: 'http',
      entry: 'functions/contacts/http/labels.ts',
      routes: { ...groupRoutes, ...tagRoutes, ...fieldRoutes, ...segmentRoutes },
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'), reads(cursorKey)],
    },
    {
      name: 'contacts-checks-http',
      trigger: 'http',
      entry: 'functions/contacts/http/checks.ts',
      routes: { ...phoneCheckRoutes, ...preflightRoutes, ...importPreviewRoutes },
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'),
        reads(cursorKey),
        reads(erasureKey),
        usesBucket(importsBucket, 'get'),
      ],
    },
    {
      name: 'contacts-imports-http',
      trigger: 'http',
      entry: 'functions/contacts/http/imports.ts',
      routes: { ...importRoutes, ...jobRoutes },
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'),
        reads(cursorKey),
        reads(sealingKey),
        usesBucket(importsBucket, 'get', 'put'),
      ],
    },
    {
      name: 'contacts-imports',
      trigger: 'queue',
      entry: 'functions/contacts/worker/imports.ts',
      queue: importsQueue,
      batchSize: 1,
      maxConcurrency: 5,
      uses: [
        reads(erasureKey),
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'),
        usesBucket(importsBucket, 'get', 'put', 'delete'),
        usesBucket(searchBucket, 'get', 'put', 'delete'),
      ],
    },
    {
      name: 'contacts-reachability',
      trigger: 'queue',
      entry: 'functions/contacts/worker/reachability.ts',
      queue: reachabilityQueue,
      batchSize: 10,
      maxConcurrency: 5,
      uses: [usesTable('GetItem', 'BatchGetItem', 'PutItem', 'PartiQLUpdate')],
    },
  ],
});
