import { restoredCell } from '../../../shared/runtime/csv-line.ts';

/** What the beginning of a file of contacts says: its columns, and the first rows to recognize them by. */
export interface FileBeginning {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

const delimiters = [',', ';', '\t', '|'] as const;
const shownRows = 3;

/** Reads the columns and first rows of a CSV text. The API reads the file itself; this is for choosing what its columns mean. */
export const beginningOf = (text: string): FileBeginning => {
  const plain = text.replace(/^\uFEFF/, '');
  const [firstLine = ''] = recordsOf(plain, '\n', 1).map((cells) => cells.join('\n'));
  const delimiter = delimiters.toSorted((a, b) => cellsIn(firstLine, b) - cellsIn(firstLine, a))[0] ?? ',';
  const [columns = [], ...rows] = recordsOf(plain, delimiter, shownRows + 1);
  return { columns: columns.map((name) => name.trim()), rows };
};

/** Rows of an import that failed, as its file of errors has them. */
export interface FailedRows {
  columns: readonly string[];
  rows: readonly { line: string; reasons: string; cells: readonly string[] }[];
}

/** Reads the file of errors: behind the line and the reasons stand the cells as they were. */
export const failedRowsIn = (text: string): FailedRows => {
  const [header = [], ...records] = recordsOf(text.replace(/^\uFEFF/, ''), ',', Number.POSITIVE_INFINITY);
  const columns = header.slice(2).map(restoredCell);
  return {
    columns,
    rows: records.map(([line = '', reasons = '', ...cells]) => ({
      line,
      reasons,
      cells: columns.map((_, place) => restoredCell(cells[place] ?? '')),
    })),
  };
};

const cellsIn = (firstLine: string, delimiter: string): number => recordsOf(firstLine, delimiter, 1)[0]?.length ?? 0;

/** The first records of a text, each with its cells; quotes hold what divides cells and records, and two of them are one. */
function recordsOf(text: string, delimiter: string, most: number): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endRecord = (): void => {
    if (cells.length > 0 || cell.trim() !== '') records.push([...cells, cell]);
    cells = [];
    cell = '';
  };
  for (let at = 0; at < text.length && records.length < most; at++) {
    const letter = text[at] ?? '';
    if (letter === '"' && isQuoted && text[at + 1] === '"') {
      cell += '"';
      at++;
    } else if (letter === '"') isQuoted = !isQuoted;
    else if (isQuoted) cell += letter;
    else if (letter === delimiter && delimiter !== '\n') {
      cells.push(cell);
      cell = '';
    } else if (letter === '\n') endRecord();
    else if (letter !== '\r') cell += letter;
  }
  if (records.length < most) endRecord();
  return records;
}
