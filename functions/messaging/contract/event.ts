import * as z from 'zod';
import { timestamp } from '../../../shared/contract/fields.ts';
import { messageParts } from './content-parts.ts';
import { event } from '../../../shared/contract/event.ts';
import { feedEvent } from '../../../shared/contract/logged-event.ts';

const received = z.object({
  message_id: z.int().meta({ description: 'The id of the message within its conversation.' }),
  contact_id: z.int(),
  conversation_id: z.int(),
  type: z.int().meta({ description: '1 text, 2 media, 3 location, 5 form reply.' }),
  wamid: z.string().nullable().meta({ description: "The provider's id of the message." }),
  received_at: timestamp.meta({ description: 'When the customer sent the message.' }),
});

export const messageReceived = event({
  name: 'message.received',
  purpose: 'A contact sent a message',
  detail: received,
  log: ({ conversation_id: id }) => ({ subject: `conversation:${id}`, by: { kind: 'customer' } }),
  webhookData: received.extend({
    from: z.string().nullable().optional().meta({ description: "The sender's phone, digits with country code." }),
    user_id: z.string().nullable().optional().meta({ description: "The provider's id of a sender whose phone is hidden." }),
    number_id: z.int().nullable().optional().meta({ description: 'Your number that it was written to.' }),
    enabled_ai_bot: z
      .boolean()
      .optional()
      .meta({ description: 'Whether automated answers and an AI bot may reply to the contact, as of now.' }),
    value: z.string().optional().meta({ description: 'The text of the message, or the caption of its file.' }),
    context_message_id: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'The wamid of the message that a reply, reaction, edit or revocation is about.' }),
    content: messageParts
      .nullable()
      .optional()
      .meta({ description: 'The parts beside the text: button with payload, row, order, place, contacts, referral, group, call.' }),
    subtype: z.string().nullable().optional().meta({ description: 'The kind of an interactive or special message.' }),
    media: z
      .object({
        kind: z.string().meta({ description: 'image, video, audio, document or sticker.' }),
        mime: z.string().nullable().meta({ description: 'The MIME type.' }),
        size: z.int().nullable().meta({ description: 'The size in bytes; null until the file was fetched.' }),
        filename: z.string().nullable().meta({ description: 'The file name of a document.' }),
        caption: z.string().nullable().meta({ description: 'The caption.' }),
      })
      .nullable()
      .optional()
      .meta({ description: 'The file of the message; null without one.' }),
  }),
});

const statusChanged = z.object({
  message_id: z.int().meta({ description: 'The id of the message within its conversation.' }),
  contact_id: z.int(),
  conversation_id: z.int(),
  status: z.int().meta({ description: '0 scheduled, 1 sending, 2 sent, 3 delivered, 4 read, 5 failed, 6 processing.' }),
  wamid: z.string().nullable().meta({ description: "The provider's id of the message; null until the provider accepted it." }),
  ambiguous: z
    .boolean()
    .meta({ description: 'With status 5: whether the provider never confirmed the message, so that it may have arrived.' }),
  held: z.boolean().meta({
    description:
      'With status 2: whether the provider holds the message back. Another event comes when it is sent (2), delivered (3) or dropped (5).',
  }),
  at: timestamp.meta({ description: 'When the status changed.' }),
});

export const messageStatus = event({
  name: 'message.status',
  purpose: 'The status of an outgoing message changed',
  detail: statusChanged,
  webhookData: statusChanged.extend({
    error: z
      .object({
        code: z
          .union([z.int(), z.string()])
          .meta({ description: 'The error code of the provider; a text such as `ambiguous_send` is of this product, which did not send.' }),
        title: z.string().meta({ description: 'The error in words.' }),
        details: z.string().nullable().meta({ description: "The provider's own words, or null." }),
      })
      .nullable()
      .optional()
      .meta({ description: 'With status 5 (failed): why.' }),
  }),
});

export const messageFailed = feedEvent({
  types: ['message.failed'],
  purpose: 'A message failed that no campaign sent',
  data: z.object({
    message_id: z.int().meta({ description: 'The id of the message within its conversation.' }),
    contact_id: z.int().meta({ description: 'The contact that it was for.' }),
    code: z.union([z.int(), z.string()]).nullable().meta({ description: "The provider's error code; null where it gave none." }),
    ambiguous: z.boolean().meta({ description: 'Whether the provider never confirmed the message, so that it may have arrived.' }),
  }),
});
