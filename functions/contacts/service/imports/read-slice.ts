import type { StoredImport } from '../../contract/import.ts';
import { csvLine, restoredCell } from '../../../../shared/runtime/csv-line.ts';
import { type Column, parseHeader, type RowError } from '../../domain/imports/columns.ts';
import { type CsvRecord, csvProblems, CsvReader, type Delimiter, detectDelimiter, textStart } from '../../domain/imports/csv-reader.ts';
import { importRows, type RowOutcome } from './import-rows.ts';

/** Where the next slice begins, and the header of the file. Stored by the caller between slices. */
export type ReadPosition = Pick<
  StoredImport,
  'cursor' | 'line' | 'bytes' | 'delimiter' | 'header' | 'columns' | 'mapping' | 'ignoresUnknown'
>;

/** Rows of a slice: far within the timeout of a worker, and enough that the position is not written too often. */
export const rowsPerSlice = 500;

export interface RowResult {
  record: CsvRecord;
  outcome: RowOutcome;
}

export interface Slice {
  delimiter: Delimiter;
  header: readonly string[];
  columns: readonly Column[];
  records: readonly CsvRecord[];
  next: number;
  nextLine: number;
  isLast: boolean;
}

/** An error of the whole file. */
export interface FileError {
  code: string;
  refused: string;
}

/** The next rows of a file. `chunks` begin at the position. */
export const readSlice = async (job: ReadPosition, chunks: AsyncIterable<Uint8Array>): Promise<Slice | FileError> => {
  let reader = job.delimiter && new CsvReader(job.delimiter, { offset: job.cursor, line: job.line });
  let delimiter = job.delimiter;
  let [header, columns] = [job.header, job.columns];
  const records: CsvRecord[] = [];
  let buffered: Uint8Array = new Uint8Array();
  /** Parses bytes; returns an error of the whole file, if any. */
  const readBytes = (chunk: Uint8Array, isEnd: boolean): FileError | undefined => {
    let bytes = chunk;
    if (reader === undefined) {
      buffered = Buffer.concat([buffered, chunk]);
      if (buffered.length < detectBytes && !isEnd) return undefined;
      const begin = textStart(buffered);
      if (begin === undefined) return { code: 'not_utf8', refused: 'The file is UTF-16. Save it as "CSV UTF-8".' };
      bytes = buffered.subarray(begin);
      delimiter = detectDelimiter(bytes);
      reader = new CsvReader(delimiter, { offset: begin, line: 1 });
    }
    records.push(...[...reader.push(bytes), ...(isEnd ? reader.end() : [])].map(withRestoredCells));
    if (columns !== undefined) return undefined;
    const first = records.shift();
    if (first === undefined) return isEnd ? { code: 'empty_file', refused: 'The file is empty.' } : undefined;
    if (first.problem) return { code: 'invalid_header', refused: `The first row cannot be read. ${csvProblems[first.problem]}` };
    const named = parseHeader(first.fields, job);
    if ('refused' in named) return { code: 'invalid_header', refused: named.refused };
    header = first.fields;
    columns = named;
    afterHeader = first;
    return undefined;
  };
  let afterHeader: CsvRecord | undefined;
  for await (const chunk of chunks) {
    const refused = readBytes(chunk, false);
    if (refused) return refused;
    if (records.length > rowsPerSlice) break;
  }
  if (records.length <= rowsPerSlice) {
    const refused = readBytes(new Uint8Array(), true);
    if (refused) return refused;
  }
  if (!delimiter || !header || !columns) throw new Error('A slice was read without a header.');
  const sliceRecords = records.slice(0, rowsPerSlice);
  const last = sliceRecords.at(-1) ?? afterHeader;
  const isLast = sliceRecords.length === records.length;
  return {
    delimiter,
    header,
    columns,
    records: sliceRecords,
    next: isLast ? (job.bytes ?? 0) : (last?.next ?? job.cursor),
    nextLine: last?.nextLine ?? job.line,
    isLast,
  };
};

/** Exports and error lists put an apostrophe in front of what a spreadsheet would execute. */
const withRestoredCells = (record: CsvRecord): CsvRecord => ({ ...record, fields: record.fields.map(restoredCell) });

/** Imports the rows of a slice and returns the result of each. `since`: when the first attempt of the slice began. */
export const importSliceRows = async (
  { companyId, subscribesNew }: Pick<StoredImport, 'companyId' | 'subscribesNew'>,
  { columns, records }: Slice,
  since: number,
): Promise<RowResult[]> => {
  const rows = records.filter(({ problem }) => problem === undefined).map(({ fields }) => fields);
  const outcomes = (await importRows(companyId, columns, rows, since, { subscribesNew })).values();
  return records.map((record) => ({
    record,
    outcome: record.problem ? unreadableRow(record) : (outcomes.next().value ?? unreadableRow(record)),
  }));
};

/** The counts plus the rows of a slice. */
export const addToCounts = (before: StoredImport['counts'], results: readonly RowResult[]): StoredImport['counts'] => {
  const counts = { ...before, rows: before.rows + results.length };
  for (const { outcome } of results) counts[outcome.is === 'skipped_limit' ? 'skippedLimit' : outcome.is]++;
  return counts;
};

export const hasErrors = ({ outcome }: RowResult): boolean => 'errors' in outcome;

export const toErrorHeader = (header: readonly string[]): string => `\uFEFF${csvLine(['line', 'reasons', ...header])}`;

/** Bytes read to detect the delimiter: more than the header of any realistic file. */
const detectBytes = 16_384;

const unreadableRow = ({ problem }: CsvRecord): RowOutcome => ({
  is: 'failed',
  errors: [{ column: '', reason: problem ? csvProblems[problem] : 'The row could not be read.' }],
});

/** A failed row with its line number and the reasons. An unreadable row has no values. */
export const toErrorLine = ({ record, outcome }: RowResult): string =>
  csvLine([String(record.line), 'errors' in outcome ? describeErrors(outcome.errors) : '', ...record.fields]);

export const describeErrors = (errors: readonly RowError[]): string =>
  errors.map(({ column, reason }) => (column === '' ? reason : `${column}: ${reason}`)).join(' ');
