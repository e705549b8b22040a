import { readObject, writeObject } from '../../../shared/objects/bucket.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { importsBucket, maxImportRows, type StoredImport } from '../contract/import.ts';
import { type Column, columnsOf, type RowError } from '../domain/import.ts';
import { type CsvRecord, csvProblems, CsvReader, type Delimiter, detectDelimiter, textBegin } from '../domain/import-csv.ts';
import { csvLine } from '../domain/export-csv.ts';
import { errorsKey, sliceErrorsKey, uploadKey } from '../domain/import-keys.ts';
import { advanceImport, findImport } from '../store/import.ts';
import { importRows, type RowOutcome } from './import-rows.ts';

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
  const rows = read.records.filter(({ problem }) => problem === undefined).map(({ fields }) => fields);
  const outcomes = (await importRows(companyId, read.columns, rows, job.sliceStartedAt ?? now())).values();
  const judged = read.records.map(
    (record): Judged => ({ record, outcome: record.problem ? broken(record) : (outcomes.next().value ?? broken(record)) }),
  );
  await finish(job, read, judged);
  metric('ImportSlice', 'Milliseconds', performance.now() - began);
};

/** Rows of a slice: within a worker's time by far, and enough that the row of the import is not written all the time. */
export const rowsPerSlice = 500;
/** What an error list may have in all; a file in which everything is wrong needs no longer one. */
export const maxErrorRows = 50_000;

interface Judged {
  record: CsvRecord;
  outcome: RowOutcome;
}

interface Slice {
  delimiter: Delimiter;
  header: readonly string[];
  columns: readonly Column[];
  records: readonly CsvRecord[];
  next: number;
  nextLine: number;
  isLast: boolean;
}

/** The import, when this slice is what it waits for; the time of the first try is kept for the second. */
async function claimed(companyId: number, id: number, slice: number): Promise<StoredImport | undefined> {
  const job = await findImport(companyId, id);
  if (job === undefined || job.slice !== slice || (job.status !== 'queued' && job.status !== 'running')) return undefined;
  const at = now();
  const claim = await advanceImport(job, { set: { status: 'running' }, setOnce: { startedAt: at, sliceStartedAt: at } });
  return claim.done ? claim.current : undefined;
}

async function readSlice(job: StoredImport, chunks: AsyncIterable<Uint8Array>): Promise<Slice | { refused: string; code: string }> {
  let reader = job.delimiter && new CsvReader(job.delimiter, { offset: job.cursor, line: job.line });
  let delimiter = job.delimiter;
  let [header, columns] = [job.header, job.columns];
  const records: CsvRecord[] = [];
  let held: Uint8Array = new Uint8Array();
  /** Takes in bytes; what is wrong with the file as a whole, if anything is. */
  const take = (chunk: Uint8Array, isEnd: boolean): { refused: string; code: string } | undefined => {
    let bytes = chunk;
    if (reader === undefined) {
      held = Buffer.concat([held, chunk]);
      if (held.length < detectBytes && !isEnd) return undefined;
      const begin = textBegin(held);
      if (begin === undefined) return { code: 'not_utf8', refused: 'The file is UTF-16. Save it as "CSV UTF-8".' };
      bytes = held.subarray(begin);
      delimiter = detectDelimiter(bytes);
      reader = new CsvReader(delimiter, { offset: begin, line: 1 });
    }
    records.push(...reader.push(bytes), ...(isEnd ? reader.end() : []));
    if (columns !== undefined) return undefined;
    const first = records.shift();
    if (first === undefined) return isEnd ? { code: 'empty_file', refused: 'The file is empty.' } : undefined;
    if (first.problem) return { code: 'invalid_header', refused: `The first row cannot be read. ${csvProblems[first.problem]}` };
    const named = columnsOf(first.fields);
    if ('refused' in named) return { code: 'invalid_header', refused: named.refused };
    header = first.fields;
    columns = named;
    afterHeader = first;
    return undefined;
  };
  let afterHeader: CsvRecord | undefined;
  for await (const chunk of chunks) {
    const refused = take(chunk, false);
    if (refused) return refused;
    if (records.length > rowsPerSlice) break;
  }
  if (records.length <= rowsPerSlice) {
    const refused = take(new Uint8Array(), true);
    if (refused) return refused;
  }
  if (!delimiter || !header || !columns) throw new Error('A slice was read without a header.');
  const left = maxImportRows - job.counts.rows;
  if (records.length > left)
    return { code: 'too_many_rows', refused: `A file has at most ${maxImportRows} rows; those before were taken.` };
  const taken = records.slice(0, rowsPerSlice);
  const last = taken.at(-1) ?? afterHeader;
  const isLast = taken.length === records.length;
  return {
    delimiter,
    header,
    columns,
    records: taken,
    next: isLast ? (job.bytes ?? 0) : (last?.next ?? job.cursor),
    nextLine: last?.nextLine ?? job.line,
    isLast,
  };
}

async function finish(job: StoredImport, read: Slice, judged: readonly Judged[]): Promise<void> {
  const counts = { ...job.counts, rows: job.counts.rows + judged.length };
  for (const { outcome } of judged) counts[outcome.is === 'skipped_limit' ? 'skippedLimit' : outcome.is]++;
  const bad = judged.filter(({ outcome }) => 'errors' in outcome).slice(0, maxErrorRows - job.errorRows);
  if (bad.length > 0)
    await writeObject(importsBucket, sliceErrorsKey(job, job.slice), bad.map((each) => errorLine(each)).join(''), csvType);
  const errorSlices = bad.length > 0 ? [...job.errorSlices, job.slice] : job.errorSlices;
  if (read.isLast && errorSlices.length > 0) await joinErrors(job, errorSlices, read.header);
  const moved = {
    cursor: read.next,
    line: read.nextLine,
    slice: job.slice + 1,
    delimiter: read.delimiter,
    header: read.header,
    columns: read.columns,
    counts,
    errorRows: job.errorRows + bad.length,
    errorSlices,
    ...(read.isLast ? { status: 'completed', finishedAt: now(), hasErrors: errorSlices.length > 0 } : {}),
  };
  const { done } = await advanceImport(job, { set: moved, remove: ['sliceStartedAt'] });
  if (!done) log.info('A slice of an import was worked twice at once', { company_id: job.companyId });
}

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
  await writeObject(importsBucket, errorsKey(job), `\uFEFF${csvLine(['line', 'reasons', ...header])}${parts.join('')}`, csvType);
}

const csvType = 'text/csv; charset=utf-8';

/** How much is looked at to find the delimiter: the header of any file that people make. */
const detectBytes = 16_384;

const broken = ({ problem }: CsvRecord): RowOutcome => ({
  is: 'failed',
  errors: [{ column: '', reason: problem ? csvProblems[problem] : 'The row could not be read.' }],
});

export const errorLine = ({ record, outcome }: Judged): string =>
  csvLine([String(record.line), 'errors' in outcome ? said(outcome.errors) : '', ...record.fields]);

export const said = (errors: readonly RowError[]): string =>
  errors.map(({ column, reason }) => (column === '' ? reason : `${column}: ${reason}`)).join(' ');
