import type { RestoreStep } from '../../shared/contract/journal.ts';
import { restoreItems } from '../../shared/table/restored-item.ts';
import { contactEntityName } from './contract/stored.ts';
import { restoreStops } from './service/restore-stops.ts';

export const restores: readonly RestoreStep[] = [
  { of: contactEntityName, restore: restoreStops },
  { of: 'consent', restore: restoreItems },
  { of: 'erased-identity', restore: restoreItems },
];
