import { useSyncExternalStore } from 'react';

/** A call that this page made to the API; no bodies, no secrets. */
export interface RequestEntry {
  method: string;
  path: string;
  /** 0 where no answer came. */
  status: number;
  ms: number;
  requestId: string | undefined;
  /** Epoch milliseconds. */
  startedAt: number;
}

const size = 200;
let entries: readonly RequestEntry[] = [];
const observers = new Set<() => void>();

export const recordRequest = (entry: RequestEntry): void => {
  entries = [entry, ...entries].slice(0, size);
  for (const observer of observers) observer();
};

const subscribe = (observer: () => void): (() => void) => {
  observers.add(observer);
  return () => observers.delete(observer);
};

/** The last calls of this page, newest first. */
export const useRequestLog = (): readonly RequestEntry[] => useSyncExternalStore(subscribe, () => entries);
