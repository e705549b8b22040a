import * as z from 'zod';
import { type TemplateWebhookField, templateWebhookFields } from '../contract/webhook-fields.ts';
import { normalizeLanguage } from './name.ts';
import { statusOfEvent } from './status.ts';

/** An update of a template by a webhook of the provider; each webhook `field` has its own kind. */
export type TemplateUpdate = TemplateSubject &
  (
    | {
        kind: 'status';
        status: string;
        reason: string | undefined;
        rejectionInfo: { reason?: string; recommendation?: string } | undefined;
        category: string | undefined;
      }
    /** The provider means to disable the template then. */
    | { kind: 'flag'; disableAt: number }
    | { kind: 'quality'; score: string }
    | { kind: 'category'; category: string; upcoming: { category: string; at: number | undefined } | undefined }
    | ComponentsUpdate
  );

interface TemplateSubject {
  providerId: string;
  name: string;
  language: string;
  /** The provider's time, epoch milliseconds. */
  at: number;
}

export interface ComponentsUpdate {
  kind: 'components';
  header: string | undefined;
  body: string;
  footer: string | undefined;
  buttons: { type: string; text?: string; url?: string; phone_number?: string }[];
}

/** The update in a webhook's value. Undefined: it is not about templates, has an unexpected shape, or changes nothing of a template. */
export const parseTemplateUpdate = (field: string, value: unknown, at: number): TemplateUpdate | undefined => {
  if (!isTemplateField(field)) return undefined;
  switch (field) {
    case 'message_template_status_update': {
      const parsed = statusValue.safeParse(value).data;
      if (!parsed) return undefined;
      const status = statusOfEvent(parsed.event);
      const disableAt = timeOfDate(parsed.disable_info?.disable_date);
      if (disableAt !== undefined && status === undefined) return { ...subjectOf(parsed, at), kind: 'flag', disableAt };
      if (status === undefined) return undefined;
      const { reason, rejection_info: info } = parsed;
      return {
        ...subjectOf(parsed, at),
        kind: 'status',
        status,
        reason: reason && reason !== 'NONE' ? reason : undefined,
        rejectionInfo: info && {
          ...(info.reason === undefined ? {} : { reason: info.reason }),
          ...(info.recommendation === undefined ? {} : { recommendation: info.recommendation }),
        },
        category: parsed.message_template_category?.toUpperCase(),
      };
    }
    case 'message_template_quality_update': {
      const parsed = qualityValue.safeParse(value).data;
      return parsed && { ...subjectOf(parsed, at), kind: 'quality', score: parsed.new_quality_score.toUpperCase() };
    }
    case 'template_category_update': {
      const parsed = categoryValue.safeParse(value).data;
      if (!parsed) return undefined;
      // ahead of the change `new_category` still is the current one, and `correct_category` the coming one
      const { correct_category: coming, category_update_timestamp: seconds } = parsed;
      const upcoming =
        coming === undefined ? undefined : { category: coming.toUpperCase(), at: seconds === undefined ? undefined : seconds * 1_000 };
      return { ...subjectOf(parsed, at), kind: 'category', category: parsed.new_category.toUpperCase(), upcoming };
    }
    case 'message_template_components_update': {
      const parsed = componentsValue.safeParse(value).data;
      if (!parsed) return undefined;
      return {
        ...subjectOf(parsed, at),
        kind: 'components',
        header: parsed.message_template_title,
        body: parsed.message_template_element,
        footer: parsed.message_template_footer,
        buttons: (parsed.message_template_buttons ?? []).map((button) => ({
          type: button.message_template_button_type.toUpperCase(),
          ...(button.message_template_button_text === undefined ? {} : { text: button.message_template_button_text }),
          ...(button.message_template_button_url === undefined ? {} : { url: button.message_template_button_url }),
          ...(button.message_template_button_phone_number === undefined
            ? {}
            : { phone_number: button.message_template_button_phone_number }),
        })),
      };
    }
  }
};

const isTemplateField = (field: string): field is TemplateWebhookField => (templateWebhookFields as readonly string[]).includes(field);

/** An optional text; null or another type counts as absent. */
const optionalText = z.string().max(2_000).optional().catch(undefined);

const subjectFields = {
  message_template_id: z.union([z.int().nonnegative(), z.string().regex(/^\d{1,32}$/)]).transform(String),
  message_template_name: z.string().min(1).max(512),
  message_template_language: z.string().min(1).max(20),
};

const statusValue = z.looseObject({
  ...subjectFields,
  event: z.string().min(1).max(64),
  reason: optionalText,
  message_template_category: optionalText,
  disable_info: z
    .looseObject({ disable_date: z.union([z.string(), z.int()]) })
    .optional()
    .catch(undefined),
  rejection_info: z.looseObject({ reason: optionalText, recommendation: optionalText }).optional().catch(undefined),
});

const qualityValue = z.looseObject({ ...subjectFields, new_quality_score: z.string().min(1).max(64) });

const categoryValue = z.looseObject({
  ...subjectFields,
  new_category: z.string().min(1).max(64),
  correct_category: optionalText,
  category_update_timestamp: z.coerce.number().int().optional().catch(undefined),
});

const componentsValue = z.looseObject({
  ...subjectFields,
  message_template_title: optionalText,
  message_template_element: z.string().max(10_000),
  message_template_footer: optionalText,
  message_template_buttons: z
    .array(
      z.looseObject({
        message_template_button_type: z.string().min(1).max(64),
        message_template_button_text: optionalText,
        message_template_button_url: optionalText,
        message_template_button_phone_number: optionalText,
      }),
    )
    .optional()
    .catch(undefined),
});

/** The provider writes "January 31, 2021", or epoch seconds. */
function timeOfDate(date: string | number | undefined): number | undefined {
  const seconds = Number(date ?? Number.NaN);
  const at = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(`${String(date)} UTC`);
  return Number.isSafeInteger(at) && at > 0 ? at : undefined;
}

function subjectOf(value: z.output<z.ZodObject<typeof subjectFields>>, at: number): TemplateSubject {
  return {
    providerId: value.message_template_id,
    name: value.message_template_name,
    language: normalizeLanguage(value.message_template_language),
    at,
  };
}
