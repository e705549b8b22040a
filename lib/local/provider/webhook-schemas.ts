/** Shapes of the webhooks that the provider posts. The tests hold the simulator's own posts to them. */
import * as z from 'zod';

const seconds = z.string();

export const webhookErrorSchema = z.looseObject({
  code: z.number(),
  title: z.string(),
  message: z.string().optional(),
  error_data: z.looseObject({ details: z.string() }).optional(),
  href: z.string().optional(),
});

const contact = z.looseObject({
  profile: z.looseObject({ name: z.string().optional(), username: z.string().optional() }).optional(),
  wa_id: z.string().optional(),
  user_id: z.string().optional(),
  parent_user_id: z.string().optional(),
});

const receivedMedia = z.looseObject({
  id: z.string(),
  mime_type: z.string(),
  sha256: z.string(),
  url: z.string().optional(),
  caption: z.string().optional(),
  filename: z.string().optional(),
});

const common = {
  id: z.string(),
  timestamp: seconds,
  from: z.string().optional(),
  from_user_id: z.string().optional(),
  group_id: z.string().optional(),
  context: z.looseObject({ from: z.string().optional(), id: z.string().optional(), forwarded: z.boolean().optional() }).optional(),
  referral: z.looseObject({ source_url: z.string() }).optional(),
  errors: z.array(webhookErrorSchema).optional(),
};

const received = z.discriminatedUnion('type', [
  z.looseObject({ ...common, type: z.literal('text'), text: z.looseObject({ body: z.string() }) }),
  z.looseObject({ ...common, type: z.literal('image'), image: receivedMedia }),
  z.looseObject({ ...common, type: z.literal('video'), video: receivedMedia }),
  z.looseObject({ ...common, type: z.literal('audio'), audio: receivedMedia.extend({ voice: z.boolean().optional() }) }),
  z.looseObject({ ...common, type: z.literal('document'), document: receivedMedia }),
  z.looseObject({ ...common, type: z.literal('sticker'), sticker: receivedMedia.extend({ animated: z.boolean().optional() }) }),
  z.looseObject({ ...common, type: z.literal('location'), location: z.looseObject({ latitude: z.number(), longitude: z.number() }) }),
  z.looseObject({ ...common, type: z.literal('contacts'), contacts: z.array(z.looseObject({})) }),
  z.looseObject({ ...common, type: z.literal('button'), button: z.looseObject({ payload: z.string().optional(), text: z.string() }) }),
  z.looseObject({
    ...common,
    type: z.literal('interactive'),
    interactive: z
      .discriminatedUnion('type', [
        z.looseObject({ type: z.literal('button_reply'), button_reply: z.looseObject({ id: z.string(), title: z.string() }) }),
        z.looseObject({
          type: z.literal('list_reply'),
          list_reply: z.looseObject({ id: z.string(), title: z.string(), description: z.string().optional() }),
        }),
        z.looseObject({
          type: z.literal('nfm_reply'),
          nfm_reply: z.looseObject({ response_json: z.string(), name: z.string().optional() }),
        }),
        z.looseObject({ type: z.literal('call_permission_reply') }),
      ])
      .optional(),
  }),
  z.looseObject({
    ...common,
    type: z.literal('reaction'),
    reaction: z.looseObject({ message_id: z.string(), emoji: z.string().optional() }),
  }),
  z.looseObject({
    ...common,
    type: z.literal('order'),
    order: z.looseObject({ catalog_id: z.string(), product_items: z.array(z.looseObject({ product_retailer_id: z.string() })) }),
  }),
  z.looseObject({ ...common, type: z.literal('system'), system: z.looseObject({ body: z.string(), type: z.string() }) }),
  z.looseObject({ ...common, type: z.literal('unsupported'), unsupported: z.looseObject({ type: z.string() }).optional() }),
  z.looseObject({ ...common, type: z.literal('edit'), edit: z.looseObject({ original_message_id: z.string() }) }),
  z.looseObject({ ...common, type: z.literal('revoke'), revoke: z.looseObject({ original_message_id: z.string() }) }),
  z.looseObject({ ...common, type: z.literal('request_welcome') }),
]);

