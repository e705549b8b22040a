import * as z from 'zod';
import { accessProblem } from '../../../../shared/access/credential.ts';
import { problem, type Problem } from '../../../../shared/contract/problems.ts';
import { drawWithoutKey, type Once, type Principal } from '../../../../shared/contract/route.ts';
import { getObjectSummary, onlyOnce, signedUrl } from '../../../../shared/objects/bucket.ts';
import { hasWork } from '../../../../shared/queue/slices.ts';
import { hourMs, isoTime, now } from '../../../../shared/runtime/clock.ts';
import { conflict, retryOnConflict } from '../../../../shared/table/conflict.ts';
import { cutPage, listPage, type Page, type PageQuery } from '../../../../shared/table/page.ts';
import { getCounter, nextIds } from '../../../../shared/table/counter.ts';
import {
  type ContactImportRecord,
  importEntityName,
  importsBucket,
  importWriter,
  maxWaitingImports,
  type StoredImport,
  waitingImportHours,
} from '../../contract/import.ts';
import { errorsKey, uploadKey } from '../../domain/imports/object-keys.ts';
import { createImportJob, getImportJob, getWaitingImports, listImportJobs, startImportJob, updateImportJob } from '../../store/import.ts';

interface NewImport {
  filename: string;
  size: number;
  subscribed?: boolean | undefined;
  columns?: Record<string, string> | undefined;
  ignore_unknown_columns?: boolean | undefined;
}

/** Creates an import; the response has the upload URL. 1 RRU, 5 WRU. */
export const createImport = async (
  companyId: number,
  { filename, size, subscribed, columns, ignore_unknown_columns: ignoresUnknown }: NewImport,
  once: Once = drawWithoutKey,
): Promise<ContactImportRecord | Problem<'plan_limit_reached' | 'conflict'>> => {
  const id = await once('id', () => nextIds(companyId, importEntityName, 1));
  const job: StoredImport = {
    companyId,
    id,
    filename,
    size,
    status: 'awaiting_upload',
    cursor: 0,
    line: 1,
    slice: 0,
    counts: { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0, skippedLimit: 0 },
    ...(subscribed ? { subscribesNew: true as const } : {}),
    ...(columns ? { mapping: columns } : {}),
    ...(ignoresUnknown ? { ignoresUnknown: true as const } : {}),
    errorRows: 0,
    errorSlices: [],
    createdAt: now(),
  };
  return retryOnConflict<ContactImportRecord | Problem<'plan_limit_reached' | 'conflict'>>(
    maxAttempts,
    async () => {
      const waiting = await getWaitingImports(companyId);
      const open = Object.entries(waiting?.createdAt ?? {}).filter(([, at]) => at > now() - waitingImportHours * hourMs);
      if (open.length >= maxWaitingImports && !open.some(([key]) => key === String(id)))
        return problem('plan_limit_reached', {
          message: `At most ${maxWaitingImports} imports wait for their start. Start them, or wait ${waitingImportHours} hours until they are deleted.`,
          details: { resource: 'waiting_imports', limit: maxWaitingImports, used: open.length },
        });
      const created = await createImportJob(job, waiting, { ...Object.fromEntries(open), [id]: job.createdAt });
      return created === 'changed' ? conflict : toImportRecord(created, true);
    },
    () => problem('conflict'),
  );
};

/** Whether a caller who may read imports may upload their files too. */
export const mayUpload = (caller: Principal): boolean => accessProblem(caller, importWriter.scope, importWriter.role) === undefined;

/** An import; with its upload URL for a caller who may upload. */
export const getImport = async (
  companyId: number,
  id: number,
  isUploader: boolean,
): Promise<ContactImportRecord | Problem<'not_found'>> => {
  const job = await getImportJob(companyId, id);
  return job ? toImportRecord(job, isUploader) : problem('not_found');
};

const position = z.object({ id: z.int().positive() });

