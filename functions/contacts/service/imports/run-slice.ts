import { atSlice, runSlices } from '../../../../shared/queue/slices.ts';
import { readObject, writeObject } from '../../../../shared/objects/bucket.ts';
import { now } from '../../../../shared/runtime/clock.ts';
import { log, metric } from '../../../../shared/runtime/log.ts';
import { importsBucket, maxImportRows, type StoredImport } from '../../contract/import.ts';
import { errorsKey, sliceErrorsKey, uploadKey } from '../../domain/imports/object-keys.ts';
import { updateImportJob, getImportJob } from '../../store/import.ts';
import {
  toErrorHeader,
  type FileError,
  toErrorLine,
  hasErrors,
  type RowResult,
  readSlice,
  type Slice,
  addToCounts,
  importSliceRows,
} from './read-slice.ts';

/** Imports one slice of a file, the rows from the stored position on: docs/decisions/contact-imports.md. */
export const runSlice = async (companyId: number, id: number, slice: number): Promise<void> =>
  runSlices(atSlice(await getImportJob(companyId, id), slice), {
    claim: claimSlice,
    work: importNextRows,
    advance: (job, outcome) => ('code' in outcome ? failImport(job, outcome) : recordSlice(job, outcome)),
  });

interface Imported {
  read: Slice;
  results: readonly RowResult[];
  startedAt: number;
}

async function importNextRows(job: StoredImport): Promise<Imported | FileError> {
  const startedAt = performance.now();
  const file = await readObject(importsBucket, uploadKey(job), { from: job.cursor, ...(job.etag === undefined ? {} : { etag: job.etag }) });
  if (file === undefined) return { code: 'file_changed', refused: 'The file was replaced or deleted after the start.' };
  const read = await readSlice(job, file);
  if ('refused' in read) return read;
  if (job.counts.rows + read.records.length > maxImportRows)
    return { code: 'too_many_rows', refused: `A file has at most ${maxImportRows} rows; the rows before were imported.` };
  return { read, results: await importSliceRows(job, read, job.sliceStartedAt ?? now()), startedAt };
}

/** Limits of the error list, which is joined in memory. */
export const maxErrorRows = 50_000;
export const maxErrorBytes = 20_000_000;

/** Stores the time of the first attempt only. */
async function claimSlice(job: StoredImport): Promise<StoredImport | undefined> {
  const at = now();
  const claim = await updateImportJob(job, { set: { status: 'running' }, setOnce: { startedAt: at, sliceStartedAt: at } });
  return claim.done ? claim.item : undefined;
}

async function recordSlice(job: StoredImport, { read, results, startedAt }: Imported): Promise<StoredImport | undefined> {
  const errorLines = errorLinesWithinLimit(job, results.filter(hasErrors).map(toErrorLine));
  if (errorLines.length > 0) await writeObject(importsBucket, sliceErrorsKey(job, job.slice), errorLines.join(''), csvType);
  const errorSlices = errorLines.length > 0 ? [...job.errorSlices, job.slice] : job.errorSlices;
  if (read.isLast && errorSlices.length > 0) await joinErrors(job, errorSlices, read.header);
  const progress = {
    cursor: read.next,
    line: read.nextLine,
    slice: job.slice + 1,
    delimiter: read.delimiter,
    header: [...read.header],
    columns: [...read.columns],
    counts: addToCounts(job.counts, results),
    errorRows: job.errorRows + errorLines.length,
    errorBytes: (job.errorBytes ?? 0) + bytesOf(errorLines),
    errorSlices,
    ...(read.isLast ? { status: 'completed' as const, finishedAt: now(), hasErrors: errorSlices.length > 0 } : {}),
  };
  const written = await updateImportJob(job, { set: progress, remove: ['sliceStartedAt'] });
  metric('ImportSlice', 'Milliseconds', performance.now() - startedAt);
  if (written.done) return written.item;
  log.info('A slice of an import ran twice in parallel', { company_id: job.companyId });
  return undefined;
}

/** The failed rows of a slice that fit into the error list. */
function errorLinesWithinLimit({ errorRows, errorBytes = 0 }: StoredImport, lines: readonly string[]): string[] {
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

/** Fails the import. Imported rows and the list of failed rows stay. */
async function failImport(job: StoredImport, { code, refused: message }: FileError): Promise<undefined> {
  if (job.errorSlices.length > 0) await joinErrors(job, job.errorSlices, job.header ?? []);
  await updateImportJob(job, {
    set: { status: 'failed', finishedAt: now(), error: { code, message }, hasErrors: job.errorSlices.length > 0 },
    remove: ['sliceStartedAt'],
  });
}

async function joinErrors(job: StoredImport, slices: readonly number[], header: readonly string[]): Promise<void> {
  const parts: string[] = [];
  for (const slice of slices) {
    const part = await readObject(importsBucket, sliceErrorsKey(job, slice));
    if (part === undefined) throw new Error('The failed rows of a slice are missing in the bucket.');
    const bytes: Uint8Array[] = [];
    for await (const chunk of part) bytes.push(chunk);
    parts.push(Buffer.concat(bytes).toString('utf8'));
  }
  await writeObject(importsBucket, errorsKey(job), `${toErrorHeader(header)}${parts.join('')}`, csvType);
}

const csvType = 'text/csv; charset=utf-8';
