import { useCallback, useSyncExternalStore } from 'react';

/** Texts that the browser keeps under names of one beginning, and what shows them: drafts and preferences, never a secret. */
export class StoredTexts {
  readonly #beginning: string;
  readonly #observers = new Set<() => void>();

  constructor(beginning: string) {
    this.#beginning = beginning;
  }

  /** Empty where nothing is stored. */
  get(name: string): string {
    return localStorage.getItem(this.#beginning + name) ?? '';
  }

  /** An empty text is no longer stored. */
  set(name: string, text: string): void {
    if (text === '') localStorage.removeItem(this.#beginning + name);
    else localStorage.setItem(this.#beginning + name, text);
    this.changed();
  }

  /** The names with this beginning under which something is stored. */
  names(beginning: string): string[] {
    const whole = this.#beginning + beginning;
    return Object.keys(localStorage)
      .filter((name) => name.startsWith(whole))
      .map((name) => name.slice(this.#beginning.length));
  }

  /** Another tab may have changed them. */
  changed(): void {
    for (const observer of this.#observers) observer();
  }

  readonly subscribe = (observer: () => void): (() => void) => {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  };
}

/** A text that survives a reload, and setting it. */
export const useStored = (stored: StoredTexts, name: string): [string, (text: string) => void] => [
  useSyncExternalStore(stored.subscribe, () => stored.get(name)),
  useCallback((text: string) => stored.set(name, text), [stored, name]),
];
