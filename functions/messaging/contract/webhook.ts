import * as z from 'zod';
import { route } from '../../../shared/contract/route.ts';

const receivePath = '/webhook/messaging/receive/{webhook_token}';
const receiveParams = z.object({ webhook_token: z.string() });

export const webhookRoutes = {
  verifyWebhook: route({
    method: 'GET',
    path: receivePath,
    via: 'url',
    summary: "The provider's verification handshake",
    caller: { kind: 'webhook_token' },
    limit: 'receiver',
    effect: 'read',
    params: receiveParams,
    query: z.object({
      'hub.mode': z.string().optional(),
      'hub.challenge': z.string().optional(),
      'hub.verify_token': z.string().optional(),
    }),
    answers: { 200: z.string() },
    contentTypes: ['text/plain'],
    errors: ['not_found', 'handshake_failed'],
  }),
  receiveWebhook: route({
    method: 'POST',
    path: receivePath,
    via: 'url',
    summary: 'Messages and statuses from the provider',
    caller: { kind: 'webhook_token' },
    limit: 'receiver',
    effect: 'read',
    params: receiveParams,
    accepts: ['raw'],
    body: z.unknown(),
    answers: { 200: z.object({ status: z.literal('success'), message: z.literal('EVENT_RECEIVED') }) },
    errors: ['not_found', 'invalid_signature', 'invalid_json', 'payload_too_large'],
  }),
};

/** One update of a webhook post. Loose: the provider adds fields, and nothing it sends may be lost for being new. */
const providerError = z.looseObject({
  code: z.coerce.number().int().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  error_data: z
    .looseObject({ details: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** A part of a message: absent when it has another shape, so that one odd part does not spoil the message. */
const optionalObject = <F extends z.ZodRawShape>(fields: F) => z.looseObject(fields).optional().catch(undefined);
const optionalText = z.string().optional().catch(undefined);
const optionalId = z.coerce.string().optional().catch(undefined);

const fileFields = { id: optionalId, mime_type: optionalText, sha256: optionalText, caption: optionalText, filename: optionalText };
const receivedFile = optionalObject(fileFields);

/** Provider reference §3.5, §3.6. */
export const inboundMessage = z.looseObject({
  id: z.string(),
  from: optionalId,
  from_user_id: optionalText,
  /** Only of echoes: whom the business wrote to from its phone. */
  to: optionalId,
  to_user_id: optionalText,
  group_id: optionalId,
  timestamp: z.coerce.string().optional(),
  type: z.string().default('unknown'),
  text: z.looseObject({ body: z.string() }).optional(),
  context: optionalObject({ id: optionalText, from: optionalId }),
  referral: z.record(z.string(), z.unknown()).optional().catch(undefined),
  errors: z.array(providerError).optional().catch(undefined),
  image: receivedFile,
  video: receivedFile,
  audio: optionalObject({ ...fileFields, voice: z.boolean().optional().catch(undefined) }),
  document: receivedFile,
  sticker: receivedFile,
  location: optionalObject({
    latitude: z.coerce.number().optional().catch(undefined),
    longitude: z.coerce.number().optional().catch(undefined),
  }),
  contacts: z
    .array(z.looseObject({ name: optionalObject({ formatted_name: optionalText, first_name: optionalText }) }))
    .optional()
    .catch(undefined),
  button: optionalObject({ payload: optionalText, text: optionalText }),
  interactive: optionalObject({
    type: optionalText,
    button_reply: optionalObject({ id: optionalId, title: optionalText }),
    list_reply: optionalObject({ id: optionalId, title: optionalText, description: optionalText }),
    nfm_reply: optionalObject({ name: optionalText, body: optionalText, response_json: z.unknown() }),
  }),
  reaction: optionalObject({ message_id: optionalText, emoji: optionalText }),
  order: optionalObject({ text: optionalText, product_items: z.array(z.looseObject({})).optional().catch(undefined) }),
  system: optionalObject({ type: optionalText, body: optionalText, wa_id: optionalId, user_id: optionalText }),
  edit: optionalObject({
    original_message_id: optionalText,
    message: optionalObject({ type: optionalText, text: optionalObject({ body: optionalText }) }),
  }),
  revoke: optionalObject({ original_message_id: optionalText }),
  unsupported: optionalObject({ type: optionalText }),
});

/** Field `user_preferences`: what a person wishes of marketing, told to the provider itself. */
export const preferenceUpdate = z.looseObject({
  wa_id: optionalId,
  user_id: optionalText,
  category: optionalText,
  value: z.string(),
  timestamp: optionalId,
});

export const statusUpdate = z.looseObject({
  id: z.string(),
  status: z.string(),
  timestamp: z.coerce.string().optional(),
  recipient_id: z.string().optional(),
  recipient_user_id: z.string().optional(),
  biz_opaque_callback_data: z.string().optional(),
  recipient_type: z.string().optional().catch(undefined),
  recipient_participant_id: z.string().optional().catch(undefined),
  recipient_participant_user_id: z.string().optional().catch(undefined),
  errors: z.array(providerError).optional().catch(undefined),
  pricing: optionalObject({
    billable: z.boolean().optional().catch(undefined),
    pricing_model: optionalText,
    type: optionalText,
    category: optionalText,
  }),
});

export const providerUpdate = z.object({
  company_id: z.int(),
  received_at: z.int(),
  /** The provider's time of it, epoch milliseconds, where the post says one: on account and template fields. */
  occurred_at: z.int().optional(),
  business_account_id: z.string().optional(),
  phone_number_id: z.string().optional(),
  update: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('message'), message: inboundMessage, profile_name: z.string().optional() }),
    /** The business wrote from its phone (coexistence). */
    z.object({ kind: z.literal('echo'), message: inboundMessage }),
    z.object({ kind: z.literal('preference'), preference: preferenceUpdate }),
    z.object({ kind: z.literal('status'), status: statusUpdate }),
    z.object({ kind: z.literal('other'), field: z.string(), value: z.unknown() }),
  ]),
});
export type ProviderUpdate = z.output<typeof providerUpdate>;
export type InboundMessage = z.output<typeof inboundMessage>;
export type PreferenceUpdate = z.output<typeof preferenceUpdate>;
export type StatusUpdate = z.output<typeof statusUpdate>;
