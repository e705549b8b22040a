import { sha256 } from '../../../shared/runtime/ids.ts';
import type { ProviderUpdate } from '../contract/provider-update.ts';
import { putArchivedUpdate } from '../store/archived-update.ts';

/** Stores an update, or a part of one, as it came: unknown kinds, and messages too large for their row. A repetition is the same item. */
export const archiveUpdate = async (
  update: Pick<ProviderUpdate, 'company_id' | 'received_at'>,
  field: string,
  value: unknown,
): Promise<void> => {
  const body = JSON.stringify(value) ?? 'null';
  await putArchivedUpdate(update.company_id, sha256(`${field} ${body}`), field, body, update.received_at);
};
