import { useSyncExternalStore } from 'react';
import { queryClient } from './queries.ts';

/** Since when the API gives no answer, epoch milliseconds: the last time that it gave one. Undefined while it does. */
let lostSince: number | undefined;
let lastAnswer = Date.now();
const observers = new Set<() => void>();
const change = (next: number | undefined): void => {
  if (next === lostSince) return;
  lostSince = next;
  for (const observer of observers) observer();
};

/** A poll was answered. The first one after others were not has everything read again that could not be read meanwhile. */
export const pollAnswered = (): void => {
  lastAnswer = Date.now();
  if (lostSince === undefined) return;
  change(undefined);
  readFailedAgain();
  for (const observer of reconnected) observer();
};

const reconnected = new Set<() => void>();
/** Calls back when the API answers again after it gave no answer. */
export const onReconnected = (observer: () => void): void => void reconnected.add(observer);

export const pollFailed = (): void => change(lostSince ?? lastAnswer);

const readFailedAgain = (): void =>
  void queryClient.invalidateQueries({
    predicate: ({ state }) => state.status === 'error' || state.fetchFailureCount > 0 || state.fetchStatus === 'paused',
  });

const subscribe = (observer: () => void): (() => void) => {
  observers.add(observer);
  return () => observers.delete(observer);
};

export const useLostSince = (): number | undefined => useSyncExternalStore(subscribe, () => lostSince);

/** How long to wait after so many polls in a row that failed: twice as long each time, half a minute at most. */
export const pauseAfter = (failures: number, pauseMs: number): number =>
  failures === 0 ? pauseMs : Math.max(pauseMs, Math.min(30_000, 2_000 * 2 ** (failures - 1)));
