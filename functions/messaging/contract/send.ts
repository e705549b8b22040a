import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

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
