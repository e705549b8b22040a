import { type CSSProperties, type JSX, memo, type ReactNode, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
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
  /** Left out where the table is too narrow for all, the last such column first. */
  isExtra?: boolean | 'goes last';
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

const looksOf = ({ isNumber }: Pick<Column<unknown>, 'isNumber'>): string => (isNumber ? 'end numbers' : '');

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

/** The gap between columns and the space beside them, pixels, as table.css has them. */
const [gap, edges] = [16, 40];

/** What a column needs, rem: the least of one that grows. */
const remsOf = ({ width }: Pick<Column<unknown>, 'width'>): number => Number.parseFloat(/minmax\(([^,]+)/.exec(width)?.[1] ?? width);

/** The columns that fit side by side: without the last of the extra ones, as many as must go, and those that go last after all others. */
const fittingIn = <T,>(columns: readonly Column<T>[], width: number, rem: number): readonly Column<T>[] => {
  let shown = columns;
  const extras = columns.filter(({ isExtra }) => isExtra).toReversed();
  const goLast = extras.filter(({ isExtra }) => isExtra === 'goes last');
  for (const extra of [...extras.filter((each) => !goLast.includes(each)), ...goLast]) {
    const needed = shown.reduce((sum, each) => sum + remsOf(each) * rem + gap, edges - gap);
    if (needed <= width) break;
    shown = shown.filter((each) => each !== extra);
  }
  return shown;
};

/** How wide a table is, and a letter in it, pixels: before it is drawn, and whenever that changes. */
const usePlace = (box: RefObject<HTMLDivElement | null>): { width: number; rem: number } => {
  const [place, setPlace] = useState({ width: Number.POSITIVE_INFINITY, rem: 16 });
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    const look = (): void => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setPlace({ width: current.clientWidth, rem });
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(current);
    return () => observer.disconnect();
  }, [box]);
  return place;
};

/** Below this a table is on a telephone: its columns may shrink as they must, pixels. */
const narrowPx = 680;

/** Rows in columns, of which only those near the view are in the document; a table to screen readers. */
export const Table = <T,>({ label, columns: all, rows, keyOf, onEnd, rowHeight = 44, boxRef }: TableProps<T>): JSX.Element => {
  const own = useRef<HTMLDivElement>(null);
  const box = boxRef ?? own;
  const shown = useVirtualRows(box, rows.length, rowHeight, onEnd);
  const { width, rem } = usePlace(box);
  const isNarrow = width < narrowPx;
  const columns = useMemo(() => fittingIn(all, width, rem), [all, width, rem]);
  const tracks = columns.map((column) => (isNarrow ? column.width.replace(/minmax\([^,]+,/, 'minmax(0,') : column.width)).join(' ');
  const style = { '--tracks': tracks } as CSSProperties;
  return (
    <div
      ref={box}
      className={`data-table ${isNarrow ? 'narrow' : ''}`}
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      style={style}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys
      tabIndex={0}
    >
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

interface CsvButtonProps<T> {
  /** Of the file. */
  name: string;
  columns: readonly CsvColumn<T>[];
  rows: readonly T[];
  /** Which table of the page, where there are several. */
  of?: string;
}

/** Saves what a table shows as a file: all rows that were read, with their values. */
export const CsvButton = <T,>({ name, columns, rows, of }: CsvButtonProps<T>): JSX.Element => {
  const text = useText(shellText);
  const save = (): void => download(`${name}.csv`, csvOf(columns, rows));
  const label = of === undefined ? text.exportCsv : `${text.exportCsv}: ${of}`;
  return <Button icon="download" label={label} disabled={rows.length === 0} onClick={save} />;
};
