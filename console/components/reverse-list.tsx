import { type JSX, type KeyboardEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Button } from './basics.tsx';

interface ReverseListProps<T> {
  /** Oldest first. */
  items: readonly T[];
  keyOf: (item: T) => string;
  render: (item: T, before: T | undefined) => ReactNode;
  /** What a row is taken to be high until it is measured, pixels. */
  estimate: number;
  label: string;
  /** Called near the oldest row. */
  onOldest: () => void;
  /** Above the oldest row. */
  top: ReactNode;
  /** The name of the button that leads back to the newest row. */
  toNewest: string;
  /** The key of what the user added last: it is gone to once, wherever the list is read. */
  added: string | undefined;
}

/** Pixels: what `top` is high, and from which distance on the way back to the newest row is offered. */
const topHeight = 48;
const awayFrom = 400;

/**
 * A long list that is read from its end, such as a thread: it opens at the newest row and stays there while rows arrive, rows of before are
 * added above without a jump, and only what is near the view is in the document.
 */
export const ReverseList = <T,>({
  items,
  keyOf,
  render,
  estimate,
  label,
  onOldest,
  top,
  toNewest,
  added,
}: ReverseListProps<T>): JSX.Element => {
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => estimate,
    getItemKey: useCallback(
      (index: number) => {
        const item = items[index];
        return item === undefined ? index : keyOf(item);
      },
      [items, keyOf],
    ),
    paddingStart: topHeight,
    overscan: 8,
    initialOffset: () => items.length * estimate,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: 40,
  });
  const last = items.at(-1);
  const isAddedLast = added !== undefined && last !== undefined && keyOf(last) === added;
  // what is below the list grows and makes it lower: who saw its end still sees it
  const sawEnd = useRef(true);
  const height = rows.scrollRect?.height;
  useLayoutEffect(() => {
    if (isAddedLast || sawEnd.current) rows.scrollToEnd();
  }, [rows, isAddedLast, added, height]);
  useEffect(() => {
    sawEnd.current = rows.isAtEnd();
  });
  const shown = rows.getVirtualItems();
  const isNearOldest = shown[0]?.index === 0;
  useEffect(() => {
    if (isNearOldest) onOldest();
  }, [isNearOldest, onOldest, items.length]);
  // the browser's own way there is cut short by each row that is measured on it
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'End') return;
    event.preventDefault();
    rows.scrollToEnd();
  };
  return (
    <div className="reverse-list-frame">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
      <div ref={box} className="reverse-list" role="log" aria-label={label} aria-live="off" tabIndex={0} onKeyDown={onKeyDown}>
        <div className="reverse-list-content" style={{ height: rows.getTotalSize() }}>
          {top}
          {shown.map(({ index, key, start }) => {
            const item = items[index];
            return (
              item !== undefined && (
                <div key={key} ref={rows.measureElement} data-index={index} className="reverse-list-row" style={{ top: start }}>
                  {render(item, items[index - 1])}
                </div>
              )
            );
          })}
        </div>
      </div>
      {rows.getDistanceFromEnd() > awayFrom && <Button small icon="down" label={toNewest} onClick={() => rows.scrollToEnd()} />}
    </div>
  );
};
