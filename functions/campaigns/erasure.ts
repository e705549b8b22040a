import type { ErasureStep } from '../../shared/contract/erasure.ts';
import { campaignEntityName, recipientBatchEntityName } from './contract/stored.ts';
import { campaignValuesToErase } from './service/erase-recipient.ts';

export const erasure: readonly ErasureStep[] = [
  { name: 'campaign_values', ends: [campaignEntityName, recipientBatchEntityName], find: campaignValuesToErase },
];
