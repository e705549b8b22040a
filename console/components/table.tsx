import { type CSSProperties, type JSX, memo, type ReactNode, type RefObject, useCallback, useRef } from 'react';
import { type CsvColumn, csvOf, download } from '../data/csv.ts';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.ts';
import { Button } from './basics.tsx';
import { useRowsInView } from './virtual-list.tsx';
import './table.css';

export interface Column<T> extends CsvColumn<T> {
  id: string;
  /** A track of a CSS grid, such as `minmax(8rem, 2fr)`. */
  width: string;
  /** What is shown where it is not the value. */
  cell?: (row: T) => ReactNode;
  /** Left out where the table is narrow. */
  isExtra?: boolean;
  /** Numbers stand at the end. */
  isNumber?: boolean;
}

interface TableProps<T> {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string | number;
  /** Called near the end. */
  onEnd?: () => void;
  rowHeight?: number;
  /** What scrolls. */
  boxRef?: RefObject<HTMLDivElement | null>;
}

const looksOf = ({ isExtra, isNumber }: Pick<Column<unknown>, 'isExtra' | 'isNumber'>): string =>
  `${isExtra ? 'extra' : ''} ${isNumber ? 'end numbers' : ''}`;

/** What a row shows: drawn again where its own data change, not where rows come above it. */
const Cells = memo(({ columns, row }: { columns: readonly Column<never>[]; row: unknown }) =>
  columns.map((column) => (
    <div key={column.id} role="cell" className={looksOf(column)}>
      {column.cell ? column.cell(row as never) : column.value(row as never)}
    </div>
  )),
) as <T>(props: { columns: readonly Column<T>[]; row: T }) => JSX.Element;

/** Rows in columns, of which only those near the view are in the document; a table to screen readers. */
export const Table = <T,>({ label, columns, rows, keyOf, onEnd, rowHeight = 44, boxRef }: TableProps<T>): JSX.Element => {
  const own = useRef<HTMLDivElement>(null);
  const box = boxRef ?? own;
  const { first, last } = useRowsInView(box, rows.length, rowHeight, onEnd);
  const tracks = (those: readonly Column<T>[]): string => those.map(({ width }) => width).join(' ');
  const style = {
    '--tracks': tracks(columns),
    '--tracks-narrow': tracks(columns.filter(({ isExtra }) => !isExtra)).replace(/minmax\([^,]+,/g, 'minmax(0,'),
  } as CSSProperties;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys
    <div ref={box} className="data-table" role="table" aria-label={label} aria-rowcount={rows.length + 1} style={style} tabIndex={0}>
      <div role="rowgroup" className="head">
        <div role="row" className="line" aria-rowindex={1}>
          {columns.map((column) => (
            <div key={column.id} role="columnheader" className={looksOf(column)}>
              {column.name}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="lines" style={{ height: rows.length * rowHeight }}>
        {rows.slice(first, last).map((row, index) => (
          <div
            key={keyOf(row)}
            role="row"
            className="line"
            aria-rowindex={first + index + 2}
            style={{ top: (first + index) * rowHeight, height: rowHeight }}
          >
            <Cells columns={columns} row={row} />
          </div>
        ))}
      </div>
    </div>
  );
};

/** Saves what a table shows as a file: all rows that were read, with their values. */
export const CsvButton = <T,>({ name, columns, rows }: { name: string; columns: readonly CsvColumn<T>[]; rows: readonly T[] }) => {
  const text = useText(shellText);
  const save = useCallback(() => download(`${name}.csv`, csvOf(columns, rows)), [name, columns, rows]);
  return <Button icon="download" label={text.exportCsv} disabled={rows.length === 0} onClick={save} />;
};