/** Imports, newest first. */
export const listImports = (
  companyId: number,
  query: PageQuery,
  isUploader: boolean,
): Promise<Page<ContactImportRecord> | Problem<'invalid_cursor'>> =>
  listPage({ scope: `contact-imports:${companyId}`, query, position }, async ({ after, skip, limit }) => {
    const { lastId, total } = await getCounter(companyId, importEntityName);
    const jobs = skip > lastId ? [] : await listImportJobs(companyId, after?.id, skip + limit + 1);
    const { items, next } = cutPage(jobs, { skip, limit }, ({ id }) => ({ id }));
    return { items: await Promise.all(items.map((job) => toImportRecord(job, isUploader))), total, next };
  });

/** Starts an import after the upload; an import that was started before is returned unchanged. 1 RRU, 5 WRU. */
export const startImport = async (
  companyId: number,
  id: number,
): Promise<ContactImportRecord | Problem<'not_found' | 'upload_missing'>> => {
  const job = await getImportJob(companyId, id);
  if (job === undefined) return problem('not_found');
  if (job.status !== 'awaiting_upload') return toImportRecord(job, true);
  const file = await getObjectSummary(importsBucket, uploadKey(job));
  if (file === undefined) return problem('upload_missing');
  if (file.bytes !== job.size)
    return problem('upload_missing', {
      message: `The upload has ${file.bytes} bytes, but size was ${job.size}. Create another import with the size of the file.`,
    });
  return toImportRecord(await startImportJob(job, file), true);
};

/** Stops an import after the slice in progress, whose counts are not recorded any more. One that does not run stays as it is. */
export const cancelImport = async (companyId: number, id: number): Promise<ContactImportRecord | Problem<'not_found' | 'conflict'>> =>
  retryOnConflict<ContactImportRecord | Problem<'not_found' | 'conflict'>>(
    maxAttempts,
    async () => {
      const job = await getImportJob(companyId, id);
      if (job === undefined) return problem('not_found');
      if (!hasWork(job)) return toImportRecord(job, true);
      const cancelled = await updateImportJob(job, { set: { status: 'cancelled', finishedAt: now() } });
      return cancelled.done ? toImportRecord(cancelled.item, true) : conflict;
    },
    () => problem('conflict'),
  );

const maxAttempts = 16;

const uploadSeconds = 3_600;
const downloadSeconds = 900;

async function toImportRecord(job: StoredImport, isUploader: boolean): Promise<ContactImportRecord> {
  const headers = uploadHeaders(job);
  const [upload, errorsUrl] = await Promise.all([
    job.status === 'awaiting_upload' && isUploader
      ? signedUrl(importsBucket, uploadKey(job), 'PUT', { seconds: uploadSeconds, headers })
      : undefined,
    job.hasErrors
      ? signedUrl(importsBucket, errorsKey(job), 'GET', { seconds: downloadSeconds, downloadAs: `import-${job.id}-errors.csv` })
      : undefined,
  ]);
  const { skippedLimit, ...counts } = job.counts;
  const time = (at: number | undefined): string | null => (at === undefined ? null : isoTime(at));
  return {
    id: job.id,
    filename: job.filename,
    status: job.status,
    upload: upload ? { url: upload, method: 'PUT', headers, expires_at: isoTime(now() + uploadSeconds * 1_000) } : null,
    progress: { bytes: job.cursor, bytes_total: job.bytes ?? null, ...counts, skipped_limit: skippedLimit },
    error: job.error ?? null,
    errors_url: errorsUrl ?? null,
    errors_truncated: job.counts.failed + job.counts.skippedLimit > job.errorRows,
    created_at: isoTime(job.createdAt),
    started_at: time(job.startedAt),
    finished_at: time(job.finishedAt),
  };
}

/** Signed into the upload URL: one file of the announced type and size, and none after it. */
const uploadHeaders = ({ size }: StoredImport): Record<string, string> => ({
  'content-type': 'text/csv',
  'content-length': String(size),
  ...onlyOnce,
});
