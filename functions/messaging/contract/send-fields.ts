import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { id, numberAsText, text, timestamp, withOneOf } from '../../../shared/contract/fields.ts';
import { timezone } from '../../account/contract/timezone.ts';
import { messageCost } from '../../spend/contract/message-cost.ts';

/** Fields, access and result that all sends share. Limits are the provider's. */
const phone = text(40, 1);

/** Exactly one of these: a phone, or a contact, whose phone may be unknown; that one is there is a rule of `toRecipient`. */
export const recipientFields = {
  phone: phone.optional().meta({
    description: 'The recipient: a phone number with country code; or name `contact_id` or `user_id`.',
    example: '+4915112345678',
  }),
  contact_id: id.optional().meta({ description: 'The recipient by contact, also where only its user id is known.' }),
  user_id: text(140, 1).optional().meta({
    description: "The recipient by the provider's id of a known contact whose phone is hidden, as in message.received.",
  }),
};

/** The body of a send, which names its recipient. */
export const toRecipient = <S extends z.ZodType>(schema: S): S => withOneOf(schema, Object.keys(recipientFields));

export const idText = (most: number) =>
  z
    .union([numberAsText, z.string()], { error: 'Must be a text.' })
    .pipe(text(most, 1))
    .meta({ override: { type: 'string', maxLength: most } });

/** A message of the conversation, by its wamid or by its id. */
export const messageName = idText(300);

/** The message that a send answers. */
const contextMessageId = messageName
  .optional()
  .meta({ description: 'Sends it as a reply, quoting a message of this conversation: its wamid, or its id.' });

/** Of the company's own numbers. */
const numberId = id.optional().meta({
  description: 'The number to send from. Default: the number that the contact last wrote to, else the default number of the company.',
});

const windowPolicy = z.enum(['provider', 'enforce'], { error: 'Must be provider or enforce.' }).optional().meta({
  description:
    'What to do outside the 24-hour customer service window. `enforce`: refuse with window_closed. `provider`: send and let the provider decide. The company setting by default.',
});

/** Of what is sent at once or not at all. */
export const immediateOptions = { number_id: numberId, window_policy: windowPolicy };

/** Read by parseSchedule, which refuses a text that is no time in the same words. */
export const timeToSend = text(40, 1, { error: 'Must be an ISO 8601 date and time, such as 2026-12-24T18:00:00+01:00.' });

/** From which number, when, in answer to what, and what to do outside the customer service window. */
export const sendOptions = {
  number_id: numberId,
  context_message_id: contextMessageId,
  scheduled_at: timeToSend.optional().meta({
    description: 'When to send, at most 365 days ahead: an ISO 8601 time. Without an offset it is local in `timezone`. Absent: now.',
    example: '2026-12-24T18:00:00',
  }),
  timezone: timezone.optional().meta({ description: "The IANA time zone of `scheduled_at`; the company's by default." }),
  window_policy: windowPolicy,
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
    held: z.boolean().meta({
      description:
        'True while the provider, which accepted the template message, holds it back until it knows how others take the template. It sends it later, or drops it.',
    }),
    cost: messageCost.meta({ description: 'What the message costs, by the prices of today.' }),
    warnings: z.array(z.string()).meta({ description: 'Why the message may not be delivered, in words.' }),
  })
  .meta({ id: 'SendResult', description: 'A message that was sent or scheduled.' });

export const sendAccess = {
  sends: true,
  caller: { kind: 'token', scope: 'messages:send', role: 'member' },
  limit: 'sends',
  effect: 'write',
  answers: { 200: success(sendResult), 202: success(sendResult) },
} as const;
