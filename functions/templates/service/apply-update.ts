import { now } from '../../../shared/runtime/clock.ts';
import { parseTemplateUpdate } from '../domain/webhook-update.ts';
import { applyTemplateUpdate } from '../domain/reconcile.ts';
import { putTemplateRow, getTemplateRow } from '../store/template.ts';
import { getSyncedAt } from '../store/template-state.ts';

/**
 * A webhook about a template (provider reference §3.8): status, quality, category, components. The same one twice, late or out of order
 * changes nothing; one about a template that is not ours yet is noted, for the sync that reads it. `occurredAt` is the provider's time,
 * without which the receiving time stands in. Answers false when it was not such a webhook, or says nothing that is kept of a template.
 * 2 RRU, and 1 WRU a KB when something changes.
 */
export const applyTemplateWebhook = async (
  companyId: number,
  field: string,
  value: unknown,
  receivedAt: number,
  occurredAt?: number,
): Promise<boolean> => {
  // a time ahead of ours would shut out all later news
  const update = parseTemplateUpdate(field, value, Math.min(occurredAt ?? receivedAt, receivedAt));
  if (!update) return false;
  const [row, syncedAt] = await Promise.all([getTemplateRow(companyId, update.name, update.language), getSyncedAt(companyId)]);
  for (let seen = row; ; ) {
    const next = applyTemplateUpdate(seen, update, { companyId, syncedAt, at: now() });
    if (!next) return true;
    const written = await putTemplateRow(next, seen);
    if (written.done) return true;
    seen = written.current;
  }
};
