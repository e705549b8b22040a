import type { JournalRule } from '../../shared/contract/journal.ts';
import { erasureEntityName } from './contract/erasure.ts';

/** That a contact is to be erased, with its identifiers: what the walk removed is in the restored table again. */
export const journal: readonly JournalRule[] = [{ of: erasureEntityName, only: 'inserts' }];
