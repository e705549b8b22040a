import { attributesChanged, type JournalRule } from '../../shared/contract/journal.ts';

/** Who may no longer call, and which calls were made already. What was created is gone after a restore, as everything else is. */
export const journal: readonly JournalRule[] = [
  { of: 'user', when: (before, after) => before !== undefined && attributesChanged('status', 'role')(before, after) },
  {
    of: 'credential-pointer',
    when: (before, after) => before !== undefined && attributesChanged('status', 'hash', 'previous')(before, after),
  },
  // a request that its caller repeats under the same key is the same operation
  { of: 'idempotency-key', only: 'inserts' },
];
