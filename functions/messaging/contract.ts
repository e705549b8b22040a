import * as z from 'zod';
import { success } from '../../shared/contract/envelope.ts';
import { event } from '../../shared/contract/event.ts';
import { text, timestamp } from '../../shared/contract/fields.ts';
import { queue } from '../../shared/contract/queue.ts';
import { route } from '../../shared/contract/route.ts';
import { dueWork } from '../../shared/events/due.ts';

/** Codes of specification 1§2. */
export const messageStatuses = { scheduled: 0, sending: 1, sent: 2, delivered: 3, read: 4, failed: 5, processing: 6 } as const;
export const messageTypes = { text: 1, media: 2, location: 3, flowReply: 5 } as const;

// ---- sends -------------------------------------------------------------------------------------------------------------------------

const textFields = {
  phone: text(40, 1).meta({ description: 'With country code', example: '+4915112345678' }),
  message: text(4_096, 1).meta({ description: 'The text, up to 4,096 characters' }),
  window_policy: z
    .enum(['provider', 'enforce'], { error: 'Must be provider or enforce.' })
    .optional()
    .meta({ description: 'enforce: refuse outside the customer service window. The company setting unless given.' }),
};

const window = z.object({ open: z.boolean(), expires_at: timestamp.nullable() });

/** What a send answers (1§2, A25): 200 when the provider accepted or the message waits, 202 when its fate is unknown for now. */
export const sendResult = z.object({
  message_id: z.int(),
  message_wamid: z.string().nullable(),
  status: z.int().min(0).max(6),
  contact_id: z.int(),
  conversation_id: z.int(),
  window,
  scheduled_at: timestamp.nullable(),
  ambiguous: z.boolean(),
  warnings: z.array(z.string()),
});

const sendAnswers = { 200: success(sendResult), 202: success(sendResult) } as const;
const sendErrors = ['validation_failed', 'window_closed', 'number_missing', 'plan_limit_reached', 'provider_rejected'] as const;

export const sendRoutes = {
  sendText: route({
    method: 'POST',
    path: '/api/v1/messages/text',
    summary: 'Send a text message',
    caller: { kind: 'token', scope: 'messages:send', role: 'member' },
    limit: 'sends',
    effect: 'write',
    body: z.object(textFields),
    answers: sendAnswers,
    errors: sendErrors,
  }),
  sendTextByGet: route({
    method: 'GET',
    path: '/api/v1/messages/text',
    summary: 'Send a text message (deprecated GET form)',
    caller: { kind: 'token', scope: 'messages:send', role: 'member' },
    limit: 'sends',
    effect: 'write',
    query: z.object(textFields),
    answers: sendAnswers,
    errors: sendErrors,
    deprecated: { successor: '/api/v1/messages/text' },
  }),
};

// ---- the provider's webhook --------------------------------------------------------------------------------------------------------

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

// ---- queues and due work -----------------------------------------------------------------------------------------------------------

/** The queue is the first store of what the provider posts: the payload travels whole. */
export const updatesQueue = queue({
  name: 'provider-updates',
  purpose: 'What the provider posted, one update a message',
  message: providerUpdate,
  workSeconds: 30,
  maxReceives: 8,
});

const messageReference = z.object({ company_id: z.int(), contact_id: z.int(), message_id: z.int() });

export const sendsQueue = queue({
  name: 'sends',
  purpose: 'Messages that wait for their time or for the provider to take them, by reference',
  message: messageReference.extend({ due_at_ms: z.int() }),
  workSeconds: 30,
  maxReceives: 8,
});

/** Two minutes after a claim, its fate must be known. */
export const settlementsQueue = queue({
  name: 'settlements',
  purpose: 'Claimed messages to be looked at two minutes later',
  message: messageReference.extend({ attempt: z.int() }),
  workSeconds: 30,
  maxReceives: 8,
});

export const ambiguitySeconds = 120;

export const messageEntityName = 'message';

export const dueMessage = dueWork({
  name: messageEntityName,
  purpose: 'A message whose time has come',
  queue: sendsQueue,
  companyOf: (reference) => parts(reference)[0],
  message: (reference, dueAtMs) => {
    const [company_id, contact_id, message_id] = parts(reference);
    return { company_id, contact_id, message_id, due_at_ms: dueAtMs };
  },
});

export const parkedQueue = queue({
  name: 'parked-statuses',
  purpose: 'Statuses that came before their message, by reference',
  message: z.object({ company_id: z.int(), wamid: z.string(), status: z.string() }),
  workSeconds: 30,
  maxReceives: 8,
});

export const parkedStatusEntityName = 'parked-status';

export const dueParkedStatus = dueWork({
  name: parkedStatusEntityName,
  purpose: 'A status that came before its message, to be tried again',
  queue: parkedQueue,
  companyOf: (reference) => parts(reference)[0],
  message: (reference) => {
    const [company = '', status = '', ...wamid] = reference.split(':');
    return { company_id: Number(company), status, wamid: wamid.join(':') };
  },
});

// ---- the stored message, for reactions of other contexts ----------------------------------------------------------------------------

export const messageError = z.object({ code: z.union([z.int(), z.string()]), title: z.string(), details: z.string().optional() });

/** A message as the table holds it; times are epoch milliseconds. */
export const storedMessage = z.object({
  companyId: z.int(),
  contactId: z.int(),
  id: z.int(),
  inbound: z.boolean(),
  type: z.int(),
  subtype: z.string(),
  value: z.string(),
  status: z.int(),
  rev: z.int().default(0),
  phone: z.string().optional(),
  numberId: z.int().optional(),
  operationId: z.string().optional(),
  wamid: z.string().optional(),
  attempt: z.int().default(0),
  claimedAt: z.int().optional(),
  dueAt: z.int().optional(),
  ambiguous: z.boolean().optional(),
  error: messageError.optional(),
  note: messageError.optional(),
  sentAt: z.int().optional(),
  deliveredAt: z.int().optional(),
  readAt: z.int().optional(),
  failedAt: z.int().optional(),
  contextWamid: z.string().optional(),
  /** What the provider sent, for kinds that are not taken apart yet. */
  raw: z.string().optional(),
  createdAt: z.int(),
  /** When an inbound message reached us; its own time has whole seconds only. */
  arrivedAt: z.int().optional(),
  updatedAt: z.int(),
});
export type StoredMessage = z.output<typeof storedMessage>;

// ---- events ------------------------------------------------------------------------------------------------------------------------

export const messageReceived = event({
  name: 'message.received',
  purpose: 'A person wrote',
  detail: z.object({
    message_id: z.int(),
    contact_id: z.int(),
    conversation_id: z.int(),
    type: z.int(),
    wamid: z.string().nullable(),
    received_at: timestamp,
  }),
});

export const messageStatus = event({
  name: 'message.status',
  purpose: 'A message we sent moved',
  detail: z.object({
    message_id: z.int(),
    contact_id: z.int(),
    conversation_id: z.int(),
    status: z.int(),
    wamid: z.string().nullable(),
    ambiguous: z.boolean(),
    at: timestamp,
  }),
});

function parts(reference: string): [number, number, number] {
  const [a = 0, b = 0, c = 0] = reference.split(':').map(Number);
  return [a, b, c];
}
