import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { id, text, timestamp } from '../../../shared/contract/fields.ts';
import { timezone } from '../../account/contract/timezone.ts';

/** Fields, access and result that all sends share. Limits are the provider's. */
export const phone = text(40, 1).meta({ description: 'The recipient: a phone number with country code.', example: '+4915112345678' });

/** Of the company's own numbers. */
const numberId = id.optional().meta({
  description: 'The number to send from. Default: the number that the contact last wrote to, else the default number of the company.',
});

/** From which number, when, and what to do outside the customer service window. */
export const sendOptions = {
  number_id: numberId,
  scheduled_at: text(40, 1).optional().meta({
    description: 'When to send, at most 365 days ahead: an ISO 8601 time. Without an offset it is local in `timezone`. Absent: now.',
    example: '2026-12-24T18:00:00',
  }),
  timezone: timezone.optional().meta({ description: "The IANA time zone of `scheduled_at`; the company's by default." }),
  window_policy: z.enum(['provider', 'enforce'], { error: 'Must be provider or enforce.' }).optional().meta({
    description:
      'What to do outside the 24-hour customer service window. `enforce`: refuse with window_closed. `provider`: send and let the provider decide. The company setting by default.',
  }),
};

/** A link that the provider fetches: http or https, to the public internet. */
export const link = text(2_000, 1).refine((value) => /^https?:\/\/\S+$/i.test(value) && URL.canParse(value), {
  error: 'Must be an http or https URL.',
});
export const httpsLink = link.refine((value) => /^https:/i.test(value), { error: 'Must be an https URL.' });

const serviceWindow = z
  .object({
    open: z.boolean().meta({ description: 'Whether free-form messages can be delivered now.' }),
    expires_at: timestamp.nullable().meta({
      description: 'When the window closes or closed: 24 hours after the last message from the customer. Null: the customer never wrote.',
    }),
    number_id: z.int().nullable().meta({ description: 'The number that the message leaves from: each number has a window of its own.' }),
  })
  .meta({ id: 'ServiceWindow', description: 'The 24-hour customer service window.' });

/** 200: the provider accepted the message, or it waits for its time. 202: the result is not known yet. */
export const sendResult = z
  .object({
    message_id: z.int().meta({ description: 'The id of the message within its conversation.' }),
    message_wamid: z.string().nullable().meta({ description: "The provider's id of the message; null until the provider accepted it." }),
    status: z.int().min(0).max(6).meta({ description: '0 scheduled, 1 sending, 2 sent, 3 delivered, 4 read, 5 failed, 6 processing.' }),
    contact_id: z.int(),
    conversation_id: z.int(),
    window: serviceWindow.meta({ description: 'The 24-hour customer service window of the conversation.' }),
    scheduled_at: timestamp.nullable().meta({ description: 'When the message will be sent; null for a message that was sent.' }),
    ambiguous: z
      .boolean()
      .meta({ description: 'True while the provider has not confirmed whether it accepted the message. It is never sent twice.' }),
    warnings: z.array(z.string()).meta({ description: 'Why the message may not be delivered, in words.' }),
  })
  .meta({ id: 'SendResult', description: 'A message that was sent or scheduled.' });

export const sendAccess = {
  caller: { kind: 'token', scope: 'messages:send', role: 'member' },
  limit: 'sends',
  effect: 'write',
  answers: { 200: success(sendResult), 202: success(sendResult) },
} as const;
