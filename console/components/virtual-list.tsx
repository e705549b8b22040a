import {
  type JSX,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';

/** Rows of one height, of which only those near the view are in the document. Calls back near the end. */
export const useVirtualRows = (
  box: RefObject<HTMLDivElement | null>,
  count: number,
  rowHeight: number,
  onEnd?: () => void,
): Virtualizer<HTMLDivElement, Element> => {
  const rows = useVirtualizer({ count, getScrollElement: () => box.current, estimateSize: () => rowHeight, overscan: 6 });
  const isNearEnd = (rows.getVirtualItems().at(-1)?.index ?? 0) >= count - 4;
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, onEnd, count]);
  return rows;
};

interface VirtualListProps<T> {
  items: readonly T[];
  keyOf: (item: T) => string | number;
  /** @param tabIndex of what takes the focus in the row: one row of all can be reached by Tab, the arrows go on from it */
  render: (item: T, tabIndex: 0 | -1) => ReactNode;
  /** Every row's height, pixels. */
  rowHeight: number;
  label: string;
  /** Called near the end. */
  onEnd?: (() => void) | undefined;
  /** The key of a row that comes into view when it is chosen; it may leave it afterwards. */
  chosen?: string | number | undefined;
  /** Whether the row takes the focus too when it is chosen: it was chosen by keys. */
  focusesChosen?: boolean;
}

export const VirtualList = <T,>(props: VirtualListProps<T>): JSX.Element => {
  const { items, keyOf, render, rowHeight, label, onEnd, chosen, focusesChosen = false } = props;
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualRows(box, items.length, rowHeight, onEnd);
  const { current, setCurrent, focus } = useRowFocus(box);
  const chosenBefore = useRef<string | number>(undefined);
  useEffect(() => {
    if (chosen === chosenBefore.current || items.length === 0) return;
    chosenBefore.current = chosen;
    const place = items.findIndex((item) => keyOf(item) === chosen);
    if (place === -1) return;
    rows.scrollToIndex(place, { align: 'auto' });
    setCurrent(chosen);
    if (focusesChosen) focus(place);
  }, [chosen, items, keyOf, rows, setCurrent, focus, focusesChosen]);
  const shown = rows.getVirtualItems();
  const hasCurrent = items.some((item) => keyOf(item) === current);
  const onKeyDown = (event: KeyboardEvent): void => {
    const place = Number(
      event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-index]')?.dataset['index'] : Number.NaN,
    );
    const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: items.length - 1 }[event.key];
    if (next === undefined || Number.isNaN(next) || next < 0 || next >= items.length || event.altKey || event.ctrlKey || event.metaKey)
      return;
    event.preventDefault();
    event.stopPropagation();
    rows.scrollToIndex(next, { align: 'auto' });
    const item = items[next];
    if (item !== undefined) setCurrent(keyOf(item));
    focus(next);
  };
  return (
    <div ref={box} className="virtual-list" tabIndex={-1}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the rows have the focus, the list moves it */}
      <ul aria-label={label} style={{ height: rows.getTotalSize() }} onKeyDown={onKeyDown}>
        {shown.map(({ index, start }) => {
          const item = items[index];
          if (item === undefined) return null;
          const key = keyOf(item);
          const isCurrent = hasCurrent ? key === current : index === 0;
          return (
            <li
              key={key}
              data-index={index}
              style={{ top: start, height: rowHeight }}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              onFocus={() => setCurrent(key)}
            >
              {render(item, isCurrent ? 0 : -1)}
            </li>
          );
        })}
      </ul>
    </div>
  );
};

/** Which row Tab leads to, and giving one the focus: at once, or as soon as it is in the document. */
const useRowFocus = (box: RefObject<HTMLDivElement | null>) => {
  const [current, setCurrent] = useState<string | number>();
  const wanted = useRef<number>(undefined);
  const focusWanted = useCallback((): void => {
    if (wanted.current === undefined) return;
    const row = box.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`)?.querySelector<HTMLElement>('a, button');
    if (!row) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  }, [box]);
  useLayoutEffect(focusWanted);
  const focus = useCallback(
    (place: number): void => {
      wanted.current = place;
      focusWanted();
    },
    [focusWanted],
  );
  return { current, setCurrent, focus };
};
