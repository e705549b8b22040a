import { now } from '../../../shared/runtime/clock.ts';
import { readTemplateNews } from '../contract/template-webhook.ts';
import { afterNews } from '../domain/template-news.ts';
import { putTemplateRow, readTemplateRow } from '../store/template.ts';
import { readSyncedAt } from '../store/template-state.ts';

/**
 * A webhook about a template (provider reference §3.8): status, quality, category, components. The same one twice, late or out of order
 * changes nothing; one about a template that is not ours yet is noted, for the sync that reads it. `occurredAt` is the provider's time,
 * without which the receiving time stands in. Answers false when it was not such a webhook, or says nothing that is kept of a template.
 * 2 RRU, and 1 WRU a KB when something changes.
 */
export const takeTemplateUpdate = async (
  companyId: number,
  field: string,
  value: unknown,
  receivedAt: number,
  occurredAt?: number,
): Promise<boolean> => {
  // a time ahead of ours would shut out all later news
  const news = readTemplateNews(field, value, Math.min(occurredAt ?? receivedAt, receivedAt));
  if (!news) return false;
  const [row, syncedAt] = await Promise.all([readTemplateRow(companyId, news.name, news.language), readSyncedAt(companyId)]);
  for (let seen = row; ; ) {
    const next = afterNews(seen, news, { companyId, syncedAt, at: now() });
    if (!next) return true;
    const written = await putTemplateRow(next, seen);
    if (written.done) return true;
    seen = written.current;
  }
};
