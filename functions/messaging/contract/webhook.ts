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
    documents: { schema: webhookBody.meta({ id: 'ReceiveWebhookRequest' }), examples: webhookExamples },
    answers: { 200: z.object({ status: z.literal('success'), message: z.literal('EVENT_RECEIVED') }) },
    errors: ['not_found', 'invalid_signature', 'invalid_json', 'payload_too_large'],
  }),
};
