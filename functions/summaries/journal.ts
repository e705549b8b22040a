import type { JournalRule } from '../../shared/contract/journal.ts';
import { weeklySummaryEntityName } from './contract/stored.ts';

/** For which week a user had the summary, and that a user wants none. */
export const journal: readonly JournalRule[] = [{ of: weeklySummaryEntityName }];
