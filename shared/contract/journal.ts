import { canonical } from '../runtime/json.ts';

/**
 * The journal: what a table that is restored to an earlier second must not have forgotten (docs/decisions/restore-in-time.md). The stream consumer
 * writes the changes of the kinds that contexts declare to a bucket; after a restore the operator's command brings them back.
 */
export interface JournalRule {
  /** The name of the entity. */
  of: string;
  /** Of a kind that changes with every call: only what is new wakes the stream consumer, and stands in the journal. */
  only?: 'inserts';
  /** Whether a change must survive, from the item as stored before and after; none: each. */
  when?: (before: StoredImage | undefined, after: StoredImage | undefined) => boolean;
}

export type StoredImage = Readonly<Record<string, unknown>>;

/** The newest change of an item in the journal. */
export interface JournaledChange {
  of: string;
  key: { pk: string; sk: string };
  /** The item as the change left it; undefined: it was removed. */
  image: StoredImage | undefined;
}

/** Brings back the changes of one kind. Repeating it changes nothing more: an interrupted command begins with the same changes again. */
export interface RestoreStep {
  of: string;
  /** Of each item the newest change. Returns how many items it wrote. */
  restore: (changes: readonly JournaledChange[]) => Promise<number>;
}

/** Whether one of the attributes changed; of an item that is new or removed, each that it has. */
export const attributesChanged =
  (...attributes: readonly string[]): NonNullable<JournalRule['when']> =>
  (before, after) =>
    attributes.some((name) => canonical(before?.[name]) !== canonical(after?.[name]));
