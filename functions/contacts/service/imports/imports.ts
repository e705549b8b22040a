import * as z from 'zod';
import { problem, type Problem } from '../../../../shared/contract/problems.ts';
import { drawWithoutKey, type Once } from '../../../../shared/contract/route.ts';
import type { Page } from '../../../../shared/http/reply.ts';
import { getObjectSummary, signedUrl } from '../../../../shared/objects/bucket.ts';
import { isoTime, now } from '../../../../shared/runtime/clock.ts';
import { decodeCursor, encodeCursor } from '../../../../shared/table/cursor.ts';
import { getCounter, nextIds } from '../../../../shared/table/counter.ts';
import { type ContactImportRecord, importEntityName, importsBucket, maxImportBytes, type StoredImport } from '../../contract/import.ts';
import { errorsKey, uploadKey } from '../../domain/imports/object-keys.ts';
import { updateImportJob, getImportJob, listImportJobs, createImportJob } from '../../store/import.ts';

/** Creates an import; the response has the upload URL. 2 WRU. */
export const createImport = async (
  companyId: number,
  { filename }: { filename: string },
  once: Once = drawWithoutKey,
): Promise<ContactImportRecord> => {
  const job: StoredImport = {
    companyId,
    id: await once('id', () => nextIds(companyId, importEntityName, 1)),
    filename,
    status: 'awaiting_upload',
    cursor: 0,
    line: 1,
    slice: 0,
    counts: { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0, skippedLimit: 0 },
    errorRows: 0,
    errorSlices: [],
    createdAt: now(),
  };
  return toImportRecord(await createImportJob(job));
};

export const getImport = async (companyId: number, id: number): Promise<ContactImportRecord | Problem<'not_found'>> => {
  const job = await getImportJob(companyId, id);
  return job ? toImportRecord(job) : problem('not_found');
};

/** Imports, newest first. */
export const listImports = async (
  companyId: number,
  { page, limit, cursor }: { page: number; limit: number; cursor: string | undefined },
): Promise<Page<ContactImportRecord> | Problem<'invalid_cursor'>> => {
  const scope = `contact-imports:${companyId}`;
  const after = cursor === undefined ? undefined : await decodeCursor(scope, cursor, cursorPosition);
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  const { lastId, total } = await getCounter(companyId, importEntityName);
  const skip = after ? 0 : (page - 1) * limit;
  const jobs = skip > lastId ? [] : await listImportJobs(companyId, after?.id, skip + limit + 1);
  const shown = jobs.slice(skip, skip + limit);
  const last = jobs.length > skip + limit ? shown.at(-1) : undefined;
  return {
    items: await Promise.all(shown.map(toImportRecord)),
    total,
    page,
    limit,
    nextCursor: last && (await encodeCursor(scope, { id: last.id })),
  };
};

/** Starts an import after the upload; an import that was started before is returned unchanged. 1 RRU, 1 WRU. */
export const startImport = async (
  companyId: number,
  id: number,
): Promise<ContactImportRecord | Problem<'not_found' | 'upload_missing' | 'payload_too_large'>> => {
  const job = await getImportJob(companyId, id);
  if (job === undefined) return problem('not_found');
  if (job.status !== 'awaiting_upload') return toImportRecord(job);
  const file = await getObjectSummary(importsBucket, uploadKey(job));
  if (file === undefined) return problem('upload_missing');
  if (file.bytes > maxImportBytes) return problem('payload_too_large', { details: { max_bytes: maxImportBytes } });
  const started = await updateImportJob(job, { set: { status: 'queued', bytes: file.bytes, etag: file.etag } });
  return toImportRecord(started.current ?? job);
};

const cursorPosition = z.object({ id: z.int().positive() });

const linkSeconds = 3_600;

async function toImportRecord(job: StoredImport): Promise<ContactImportRecord> {
  const [upload, errorsUrl] = await Promise.all([
    job.status === 'awaiting_upload' ? signedUrl(importsBucket, uploadKey(job), 'PUT', { seconds: linkSeconds }) : undefined,
    job.hasErrors
      ? signedUrl(importsBucket, errorsKey(job), 'GET', { seconds: linkSeconds, downloadAs: `import-${job.id}-errors.csv` })
      : undefined,
  ]);
  const { skippedLimit, ...counts } = job.counts;
  const time = (at: number | undefined): string | null => (at === undefined ? null : isoTime(at));
  return {
    id: job.id,
    filename: job.filename,
    status: job.status,
    upload: upload
      ? { url: upload, method: 'PUT', headers: { 'content-type': 'text/csv' }, expires_at: isoTime(now() + linkSeconds * 1_000) }
      : null,
    progress: { bytes: job.cursor, bytes_total: job.bytes ?? null, ...counts, skipped_limit: skippedLimit },
    error: job.error ?? null,
    errors_url: errorsUrl ?? null,
    errors_truncated: job.counts.failed + job.counts.skippedLimit > job.errorRows,
    created_at: isoTime(job.createdAt),
    started_at: time(job.startedAt),
    finished_at: time(job.finishedAt),
  };
}
