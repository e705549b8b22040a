import type { StoredImport } from '../contract/import.ts';
import { csvLine } from '../domain/export-csv.ts';
import { type Column, columnsOf, type RowError } from '../domain/import.ts';
import { type CsvRecord, csvProblems, CsvReader, type Delimiter, detectDelimiter, textBegin } from '../domain/import-csv.ts';
import { importRows, type RowOutcome } from './import-rows.ts';

/** Where reading a file of contacts goes on, and what its first row said: kept by whoever reads it in slices. */
export type ReadingPlace = Pick<StoredImport, 'cursor' | 'line' | 'bytes' | 'delimiter' | 'header' | 'columns'>;

/** Rows of a slice: within a worker's time by far, and enough that the place is not written all the time. */
export const rowsPerSlice = 500;

export interface Judged {
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

/** What is wrong with a file as a whole. */
export interface FileRefusal {
  code: string;
  refused: string;
}

/** The next rows of a file, from bytes that begin at the place. */
export const readSlice = async (job: ReadingPlace, chunks: AsyncIterable<Uint8Array>): Promise<Slice | FileRefusal> => {
  let reader = job.delimiter && new CsvReader(job.delimiter, { offset: job.cursor, line: job.line });
  let delimiter = job.delimiter;
  let [header, columns] = [job.header, job.columns];
  const records: CsvRecord[] = [];
  let held: Uint8Array = new Uint8Array();
  /** Takes in bytes; what is wrong with the file as a whole, if anything is. */
  const take = (chunk: Uint8Array, isEnd: boolean): FileRefusal | undefined => {
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
};

/** Takes the rows of a slice, and says of each what came of it. `since`: when work on the slice began first. */
export const workRows = async (companyId: number, { columns, records }: Slice, since: number): Promise<Judged[]> => {
  const rows = records.filter(({ problem }) => problem === undefined).map(({ fields }) => fields);
  const outcomes = (await importRows(companyId, columns, rows, since)).values();
  return records.map((record) => ({ record, outcome: record.problem ? broken(record) : (outcomes.next().value ?? broken(record)) }));
};

/** The counts with a slice's rows added. */
export const tallied = (before: StoredImport['counts'], judged: readonly Judged[]): StoredImport['counts'] => {
  const counts = { ...before, rows: before.rows + judged.length };
  for (const { outcome } of judged) counts[outcome.is === 'skipped_limit' ? 'skippedLimit' : outcome.is]++;
  return counts;
};

export const isRefused = ({ outcome }: Judged): boolean => 'errors' in outcome;

export const errorHeader = (header: readonly string[]): string => `\uFEFF${csvLine(['line', 'reasons', ...header])}`;

/** How much is looked at to find the delimiter: the header of any file that people make. */
const detectBytes = 16_384;

const broken = ({ problem }: CsvRecord): RowOutcome => ({
  is: 'failed',
  errors: [{ column: '', reason: problem ? csvProblems[problem] : 'The row could not be read.' }],
});

/** A row that was not taken, with its line and the reasons. A row that could not be read has no values. */
export const errorLine = ({ record, outcome }: Judged): string =>
  csvLine([String(record.line), 'errors' in outcome ? said(outcome.errors) : '', ...record.fields]);

const said = (errors: readonly RowError[]): string =>
  errors.map(({ column, reason }) => (column === '' ? reason : `${column}: ${reason}`)).join(' ');
