import { type KeyboardEvent, useEffect, useRef } from 'react';

/** Where an arrow leads among columns of so many cards: beside an empty column it goes on to the next one. Undefined: nowhere. */
export const walked = (
  counts: readonly number[],
  [column, row]: readonly [column: number, row: number],
  key: string,
  isRightToLeft: boolean,
): readonly [column: number, row: number] | undefined => {
  const down = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (down !== undefined) return row + down >= 0 && row + down < (counts[column] ?? 0) ? [column, row + down] : undefined;
  const by = { ArrowRight: isRightToLeft ? -1 : 1, ArrowLeft: isRightToLeft ? 1 : -1 }[key];
  if (by === undefined) return undefined;
  for (let next = column + by; next >= 0 && next < counts.length; next += by) {
    const cards = counts[next] ?? 0;
    if (cards > 0) return [next, Math.min(row, cards - 1)];
  }
  return undefined;
};

/** Arrows walk from card to card, and a lead that its key moves keeps the focus (lead-card.tsx has the keys of a card). */
export const useBoardKeys = (): {
  ref: React.RefObject<HTMLDivElement | null>;
  onKeyDown: (event: KeyboardEvent) => void;
} => {
  const ref = useRef<HTMLDivElement>(null);
  const moved = useRef<string>(undefined);
  useEffect(() => {
    if (moved.current === undefined || document.activeElement !== document.body) return;
    ref.current?.querySelector<HTMLElement>(`[data-lead="${moved.current}"] .row-link`)?.focus();
    moved.current = undefined;
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const { target, key } = event;
    if (!(target instanceof HTMLElement) || !target.matches('.lead-card > .row-link')) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const card = target.closest<HTMLElement>('.lead-card');
    const id = card?.dataset['lead'];
    if (!card || id === undefined) return;
    if (/^[1-9]$/.test(key)) moved.current = id;
    else if (key.startsWith('Arrow')) walk(event, card);
  };
  const walk = (event: KeyboardEvent, card: HTMLElement): void => {
    const columns = [...(ref.current?.querySelectorAll('.board-column') ?? [])].map((each) => [
      ...each.querySelectorAll<HTMLElement>('.lead-card'),
    ]);
    const column = columns.findIndex((cards) => cards.includes(card));
    const isRightToLeft = getComputedStyle(card).direction === 'rtl';
    const place: readonly [number, number] = [column, columns[column]?.indexOf(card) ?? 0];
    const next = walked(
      columns.map((cards) => cards.length),
      place,
      event.key,
      isRightToLeft,
    );
    if (!next) return;
    event.preventDefault();
    columns[next[0]]?.[next[1]]?.querySelector<HTMLElement>('.row-link')?.focus();
  };
  return { ref, onKeyDown };
};
