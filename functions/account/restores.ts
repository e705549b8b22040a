import type { RestoreStep } from '../../shared/contract/journal.ts';
import { restoreItems } from '../../shared/table/restored-item.ts';
import { restoreEndedCredentials, restoreEndedUsers } from './service/restore-access.ts';

export const restores: readonly RestoreStep[] = [
  { of: 'user', restore: restoreEndedUsers },
  { of: 'credential-pointer', restore: restoreEndedCredentials },
  { of: 'idempotency-key', restore: restoreItems },
];
