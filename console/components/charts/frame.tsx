import { type JSX, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from '@tanstack/react-router';
import { download } from '../../data/download.ts';
import { chartsText } from '../../text/charts.ts';
import { useLocale, useText } from '../../text/text.ts';
import { Button } from '../basics.tsx';
import { PlainTable } from '../plain-table.tsx';
import { chartCsv, type ChartTable, fileName } from './chart-csv.ts';
import './charts.css';

/** One of the things that a chart counts. */
export interface Series {
  name: string;
  /** 1 to 6, or a state; charts.css has the colours. */
  colour: 1 | 2 | 3 | 4 | 5 | 6 | 'good' | 'bad' | 'warn' | 'rest';
}

type ChartFrameProps = { title: string; summary?: ReactNode; series?: readonly Series[]; table: ChartTable; children: ReactNode };

/** A chart with its name, its series, and its numbers as a table and as a file. The picture itself is hidden from screen readers, which get the table. */
export const ChartFrame = ({ title, summary, series = [], table, children }: ChartFrameProps): JSX.Element => {
  const text = useText(chartsText);
  const number = useNumber();
  const { columns, rows, words } = table;
  const [isTable, setTable] = useState(false);
  const cellOf = (row: number, value: string | number | null, column: number): ReactNode => {
    const shown = typeof value === 'number' ? (words?.(value, column) ?? number(value)) : (value ?? '–');
    const link = table.links?.[row];
    // what is not seen takes no focus
    return column === 0 && isTable && link ? <Link {...link}>{shown}</Link> : shown;
  };
  return (
    <figure className="chart">
      <figcaption className="row">
        <strong className="grow">{title}</strong>
        <Button
          look="quiet"
          small
          icon="download"
          label={text.asFile(title)}
          disabled={rows.length === 0}
          onClick={() => download(`${fileName(title)}.csv`, chartCsv(table))}
        />
        <Button
          look="quiet"
          small
          icon={isTable ? 'chart' : 'list'}
          label={isTable ? text.asChart : text.asTable}
          onClick={() => setTable(!isTable)}
        />
      </figcaption>
      {summary !== undefined && <p className="chart-summary numbers">{summary}</p>}
      {!isTable && <div aria-hidden>{children}</div>}
      {!isTable && series.length > 1 && (
        <ul className="legend" aria-hidden>
          {series.map(({ name, colour }) => (
            <li key={name}>
              <span className={`swatch c-${colour}`} />
              <span>{name}</span>
            </li>
          ))}
        </ul>
      )}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
      <div className={isTable ? 'table-wrap chart-table' : 'hidden-text'} tabIndex={isTable ? 0 : undefined}>
        <PlainTable
          name={title}
          columns={columns}
          isNumber={(column) => column > 0}
          rows={rows.map((row, at) => ({
            key: `${row[0]}-${rows.length - at}`,
            cells: row.map((value, column) => cellOf(at, value, column)),
          }))}
        />
      </div>
    </figure>
  );
};

/** Numbers as the reader writes them: `1,234`, or short as `1.2K`; shares as `12 %`. */
export const useNumber = (): ((value: number, style?: 'short' | 'percent') => string) => {
  const { tag } = useLocale();
  return (value, style) =>
    new Intl.NumberFormat(
      tag,
      style === 'percent'
        ? { style: 'percent', maximumFractionDigits: value < 0.1 ? 1 : 0 }
        : style === 'short'
          ? { notation: 'compact', maximumFractionDigits: 1 }
          : {},
    ).format(value);
};

/** The width of an element, pixels, as it changes. */
export const useWidth = (): [ref: React.RefObject<HTMLDivElement | null>, width: number] => {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!ref.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
};
