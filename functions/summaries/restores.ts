import type { RestoreStep } from '../../shared/contract/journal.ts';
import { restoreItems } from '../../shared/table/restored-item.ts';
import { journal } from './journal.ts';

export const restores: readonly RestoreStep[] = journal.map(({ of }) => ({ of, restore: restoreItems }));
