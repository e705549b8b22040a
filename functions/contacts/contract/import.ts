import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { paging, pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { queue } from '../../../shared/contract/queue.ts';
import type { BucketSpec } from '../../../shared/contract/resource.ts';
import { route } from '../../../shared/contract/route.ts';

/** Files of contacts and the lists of rows that could not be taken; personal data, so they go after a month. */
export const importsBucket: BucketSpec = {
  kind: 'bucket',
  name: 'contact-imports',
  purpose: 'Files of contacts to be imported, and the rows that failed',
  keepDays: 30,
};

export const maxImportBytes = 500_000_000;
export const maxImportRows = 1_000_000;

export const importStatuses = ['awaiting_upload', 'queued', 'running', 'completed', 'failed'] as const;

/** An import of a file of contacts (ext). */
export const contactImport = z
  .object({
    id: z.int(),
    filename: z.string(),
    status: z.enum(importStatuses),
    upload: z
      .object({ url: z.string(), method: z.literal('PUT'), headers: z.record(z.string(), z.string()), expires_at: timestamp })
      .nullable()
      .meta({ description: 'Where to put the file, while it is awaited: the raw bytes, CSV in UTF-8.' }),
    progress: z.object({
      bytes: z.int(),
      bytes_total: z.int().nullable(),
      rows: z.int(),
      created: z.int(),
      updated: z.int(),
      unchanged: z.int(),
      failed: z.int(),
      skipped_limit: z.int(),
    }),
    error: z.object({ code: z.string(), message: z.string() }).nullable().meta({ description: 'Why the whole file failed.' }),
    errors_url: z.string().nullable().meta({ description: 'CSV of the rows that were not taken, with the reasons; valid for an hour.' }),
    errors_truncated: z.boolean().meta({ description: 'More rows failed than the file lists.' }),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'ContactImport' });
export type ContactImportRecord = z.output<typeof contactImport>;

const reader = { kind: 'token', scope: 'contacts:read', role: 'viewer' } as const;
const writer = { kind: 'token', scope: 'contacts:write', role: 'member' } as const;
const params = z.object({ id: pathId });
const base = '/api/v1/contacts/imports';

export const importRoutes = {
  createImport: route({
    method: 'POST',
    path: base,
    summary: 'Begin an import of contacts: answers where to upload the CSV file',
    caller: writer,
    limit: 'write',
    effect: 'write',
    body: z.object({
      filename: text(255, 1),
      size: wholeNumber(1, maxImportBytes)
        .optional()
        .meta({ description: `Bytes, at most ${maxImportBytes}.` }),
    }),
    answers: { 200: success(contactImport) },
    errors: ['validation_failed'],
  }),
  listImports: route({
    method: 'GET',
    path: base,
    summary: 'Imports of contacts, newest first',
    caller: reader,
    limit: 'read',
    effect: 'read',
    query: paging(25),
    answers: { 200: paginated(contactImport) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  getImport: route({
    method: 'GET',
    path: `${base}/{id}`,
    summary: 'An import with its progress',
    caller: reader,
    limit: 'read',
    effect: 'read',
    params,
    answers: { 200: success(contactImport) },
    errors: ['not_found'],
  }),
  startImport: route({
    method: 'POST',
    path: `${base}/{id}/start`,
    summary: 'Start an import after the upload',
    caller: writer,
    limit: 'write',
    effect: 'write',
    params,
    answers: { 200: success(contactImport) },
    errors: ['not_found', 'upload_missing', 'payload_too_large'],
  }),
};

export const importEntityName = 'contact-import';

const counts = { rows: z.int(), created: z.int(), updated: z.int(), unchanged: z.int(), failed: z.int(), skippedLimit: z.int() };

export const storedColumn = z.union([
  z.object({ is: z.literal('custom'), key: z.string() }),
  z.object({ is: z.enum(['phone', 'name', 'email', 'city', 'country', 'company', 'groups', 'tags', 'subscribed', 'ignored']) }),
]);

/** An import as the table holds it. Times are epoch milliseconds. */
export const storedImport = z.object({
  companyId: z.int(),
  id: z.int(),
  filename: z.string(),
  status: z.enum(importStatuses),
  /** Of the file, once it is there: its size and its version at the store. */
  bytes: z.int().optional(),
  etag: z.string().optional(),
  /** Learned from its first row. */
  delimiter: z.enum([',', ';', '\t', '|']).optional(),
  columns: z.array(storedColumn).optional(),
  header: z.array(z.string()).optional(),
  /** Where the next slice begins, and which one it is; when work on it began first. */
  cursor: z.int(),
  line: z.int(),
  slice: z.int(),
  sliceStartedAt: z.int().optional(),
  counts: z.object(counts),
  /** Rows in the error lists so far, and the slices that have one. */
  errorRows: z.int(),
  errorBytes: z.int().optional(),
  errorSlices: z.array(z.int()),
  hasErrors: z.boolean().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  createdAt: z.int(),
  startedAt: z.int().optional(),
  finishedAt: z.int().optional(),
});
export type StoredImport = z.output<typeof storedImport>;

export const importsQueue = queue({
  name: 'contact-imports',
  purpose: 'Slices of files of contacts, one after another, by reference',
  message: z.object({ company_id: z.int(), import_id: z.int(), slice: z.int() }),
  workSeconds: 30,
  maxReceives: 8,
});
