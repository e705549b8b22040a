import { readObject, writeObject } from '../../../shared/objects/bucket.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { importsBucket, maxImportRows, type StoredImport } from '../contract/import.ts';
import { errorsKey, sliceErrorsKey, uploadKey } from '../domain/import-keys.ts';
import { advanceImport, findImport } from '../store/import.ts';
import { errorHeader, errorLine, isRefused, type Judged, readSlice, type Slice, tallied, workRows } from './import-reading.ts';

/**
 * One slice of an import: the rows from the stored place on. Its end moves the place, on the condition that nobody did; so a slice that is
 * delivered again, late or twice at once finds the import elsewhere, and one that broke off is worked again to the same end. The next
 * slice follows from the change of the row.
 */
export const workSlice = async (companyId: number, id: number, slice: number): Promise<void> => {
  const job = await claimed(companyId, id, slice);
  if (job === undefined) return;
  const began = performance.now();
  const file = await readObject(importsBucket, uploadKey(job), { from: job.cursor, ...(job.etag === undefined ? {} : { etag: job.etag }) });
  if (file === undefined) return fail(job, 'file_changed', 'The file was replaced or removed after the start.');
  const read = await readSlice(job, file);
  if ('refused' in read) return fail(job, read.code, read.refused);
  if (job.counts.rows + read.records.length > maxImportRows)
    return fail(job, 'too_many_rows', `A file has at most ${maxImportRows} rows; those before were taken.`);
  const judged = await workRows(companyId, read, job.sliceStartedAt ?? now());
  await finish(job, read, judged);
  metric('ImportSlice', 'Milliseconds', performance.now() - began);
};

/** What an error list may have in all; a file in which everything is wrong needs no longer one. It is joined in memory. */
export const maxErrorRows = 50_000;
export const maxErrorBytes = 20_000_000;

/** The import, when this slice is what it waits for; the time of the first try is kept for the second. */
async function claimed(companyId: number, id: number, slice: number): Promise<StoredImport | undefined> {
  const job = await findImport(companyId, id);
  if (job === undefined || job.slice !== slice || (job.status !== 'queued' && job.status !== 'running')) return undefined;
  const at = now();
  const claim = await advanceImport(job, { set: { status: 'running' }, setOnce: { startedAt: at, sliceStartedAt: at } });
  return claim.done ? claim.current : undefined;
}

async function finish(job: StoredImport, read: Slice, judged: readonly Judged[]): Promise<void> {
  const bad = listable(job, judged.filter(isRefused).map(errorLine));
  if (bad.length > 0) await writeObject(importsBucket, sliceErrorsKey(job, job.slice), bad.join(''), csvType);
  const errorSlices = bad.length > 0 ? [...job.errorSlices, job.slice] : job.errorSlices;
  if (read.isLast && errorSlices.length > 0) await joinErrors(job, errorSlices, read.header);
  const moved = {
    cursor: read.next,
    line: read.nextLine,
    slice: job.slice + 1,
    delimiter: read.delimiter,
    header: [...read.header],
    columns: [...read.columns],
    counts: tallied(job.counts, judged),
    errorRows: job.errorRows + bad.length,
    errorBytes: (job.errorBytes ?? 0) + bytesOf(bad),
    errorSlices,
    ...(read.isLast ? { status: 'completed' as const, finishedAt: now(), hasErrors: errorSlices.length > 0 } : {}),
  };
  const { done } = await advanceImport(job, { set: moved, remove: ['sliceStartedAt'] });
  if (!done) log.info('A slice of an import was worked twice at once', { company_id: job.companyId });
}

/** As many of a slice's failed rows as the list has room for. */
function listable({ errorRows, errorBytes = 0 }: StoredImport, lines: readonly string[]): string[] {
  const listed: string[] = [];
  let bytes = errorBytes;
  for (const line of lines.slice(0, Math.max(0, maxErrorRows - errorRows))) {
    bytes += Buffer.byteLength(line);
    if (bytes > maxErrorBytes) break;
    listed.push(line);
  }
  return listed;
}

const bytesOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);

/** The whole file is refused: what was taken before stays, and so does the list of rows that failed until then. */
async function fail(job: StoredImport, code: string, message: string): Promise<void> {
  if (job.errorSlices.length > 0) await joinErrors(job, job.errorSlices, job.header ?? []);
  await advanceImport(job, {
    set: { status: 'failed', finishedAt: now(), error: { code, message }, hasErrors: job.errorSlices.length > 0 },
    remove: ['sliceStartedAt'],
  });
}

async function joinErrors(job: StoredImport, slices: readonly number[], header: readonly string[]): Promise<void> {
  const parts: string[] = [];
  for (const slice of slices) {
    const part = await readObject(importsBucket, sliceErrorsKey(job, slice));
    if (part === undefined) throw new Error('The failed rows of a slice are gone.');
    const bytes: Uint8Array[] = [];
    for await (const chunk of part) bytes.push(chunk);
    parts.push(Buffer.concat(bytes).toString('utf8'));
  }
  await writeObject(importsBucket, errorsKey(job), `${errorHeader(header)}${parts.join('')}`, csvType);
}

const csvType = 'text/csv; charset=utf-8';
