import { useCallback, useSyncExternalStore } from 'react';
import type { StoredFiles } from './stored-files.ts';

const none: readonly File[] = [];

/** The files that are attached to the drafts of a user, by conversation. */
export class DraftFiles {
  readonly #attached = new Map<number, readonly File[]>();
  readonly #loading = new Set<number>();
  readonly #observers = new Set<() => void>();
  readonly #files: StoredFiles;

  constructor(files: StoredFiles) {
    this.#files = files;
  }

  readonly get = (conversationId: number): readonly File[] => {
    if (!this.#attached.has(conversationId) && !this.#loading.has(conversationId)) void this.#load(conversationId);
    return this.#attached.get(conversationId) ?? none;
  };

  readonly set = (conversationId: number, files: readonly File[]): void => {
    this.#attached.set(conversationId, files);
    void this.#files.set(`draft.${conversationId}`, files);
    this.#changed();
  };

  readonly subscribe = (observer: () => void): (() => void) => {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  };

  async #load(conversationId: number): Promise<void> {
    this.#loading.add(conversationId);
    const files = await this.#files.get(`draft.${conversationId}`);
    this.#loading.delete(conversationId);
    // what was attached meanwhile is newer
    if (this.#attached.has(conversationId)) return;
    this.#attached.set(conversationId, files);
    if (files.length > 0) this.#changed();
  }

  #changed(): void {
    for (const observer of this.#observers) observer();
  }
}

/** The files of a draft, and setting them. */
export const useDraftFiles = (drafts: DraftFiles, conversationId: number): [readonly File[], (files: readonly File[]) => void] => [
  useSyncExternalStore(drafts.subscribe, () => drafts.get(conversationId)),
  useCallback((files: readonly File[]) => drafts.set(conversationId, files), [drafts, conversationId]),
];
