import { csvOf } from '../../data/csv.ts';
import type { ChartLink } from './picture-link.tsx';

/** The numbers of a chart as rows: what a screen reader reads, what `as a table` shows, and what is saved as a file. */
export interface ChartTable {
  columns: readonly string[];
  rows: readonly (readonly (string | number | null)[])[];
  /** What a file has in the first column where that is not what is shown: the days as dates. */
  names?: readonly string[];
  /** Where a row leads: to the list of what it counts. */
  links?: readonly (ChartLink | undefined)[];
  /** A number of a column in words; undefined: as the reader writes it. A file has the number itself. */
  words?: (value: number, column: number) => string | undefined;
}

/** The numbers of a chart as a file has them: whole, and not as the reader writes them. What is not known is empty. */
export const chartCsv = ({ columns, rows, names }: ChartTable): string =>
  csvOf(
    columns.map((name, column) => ({ name, value: (row: ChartTable['rows'][number]) => row[column] })),
    rows.map((row, at) => [names?.[at] ?? row[0] ?? null, ...row.slice(1)]),
  );

/** A name as it may stand in the name of a file: its letters and digits, in any script. */
export const fileName = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
