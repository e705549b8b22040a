import { useEffect, useSyncExternalStore } from 'react';
import type { IconName } from '../components/icons.tsx';

/** Something that the present screen can do; the command palette lists it. */
export interface Command {
  id: string;
  label: string;
  icon?: IconName;
  detail?: string;
  /** The shortcut to show. */
  keys?: string;
  run: () => void;
}

let registered: readonly (readonly Command[])[] = [];
let all: readonly Command[] = [];
const observers = new Set<() => void>();
const change = (next: readonly (readonly Command[])[]): void => {
  registered = next;
  all = next.flat();
  for (const observer of observers) observer();
};

/** Offers commands while a screen is shown. Give a list that stays the same while nothing changes. */
export const useOffer = (commands: readonly Command[]): void => {
  useEffect(() => {
    change([commands, ...registered]);
    return () => change(registered.filter((each) => each !== commands));
  }, [commands]);
};

const subscribe = (observer: () => void): (() => void) => {
  observers.add(observer);
  return () => observers.delete(observer);
};

export const useCommands = (): readonly Command[] => useSyncExternalStore(subscribe, () => all);
