import type { RestoreStep } from '../../shared/contract/journal.ts';
import { restoreSuspensions } from './service/suspension.ts';

export const restores: readonly RestoreStep[] = [{ of: 'company', restore: restoreSuspensions }];
