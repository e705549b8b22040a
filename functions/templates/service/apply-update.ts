import { now } from '../../../shared/runtime/clock.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { listAccountIds } from '../../account/service/account-ids.ts';
import { parseTemplateUpdate } from '../domain/webhook-update.ts';
import { applyTemplateUpdate } from '../domain/reconcile.ts';
import { findTemplatePlace, putTemplateRow } from '../store/template.ts';
import { getSyncedAt } from '../store/sync.ts';

/**
 * Applies a webhook about a template: status, quality, category or components. Repeated, late or out of order it changes nothing. About a
 * template that is not listed yet it is stored for the next sync. `occurredAt` is the provider's time; the receiving time where it is
 * absent; `accountId` the business account that the webhook names. False: not a webhook about a template. 2.5 RRU, and 1 WRU a KB when something changes.
 */
export const applyTemplateWebhook = async (
  companyId: number,
  field: string,
  value: unknown,
  receivedAt: number,
  { occurredAt, accountId }: { occurredAt?: number | undefined; accountId?: string | undefined } = {},
): Promise<boolean> => {
  // a time ahead of our clock would block all later updates
  const update = parseTemplateUpdate(field, value, Math.min(occurredAt ?? receivedAt, receivedAt));
  if (!update) return false;
  const [accountIds, syncedAt] = await Promise.all([listAccountIds(companyId), getSyncedAt(companyId)]);
  return retryOnConflict(maxConflicts, async () => {
    const { row, keyAccount } = await findTemplatePlace(companyId, update, accountId, accountIds);
    const next = applyTemplateUpdate(row, update, { companyId, wabaId: accountId, keyAccount, syncedAt, at: now() });
    if (!next) return true;
    const written = await putTemplateRow(next, row);
    return written.done ? true : conflict;
  });
};
