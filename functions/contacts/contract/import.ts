import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { jsonBoolean, paging, pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { queue } from '../../../shared/contract/queue.ts';
import type { BucketSpec } from '../../../shared/contract/resource.ts';
import { route } from '../../../shared/contract/route.ts';
import { fieldKeyPattern } from './custom-value.ts';

/** Uploaded CSV files, the rows that failed, and exports: personal data, so the bucket deletes them after a month. */
export const importsBucket: BucketSpec = {
  kind: 'bucket',
  name: 'contact-imports',
  purpose: 'CSV files of contacts to import, the rows that failed, and exported contacts',
  retentionDays: 30,
};

export const maxImportBytes = 500_000_000;
export const maxImportRows = 1_000_000;

/** The meanings of a column beside custom fields. */
export const plainColumns = [
  'phone',
  'name',
  'first_name',
  'last_name',
  'email',
  'city',
  'country',
  'company',
  'groups',
  'tags',
  'subscribed',
  'enabled_ai_bot',
  'user_id',
  'ignored',
] as const;
const columnChoices = `one of ${plainColumns.join(', ')}, or custom.<key>`;
const isColumnName = (name: string): boolean =>
  plainColumns.some((each) => each === name) || (name.startsWith('custom.') && fieldKeyPattern.test(name.slice('custom.'.length)));

/** Imports of a company that wait for their start, and how long each may wait. Both bound what upload URLs can store. */
export const maxWaitingImports = 10;
export const waitingImportHours = 24;

export const importStatuses = ['awaiting_upload', 'queued', 'running', 'completed', 'failed', 'cancelled'] as const;

/** An import of contacts in responses. */
export const contactImport = z
  .object({
    id: z.int().meta({ description: 'The id of the import.' }),
    filename: z.string().meta({ description: 'Name of the file, for display.' }),
    status: z.enum(importStatuses).meta({
      description:
        'awaiting_upload: upload the file, then start. queued, running: in progress. completed: all rows were processed. failed: see error. cancelled: the rows before were imported.',
    }),
    upload: z
      .object({
        url: z.string().meta({ description: 'Signed URL for the file.' }),
        method: z.literal('PUT').meta({ description: 'HTTP method of the upload.' }),
        headers: z.record(z.string(), z.string()).meta({ description: 'Headers to send with the upload.' }),
        expires_at: timestamp.meta({ description: 'When the URL expires.' }),
      })
      .nullable()
      .meta({
        description:
          'Where to upload the file once with PUT, until the import starts: the raw bytes, CSV in UTF-8. null for callers without contacts:write.',
      }),
    progress: z
      .object({
        bytes: z.int().meta({ description: 'Bytes of the file processed so far.' }),
        bytes_total: z.int().nullable().meta({ description: 'Size of the file in bytes; null before the start.' }),
        rows: z.int().meta({ description: 'Rows processed so far.' }),
        created: z.int().meta({ description: 'Rows that created a contact.' }),
        updated: z.int().meta({ description: 'Rows that changed a contact.' }),
        unchanged: z.int().meta({ description: 'Rows that changed nothing.' }),
        failed: z.int().meta({ description: 'Rows with errors.' }),
        skipped_limit: z.int().meta({ description: 'Rows skipped because of the plan limit.' }),
      })
      .meta({ description: 'Progress of the import.' }),
    error: z
      .object({
        code: z.string().meta({ description: 'Machine-readable code, for example invalid_header.' }),
        message: z.string().meta({ description: 'What is wrong with the file.' }),
      })
      .meta({ id: 'ContactImportError' })
      .nullable()
      .meta({ description: 'Why the whole file failed.' }),
    errors_url: z
      .string()
      .nullable()
      .meta({ description: 'URL of a CSV file with the rows that failed and the reasons; valid for 15 minutes.' }),
    errors_truncated: z.boolean().meta({ description: 'true when more rows failed than the file lists.' }),
    created_at: timestamp,
    started_at: timestamp.nullable().meta({ description: 'When the import was started, or null.' }),
    finished_at: timestamp.nullable().meta({ description: 'When the import completed or failed, or null.' }),
  })
  .meta({ id: 'ContactImport' });
export type ContactImportRecord = z.output<typeof contactImport>;

/** What the first rows of a file would become. */
export const importPreview = z
  .object({
    columns: z
      .array(
        z.object({
          name: z.string().meta({ description: 'Its name in the file.' }),
          meaning: z.string().meta({ description: 'What it means, as in `columns` of createImport.' }),
        }),
      )
      .meta({ description: 'The columns of the file.' }),
    rows: z
      .array(
        z.object({
          line: z.int().meta({ description: 'Line of the file.' }),
          becomes: z.enum(['created', 'updated', 'unchanged', 'failed']).meta({ description: 'What the import would make of the row.' }),
          reasons: z.string().meta({ description: 'Why it fails, else empty.' }),
          contact_id: z.int().nullable().meta({ description: 'The known contact with the phone, or null.' }),
          values: z
            .record(z.string(), z.string())
            .meta({ description: 'The cells by the meaning of their columns; the phone as it is read.' }),
          subscribed: z.boolean().nullable().meta({ description: 'Whether the contact would be subscribed; null where the row fails.' }),
        }),
      )
      .meta({ description: 'At most the first 20.' }),
    error: contactImport.shape.error,
  })
  .meta({ id: 'ImportPreview' });
export type ImportPreview = z.output<typeof importPreview>;

const reader = { kind: 'token', scope: 'contacts:read', role: 'viewer' } as const;
export const importWriter = { kind: 'token', scope: 'contacts:write', role: 'member' } as const;
const params = z.object({ id: pathId.meta({ description: 'The id of the import.' }) });
const base = '/api/v1/contacts/imports';

export const importRoutes = {
  createImport: route({
    method: 'POST',
    path: base,
    makes: 'upload',
    summary: 'Create an import of contacts from a CSV file',
    description:
      'Creates an import of contacts and returns a signed URL. Upload the CSV file there with PUT and the headers of the answer, then start the import. The URL takes one file of the announced size; to replace an uploaded file, create another import. At most 10 imports wait for their start; one that waits for 24 hours is deleted. The first row of the file names the columns: phone (required), name, email, city, country, company, groups, tags, subscribed, enabled_ai_bot and custom.<key>. UTF-8, at most 500 MB and 1,000,000 rows; comma, semicolon, tab or | as delimiter. New contacts are subscribed where their row says so in the column subscribed; rows that say nothing follow `subscribed` of this call, and known contacts keep their consent.',
    caller: importWriter,
    unknownFields: 'refuse',
    body: z
      .object({
        filename: text(255, 1).meta({ description: 'Name of the file, for display.' }),
        size: wholeNumber(1, maxImportBytes).meta({ description: `Size of the file in bytes, at most ${maxImportBytes}.` }),
        subscribed: jsonBoolean
          .optional()
          .meta({ description: 'Whether new contacts whose row says nothing have agreed to your messages; false by default.' }),
        columns: z
          .record(text(200, 1), text(60, 1).refine(isColumnName, { error: `Must be ${columnChoices}.` }))
          .refine((given) => Object.keys(given).length <= 130, { error: 'Must have at most 130 columns.' })
          .optional()
          .meta({
            description:
              'What the columns of the file mean, by their names in it: `{"Handy":"phone","Kundennummer":"custom.customer_number","Fax":"ignored"}`. Names of the usual exports are known without.',
          }),
        ignore_unknown_columns: jsonBoolean
          .optional()
          .meta({ description: 'Leave out columns that are neither known nor in `columns`, in place of failing; false by default.' }),
      })
      .meta({ id: 'CreateImportRequest' }),
    answers: { 200: success(contactImport) },
    errors: ['validation_failed', 'plan_limit_reached', 'conflict'],
    secret: true,
  }),
  listImports: route({
    method: 'GET',
    path: base,
    summary: 'List imports',
    description: 'Lists imports, newest first.',
    caller: reader,
    query: paging(25),
    answers: { 200: paginated(contactImport) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  getImport: route({
    method: 'GET',
    path: `${base}/{id}`,
    summary: 'Get an import with its progress',
    description: 'Returns an import with its progress. errors_url lists the rows that failed.',
    caller: reader,
    params,
    answers: { 200: success(contactImport) },
    errors: ['not_found'],
  }),
  cancelImport: route({
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Cancel an import',
    description:
      'Stops an import that runs, after the rows in progress. Contacts that it wrote stay; any other import is returned as it is.',
    caller: importWriter,
    params,
    answers: { 200: success(contactImport) },
    errors: ['not_found', 'conflict'],
    secret: true,
  }),
  startImport: route({
    method: 'POST',
    path: `${base}/{id}/start`,
    summary: 'Start an import',
    description:
      'Starts an import after the upload. Rows are upserted by phone like createContact; rows with errors are listed in errors_url. Starting an import twice has no effect.',
    caller: importWriter,
    params,
    answers: { 200: success(contactImport) },
    errors: ['not_found', 'upload_missing'],
    secret: true,
  }),
};

/** Apart from the others: only this one needs the rules of phones. */
export const importPreviewRoutes = {
  previewImport: route({
    method: 'GET',
    path: `${base}/{id}/preview`,
    summary: 'Preview an import',
    description:
      'Says of the first 20 rows of the uploaded file what they would become, and writes nothing. The limit of the plan is not counted.',
    caller: reader,
    params,
    answers: { 200: success(importPreview) },
    errors: ['not_found', 'upload_missing'],
  }),
};

export const importEntityName = 'contact-import';

const counts = { rows: z.int(), created: z.int(), updated: z.int(), unchanged: z.int(), failed: z.int(), skippedLimit: z.int() };

/** The imports of a company that wait for their start, by id, with the time of their creation. */
export const storedWaitingImports = z.object({ companyId: z.int(), rev: z.int(), createdAt: z.record(z.string(), z.int()) });
export type StoredWaitingImports = z.output<typeof storedWaitingImports>;

export const storedColumn = z.union([z.object({ is: z.literal('custom'), key: z.string() }), z.object({ is: z.enum(plainColumns) })]);

/** An import as stored. Times are epoch milliseconds. */
export const storedImport = z.object({
  companyId: z.int(),
  id: z.int(),
  filename: z.string(),
  status: z.enum(importStatuses),
  /** The announced size, which the upload URL is signed for. */
  size: z.int(),
  /** Size and S3 ETag of the file, known from the start on. */
  bytes: z.int().optional(),
  etag: z.string().optional(),
  /** Read from the first row of the file. */
  delimiter: z.enum([',', ';', '\t', '|']).optional(),
  columns: z.array(storedColumn).optional(),
  header: z.array(z.string()).optional(),
  /** Byte offset and line at which the next slice begins, its number, and when its first attempt began. */
  cursor: z.int(),
  line: z.int(),
  slice: z.int(),
  sliceStartedAt: z.int().optional(),
  counts: z.object(counts),
  /** Rows and bytes of the error lists so far, and the slices that have a list. */
  /** What the caller says of columns, by their names in the file; and whether unknown ones are left out. */
  mapping: z.record(z.string(), z.string()).optional(),
  ignoresUnknown: z.literal(true).optional(),
  /** New contacts whose row says nothing are subscribed. */
  subscribesNew: z.literal(true).optional(),
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
  purpose: 'Slices of contact files and of contact jobs, one after another, by reference; search snapshots to bring up to date',
  /** Without an import and a job: the company's search snapshot. */
  message: z.object({ company_id: z.int(), import_id: z.int().optional(), job_id: z.int().optional(), slice: z.int().optional() }),
  workSeconds: 30,
  maxReceives: 8,
});
