import { type JSX, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
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
}

/**
 * A long list that is read from its end, such as a thread: it opens at the newest row and stays there while rows arrive, rows of before are
 * added above without a jump, and only what is near the view is in the document.
 */
export const ReverseList = <T,>({ items, keyOf, render, estimate, label, onOldest, top, toNewest }: ReverseListProps<T>): JSX.Element => {
  const box = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string, number>());
  const [view, setView] = useState({ top: 0, height: 800 });
  const [, measured] = useState(0);
  const atEnd = useRef(true);
  const [isAway, setAway] = useState(false);

  const offsets: number[] = [];
  let total = 0;
  for (const item of items) {
    offsets.push(total);
    total += heights.current.get(keyOf(item)) ?? estimate;
  }
  const topHeight = heights.current.get(topKey) ?? 40;
  const first = Math.max(0, indexAt(offsets, view.top - topHeight - overscan));
  const last = Math.min(items.length, indexAt(offsets, view.top - topHeight + view.height + overscan) + 1);

  const onScroll = useCallback((): void => {
    const element = box.current;
    if (!element) return;
    atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
    setAway(element.scrollHeight - element.scrollTop - element.clientHeight > 400);
    setView({ top: element.scrollTop, height: element.clientHeight });
    if (element.scrollTop < 600) onOldest();
  }, [onOldest]);

  // rows that changed their height, or came above, must not move what is read
  const before = useRef<{ key: string; offset: number } | undefined>(undefined);
  const firstSeen = items[Math.max(0, indexAt(offsets, view.top - topHeight))];
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    if (atEnd.current) element.scrollTop = element.scrollHeight;
    else if (before.current) {
      const index = items.findIndex((item) => keyOf(item) === before.current?.key);
      const offset = offsets[index];
      if (offset !== undefined && offset !== before.current.offset) element.scrollTop += offset - before.current.offset;
    }
    const key = firstSeen === undefined ? undefined : keyOf(firstSeen);
    const offset = firstSeen === undefined ? undefined : offsets[items.indexOf(firstSeen)];
    before.current = key === undefined || offset === undefined ? undefined : { key, offset };
  });

  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(onScroll);
    observer.observe(element);
    return () => observer.disconnect();
  }, [onScroll]);

  const measure = useCallback((key: string, height: number): void => {
    if (Math.abs((heights.current.get(key) ?? -1) - height) < 1) return;
    heights.current.set(key, height);
    measured((count) => count + 1);
  }, []);

  return (
    <div className="reverse-list-frame">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
      <div ref={box} className="reverse-list" role="log" aria-label={label} aria-live="off" tabIndex={0} onScroll={onScroll}>
        <div className="reverse-list-content" style={{ height: total + topHeight }}>
          <Row itemKey={topKey} offset={0} measure={measure}>
            {top}
          </Row>
          {items.slice(first, last).map((item, index) => (
            <Row key={keyOf(item)} itemKey={keyOf(item)} offset={topHeight + (offsets[first + index] ?? 0)} measure={measure}>
              {render(item, items[first + index - 1])}
            </Row>
          ))}
        </div>
      </div>
      {isAway && (
        <Button
          small
          icon="down"
          label={toNewest}
          onClick={() => {
            if (box.current) box.current.scrollTop = box.current.scrollHeight;
          }}
        />
      )}
    </div>
  );
};

const topKey = '\u0000top';
const overscan = 500;

/** The last row that begins at or before a place. */
const indexAt = (offsets: readonly number[], place: number): number => {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((offsets[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
};

interface RowProps {
  itemKey: string;
  offset: number;
  measure: (key: string, height: number) => void;
  children: ReactNode;
}

const Row = ({ itemKey, offset, measure, children }: RowProps): JSX.Element => {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    measure(itemKey, current.offsetHeight);
    const observer = new ResizeObserver(() => measure(itemKey, current.offsetHeight));
    observer.observe(current);
    return () => observer.disconnect();
  }, [itemKey, measure]);
  return (
    <div ref={element} className="reverse-list-row" style={{ top: offset }}>
      {children}
    </div>
  );
};
