import type { JSX, ReactNode } from 'react';

export interface PlainTableProps {
  /** What it is a table of, to screen readers. */
  name: string;
  columns: readonly string[];
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
  /** Whether the nth column stands at the end, as numbers do. */
  isNumber?: (column: number) => boolean;
  className?: string;
}

/** A table of a few rows, all of which are in the document. */
export const PlainTable = ({ name, columns, rows, isNumber = () => false, className = '' }: PlainTableProps): JSX.Element => (
  <table className={`table ${className}`}>
    <caption className="hidden-text">{name}</caption>
    <thead>
      <tr>
        {columns.map((column, index) => (
          <th key={column} scope="col" className={isNumber(index) ? 'end' : ''}>
            {column}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(({ key, cells }) => (
        <tr key={key}>
          {columns.map((column, index) => (
            <td key={column} className={isNumber(index) ? 'end numbers' : ''}>
              {cells[index]}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

/** A table that scrolls where it is wider than its place. */
export const ScrolledTable = (props: PlainTableProps): JSX.Element => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys
  <div className="table-wrap" tabIndex={0} role="region" aria-label={props.name}>
    <PlainTable {...props} />
  </div>
);
