import type { ErasureStep } from '../../shared/contract/erasure.ts';
import { campaignValuesToErase } from './service/erase-recipient.ts';

export const erasure: readonly ErasureStep[] = [
  { name: 'campaign_values', ends: ['campaign', 'campaign-block'], find: campaignValuesToErase },
];
