import type { RestoreStep } from '../../shared/contract/journal.ts';
import { restoreItems } from '../../shared/table/restored-item.ts';
import { campaignEntityName, recipientBatchEntityName } from './contract/stored.ts';
import { restoreBatches, restoreCampaigns } from './service/restore-campaigns.ts';

export const restores: readonly RestoreStep[] = [
  { of: campaignEntityName, restore: restoreCampaigns },
  { of: recipientBatchEntityName, restore: restoreBatches },
  { of: 'campaign-key', restore: restoreItems },
];
