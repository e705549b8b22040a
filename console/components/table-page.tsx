import type { JSX, ReactNode, RefObject } from 'react';
import { Button, Empty, Loading } from './basics.tsx';
import type { IconName } from './icons.tsx';
import { Page } from './page.tsx';
import { ProblemCard, StaleBar } from './problem.tsx';
import { type Column, CsvButton, Table } from './table.tsx';

interface TablePageProps<T> {
  title: string;
  /** The name of the file that the rows are saved as. */
  file: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  /** How reading the rows goes. */
  query: { error: Error | null; isPending: boolean; refetch: () => unknown };
  /** Why something that was done to a row was refused. */
  refused?: unknown;
  keyOf?: (row: T) => string | number;
  /** Makes the first row, and another one. */
  create?: { label: string; onCreate: () => void } | undefined;
  /** Beside the title. */
  actions?: ReactNode;
  /** Before the other actions, such as what came meanwhile. */
  leading?: ReactNode;
  filters?: ReactNode;
  /** What stands in place of no rows. */
  empty?: { icon: IconName; title: string; hint?: string | undefined; more?: ReactNode };
  /** More rows may be read: nothing says yet that there are none. */
  hasMore?: boolean;
  onEnd?: (() => void) | undefined;
  boxRef?: RefObject<HTMLDivElement | null> | undefined;
  /** Its dialogs. */
  children?: ReactNode;
}

/** A screen of one table: its rows, what can be done with them, and what is shown while there are none. */
export const TablePage = <T extends { id: string | number }>({
  title,
  file,
  columns,
  rows,
  query: { error, isPending, refetch },
  refused,
  keyOf = ({ id }) => id,
  create,
  actions,
  leading,
  filters,
  empty,
  hasMore = false,
  onEnd,
  boxRef,
  children,
}: TablePageProps<T>): JSX.Element => {
  const createButton = create && (
    <Button look="primary" icon="plus" onClick={create.onCreate}>
      {create.label}
    </Button>
  );
  return (
    <Page
      title={title}
      isTable
      actions={
        <>
          {leading}
          <CsvButton name={file} columns={columns.filter(({ name }) => name !== '')} rows={rows} />
          {actions}
          {createButton}
        </>
      }
      filters={filters}
    >
      {refused !== undefined && refused !== null && <ProblemCard error={refused} />}
      {error && rows.length === 0 && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {error && rows.length > 0 && <StaleBar onRetry={() => void refetch()} />}
      {isPending && !error && <Loading />}
      {empty && !isPending && !error && rows.length === 0 && !hasMore && (
        <Empty icon={empty.icon} title={empty.title}>
          {empty.hint !== undefined && <p>{empty.hint}</p>}
          {empty.more ?? createButton}
        </Empty>
      )}
      {(rows.length > 0 || hasMore) && <Table label={title} columns={columns} rows={rows} keyOf={keyOf} onEnd={onEnd} boxRef={boxRef} />}
      {children}
    </Page>
  );
};
