import type * as z from 'zod';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { maxPriceOf } from '../contract/max-price.ts';
import type { StoredTemplate } from '../contract/stored.ts';
import type { templateRecord } from '../contract/template.ts';
import { editsLeft } from './edit.ts';

/** A template as the API shows it at a time. */
export const templateView = (template: StoredTemplate, at: number): z.input<typeof templateRecord> => {
  const left = editsLeft(template, at);
  const { rejectionInfo, upcomingCategory } = template;
  return {
    id: template.id,
    name: template.name,
    language: template.language,
    status: template.status,
    category: template.category,
    components: template.components,
    parameter_format: template.parameterFormat === 'NAMED' ? 'named' : 'positional',
    waba_id: template.wabaId ?? null,
    provider_template_id: template.providerId ?? null,
    rejected_reason: template.rejectedReason ?? null,
    rejection_info: rejectionInfo ? { reason: rejectionInfo.reason ?? null, recommendation: rejectionInfo.recommendation ?? null } : null,
    quality_score: template.qualityScore ?? null,
    upcoming_category: upcomingCategory
      ? { category: upcomingCategory.category, at: upcomingCategory.at === undefined ? null : isoTime(upcomingCategory.at) }
      : null,
    disable_date: template.disableAt === undefined ? null : isoTime(template.disableAt),
    edits_left: left ? { today: left.today, in_30_days: left.in30Days } : null,
    message_send_ttl_seconds: template.messageTtlSeconds ?? null,
    max_price: maxPriceOf(template),
    created_at: isoTime(template.createdAt),
    updated_at: isoTime(template.updatedAt),
  };
};
