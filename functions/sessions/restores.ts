import type { RestoreStep } from '../../shared/contract/journal.ts';
import { restoreItems } from '../../shared/table/restored-item.ts';

export const restores: readonly RestoreStep[] = [{ of: 'passkey', restore: restoreItems }];
