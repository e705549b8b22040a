/** The fields of the provider's webhooks about templates. */
export const templateWebhookFields = [
  'message_template_components_update',
  'message_template_quality_update',
  'message_template_status_update',
  'template_category_update',
] as const;
export type TemplateWebhookField = (typeof templateWebhookFields)[number];
