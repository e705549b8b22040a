import { type JSX, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';

interface VirtualListProps<T> {
  items: readonly T[];
  keyOf: (item: T) => string | number;
  render: (item: T, index: number) => ReactNode;
  /** Every row's height, pixels. */
  rowHeight: number;
  label: string;
  /** Called near the end. */
  onEnd?: (() => void) | undefined;
  /** The row that must be in view, such as the selected one. */
  shown?: number | undefined;
  boxRef?: RefObject<HTMLDivElement | null>;
}

/** Which of a list's rows of one height are near the view: the first, and the one after the last. Calls back near the end. */
export const useRowsInView = (
  box: RefObject<HTMLDivElement | null>,
  count: number,
  rowHeight: number,
  onEnd?: () => void,
): { first: number; last: number } => {
  const [view, setView] = useState({ top: 0, height: 900 });
  const first = Math.max(0, Math.floor(view.top / rowHeight) - 6);
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + 6);
  useEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    const look = (): void => setView({ top: current.scrollTop, height: current.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(current);
    current.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener('scroll', look);
    };
  }, [box]);
  const isNearEnd = last >= count - 3;
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, onEnd, count]);
  return { first, last };
};

/** A list of rows of one height, of which only those near the view are in the document. */
export const VirtualList = <T,>({ items, keyOf, render, rowHeight, label, onEnd, shown, boxRef }: VirtualListProps<T>): JSX.Element => {
  const own = useRef<HTMLDivElement>(null);
  const box = boxRef ?? own;
  const { first, last } = useRowsInView(box, items.length, rowHeight, onEnd);
  useEffect(() => {
    const { current } = box;
    if (!current || shown === undefined || shown < 0) return;
    const [top, bottom] = [shown * rowHeight, (shown + 1) * rowHeight];
    if (top < current.scrollTop) current.scrollTop = top;
    else if (bottom > current.scrollTop + current.clientHeight) current.scrollTop = bottom - current.clientHeight;
  }, [shown, rowHeight, box]);
  return (
    <div ref={box} className="virtual-list" tabIndex={-1}>
      <ul aria-label={label} style={{ height: items.length * rowHeight }}>
        {items.slice(first, last).map((item, index) => (
          <li
            key={keyOf(item)}
            style={{ top: (first + index) * rowHeight, height: rowHeight }}
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
          >
            {render(item, first + index)}
          </li>
        ))}
      </ul>
    </div>
  );
};