export const statusSchema = z.looseObject({
  id: z.string(),
  status: z.enum(['sent', 'delivered', 'read', 'played', 'failed', 'deleted', 'warning']),
  timestamp: seconds,
  recipient_id: z.string().optional(),
  recipient_user_id: z.string().optional(),
  biz_opaque_callback_data: z.string().optional(),
  conversation: z
    .looseObject({ id: z.string(), expiration_timestamp: seconds.optional(), origin: z.looseObject({ type: z.string() }).optional() })
    .optional(),
  pricing: z
    .looseObject({
      billable: z.boolean().optional(),
      pricing_model: z.string(),
      type: z.string().optional(),
      category: z.string(),
      cost: z.looseObject({ amount: z.number(), currency: z.string() }).optional(),
    })
    .optional(),
  errors: z.array(webhookErrorSchema).optional(),
});

const numberValue = {
  messaging_product: z.literal('whatsapp'),
  metadata: z.looseObject({ display_phone_number: z.string(), phone_number_id: z.string() }),
  contacts: z.array(contact).optional(),
};

const templateValue = {
  message_template_id: z.union([z.number(), z.string()]),
  message_template_name: z.string(),
  message_template_language: z.string(),
};

const change = z.discriminatedUnion('field', [
  z.looseObject({
    field: z.literal('messages'),
    value: z.looseObject({
      ...numberValue,
      messages: z.array(received).optional(),
      statuses: z.array(statusSchema).optional(),
      errors: z.array(webhookErrorSchema).optional(),
    }),
  }),
  z.looseObject({
    field: z.literal('smb_message_echoes'),
    value: z.looseObject({ ...numberValue, message_echoes: z.array(z.looseObject({ to: z.string(), id: z.string(), type: z.string() })) }),
  }),
  z.looseObject({
    field: z.literal('user_preferences'),
    value: z.looseObject({
      ...numberValue,
      user_preferences: z.array(
        z.looseObject({ category: z.string(), value: z.string(), wa_id: z.string().optional(), timestamp: z.union([z.number(), seconds]) }),
      ),
    }),
  }),
  z.looseObject({
    field: z.literal('message_template_status_update'),
    value: z.looseObject({ ...templateValue, event: z.string(), reason: z.string().nullish() }),
  }),
  z.looseObject({
    field: z.literal('message_template_quality_update'),
    value: z.looseObject({ ...templateValue, previous_quality_score: z.string(), new_quality_score: z.string() }),
  }),
  z.looseObject({ field: z.literal('message_template_components_update'), value: z.looseObject(templateValue) }),
  z.looseObject({ field: z.literal('template_category_update'), value: z.looseObject({ ...templateValue, new_category: z.string() }) }),
  z.looseObject({ field: z.literal('account_update'), value: z.looseObject({ event: z.string() }) }),
  z.looseObject({ field: z.literal('account_alerts'), value: z.looseObject({ alert_info: z.looseObject({ alert_type: z.string() }) }) }),
  z.looseObject({ field: z.literal('account_review_update'), value: z.looseObject({ decision: z.string() }) }),
  z.looseObject({ field: z.literal('business_capability_update'), value: z.looseObject({}) }),
  z.looseObject({ field: z.literal('phone_number_name_update'), value: z.looseObject({ decision: z.string() }) }),
  z.looseObject({
    field: z.literal('phone_number_quality_update'),
    value: z.looseObject({ event: z.string(), current_limit: z.string() }),
  }),
  z.looseObject({ field: z.literal('security'), value: z.looseObject({ event: z.string() }) }),
]);

/** One POST of the provider: entries, each with changes, each of one field. `object` is absent from one recorded sample. */
export const webhookBody = z.looseObject({
  object: z.literal('whatsapp_business_account').optional(),
  entry: z.array(z.looseObject({ id: z.string(), time: z.number().optional(), changes: z.array(change) })),
});
export type WebhookBody = z.infer<typeof webhookBody>;
