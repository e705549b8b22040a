import { useMemo, useRef, useState } from 'react';
import { between } from './between.ts';

/** Which conversations are selected; undefined while none can be. */
export interface Selection {
  ids: ReadonlySet<number> | undefined;
  set: (ids: ReadonlySet<number> | undefined) => void;
  toggle: (id: number) => void;
  /** Selects all from the one that was pressed last to this one, in the order of the list. */
  toggleTo: (id: number, all: readonly number[]) => void;
  /** Begins to select, or ends it. */
  toggleMode: () => void;
}

/** @param list what the selection is of: with another view or search it ends, as its rows are no longer seen */
export const useSelection = (list: object): Selection => {
  const [selected, setSelected] = useState<{ ids: ReadonlySet<number>; list: object }>();
  const ids = selected?.list === list ? selected.ids : undefined;
  const pressed = useRef<number>(undefined);
  return useMemo(() => {
    const set = (next: ReadonlySet<number> | undefined): void => setSelected(next && { ids: next, list });
    return {
      ids,
      set,
      toggle: (id) => {
        pressed.current = id;
        const after = new Set(ids);
        if (!after.delete(id)) after.add(id);
        set(after);
      },
      toggleTo: (id, all) => {
        set(new Set([...(ids ?? []), ...between(all, pressed.current, id)]));
        pressed.current = id;
      },
      toggleMode: () => set(ids ? undefined : new Set()),
    };
  }, [ids, list]);
};
