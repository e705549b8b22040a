import type { RestoreStep } from '../../shared/contract/journal.ts';
import { messageEntityName } from './contract/stored.ts';
import { restoreMessages } from './service/restore-messages.ts';

export const restores: readonly RestoreStep[] = [{ of: messageEntityName, restore: restoreMessages }];
