import { now } from '../../../shared/runtime/clock.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { parseTemplateUpdate } from '../domain/webhook-update.ts';
import { applyTemplateUpdate } from '../domain/reconcile.ts';
import { putTemplateRow, getTemplateRow } from '../store/template.ts';
import { getSyncedAt } from '../store/sync.ts';

/**
 * Applies a webhook about a template: status, quality, category or components. Repeated, late or out of order it changes nothing. About a
 * template that is not listed yet it is stored for the next sync. `occurredAt` is the provider's time; the receiving time where it is
 * absent. False: not a webhook about a template. 2 RRU, and 1 WRU a KB when something changes.
 */
export const applyTemplateWebhook = async (
  companyId: number,
  field: string,
  value: unknown,
  receivedAt: number,
  occurredAt?: number,
): Promise<boolean> => {
  // a time ahead of our clock would block all later updates
  const update = parseTemplateUpdate(field, value, Math.min(occurredAt ?? receivedAt, receivedAt));
  if (!update) return false;
  const [row, syncedAt] = await Promise.all([getTemplateRow(companyId, update.name, update.language), getSyncedAt(companyId)]);
  let seen = row;
  return retryOnConflict(maxConflicts, async () => {
    const next = applyTemplateUpdate(seen, update, { companyId, syncedAt, at: now() });
    if (!next) return true;
    const written = await putTemplateRow(next, seen);
    if (written.done) return true;
    seen = written.current;
    return conflict;
  });
};
