import { attributesChanged, type JournalRule } from '../../shared/contract/journal.ts';

/** A passkey that signs in no more. */
export const journal: readonly JournalRule[] = [
  { of: 'passkey', when: (before, after) => before !== undefined && attributesChanged('status')(before, after) },
];
