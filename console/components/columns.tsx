import type { ReactNode } from 'react';
import { type BadgeLook, State } from './basics.tsx';
import type { MenuEntry } from './aria-menu.tsx';
import { Icon } from './icons.tsx';
import { Menu } from './menu.tsx';
import type { Column } from './table.tsx';
import { Time } from './time.tsx';

/** A column with its value: what is shown follows from its kind. */
type Plain<T> = Omit<Column<T>, 'cell'>;

/** A column whose value opens the whole of its row. */
export const opening = <T extends { id: string | number }>(
  column: Plain<T>,
  open: (id: string) => void,
  /** The value is words, and no name of the API. */
  { isPlain = false }: { isPlain?: boolean } = {},
): Column<T> => ({
  ...column,
  cell: (row) => (
    <button type="button" className="row-link whole-row" onClick={() => open(String(row.id))}>
      {isPlain ? column.value(row) : <code>{column.value(row)}</code>}
    </button>
  ),
});

/** The ids of rows. */
export const idColumn = <T extends { id: string }>(): Column<T> => ({
  id: 'id',
  name: 'Id',
  width: 'minmax(6rem, 1fr)',
  value: ({ id }) => id,
  cell: ({ id }) => <code className="muted">{id}</code>,
  isExtra: true,
});

type Look = Pick<Column<unknown>, 'width' | 'isExtra' | 'isNumber'>;

/** A column of the times that rows have under a key; `none` stands where there is none. */
export const times = <K extends string>(
  key: K,
  name: string,
  { none = '–', isLong = false, isExact = false, ...look }: Look & { none?: string; isLong?: boolean; isExact?: boolean },
): Column<Record<K, string | null>> => ({
  ...look,
  id: key,
  name,
  value: (row) => row[key],
  cell: ({ [key]: at }) => (at === null ? <span className="muted">{none}</span> : <Time at={at} long={isLong} exact={isExact} />),
});

/** A column of states; without a look the state is one that nearly all rows have. */
export const badges = <T,>(column: Plain<T>, look: (row: T) => BadgeLook | undefined): Column<T> => ({
  ...column,
  cell: (row) => <State name={column.value(row)} look={look(row)} />,
});

/** What a row is called, cut where it is long, and a badge behind it. */
export const named = (name: string, badge?: ReactNode, before?: ReactNode): ReactNode => (
  <span className="row">
    {before}
    <span className="cut" title={name}>
      {name}
    </span>
    {badge}
  </span>
);

/** An entry of a row's menu, and what it does. */
export type RowAction = MenuEntry & { run: () => void };

/** The menu of each row; a row without actions has none. `label` is the name of them all. */
export const menus = <T,>(label: string, nameOf: (row: T) => string, actionsOf: (row: T) => readonly RowAction[]): Column<T> => ({
  id: 'actions',
  name: '',
  width: '2rem',
  value: () => '',
  cell: (row) => {
    const actions = actionsOf(row);
    if (actions.length === 0) return null;
    return (
      <Menu
        label={`${label}: ${nameOf(row)}`}
        className="button quiet icon small"
        trigger={<Icon name="more" />}
        entries={actions}
        onSelect={(id) => actions.find((each) => each.id === id)?.run()}
      />
    );
  },
});
