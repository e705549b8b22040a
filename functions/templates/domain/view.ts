import type * as z from 'zod';
import { isoTime } from '../../../shared/runtime/clock.ts';
import type { StoredTemplate } from '../contract/stored.ts';
import type { templateRecord } from '../contract/template.ts';

/** A template as the API shows it. */
export const templateView = (template: StoredTemplate): z.input<typeof templateRecord> => {
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
    message_send_ttl_seconds: template.messageTtlSeconds ?? null,
    created_at: isoTime(template.createdAt),
    updated_at: isoTime(template.updatedAt),
  };
};
