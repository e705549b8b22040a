import { useEffect, useSyncExternalStore } from 'react';
import type { Input, OperationName } from '../data/client.ts';

/** What a screen shows: the record, the name by which events have it, and the call that reads it. */
export interface Inspected {
  title: string;
  /** `conversation:12`, as in the event log. */
  subject?: string;
  object?: unknown;
  call?: { operation: OperationName; input: unknown };
}

let current: Inspected | undefined;
const observers = new Set<() => void>();
const change = (next: Inspected | undefined): void => {
  current = next;
  for (const observer of observers) observer();
};

/** Says to the inspector what is shown, for as long as it is. */
export const useInspectable = <N extends OperationName>(
  shown: { title: string; subject?: string; object?: unknown; call?: { operation: N; input: Input<N> } } | undefined,
): void => {
  const text = JSON.stringify(shown ?? null);
  useEffect(() => {
    const mine = (JSON.parse(text) ?? undefined) as Inspected | undefined;
    change(mine);
    return () => {
      if (current === mine) change(undefined);
    };
  }, [text]);
};

const subscribe = (observer: () => void): (() => void) => {
  observers.add(observer);
  return () => observers.delete(observer);
};

export const useInspected = (): Inspected | undefined => useSyncExternalStore(subscribe, () => current);
