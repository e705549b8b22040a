import * as z from 'zod';
import { route } from '../../../shared/contract/route.ts';

const receivePath = '/webhook/messaging/receive/{webhook_token}';
const receiveParams = z.object({ webhook_token: z.string().meta({ description: 'The secret token of the webhook URL.' }) });

/** The body of a post, as the provider documents it. For the reference only: posts are parsed in domain/webhook-payload.ts. */
const webhookBody = z.looseObject({
  object: z.literal('whatsapp_business_account').meta({ description: 'Always `whatsapp_business_account`.' }),
  entry: z
    .array(
      z.looseObject({
        id: z.string().meta({ description: 'The id of the WhatsApp business account.' }),
        changes: z
          .array(
            z.looseObject({
              field: z.string().meta({ description: 'What changed: `messages`, `message_template_status_update`, `account_update` ...' }),
              value: z.looseObject({}).meta({ description: 'The change: messages, statuses, or the fields of another update.' }),
            }),
          )
          .meta({ description: 'The changes.' }),
      }),
    )
    .meta({ description: 'One entry for each business account.' }),
});

const valueOf = (content: Record<string, unknown>): Record<string, unknown> => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '102290129340398',
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '15550783881', phone_number_id: '106540352242922' },
            ...content,
          },
        },
      ],
    },
  ],
});

const webhookExamples = {
  message: {
    summary: 'A customer sent a text',
    value: valueOf({
      contacts: [{ profile: { name: 'Ada' }, wa_id: '4915123456789' }],
      messages: [
        { from: '4915123456789', id: 'wamid.HBgLNDkxNTEyMzQ1Njc4OQ', timestamp: '1767000000', type: 'text', text: { body: 'Hello' } },
      ],
    }),
  },
  status: {
    summary: 'A message was delivered',
    value: valueOf({
      statuses: [{ id: 'wamid.HBgLNDkxNTEyMzQ1Njc4OQ', status: 'delivered', timestamp: '1767000005', recipient_id: '4915123456789' }],
    }),
  },
};

export const webhookRoutes = {
  verifyWebhook: route({
    method: 'GET',
    path: receivePath,
    via: 'url',
    summary: 'Verify the provider webhook',
    description:
      'The handshake of the messaging provider: answers with `hub.challenge` when `hub.verify_token` is the verify token of a business number or the token of the URL.',
    caller: { kind: 'webhook_token' },
    limit: 'receiver',
    effect: 'read',
    params: receiveParams,
    query: z.object({
      'hub.mode': z.string().optional().meta({ description: 'Must be `subscribe`.' }),
      'hub.challenge': z.string().optional().meta({ description: 'The text to answer with.' }),
      'hub.verify_token': z.string().optional().meta({ description: 'The verify token that was entered at the provider.' }),
    }),
    answers: { 200: z.string() },
    contentTypes: ['text/plain'],
    errors: ['not_found', 'handshake_failed'],
  }),
  receiveWebhook: route({
    method: 'POST',
    path: receivePath,
    via: 'url',
    summary: 'Receive a provider webhook',
    description:
      'Receives messages, message statuses and account updates from the messaging provider, in the format of its Cloud API webhooks. ' +
      'With an app secret the `X-Hub-Signature-256` header must be valid. Updates are queued and applied after the answer.',
    caller: { kind: 'webhook_token' },
    limit: 'receiver',
    effect: 'read',
    params: receiveParams,
    accepts: ['raw'],
    body: z.unknown(),
    documents: { schema: webhookBody, examples: webhookExamples },
    answers: { 200: z.object({ status: z.literal('success'), message: z.literal('EVENT_RECEIVED') }) },
    errors: ['not_found', 'invalid_signature', 'invalid_json', 'payload_too_large'],
  }),
};

/** The parts of a webhook post. Loose: the provider adds fields, and new ones must not be lost. */
const providerError = z.looseObject({
  code: z.coerce.number().int().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  error_data: z
    .looseObject({ details: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** A part of a message; absent when it has an unexpected shape, so that one odd part does not lose the message. */
const optionalObject = <F extends z.ZodRawShape>(fields: F) => z.looseObject(fields).optional().catch(undefined);
const optionalText = z.string().optional().catch(undefined);
const optionalId = z.coerce.string().optional().catch(undefined);

const fileFields = { id: optionalId, mime_type: optionalText, sha256: optionalText, caption: optionalText, filename: optionalText };
const receivedFile = optionalObject(fileFields);

/** https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components#messages-object */
export const inboundMessage = z.looseObject({
  id: z.string(),
  from: optionalId,
  from_user_id: optionalText,
  /** Only in echoes: the recipient of a message that the business wrote on its phone. */
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

/** Field `user_preferences`: a choice about marketing messages that a contact made at the provider. */
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
  /** The provider's time of the update, epoch milliseconds; on account and template fields only. */
  occurred_at: z.int().optional(),
  business_account_id: z.string().optional(),
  phone_number_id: z.string().optional(),
  update: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('message'), message: inboundMessage, profile_name: z.string().optional() }),
    /** A message that the business wrote on its phone (coexistence). */
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
