import { erasureStep, type ErasureStep } from '../../shared/contract/erasure.ts';
import { verificationsToErase, whitelistEntriesToErase } from './service/erase-verifications.ts';

export const erasure: readonly ErasureStep[] = [
  erasureStep({ name: 'verifications', ends: ['verification-request', 'verification-request-budget'] }, verificationsToErase),
  erasureStep({ name: 'whitelist_entries', ends: ['verification-whitelist'] }, whitelistEntriesToErase),
];
