import { attributesChanged, type JournalRule } from '../../shared/contract/journal.ts';
import { contactEntityName } from './contract/stored.ts';

/** That a recipient opted out, was unsubscribed or blocked, with the proof; and what stays of an erased one. */
export const journal: readonly JournalRule[] = [
  { of: contactEntityName, when: (before, after) => after !== undefined && attributesChanged('un', 'mb', 'bl')(before, after) },
  { of: 'consent' },
  { of: 'erased-identity' },
];
