import { attributesChanged, type JournalRule } from '../../shared/contract/journal.ts';

/** A company that was suspended. */
export const journal: readonly JournalRule[] = [
  { of: 'company', when: (before, after) => before !== undefined && attributesChanged('status')(before, after) },
];
