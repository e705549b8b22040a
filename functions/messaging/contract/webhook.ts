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

export const inboundMessage = z.looseObject({
  id: z.string(),
  from: z.string().optional(),
  from_user_id: z.string().optional(),
  timestamp: z.coerce.string().optional(),
  type: z.string().default('unknown'),
  text: z.looseObject({ body: z.string() }).optional(),
});

export const statusUpdate = z.looseObject({
  id: z.string(),
  status: z.string(),
  timestamp: z.coerce.string().optional(),
  recipient_id: z.string().optional(),
  recipient_user_id: z.string().optional(),
  biz_opaque_callback_data: z.string().optional(),
  errors: z.array(providerError).optional().catch(undefined),
});

export const providerUpdate = z.object({
  company_id: z.int(),
  received_at: z.int(),
  business_account_id: z.string().optional(),
  phone_number_id: z.string().optional(),
  update: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('message'), message: inboundMessage, profile_name: z.string().optional() }),
    z.object({ kind: z.literal('status'), status: statusUpdate }),
    z.object({ kind: z.literal('other'), field: z.string(), value: z.unknown() }),
  ]),
});
export type ProviderUpdate = z.output<typeof providerUpdate>;
export type InboundMessage = z.output<typeof inboundMessage>;
export type StatusUpdate = z.output<typeof statusUpdate>;
