import type { RestoreStep } from '../../shared/contract/journal.ts';
import { erasureEntityName } from './contract/erasure.ts';
import { restoreErasures } from './service/restore-erasures.ts';

export const restores: readonly RestoreStep[] = [{ of: erasureEntityName, restore: restoreErasures }];
