import { type CSSProperties, type JSX, memo, type ReactNode, type RefObject, useRef } from 'react';
import { type CsvColumn, csvOf } from '../data/csv.ts';
import { download } from '../data/download.ts';
import { shellText } from '../text/shell.ts';
import { useLocale, useText } from '../text/text.ts';
import { Button } from './basics.tsx';
import { formatCount } from './time.tsx';
import { useVirtualRows } from './virtual-list.tsx';
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
  onEnd?: (() => void) | undefined;
  rowHeight?: number;
  /** What scrolls. */
  boxRef?: RefObject<HTMLDivElement | null> | undefined;
}

const looksOf = ({ isExtra, isNumber }: Pick<Column<unknown>, 'isExtra' | 'isNumber'>): string =>
  `${isExtra ? 'extra' : ''} ${isNumber ? 'end numbers' : ''}`;

/** What a row shows: drawn again where its own data change, not where rows come above it. */
const Cells = memo(<T,>({ columns, row }: { columns: readonly Column<T>[]; row: T }) => {
  const { tag } = useLocale();
  return columns.map((column) => {
    const value = column.value(row);
    // a count has the digits of the reader's language; an id is no count
    const shown = column.isNumber && typeof value === 'number' ? formatCount(tag, value) : value;
    return (
      <div key={column.id} role="cell" className={looksOf(column)}>
        {column.cell ? column.cell(row) : shown}
      </div>
    );
  });
}) as <T>(props: { columns: readonly Column<T>[]; row: T }) => JSX.Element;

/** Rows in columns, of which only those near the view are in the document; a table to screen readers. */
export const Table = <T,>({ label, columns, rows, keyOf, onEnd, rowHeight = 44, boxRef }: TableProps<T>): JSX.Element => {
  const own = useRef<HTMLDivElement>(null);
  const box = boxRef ?? own;
  const shown = useVirtualRows(box, rows.length, rowHeight, onEnd);
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
      <div role="rowgroup" className="lines" style={{ height: shown.getTotalSize() }}>
        {shown.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          return (
            row !== undefined && (
              <div key={keyOf(row)} role="row" className="line" aria-rowindex={index + 2} style={{ top: start, height: rowHeight }}>
                <Cells columns={columns} row={row} />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
};

/** Saves what a table shows as a file: all rows that were read, with their values. */
export const CsvButton = <T,>({ name, columns, rows }: { name: string; columns: readonly CsvColumn<T>[]; rows: readonly T[] }) => {
  const text = useText(shellText);
  const save = (): void => download(`${name}.csv`, csvOf(columns, rows));
  return <Button icon="download" label={text.exportCsv} disabled={rows.length === 0} onClick={save} />;
};
