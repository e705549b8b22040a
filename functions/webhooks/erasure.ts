import type { ErasureStep } from '../../shared/contract/erasure.ts';
import { deliveriesToErase } from './service/erase-deliveries.ts';

export const erasure: readonly ErasureStep[] = [
  { name: 'deliveries', ends: ['webhook-delivery', 'webhook-pending'], find: deliveriesToErase },
];
