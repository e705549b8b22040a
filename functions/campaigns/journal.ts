import type { JournalRule } from '../../shared/contract/journal.ts';
import { campaignEntityName, recipientBatchEntityName } from './contract/stored.ts';

/** Where the work of a campaign stands: its recipients' messages are found by what its batches hold. */
export const journal: readonly JournalRule[] = [{ of: campaignEntityName }, { of: recipientBatchEntityName }, { of: 'campaign-key' }];
