import { csvLine, inertCell } from '../../shared/runtime/csv-line.ts';

/** A column of a file: its name, and its value of a row. */
export interface CsvColumn<T> {
  name: string;
  value: (row: T) => string | number | boolean | null | undefined;
}

/** Rows as the API's own exports have them: a text that a spreadsheet would run as a formula is inert, and a number stays a number. */
export const csvOf = <T>(columns: readonly CsvColumn<T>[], rows: readonly T[]): string =>
  [columns.map(({ name }) => inertCell(name)), ...rows.map((row) => columns.map(({ value }) => cell(value(row))))]
    .map((cells) => csvLine(cells, { isRaw: true }))
    .join('');

const cell = (value: string | number | boolean | null | undefined): string =>
  typeof value === 'string' ? inertCell(value) : String(value ?? '');
